// Which metrics are on the charts.
import { Button } from '../../components/button.tsx';
import { CheckMenu } from '../../components/forms/check-menu.tsx';
import { formatNumber } from '../../format/numbers.ts';
import { agentsText } from '../../text/agents.ts';
import { hasRoomFor, toggleMetric } from './metric-choice.ts';
import type { Metric } from './use-agent-series.ts';

interface MetricChooserProps {
  known: readonly Metric[];
  shown: readonly Metric[];
  /** As the address writes it. */
  onChange: (wanted: string) => void;
}

export function MetricChooser({ known, shown, onChange }: MetricChooserProps) {
  const text = agentsText.one;
  const chosen = new Set(shown.map(({ name }) => name));
  const isFull = known.some(({ name }) => !chosen.has(name) && !hasRoomFor(shown, name));
  return (
    <CheckMenu
      title={text.metricsChosen(formatNumber(shown.length), formatNumber(known.length))}
      label={text.chooseMetrics}
      filterLabel={text.filterMetrics}
      items={known.map(({ name, label, unit }) => ({ name, label, hint: unit }))}
      chosen={chosen}
      isOpenTo={(name) => hasRoomFor(shown, name)}
      onTurn={(name) => onChange(toggleMetric(shown, name))}
    >
      <div class="cluster">
        <Button size="small" onClick={() => onChange('')}>
          {text.default}
        </Button>
        <Button size="small" onClick={() => onChange('all')}>
          {text.all}
        </Button>
      </div>
      {isFull && <p class="faint small">{text.metricsFull}</p>}
    </CheckMenu>
  );
}
