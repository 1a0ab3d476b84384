// What the search finds, best first. Pure.
import type { IconName } from '../components/icon.tsx';

export interface PaletteEntry {
  /** Unique among all. */
  id: string;
  group: 'pages' | 'agents' | 'devices' | 'actions';
  label: string;
  hint?: string;
  icon: IconName;
  onChoose: () => void;
}

const shownPerGroup = 8;

/** Entries in which every word of the query occurs; the exact name comes first within their group, then those that begin with it, the shortest first. */
export function findEntries(entries: readonly PaletteEntry[], query: string): PaletteEntry[] {
  const wanted = query.trim().toLowerCase();
  const words = wanted.split(/\s+/).filter(Boolean);
  const matching = entries
    .map((entry) => ({ entry, text: `${entry.label} ${entry.hint ?? ''}`.toLowerCase() }))
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
