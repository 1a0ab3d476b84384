// Access points by the names that people use: the `ap_id`, or a display name that only one of them has.
import { didYouMean } from '@weft/contract/closest-name';
import { matchesGlob } from '@weft/contract/glob';
import { type AgentPresence, type App, WeftRefusal } from '@weft/sdk';
import { toMoment } from './moments.ts';
import { CommandFailure } from './surroundings.ts';

/** What is asked for of the access point that is meant. If there is none, the failure names the candidates or the closest one. */
export async function withAccessPoint<T>(app: App, given: string, ask: (ap_id: string) => Promise<T>): Promise<T> {
  try {
    return await ask(given);
  } catch (error) {
    if (!(error instanceof WeftRefusal) || error.code !== 'agent_not_found') throw error;
    const agents = await app
      .select('')
      .toArray()
      .catch(() => []);
    const called = agents.filter(({ display_name }) => display_name === given).map(({ ap_id }) => ap_id);
    if (called.length === 1) return ask(called[0]!);
    if (called.length > 1) throw new CommandFailure(`Several are called ${given}: ${called.join(', ')}.`);
    const names = agents.flatMap(({ ap_id, display_name }) => [ap_id, display_name ?? ap_id]);
    throw new CommandFailure(`There is no access point ${given}.${didYouMean(given, names)} weft agents lists them.`);
  }
}

/** The names that a pattern matches; where it matches no `ap_id`, those whose display names it matches. */
export async function matchingNames(app: App, pattern: string): Promise<string | string[]> {
  const agents = await app.select('').toArray();
  if (agents.some(({ ap_id }) => matchesGlob(pattern, ap_id))) return pattern;
  const called = agents.filter(({ display_name }) => display_name !== null && matchesGlob(pattern, display_name));
  return called.length > 0 ? called.map(({ ap_id }) => ap_id) : pattern;
}

export type NameOf = (ap_id: string) => string;

/** What people call each access point; the ap_id where there is no display name, or none can be asked for. */
export async function displayNames(app: App): Promise<NameOf> {
  const agents = await app
    .select('')
    .toArray()
    .catch(() => []);
  const names = new Map(agents.map(({ ap_id, display_name }) => [ap_id, display_name]));
  return (ap_id) => names.get(ap_id) ?? ap_id;
}

/** Why nothing comes from an access point: since when it is silent. Undefined while it reports. */
export function silenceOf(presence: AgentPresence | undefined): string | undefined {
  if (presence?.presence !== 'offline') return undefined;
  return presence.last_seen === null ? 'has never reported' : `is offline since ${toMoment(presence.last_seen)}`;
}
