// Which metrics are on the charts, as a list of boxes that opens below its button.
import { useId, useRef } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { formatNumber } from '../../format/numbers.ts';
import { agentsText } from '../../text/agents.ts';
import './metric-chooser.css';
import { toggleMetric } from './metric-choice.ts';
import type { Metric } from './use-agent-series.ts';

interface MetricChooserProps {
  known: readonly Metric[];
  shown: readonly Metric[];
  /** As the address writes it. */
  onChange: (wanted: string) => void;
}

export function MetricChooser({ known, shown, onChange }: MetricChooserProps) {
  const text = agentsText.one;
  const id = useId();
  const frame = useRef<HTMLDetailsElement>(null);
  const names = new Set(shown.map(({ name }) => name));
  const close = () => {
    if (frame.current) frame.current.open = false;
  };
  return (
    <details
      class="metric-chooser"
      ref={frame}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        close();
        frame.current?.querySelector('summary')?.focus();
      }}
      onFocusOut={(event) => {
        const next = event.relatedTarget as Node | null;
        if (next && !frame.current?.contains(next)) close();
      }}
    >
      <summary class="button plain">
        {text.metricsChosen(formatNumber(shown.length), formatNumber(known.length))}
        <Icon name="chevron-down" size={14} />
      </summary>
      <fieldset>
        <legend class="visually-hidden">{text.chooseMetrics}</legend>
        <div class="cluster">
          <Button size="small" onClick={() => onChange('')}>
            {text.usual}
          </Button>
          <Button size="small" onClick={() => onChange('all')}>
            {text.all}
          </Button>
        </div>
        {known.map(({ name, label, unit }) => (
          <label key={name} for={`${id}-${name}`}>
            <input
              id={`${id}-${name}`}
              type="checkbox"
              checked={names.has(name)}
              onChange={() => onChange(toggleMetric(shown, name))}
            />
            <span>{label}</span>
            <span class="faint">{unit}</span>
          </label>
        ))}
      </fieldset>
    </details>
  );
}
