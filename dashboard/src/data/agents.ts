// An access point for people: what it is called, how it is in one word, what is understood of its free-form configuration, where
// nothing is trusted, and whether a value of it still says something about now.
import { signal } from '@preact/signals';
import { type Place, readPlace } from '@weft/contract/place';
import type { AgentState } from '@weft/contract/selector';
import { byTechnology, readTechnology, type Technology, technologies } from '@weft/contract/technologies';
import { type AgentPresence, call, type HealthWord } from '../api/client.ts';
import { shortAgentName } from '../format.ts';
import { isSignedIn } from '../session/session.ts';

/** As fields and filters offer them. */
export const technologyChoices = byTechnology((name) => name);

export function technologyOf({ access_point_type }: Record<string, unknown>): Technology | undefined {
  return readTechnology(access_point_type);
}

/** As forms write coordinates: to about a metre. */
export function writeCoordinates(latitude: number, longitude: number): string {
  return `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
}

/** `51.4552, -2.5966`; undefined for anything else. */
export function readCoordinates(text: string): Place | undefined {
  const parts = text
    .replaceAll('−', '-')
    .split(/[,;]|\s+/)
    .filter(Boolean);
  const [latitude, longitude] = parts;
  return parts.length === 2 ? readPlace({ geolocation: { latitude, longitude } }) : undefined;
}

/** One that sleeps reports, but serves no devices: people read that instead of online. */
export type ShownState = AgentState | 'asleep';

const sleeping = new Set(['asleep', 'dozing']);

export function isSleeping(power_state: string | null | undefined): boolean {
  return sleeping.has(power_state ?? '');
}

export function shownState(state: AgentState, isAsleep: boolean): ShownState {
  return isAsleep && (state === 'online' || state === 'late') ? 'asleep' : state;
}

/** On a map: one that reports may still have an alarm. */
export type ShownLook = ShownState | 'bad' | 'degraded';

export function lookOf(state: ShownState, health: HealthWord | null): ShownLook {
  if (!isInService(state) || (health !== 'bad' && health !== 'degraded')) return state;
  return state === 'late' && health === 'degraded' ? 'late' : health;
}

/** The worst first; of many access points that are drawn as one, the worst says how they are. */
export const worstFirst: readonly ShownLook[] = [
  ...(['offline', 'bad', 'late', 'degraded', 'never', 'asleep', 'online', 'ended'] as const),
];

export function worstOf(counts: Readonly<Record<ShownLook, number>>): ShownLook {
  return worstFirst.find((look) => counts[look] > 0) ?? 'online';
}

/** Serves users, or could at once. */
export function isInService(state: ShownState): boolean {
  return state === 'online' || state === 'late';
}

/** As Weft counts late: two intervals and a grace. */
const graceMs = 5000;

/** In seconds since 1970: what was measured before says nothing about now. */
export function staleBefore(
  state: ShownState,
  told: Pick<AgentPresence, 'last_seen' | 'report_interval_seconds'> | undefined,
): number | undefined {
  if (state === 'offline' || state === 'ended' || state === 'never') return Number.POSITIVE_INFINITY;
  if (!told?.last_seen) return undefined;
  return (Date.parse(told.last_seen) - graceMs) / 1000 - 2 * told.report_interval_seconds;
}

/**
 * A value from before the access point went away, or one that it reports no longer, such as the signal of devices that a
 * cell had before it went to sleep.
 */
export function isStale(
  ts: string,
  state: ShownState,
  told: Pick<AgentPresence, 'last_seen' | 'report_interval_seconds'> | undefined,
): boolean {
  return Date.parse(ts) / 1000 < (staleBefore(state, told) ?? Number.NEGATIVE_INFINITY);
}

const configured = ['coverage_radius_m', 'coverage_m', 'range_m'];

export interface Coverage {
  metres: number;
  isDefault: boolean;
}

export function coverageOf(
  technology: Technology | undefined,
  configuration: Record<string, unknown>,
): Coverage | undefined {
  const metres = configured.map((name) => Number(configuration[name] ?? Number.NaN)).find((value) => value > 0);
  if (metres !== undefined && metres < 100_000) return { metres, isDefault: false };
  return technology && { metres: technologies[technology].coverageM, isDefault: true };
}

/** Undefined until it is known; null if it has none. */
const names = signal<ReadonlyMap<string, string | null>>(new Map());
const waiting = new Set<string>();
let isPlanned = false;

const restMs = 200;
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

const asCounted = new Intl.Collator('en', { numeric: true });

/** In the order of their names, as people count: 5g-2 before 5g-10. */
export function byName<Item extends { ap_id: string }>(agents: readonly Item[]): Item[] {
  return agents.toSorted((a, b) => asCounted.compare(agentName(a.ap_id), agentName(b.ap_id)));
}

/** Whether they are all known, so that nothing has to move once they come; asks for those that are not. */
export function areNamed(ap_ids: readonly string[]): boolean {
  for (const ap_id of ap_ids) agentName(ap_id);
  return ap_ids.every((ap_id) => names.value.has(ap_id));
}

/** The ids of emulated access points have the beginning of the number of their network. */
export function isOfNetwork(ap_id: string, job_number: string): boolean {
  return ap_id.includes(job_number.slice(0, 8));
}

/** Whether people call it otherwise than by its id. */
export function hasAgentName(ap_id: string): boolean {
  return typeof names.value.get(ap_id) === 'string';
}

/** Every id of an access point in the sentence gives way to its name. */
export function withAgentName(sentence: string, ap_id: string | null): string {
  const name = ap_id === null ? '' : agentName(ap_id);
  // A name may contain the id.
  const named = ap_id === null || sentence.includes(name) ? sentence : sentence.replaceAll(ap_id, name);
  return shortAgentName(named);
}

/**
 * The access point that somebody means by its name or id, or by a part that no other has; undefined if it is none, or not
 * clear.
 */
export function findAgent<Item extends { ap_id: string; display_name: string | null }>(
  agents: readonly Item[],
  text: string,
): Item | undefined {
  const wanted = text.trim().toLowerCase();
  const nameOf = ({ ap_id, display_name }: Item) => (display_name ?? shortAgentName(ap_id)).toLowerCase();
  const tests: ((item: Item) => boolean)[] = [
    ({ ap_id }) => ap_id.toLowerCase() === wanted,
    (item) => nameOf(item) === wanted,
    (item) => nameOf(item).includes(wanted) || item.ap_id.toLowerCase().includes(wanted),
  ];
  const found = tests.map((isMeant) => agents.filter(isMeant)).find((meant) => meant.length > 0);
  return wanted !== '' && found?.length === 1 ? found[0] : undefined;
}

export function noteNames(agents: readonly { ap_id: string; display_name: string | null }[]): void {
  const before = names.peek();
  if (agents.every(({ ap_id, display_name }) => before.get(ap_id) === display_name)) return;
  const next = new Map(before);
  for (const { ap_id, display_name } of agents) next.set(ap_id, display_name);
  names.value = next;
}

const listing = new Set<Promise<unknown>>();

/** A list with names is on its way: whoever misses one waits for it first. */
export function noteNamesSoon(list: Promise<unknown>): void {
  listing.add(list);
  const end = () => listing.delete(list);
  list.then(end, end);
}

function askFor(ap_id: string): void {
  if (waiting.has(ap_id) || !isSignedIn.peek()) return;
  waiting.add(ap_id);
  if (isPlanned) return;
  isPlanned = true;
  setTimeout(async () => {
    await Promise.allSettled(listing);
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

const fitsSelector = (ap_ids: readonly string[]) =>
  ap_ids.length <= maxTerms && selectorOf(ap_ids).length <= maxSelector;

/** As many as fit together into one selector. */
export function batchesOf(ap_ids: readonly string[]): string[][] {
  const batches: string[][] = [];
  for (const ap_id of ap_ids) {
    const last = batches.at(-1);
    if (last && fitsSelector([...last, ap_id])) last.push(ap_id);
    else batches.push([ap_id]);
  }
  return batches;
}

/** The access points with these ids, as a selector. */
export function selectorOf(ap_ids: readonly string[]): string {
  return ap_ids.map((ap_id) => `name:"${ap_id.replaceAll(/["\\]/g, '?')}"`).join(' or ');
}
