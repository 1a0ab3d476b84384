// What is kept of a watched device: all of the window once, then only what is new.
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { serverNow } from '../../data/server-clock.ts';
import type { HistorySample } from './device-history.ts';

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
