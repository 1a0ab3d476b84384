// What the search finds, best first. Pure.
import type { IconName } from '../components/icon.tsx';

export interface PaletteEntry {
  /** Unique among all. */
  id: string;
  group: 'pages' | 'agents' | 'actions';
  label: string;
  hint?: string;
  icon: IconName;
  onChoose: () => void;
}

export const shownPerGroup = 8;

/** Entries in which every word of the query occurs; those that begin with it come first within their group. */
export function findEntries(entries: readonly PaletteEntry[], query: string): PaletteEntry[] {
  const wanted = query.trim().toLowerCase();
  const words = wanted.split(/\s+/).filter(Boolean);
  const matching = entries
    .map((entry) => ({ entry, text: `${entry.label} ${entry.hint ?? ''}`.toLowerCase() }))
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .map(({ entry, text }) => ({ entry, rank: text.startsWith(wanted) ? 0 : text.includes(` ${wanted}`) ? 1 : 2 }));
  const groups = ['pages', 'agents', 'actions'] as const;
  return groups.flatMap((group) =>
    matching
      .filter(({ entry }) => entry.group === group)
      .sort((a, b) => a.rank - b.rank)
      .slice(0, shownPerGroup)
      .map(({ entry }) => entry),
  );
}
