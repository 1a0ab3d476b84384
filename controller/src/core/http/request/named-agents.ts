// Where the id of an access point is asked for and what people call it stands there, the refusal names the id.
import { isObject } from '@weft/contract/is-object';
import type { Caller } from '../../base/caller.ts';
import { NotFoundError } from '../../base/errors.ts';
import { agentNames } from '../../base/input/query-reader.ts';
import type { Route, RouteContext } from './route.ts';

/** The ids of the access points with this display name, of those that the caller may see. */
export type IdsOf = (caller: Caller, display_name: string) => Promise<readonly string[]>;

const maxIds = 5;

export function namingIds(route: Route, idsOf: IdsOf): Route {
  const inPath = route.url.includes(':ap_id');
  const fields = { ...route.query?.properties, ...(route.body as { properties?: object } | undefined)?.properties };
  // The others are not called about one access point, and some of them thousands of times a second.
  if (!inPath && !agentNames.some((name) => name in fields)) return route;
  const explain = async (error: unknown, context: RouteContext): Promise<never> => {
    const { callerIfAny, query, body } = context;
    if (!(error instanceof NotFoundError) || error.code !== 'agent_not_found' || !callerIfAny) throw error;
    const given = { ...(isObject(query) && query), ...(isObject(body) && body) };
    const asked = inPath ? context.path('ap_id') : given[agentNames.find((name) => given[name] !== undefined) ?? ''];
    const ids = typeof asked === 'string' ? await idsOf(callerIfAny, asked) : [];
    if (ids.length === 0) throw error;
    const more = ids.length > maxIds ? ` and ${ids.length - maxIds} more` : '';
    const detail = `${error.message}: ${asked} is the display name of ${ids.slice(0, maxIds).join(', ')}${more}. Send the id.`;
    throw new NotFoundError(error.code, detail);
  };
  return { ...route, handle: (context) => route.handle(context).catch((error) => explain(error, context)) };
}
