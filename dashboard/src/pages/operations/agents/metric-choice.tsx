// Which metrics an agent's page shows: those that the address names, else those that tell most at a glance; and the menu for it.
import { Button } from '../../../components/button.tsx';
import { CheckMenu } from '../../../components/tables/check-menu.tsx';
import { formatNumber } from '../../../format.ts';
import { agentsText } from '../../../text/pages.ts';
import type { Metric } from './use-agent-series.ts';

/** In the order they are worth looking at; an agent has some of them. */
const telling = [
  ...['throughput_mbps', 'connected_devices', 'power_w', 'latency_ms', 'prb_load_pct', 'airtime_pct'],
  ...['channel_utilisation_pct', 'rsrp_dbm', 'rssi_dbm', 'sinr_db', 'snr_db', 'illuminance_lx'],
];
export const usualCount = 6;
const maxShown = 60;
/** Servers and proxies refuse requests whose head is longer than some kilobytes. */
const maxAddressLength = 6000;

/** `urgent` come first among the usual ones: alarms are about them. `wanted` is how an address writes it: names separated by commas, `all`, or nothing for the usual ones. */
export function chooseMetrics<Metric extends { name: string }>(
  known: readonly Metric[],
  wanted: string,
  urgent: readonly string[] = [],
): Metric[] {
  if (wanted === 'all') return known.slice(0, fittingCount(known));
  if (wanted === 'none') return [];
  if (wanted !== '') {
    // In the order they were chosen: one more does not move those that are there.
    const names = [...new Set(wanted.split(','))];
    const found = names.flatMap((wish) => known.find(({ name }) => name === wish) ?? []);
    return found.slice(0, fittingCount(found));
  }
  const rank = ({ name }: Metric) => {
    if (urgent.includes(name)) return urgent.indexOf(name) - urgent.length;
    const place = telling.indexOf(name);
    return place < 0 ? telling.length : place;
  };
  // Sorting keeps the order of those that are worth the same.
  const usual = [...known].sort((a, b) => rank(a) - rank(b)).slice(0, usualCount);
  return usual.slice(0, fittingCount(usual));
}

/** What the address says after one was added or taken away. */
export function toggleMetric(shown: readonly { name: string }[], name: string): string {
  const names = shown.map((metric) => metric.name);
  const next = names.includes(name) ? names.filter((other) => other !== name) : [...names, name];
  return next.length === 0 ? 'none' : next.join(',');
}

/** How many of them, from the first, a page can draw and an address can name. */
function fittingCount(metrics: readonly { name: string }[]): number {
  let length = 0;
  const end = metrics.findIndex(({ name }, index) => {
    length += encodeURIComponent(name).length + '&metrics='.length;
    return index >= maxShown || length > maxAddressLength;
  });
  return end < 0 ? metrics.length : end;
}

/** Whether one more would fit. */
export function hasRoomFor(shown: readonly { name: string }[], name: string): boolean {
  return fittingCount([...shown, { name }]) > shown.length;
}

interface MetricChooserProps {
  known: readonly Metric[];
  shown: readonly Metric[];
  /** As the address writes it. */
  onChange: (wanted: string) => void;
}

export function MetricChooser({ known, shown, onChange }: MetricChooserProps) {
  const chosen = new Set(shown.map(({ name }) => name));
  const isFull = known.some(({ name }) => !chosen.has(name) && !hasRoomFor(shown, name));
  return (
    <CheckMenu
      title={`Metrics: ${formatNumber(shown.length)} of ${formatNumber(known.length)}`}
      label="Metrics to show"
      filterLabel={agentsText.one.filterMetrics}
      items={known.map(({ name, label, unit }) => ({ name, label, hint: unit }))}
      chosen={chosen}
      isOpenTo={(name) => hasRoomFor(shown, name)}
      onTurn={(name) => onChange(toggleMetric(shown, name))}
    >
      <div class="cluster">
        <Button size="small" onClick={() => onChange('')} words="Reset to default" />
        <Button size="small" onClick={() => onChange('all')} words="Show all" />
      </div>
      {isFull && <p class="faint small">This page is full. Remove a metric to add another.</p>}
    </CheckMenu>
  );
}
