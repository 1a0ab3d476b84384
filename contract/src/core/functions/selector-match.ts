// Selectors compiled to functions: what can be prepared is prepared once, because one is asked of 100,000 agents.
import { compileGlob, isGlob, matchesParts } from './glob.ts';
import type { AgentState, SelectorNode, SelectorOperator, SelectorTerm } from './selector-syntax.ts';

const maxRemembered = 32;

/** What a selector asks of an agent. What is absent matches nothing. */
export interface Selectable {
  ap_id: string;
  display_name: string | null;
  /** The path of its site. */
  site: string | null;
  tags: readonly string[];
  access_point_type: string | null;
  state?: AgentState;
  /** good, degraded, bad or unknown. */
  health?: string | null;
  power_state?: string | null;
  /** Absent: no layer is about it, or nobody may say. */
  config?: string | undefined;
  emulated?: boolean;
  /** The newest value of a metric. */
  metric?(name: string): number | undefined;
}

export type SelectorTest = (agent: Selectable) => boolean;

export function compileSelector(node: SelectorNode): SelectorTest {
  if (node.kind === 'all') return () => true;
  if (node.kind === 'metric') return compileMetric(node);
  if (node.kind === 'label') return compileLabel(node);
  if (node.kind === 'not') {
    const test = compileSelector(node.node);
    return (agent) => !test(agent);
  }
  const tests = node.nodes.map(compileSelector);
  if (node.kind === 'and') return (agent) => tests.every((test) => test(agent));
  return (agent) => tests.some((test) => test(agent));
}

function compileLabel({ key, value }: Extract<SelectorTerm, { kind: 'label' }>): SelectorTest {
  switch (key) {
    case 'site': {
      const test = compileSitePattern(value);
      return ({ site }) => site !== null && test(site);
    }
    case 'tag': {
      const test = compileGlob(value);
      return ({ tags }) => tags.some(test);
    }
    case 'name': {
      const test = compileGlob(value);
      return ({ ap_id, display_name }) => test(ap_id) || (display_name !== null && test(display_name));
    }
    case 'type': {
      // Nobody remembers how WiFi is spelled.
      const wanted = value.toLowerCase();
      const test = remembered((type) => type.toLowerCase() === wanted);
      return ({ access_point_type }) => access_point_type !== null && test(access_point_type);
    }
    case 'state':
      return ({ state }) => state === value;
    case 'health':
      return ({ health }) => health === value;
    case 'power':
      return ({ power_state }) => power_state !== null && power_state?.toLowerCase() === value;
    case 'config':
      return ({ config }) => config === value;
    case 'emulated': {
      const wanted = value === 'true';
      return ({ emulated }) => (emulated ?? false) === wanted;
    }
  }
}

/** Of the few words that very many agents share: another case of each is a text to allocate. */
function remembered(test: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    let answer = known.get(text);
    if (answer === undefined) {
      answer = test(text);
      if (known.size >= maxRemembered) known.clear();
      known.set(text, answer);
    }
    return answer;
  };
}

/** A metric that was never reported matches nothing, not even `!=`. */
function compileMetric({ metric, operator, value }: Extract<SelectorTerm, { kind: 'metric' }>): SelectorTest {
  const compare = comparisons[operator];
  return (agent) => {
    const newest = agent.metric?.(metric);
    return newest !== undefined && compare(newest, value);
  };
}

const comparisons: Record<SelectorOperator, (a: number, b: number) => boolean> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

/**
 * Paths are compared step by step: `*` and `?` stay inside of one step, a step `**` is any number of steps, also none. So
 * `uk/**` is `uk` and all below it.
 */
function compileSitePattern(pattern: string): (path: string) => boolean {
  if (!isGlob(pattern)) return (path) => path === pattern;
  const above = pattern.slice(0, -'/**'.length);
  if (pattern.endsWith('/**') && !isGlob(above)) {
    const below = `${above}/`;
    return (path) => path === above || path.startsWith(below);
  }
  const steps = pattern.split('/').map((step) => ({ isStar: step === '**', isLike: compileGlob(step) }));
  return (path) =>
    matchesParts(
      steps,
      path.split('/'),
      ({ isStar }) => isStar,
      ({ isLike }, step) => isLike(step),
    );
}
