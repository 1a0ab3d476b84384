// What of the desired configuration a caller may see and change: by the access points that it manages, or of an app those that it sees.
import { matchesSelector, parseSelector, printSelector, type SelectorNode } from '@weft/contract/selector';
import type { Caller } from '../../core/base/caller.ts';
import { rightsOf } from '../../core/base/rights/rights.ts';
import { inSlices } from '../../core/base/time-slices.ts';
import type { AgentRow } from '../../core/network/agent-rows.ts';
import type { Network } from '../../core/network/network.ts';
import type { Layer } from './model/layer.ts';
import { covers, coversTarget } from './model/reach.ts';
import { isManaged } from './reconciler.ts';

export function mayConfigure(caller: Caller, agent: AgentRow): boolean {
  const rights = rightsOf(caller);
  return rights.isUser ? rights.manages(agent) : rights.sees(agent);
}

/** Whether it may roll out at all; where, mayConfigure says. */
export function mayRollOut(caller: Caller): boolean {
  const rights = rightsOf(caller);
  if (rights.isUser) return rights.isAdmin || rights.isGranted('manager');
  return rights.limits.config === 'roll_out' && !rights.hasExpired();
}

/** Whether it sees every layer, variable and draft: it sees every access point. */
export function seesAllConfig(caller: Caller): boolean {
  const rights = rightsOf(caller);
  return rights.isAdmin || rights.seesAll;
}

/** The selectors of what it may configure, of access points too that will come; without networks of its own. */
export function managedSelectors(caller: Caller): string[] {
  const rights = rightsOf(caller);
  if (rights.isAdmin) return [''];
  if (rights.isUser) return rights.selectorsOf('manager');
  const { agents, selector = '', config } = rights.limits;
  if ((config !== 'draft' && config !== 'roll_out') || rights.hasExpired()) return [];
  if (!agents) return [selector];
  const { node } = parseSelector(selector);
  const name = (value: string): SelectorNode => ({ kind: 'label', key: 'name', value, column: 0 });
  return agents.map((value) => printSelector({ kind: 'and', nodes: [node, name(value)] }));
}

/** Whether it may configure every access point that these select, those too that will come. */
export function mayConfigureAll(caller: Caller, selectors: readonly string[]): boolean {
  const managed = managedSelectors(caller);
  return selectors.every((text) => covers(managed, parseSelector(text).node));
}

/** Selects this access point alone, and within what the caller may configure. */
export function ownSelector(caller: Caller, agent: AgentRow): string {
  const name: SelectorNode = { kind: 'label', key: 'name', value: agent.ap_id, column: 0 };
  const managed = managedSelectors(caller);
  const matching = managed.find((text) => coversTarget([text], { scope: 'agent', agent }));
  const within = covers(managed, name) || matching === undefined ? [] : [parseSelector(matching).node];
  return printSelector(within.length === 0 ? name : { kind: 'and', nodes: [name, ...within] });
}

/** Those of the layers that are about an access point that the caller manages, now or when one comes. */
export async function visibleLayers<Item extends Pick<Layer, 'selector'>>(
  caller: Caller,
  layers: readonly Item[],
  network: Network,
): Promise<Item[]> {
  if (seesAllConfig(caller)) return [...layers];
  await network.fresh();
  const own: AgentRow[] = [];
  await inSlices(network.agents, (agent) => {
    if (isManaged(agent) && mayConfigure(caller, agent)) own.push(agent);
  });
  const visible: Item[] = [];
  const managed = managedSelectors(caller);
  await inSlices(layers, (layer) => {
    const selector = parseSelector(layer.selector);
    const isAbout = (agent: AgentRow) =>
      matchesSelector(selector, { ...agent, display_name: null, access_point_type: null });
    if (own.some(isAbout) || covers(managed, selector.node)) visible.push(layer);
  });
  return visible;
}
