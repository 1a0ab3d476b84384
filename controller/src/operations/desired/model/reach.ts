// How far the names of secrets in a version of a layer reach: no further than what everybody managed who has brought them there.
import { isWithin, matchesSelector, parseSelector, type SelectorNode } from '@weft/contract/selector';
import type { Layer, Managed, Reach } from './layer.ts';
import { canonicalJson, leavesOf, secretsOf } from './settings.ts';

type Named = Pick<Layer, 'selector' | 'settings' | 'reach'>;

/** Of a version that these bring into force: a leaf that it leaves as it was, for the same access points, keeps its reach. */
export function reachOf(layer: Named, before: Named | undefined, managed: Managed): Reach {
  const isSame = before?.selector === layer.selector;
  const [old, kept, own] = [
    isSame ? leavesOf(before.settings) : new Map(),
    new Map(before?.reach),
    new Map(layer.reach),
  ];
  return [...leavesOf(layer.settings)].flatMap(([leaf, value]) => {
    if (secretsOf(value).size === 0) return [];
    const isKept = old.has(leaf) && canonicalJson(old.get(leaf)) === canonicalJson(value);
    const reach = isKept ? (kept.get(leaf) ?? []) : [...(own.get(leaf) ?? []), ...managed];
    return reach.length === 0 ? [] : [[leaf, reach] as const];
  });
}

/** What a secret belongs to. */
export type Target =
  | { scope: 'all' }
  | { scope: 'agent'; agent: { ap_id: string; site: string | null; tags: readonly string[] } }
  /** By its path; with the paths of all sites. */
  | { scope: 'site'; path: string; paths: Iterable<string> };

/** Whether these selectors select all of it: of a site also the access points that come, in it and in every site below it. */
export function coversTarget(selectors: readonly string[], target: Target): boolean {
  switch (target.scope) {
    case 'all':
      return covers(selectors, { kind: 'all' });
    case 'agent': {
      const asked = { ...target.agent, display_name: null, access_point_type: null };
      return selectors.some((text) => matchesSelector(parseSelector(text), asked));
    }
    case 'site': {
      const isCovered = (value: string) => covers(selectors, { kind: 'label', key: 'site', value, column: 0 });
      const isInside = (path: string) => path === target.path || path.startsWith(`${target.path}/`);
      return isCovered(`${target.path}/**`) || [target.path, ...target.paths].filter(isInside).every(isCovered);
    }
  }
}

/** Whether every access point that this one selects, now or later, is selected by one of the others. */
export function covers(selectors: readonly string[], inner: SelectorNode): boolean {
  return isWithin(inner, { kind: 'or', nodes: selectors.map((text) => parseSelector(text).node) });
}
