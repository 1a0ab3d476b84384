// The three rings: the core, and its two tenants, operations and lab. Who counts where, and who may import whom.
import type { Import } from './folder-order.ts';

export type Ring = 'core' | 'operations' | 'lab' | 'tools';

/** The first that fits says where the lines of a file count. The contract and the SDK are the core's, whatever their folders say. */
const lands: [Ring, RegExp][] = [
  ['tools', /^(scripts\/|[^/]+$)/],
  ['lab', /^(controller\/src\/lab|dashboard\/src\/pages\/lab|emulator|research)\//],
  ['operations', /^(controller\/src\/operations|dashboard|cli)\//],
  ['core', /./],
];

export function ringOf(path: string): Ring {
  return lands.find(([, where]) => where.test(path))![0];
}

/** What the walls see: a file that neither matches joins the rings (`parts.ts`, `bin/`, the shell of the dashboard), or is for all. */
const walls: ['core' | 'operations' | 'lab', RegExp][] = [
  ['core', /^(controller|contract|sdk)\/src\/core\//],
  [
    'operations',
    /^(controller\/src\/operations|contract\/src\/operations|sdk\/src\/operations|dashboard\/src\/pages\/operations)\/|^@weft\/contract\/operations$/,
  ],
  [
    'lab',
    /^(controller\/src\/lab|contract\/src\/lab|sdk\/src\/lab|dashboard\/src\/pages\/lab|emulator\/src)\/|^@weft\/(emulator(\/|$)|contract\/lab$)/,
  ],
];
const wallOf = (path: string) => walls.find(([, where]) => where.test(path))?.[0];

/** Imports through a wall while something moves, as `file -> what it imports`. The list only gets shorter. */
export const knownBreaches: readonly string[] = [];

/** One line for each import through a wall, and for each known one that is gone. */
export function ringBreaches(imports: Import[], known: readonly string[] = knownBreaches): string[] {
  const through = imports.filter(({ from, to }) => {
    const [mine, theirs] = [wallOf(from), wallOf(to)];
    return mine !== undefined && theirs !== undefined && theirs !== 'core' && mine !== theirs;
  });
  const found = new Set(through.map(({ from, to }) => `${from} -> ${to}`));
  return [
    ...[...found]
      .filter((breach) => !known.includes(breach))
      .map((breach) => `${breach}: the core imports no tenant, and tenants do not import each other`),
    ...known
      .filter((breach) => !found.has(breach))
      .map((breach) => `${breach} is no import any more: take it out of knownBreaches (scripts/checks/ring-rules.ts)`),
  ];
}
