// Devices as the server lists them, for a page that shows a list of them: in the order of their names each part is read by
// itself, so that tens of thousands can be scrolled through; in any other order the first pages are read together.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { call, type Device } from '../../api/client.ts';
import { queries } from '../use-operation.ts';
import { type DeviceListState, type DeviceQuery, DeviceReader } from './device-reader.ts';
import { readPages, useListPages } from './list-pages.ts';

export const byName = 'device';
const pageSize = 500;
const maxPages = 200;

interface FoundDevices extends DeviceListState {
  onSight: (first: number, end: number) => void;
  retry: () => void;
}

interface ShownDevices extends FoundDevices {
  /** The rows are the answer to this query; else to one before it. */
  isCurrent: boolean;
}

interface DevicesOptions {
  sort: string;
  /** So many rows are read before any is shown, for a list that was left far down. */
  wanted: number;
}

export function useDevices(query: DeviceQuery, { sort, wanted }: DevicesOptions): ShownDevices {
  const isByName = sort === byName;
  const named = useNamedDevices(query, wanted, isByName);
  const sorted = useSortedDevices({ ...query, sort }, wanted, !isByName);
  const { rows, count, ...rest } = isByName ? named : sorted;
  // While others are asked for, those that are known stay on show.
  const last = useRef({ rows, count });
  if (rows) last.current = { rows, count };
  return { ...last.current, ...rest, isCurrent: rows !== undefined };
}

function useNamedDevices(query: DeviceQuery, wanted: number, isWanted: boolean): FoundDevices {
  const isFirst = useRef(true);
  // The key stands for the query.
  const reader = useMemo(
    () => new DeviceReader(query, isFirst.current ? wanted : 0),
    [JSON.stringify(query), isWanted],
  );
  useEffect(() => {
    if (!isWanted) return;
    isFirst.current = false;
    reader.start();
    return () => reader.stop();
  }, [reader, isWanted]);
  return {
    ...reader.state.value,
    onSight: (first, end) => reader.onSight(first, end),
    retry: () => reader.retry(),
  };
}

function useSortedDevices(query: DeviceQuery & { sort: string }, wanted: number, isWanted: boolean): FoundDevices {
  const [pages, setPages] = useState(() => pagesFor(wanted));
  const { data, failure } = useListPages<Device>({
    key: `list_devices:${pages} ${JSON.stringify(query)}`,
    fetch: (signal) =>
      readPages(pages, (cursor) => {
        const part = cursor === undefined ? { count: true } : { cursor };
        return call('list_devices', { query: { ...query, limit: pageSize, ...part } }, { signal });
      }),
    pollMs: ({ items }) => Math.max(4000, items.length * 5),
    isWanted,
  });
  return {
    rows: data?.items,
    count: data?.count,
    failure,
    onSight: (_first, end) => {
      if (data?.hasMore && end >= data.items.length) setPages(pagesFor(end));
    },
    retry: () => queries.refresh('list_devices'),
  };
}

/** One more than what is there. */
function pagesFor(rows: number): number {
  return Math.min(maxPages, Math.ceil(rows / pageSize) + 1);
}
