// The one time window that every chart obeys, and the menu that chooses it. An address may carry it, so that a link shows what its
// sender saw.
import { computed, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { keep, readKept } from '../data/kept.ts';
import { place, setQuery, useQueryState } from '../router/location.ts';
import { Button, Icon } from './button.tsx';
import type { TimeRange } from './chart/chart-options.ts';
import { Menu } from './menu.tsx';

/** In words and in seconds. */
export const timeWindows = {
  '1m': { words: '1 minute', seconds: 60 },
  '5m': { words: '5 minutes', seconds: 300 },
  '15m': { words: '15 minutes', seconds: 900 },
  '1h': { words: '1 hour', seconds: 3600 },
  '6h': { words: '6 hours', seconds: 21_600 },
  '24h': { words: '24 hours', seconds: 86_400 },
  '7d': { words: '7 days', seconds: 604_800 },
  '30d': { words: '30 days', seconds: 2_592_000 },
};
export type TimeWindow = keyof typeof timeWindows;

const storageKey = 'weft.window';
const chosen = signal<TimeWindow>(toWindow(readKept('browser', storageKey)) ?? '1h');

export const timeWindow = computed<TimeWindow>(
  () => toWindow(new URLSearchParams(place.value.search).get('window')) ?? chosen.value,
);
export const timeWindowSeconds = computed<number>(() => timeWindows[timeWindow.value].seconds);

export function chooseTimeWindow(next: TimeWindow): void {
  chosen.value = next;
  keep('browser', storageKey, next);
  // One that the address carries would hide the choice, and whoever chooses a window wants to see all of it.
  const isInAddress = new URLSearchParams(location.search).has('window');
  setQuery({ zoom: undefined, ...(isInAddress && { window: next }) });
}

/** The part of the past that all charts of the page show, in the address: an interval of ISO 8601. */
export function useZoom(): [zoom: TimeRange | undefined, set: (next: TimeRange | undefined) => void] {
  const [written, write] = useQueryState('zoom');
  const zoom = useMemo(() => readZoom(written), [written]);
  return [zoom, (next) => write(next ? writeZoom(next) : '')];
}

export function writeZoom({ from, to }: TimeRange): string {
  return [Math.floor(from), Math.max(Math.ceil(to), Math.floor(from) + 1)]
    .map((seconds) => new Date(seconds * 1000).toISOString().replace('.000', ''))
    .join('/');
}

export function readZoom(text: string): TimeRange | undefined {
  const [from = Number.NaN, to = Number.NaN] = text.split('/').map((moment) => Date.parse(moment) / 1000);
  return from < to ? { from, to } : undefined;
}

function toWindow(text: string | null): TimeWindow | undefined {
  return text !== null && Object.hasOwn(timeWindows, text) ? (text as TimeWindow) : undefined;
}

export function TimeWindowMenu() {
  const current = timeWindow.value;
  const [zoom, setZoom] = useZoom();
  return (
    <>
      {zoom && <Button onClick={() => setZoom(undefined)}>Reset zoom</Button>}
      <Menu
        label={`Time window of the charts: ${timeWindows[current].words}`}
        kind="plain"
        items={(Object.keys(timeWindows) as TimeWindow[]).map((name) => ({
          label: timeWindows[name].words,
          isChosen: name === current,
          onChoose: () => chooseTimeWindow(name),
        }))}
      >
        <Icon name="clock" size={16} />
        {timeWindows[current].words}
        <Icon name="chevron-down" size={14} />
      </Menu>
    </>
  );
}

interface ExportMenuProps {
  words: string;
  /** The window on show comes first. */
  onChoose: (window: TimeWindow) => void;
}

/** Whoever exports a week need not look at it before. */
export function ExportMenu({ words, onChoose }: ExportMenuProps) {
  const names = Object.keys(timeWindows) as TimeWindow[];
  const ordered = [timeWindow.value, ...names.filter((name) => name !== timeWindow.value)];
  const items = ordered.map((name) => ({ label: timeWindows[name].words, onChoose: () => onChoose(name) }));
  return (
    <Menu label={words} kind="plain" items={items}>
      <Icon name="download" size={16} />
      {words}
      <Icon name="chevron-down" size={14} />
    </Menu>
  );
}
