// The one time window that every chart obeys, and the menu that chooses it. An address may carry it, so that a link shows what its
// sender saw.
import { computed, signal } from '@preact/signals';
import { keep, readKept } from '../data/kept.ts';
import { place, setQuery } from '../router/location.ts';
import { shellText } from '../text/shell.ts';
import { Icon } from './button.tsx';
import { Menu } from './menu.tsx';

export const timeWindows = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '1h': 3600,
  '6h': 21_600,
  '24h': 86_400,
  '7d': 604_800,
  '30d': 2_592_000,
} as const;
export type TimeWindow = keyof typeof timeWindows;

const storageKey = 'weft.window';
const chosen = signal<TimeWindow>(toWindow(readKept('browser', storageKey)) ?? '1h');

export const timeWindow = computed<TimeWindow>(
  () => toWindow(new URLSearchParams(place.value.search).get('window')) ?? chosen.value,
);
export const timeWindowSeconds = computed(() => timeWindows[timeWindow.value]);

export function chooseTimeWindow(next: TimeWindow): void {
  chosen.value = next;
  keep('browser', storageKey, next);
  // One that the address carries would hide the choice.
  if (new URLSearchParams(location.search).has('window')) setQuery({ window: next });
}

function toWindow(text: string | null): TimeWindow | undefined {
  return text !== null && Object.hasOwn(timeWindows, text) ? (text as TimeWindow) : undefined;
}

export function TimeWindowMenu() {
  const current = timeWindow.value;
  return (
    <Menu
      label={shellText.timeWindow(shellText.windows[current])}
      kind="plain"
      items={(Object.keys(timeWindows) as TimeWindow[]).map((name) => ({
        label: shellText.windows[name],
        isChosen: name === current,
        onChoose: () => chooseTimeWindow(name),
      }))}
    >
      <Icon name="clock" size={16} />
      {shellText.windows[current]}
      <Icon name="chevron-down" size={14} />
    </Menu>
  );
}
