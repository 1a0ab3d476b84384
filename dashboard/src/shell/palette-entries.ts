// What the search finds, best first, and what the page on show adds to it.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { IconName } from '../components/button.tsx';

/** What people come for, where it is done, and other words for it; its page is found by them too. */
export const jobs = [
  ['See the worst access points', '/', 'health status why'],
  ['See what broke', '/incidents', 'outage cause affected'],
  ['Silence alarms', '/alarms?view=silences', 'mute maintenance'],
  ['Change alarm rules', '/alarms?view=rules', 'limit latency'],
  ['Plan maintenance of a site', '/sites', 'sunday work'],
  ['Enrol an access point', '/agents', 'register add token'],
  ['Change many access points', '/agents', 'all bulk'],
  ['Steer a device', '/devices', 'move client phone'],
  ['Show the radio map', '/map?radio=signal', 'coverage'],
  ['Export energy', '/energy', 'csv week download saved'],
  ['Learn why a command was rejected', '/conflicts', 'refused policy'],
  ['Give somebody rights', '/users', 'grant permission colleague'],
] as [label: string, href: string, also: string][];

export interface PaletteEntry {
  /** Unique among all. */
  id: string;
  group: 'pages' | 'agents' | 'devices' | 'actions';
  label: string;
  hint?: string;
  /** Other words for it, by which it is found. */
  also?: string;
  icon: IconName;
  onChoose: () => void;
}

const shownPerGroup = 8;

/** What is done on this page, with its address. */
export function jobsAt(path: string): { label: string; href: string; also: string }[] {
  return jobs.map(([label, href, also]) => ({ label, href, also })).filter(({ href }) => href.split('?')[0] === path);
}

export function action(label: string, icon: IconName, onChoose: () => void): PaletteEntry {
  return { id: `action ${label}`, group: 'actions', label, icon, onChoose };
}

/** Entries in which every word of the query occurs; the exact name comes first within their group, then those that begin with it, the shortest first. */
export function findEntries(entries: readonly PaletteEntry[], query: string): PaletteEntry[] {
  const wanted = query.trim().toLowerCase();
  const words = wanted.split(/\s+/).filter(Boolean);
  const matching = entries
    .map((entry) => ({ entry, text: `${entry.label} ${entry.hint ?? ''} ${entry.also ?? ''}`.toLowerCase() }))
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .map(({ entry, text }) => ({ entry, rank: rankOf(entry.label.toLowerCase(), text, wanted) }));
  const groups = ['pages', 'agents', 'devices', 'actions'] as const;
  return groups.flatMap((group) =>
    matching
      .filter(({ entry }) => entry.group === group)
      .sort((a, b) => a.rank - b.rank || (wanted === '' ? 0 : a.entry.label.length - b.entry.label.length))
      .slice(0, shownPerGroup)
      .map(({ entry }) => entry),
  );
}

function rankOf(label: string, text: string, wanted: string): number {
  if (label === wanted) return 0;
  if (text.startsWith(wanted)) return 1;
  return text.includes(` ${wanted}`) ? 2 : 3;
}

export const pageActions = signal<readonly PaletteEntry[]>([]);

/** Adds what the present page can do to the search, for as long as the page is there. */
export function usePaletteActions(entries: readonly PaletteEntry[]): void {
  useEffect(() => {
    pageActions.value = [...pageActions.peek(), ...entries];
    return () => {
      pageActions.value = pageActions.peek().filter((entry) => !entries.includes(entry));
    };
  }, [entries]);
}
