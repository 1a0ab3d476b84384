// Which metrics are on the charts, as a list of boxes that opens below its button.
import { useId, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { filterRows } from '../../components/tables/table-view.ts';
import { formatNumber } from '../../format/numbers.ts';
import { agentsText } from '../../text/agents.ts';
import { componentText } from '../../text/components.ts';
import './metric-chooser.css';
import { hasRoomFor, toggleMetric } from './metric-choice.ts';
import type { Metric } from './use-agent-series.ts';

interface MetricChooserProps {
  known: readonly Metric[];
  shown: readonly Metric[];
  /** As the address writes it. */
  onChange: (wanted: string) => void;
}

/** A list that is read at a glance needs no filter. */
const filteredFrom = 16;

export function MetricChooser({ known, shown, onChange }: MetricChooserProps) {
  const text = agentsText.one;
  const id = useId();
  const frame = useRef<HTMLDetailsElement>(null);
  const names = new Set(shown.map(({ name }) => name));
  const [filter, setFilter] = useState('');
  const isFull = known.some(({ name }) => !names.has(name) && !hasRoomFor(shown, name));
  const listed = filterRows(known, ({ name, label }) => `${name} ${label}`, filter);
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
            {text.default}
          </Button>
          <Button size="small" onClick={() => onChange('all')}>
            {text.all}
          </Button>
        </div>
        {known.length >= filteredFrom && (
          <input
            class="input"
            type="search"
            placeholder={componentText.table.filter}
            aria-label={text.filterMetrics}
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        )}
        {isFull && <p class="faint small">{text.metricsFull}</p>}
        {listed.map(({ name, label, unit }) => (
          <label key={name} for={`${id}-${name}`}>
            <input
              id={`${id}-${name}`}
              type="checkbox"
              checked={names.has(name)}
              disabled={!names.has(name) && !hasRoomFor(shown, name)}
              onChange={() => onChange(toggleMetric(shown, name))}
            />
            <span class="metric-label">{label}</span>
            <span class="faint">{unit}</span>
          </label>
        ))}
      </fieldset>
    </details>
  );
}
