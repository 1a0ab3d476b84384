// Which statuses an operation can answer, and what each means: most follow from the route, the rest it names itself. The
// OpenAPI document lists them, and the tests compare every answer of the server with them.
import { encodingRule } from './answer-encoding.ts';
import { type FailureStatus, failureMeanings, type Route } from './route.ts';

/** Of every operation: they are decided before it, or have their cause in the server. */
export const universalStatuses: readonly FailureStatus[] = [400, 421, 429, 500, 503];

export function successOf(route: Pick<Route, 'hasNoAnswer'>): 200 | 204 {
  return route.hasNoAnswer ? 204 : 200;
}

/** Whether its answers have an ETag, and 304 stands for one that the client has. */
export function canBeUnchanged(route: Route): boolean {
  return encodingRule(route) !== undefined && !route.media && !route.hasNoAnswer;
}

/** Whether a parameter of the query, or a key of the body, that nothing reads is refused: not where other people's clients decide what they send. */
export function refusesUnknown({ spec, url, rawBody }: Pick<Route, 'spec' | 'url' | 'rawBody'>): boolean {
  return spec === undefined && url.startsWith('/api/v1/') && !rawBody;
}

/** Every failure that the operation can answer, with its meaning, in the order of the numbers. */
export function failuresOf(route: Route): [FailureStatus, string][] {
  const statuses = new Set<FailureStatus>([...universalStatuses, ...derived(route)]);
  for (const status of Object.keys(route.failures ?? {})) statuses.add(Number(status) as FailureStatus);
  return [...statuses]
    .sort((a, b) => a - b)
    .map((status) => [status, route.failures?.[status] ?? failureMeanings[status]]);
}

function derived(route: Route): FailureStatus[] {
  const { permission, method, url, target, query, body, form, rawBody } = route;
  const hasName = url.includes(':') || target !== undefined;
  return [
    ...(permission.openTo === 'anyone' ? [] : ([401, 403] as const)),
    ...(hasName ? ([404] as const) : []),
    ...(route.etag === 'compared' ? ([412] as const) : []),
    ...(method === 'GET' ? [] : ([413, 415] as const)),
    ...(url.includes(':') || query || body || form || rawBody || refusesUnknown(route) ? ([422] as const) : []),
  ];
}
