// What people call an access point: its display name, else its id. Lists tell the names of those they list; of others they
// are asked for together, once.
import { signal } from '@preact/signals';
import { call } from '../api/client.ts';
import { shortAgentName } from '../format/short-agent-name.ts';
import { isSignedIn } from '../session/session.ts';

/** Undefined until it is known; null if it has none. */
const names = signal<ReadonlyMap<string, string | null>>(new Map());
const waiting = new Set<string>();
let isPlanned = false;

const restMs = 60;
/** A selector has at most 1,000 characters and 50 terms. */
const maxSelector = 900;
const maxTerms = 40;
/** Names that were asked for in vain are asked for again after this, and so are those that may have been changed elsewhere. */
const keptMs = 120_000;

/** Reading it follows the names: whoever shows it is drawn again once the name is known. */
export function agentName(ap_id: string): string {
  const known = names.value.get(ap_id);
  if (known === undefined) askFor(ap_id);
  return known ?? shortAgentName(ap_id);
}

/** Whether people call it otherwise than by its id. */
export function hasAgentName(ap_id: string): boolean {
  return typeof names.value.get(ap_id) === 'string';
}

/** Every id of an access point in the sentence gives way to its name. */
export function withAgentName(sentence: string, ap_id: string | null): string {
  const named = ap_id === null ? sentence : sentence.replaceAll(ap_id, agentName(ap_id));
  return shortAgentName(named);
}

export function noteNames(agents: readonly { ap_id: string; display_name: string | null }[]): void {
  const before = names.peek();
  if (agents.every(({ ap_id, display_name }) => before.get(ap_id) === display_name)) return;
  const next = new Map(before);
  for (const { ap_id, display_name } of agents) next.set(ap_id, display_name);
  names.value = next;
}

function askFor(ap_id: string): void {
  if (waiting.has(ap_id) || !isSignedIn.peek()) return;
  waiting.add(ap_id);
  if (isPlanned) return;
  isPlanned = true;
  setTimeout(() => {
    isPlanned = false;
    // Without names the ids are shown.
    askAll([...waiting].filter((id) => !names.peek().has(id))).catch(() => {});
    setTimeout(() => waiting.clear(), keptMs);
  }, restMs);
}

async function askAll(ap_ids: readonly string[]): Promise<void> {
  for (const batch of batchesOf(ap_ids)) {
    const selector = selectorOf(batch);
    const { items } = await call('list_agents', { query: { selector, limit: maxTerms } });
    const found = new Map(items.map((item) => [item.ap_id, item.display_name]));
    noteNames(batch.map((ap_id) => ({ ap_id, display_name: found.get(ap_id) ?? null })));
  }
}

/** As many as fit into one selector. */
export function batchesOf(ap_ids: readonly string[]): string[][] {
  const batches: string[][] = [];
  for (const ap_id of ap_ids) {
    const last = batches.at(-1);
    if (last && last.length < maxTerms && selectorOf([...last, ap_id]).length <= maxSelector) last.push(ap_id);
    else batches.push([ap_id]);
  }
  return batches;
}

/** The access points with these ids, as a selector. */
export function selectorOf(ap_ids: readonly string[]): string {
  return ap_ids.map((ap_id) => `name:"${ap_id.replaceAll(/["\\]/g, '?')}"`).join(' or ');
}
