// What happened to a device as one list, and what was kept of a watched one as lines of a chart. Pure.
import type { DeviceDetails, DeviceHistoryPage, DeviceMove, SteeringAttempt } from '../../api/operations.ts';
import type { ChartLine } from '../../components/chart/chart-shape.ts';

export type PastEntry = { at: number } & ({ move: DeviceMove } | { attempt: SteeringAttempt });
export type HistorySample = DeviceHistoryPage['items'][number];

/** Newest first. Of one moment the attempt comes first: the move is what it led to. */
export function pastEntries({ moves, steering }: Pick<DeviceDetails, 'moves' | 'steering'>): PastEntry[] {
  return [
    ...steering.map((attempt): PastEntry => ({ at: Date.parse(attempt.ts), attempt })),
    ...moves.map((move): PastEntry => ({ at: Date.parse(move.ts), move })),
  ].sort((a, b) => b.at - a.at);
}

/** More lines than a chart can tell apart would help nobody. */
const maxLines = 6;

/** One for each access point, those of the newest samples first. */
export function historyLines(
  samples: readonly HistorySample[],
  value: 'rssi_dbm' | 'tx_mbps',
  labelOf: (ap_id: string) => string,
): ChartLine[] {
  const byAgent = new Map<string, HistorySample[]>();
  for (const sample of samples) {
    if (sample[value] === undefined) continue;
    const own = byAgent.get(sample.ap_id);
    if (own) own.push(sample);
    else byAgent.set(sample.ap_id, [sample]);
  }
  return [...byAgent]
    .sort(([, a], [, b]) => Date.parse(b.at(-1)!.ts) - Date.parse(a.at(-1)!.ts))
    .slice(0, maxLines)
    .map(([ap_id, own]) => ({
      name: ap_id,
      label: labelOf(ap_id),
      times: own.map(({ ts }) => Date.parse(ts) / 1000),
      values: own.map((sample) => sample[value]!),
    }));
}
