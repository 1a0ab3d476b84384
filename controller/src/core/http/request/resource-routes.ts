// The routes of one kind of record: list, create, get, update, remove, from its words, schemas and rights.
import type { Static, TSchema } from '@weft/contract/schema';
import type { Caller } from '../../base/caller.ts';
import type { Permission } from '../../base/rights/permission.ts';
import { done, type Route, type RouteContext, type Tag } from './route.ts';

/** Whoever creates one is shown what others see of it, unless there is `created`. */
interface Schemas {
  input: TSchema;
  shown: TSchema;
  listed: TSchema;
  created?: TSchema;
}

/** What the routes ask: each has the method of its name. */
interface Records<Of extends Schemas> {
  list(caller: Caller, query: unknown): Promise<Static<Of['listed']>>;
  create(input: Static<Of['input']>, by: Caller): Promise<Static<NonNullable<Of['created']> & Of['shown']>>;
  get(id: string, caller: Caller): Promise<Static<Of['shown']>>;
  update(id: string, input: Static<Of['input']>, by: Caller): Promise<Static<Of['shown']>>;
  remove(id: string, by: Caller): Promise<unknown>;
}

/** The summary of a route, or all that is special about it. */
type Words = string | ({ summary: string } & Partial<Pick<Route, 'failures' | 'permission' | 'query' | 'spec'>>);

export function resourceRoutes<Of extends Schemas, Verb extends keyof Records<Of>>(of: {
  tag: Tag;
  /** Of one, in the names of operations; that of the list has an `s`. */
  name: string;
  /** Of one; the last step is the parameter that tells them apart. */
  at: `/${string}/:${string}`;
  records: Pick<Records<Of>, NoInfer<Verb>>;
  schemas: Of;
  /** Who may list and get them. */
  read: Permission;
  change: Permission;
  /** In the order of the interface document. */
  verbs: Record<Verb, Words>;
  /** What the answer of `remove` says. */
  removed: string;
}): Route[] {
  const { tag, name, at, read, change, removed } = of;
  const { input: body, shown, listed, created = shown } = of.schemas;
  const [all, target] = at.split('/:') as [string, string];
  const records = of.records as unknown as Records<Schemas>;
  const one = (context: RouteContext) => context.path(target);
  const routes: Record<keyof Records<Of>, Partial<Route>> = {
    list: { method: 'GET', response: listed, handle: ({ caller, query }) => records.list(caller, query) },
    create: { method: 'POST', body, response: created, handle: (to) => records.create(to.body, to.caller) },
    get: { method: 'GET', response: shown, handle: (to) => records.get(one(to), to.caller) },
    update: { method: 'PUT', body, response: shown, handle: (to) => records.update(one(to), to.body, to.caller) },
    remove: { method: 'DELETE', ...done(removed, (to) => records.remove(one(to), to.caller)) },
  };
  return (Object.entries(of.verbs) as [Verb, Words][]).map(([verb, words]) => ({
    operation: `${verb}_${name}${verb === 'list' ? 's' : ''}`,
    tag,
    permission: verb === 'list' || verb === 'get' ? read : change,
    ...(verb === 'list' || verb === 'create' ? { url: all } : { url: at, target }),
    ...(routes[verb] as Pick<Route, 'method' | 'response' | 'handle'>),
    ...(typeof words === 'string' ? { summary: words } : words),
  }));
}
