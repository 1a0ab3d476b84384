// Selectors: one language for which access points are meant, in lists, batches, alarms, rights, pages and on the command line.
// `site:uk/bristol/** type:WiFi tag:lobby -tag:lab state:offline name:ap-hall-* rssi_dbm<-70`; docs/fleet.md explains it.
import { compileSelector, type Selectable, type SelectorTest } from './selector-match.ts';
import { parseSelectorText, SelectorError, type SelectorNode, type SelectorTerm } from './selector-syntax.ts';
import { describeNode, printSelector } from './selector-words.ts';

export type { Selectable } from './selector-match.ts';
export {
  type AgentState,
  agentStates,
  type ConfigState,
  configStates,
  healthWords,
  maxSelectorLength,
  maxSelectorTerms,
  SelectorError,
  type SelectorNode,
  type SelectorTerm,
} from './selector-syntax.ts';
export { printSelector };

export interface Selector {
  readonly text: string;
  readonly node: SelectorNode;
  readonly needsState: boolean;
  readonly needsHealth: boolean;
  readonly needsPower: boolean;
  readonly needsConfig: boolean;
  /** It has a `type:` term. */
  readonly asksForType: boolean;
  /** The metrics that it compares, each once. */
  readonly metrics: readonly string[];
  /** It has only `site:`, `tag:` and `name:` terms: nothing that an agent can change about itself. */
  readonly isOwnedByAdministrators: boolean;
  readonly test: SelectorTest;
}

/** An empty text selects everything. Throws SelectorError, which names the column. */
export function parseSelector(text: string): Selector {
  const node = parseSelectorText(text);
  const terms = termsOf(node);
  const has = (key: string) => terms.some((term) => term.kind === 'label' && term.key === key);
  return {
    text,
    node,
    needsState: has('state'),
    needsHealth: has('health'),
    needsPower: has('power'),
    needsConfig: has('config'),
    asksForType: has('type'),
    metrics: [...new Set(terms.flatMap((term) => (term.kind === 'metric' ? [term.metric] : [])))],
    isOwnedByAdministrators: terms.every(isOwned),
    test: compileSelector(node),
  };
}

export function matchesSelector(selector: Selector, agent: Selectable): boolean {
  return selector.test(agent);
}

const nobody = { ap_id: '', display_name: null, access_point_type: null, site: null, tags: [] };

/** Whether a term of it that is not negated names this site or tag: `tag:lab-*` the tag `lab-1`; an empty selector names all. */
export function namesLabel({ node }: Pick<Selector, 'node'>, key: 'site' | 'tag', value: string): boolean {
  if (node.kind === 'and' || node.kind === 'or')
    return node.nodes.some((each) => namesLabel({ node: each }, key, value));
  if (node.kind !== 'label' || node.key !== key) return node.kind === 'all';
  return compileSelector(node)({ ...nobody, ...(key === 'site' ? { site: value } : { tags: [value] }) });
}

/**
 * Whether whatever the inner one selects, now or later, is selected by the outer one too, as far as their texts show it: an answer
 * of false may be wrong, of true never.
 */
export function isWithin(inner: SelectorNode, outer: SelectorNode, known = new Map<string, boolean>()): boolean {
  const pair = `${printSelector(inner)}\n${printSelector(outer)}`;
  const found = known.get(pair) ?? isPartWithin(inner, outer, (a, b) => isWithin(a, b, known));
  known.set(pair, found);
  return found;
}

function isPartWithin(inner: SelectorNode, outer: SelectorNode, isIn: typeof isWithin): boolean {
  if (outer.kind === 'all') return true;
  if (inner.kind === 'or') return inner.nodes.every((each) => isIn(each, outer));
  if (outer.kind === 'and') return outer.nodes.every((each) => isIn(inner, each));
  if (outer.kind === 'or' && outer.nodes.some((each) => isIn(inner, each))) return true;
  if (inner.kind === 'and') return inner.nodes.some((each) => isIn(each, outer));
  if (inner.kind === 'not' && outer.kind === 'not') return isIn(outer.node, inner.node);
  if (inner.kind !== 'label' || outer.kind !== 'label' || inner.key !== outer.key) return false;
  if (inner.value === outer.value) return true;
  const below = /^([^*?]+)\/\*\*?$/.exec(inner.value)?.[1];
  if (inner.key === 'site' && below !== undefined) {
    return outer.value === '**' || (/^[^*?]+\/\*\*$/.test(outer.value) && namesLabel({ node: outer }, 'site', below));
  }
  if (/[*?]/.test(inner.value)) return false;
  if (inner.key !== 'name')
    return (inner.key === 'site' || inner.key === 'tag') && namesLabel({ node: outer }, inner.key, inner.value);
  return compileSelector(outer)({ ...nobody, ap_id: inner.value });
}

/** The patterns of its `name:` terms. */
export function namePatterns({ node }: Selector): string[] {
  return termsOf(node).flatMap((term) => (term.kind === 'label' && term.key === 'name' ? [term.value] : []));
}

/** In words, for people. */
export function describeSelector({ node }: Selector): string {
  return node.kind === 'all' ? 'all access points' : `access points that ${describeNode(node)}`;
}

/** For rights: throws SelectorError at the first term about something that an agent can change about itself. */
export function requireOwnedByAdministrators({ node }: Selector): void {
  const other = termsOf(node).find((term) => !isOwned(term));
  if (other) {
    throw new SelectorError(
      other.column,
      'Rights depend only on site:, tag: and name: terms, which access points cannot change',
    );
  }
}

/** `configuration.access_point_type` of an agent that speaks for a device and its links: lists of access points leave it out. */
export function isDeviceType(type: unknown): boolean {
  return typeof type === 'string' && type.toLowerCase() === 'device';
}

function isOwned(term: SelectorTerm): boolean {
  return term.kind === 'label' && (term.key === 'site' || term.key === 'tag' || term.key === 'name');
}

function termsOf(node: SelectorNode): SelectorTerm[] {
  if (node.kind === 'all') return [];
  if (node.kind === 'not') return termsOf(node.node);
  return node.kind === 'and' || node.kind === 'or' ? node.nodes.flatMap(termsOf) : [node];
}
