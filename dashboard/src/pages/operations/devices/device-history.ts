// What happened to a device as one list, and what is kept of a watched one: all of the window once, then only what is new, as lines
// of a chart.
import { useEffect, useState } from 'preact/hooks';
import {
  call,
  type DeviceDetails,
  type DeviceHistoryPage,
  type DeviceMove,
  type SteeringAttempt,
} from '../../../api/client.ts';
import type { ChartLine } from '../../../components/chart/chart-shape.ts';
import { serverNow } from '../../../data/freshness.ts';

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
  const measured = samples.filter((sample) => sample[value] !== undefined);
  return [...Map.groupBy(measured, ({ ap_id }) => ap_id)]
    .sort(([, a], [, b]) => Date.parse(b.at(-1)!.ts) - Date.parse(a.at(-1)!.ts))
    .slice(0, maxLines)
    .map(([ap_id, own]) => ({
      name: ap_id,
      label: labelOf(ap_id),
      times: own.map(({ ts }) => Date.parse(ts) / 1000),
      values: own.map((sample) => sample[value]!),
    }));
}

const pollMs = 3000;
const pageSize = 5000;
/** A day of one report every two seconds. */
const maxSamples = 43_200;

interface DeviceHistoryOptions {
  device: string;
  windowSeconds: number;
  isWatched: boolean;
}

/** Oldest first; empty of a device that is not watched. */
export function useDeviceHistory({ device, windowSeconds, isWatched }: DeviceHistoryOptions): readonly HistorySample[] {
  const [samples, setSamples] = useState<readonly HistorySample[]>([]);
  useEffect(() => {
    setSamples([]);
    if (!isWatched) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let since = new Date(serverNow() - windowSeconds * 1000).toISOString();
    const read = async () => {
      try {
        for (let hasMore = !document.hidden; hasMore; ) {
          const query = { since, limit: pageSize };
          const { items, next } = await call('device_history', { path: { device }, query }, { signal: abort.signal });
          const last = items.at(-1);
          since = next ?? (last ? new Date(Date.parse(last.ts) + 1).toISOString() : since);
          hasMore = next !== null;
          if (items.length > 0) setSamples((known) => [...known, ...items].slice(-maxSamples));
        }
      } catch {
        // The device itself is asked for too, and says what is wrong.
      }
      if (!abort.signal.aborted) timer = setTimeout(read, pollMs);
    };
    void read();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [device, windowSeconds, isWatched]);
  return samples;
}
