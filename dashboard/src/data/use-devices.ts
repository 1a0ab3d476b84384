// Devices as the server lists them, for a page that shows a list of them.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type DeviceListState, type DeviceQuery, DeviceReader } from './device-reader.ts';

interface ShownDevices extends DeviceListState {
  onSight: (first: number, end: number) => void;
  retry: () => void;
}

/** `wanted`: so many rows are read before any is shown, for a list that was left far down. */
export function useDevices(query: DeviceQuery, wanted: number): ShownDevices {
  const isFirst = useRef(true);
  // The key stands for the query.
  const reader = useMemo(() => new DeviceReader(query, isFirst.current ? wanted : 0), [JSON.stringify(query)]);
  useEffect(() => {
    isFirst.current = false;
    reader.start();
    return () => reader.stop();
  }, [reader]);
  const { rows, count, failure } = reader.state.value;
  // While others are asked for, those that are known stay on show.
  const last = useRef({ rows, count });
  if (rows) last.current = { rows, count };
  return {
    ...last.current,
    failure,
    onSight: (first, end) => reader.onSight(first, end),
    retry: () => reader.retry(),
  };
}
