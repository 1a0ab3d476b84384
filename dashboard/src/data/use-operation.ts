// What only reads, for components: the newest answer, kept fresh while the component is on the page; and what the user may do.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Answer, call, forgetAnswers, type Input, type OperationName } from '../api/client.ts';
import { isSignedIn, session } from '../session/session.ts';
import { noteAnswer } from './freshness.ts';
import { QueryCache, type QueryOptions, type QueryState } from './query-cache.ts';

export const queries = new QueryCache(() => !document.hidden && isSignedIn.peek());

/** Follows what makes asking worth while: the page's visibility, the network, and who is signed in. */
export function startQueries(): void {
  document.addEventListener('visibilitychange', () => queries.wake());
  window.addEventListener('online', () => queries.wake());
  let username: string | undefined;
  session.subscribe((current) => {
    if (current?.username !== username) {
      queries.clear();
      forgetAnswers();
    }
    username = current?.username;
  });
  isSignedIn.subscribe((isSo) => isSo && queries.wake());
}

export interface UseOperationOptions<Name extends OperationName> {
  pollMs?: number | ((data: Answer<Name>) => number);
  /** See QueryOptions. */
  firstAfterMs?: number;
  /** False: nothing is asked yet, because what to ask is not known. */
  isWanted?: boolean;
}

/** Under which an answer is kept: for `queries.set` and `queries.refresh`. */
export function operationKey<Name extends OperationName>(name: Name, input: Input<Name>): string {
  return `${name}:${JSON.stringify(input)}`;
}

export function useOperation<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  { pollMs, firstAfterMs, isWanted = true }: UseOperationOptions<Name> = {},
): QueryState<Answer<Name>> {
  const key = operationKey(name, input);
  const options = {
    fetch: async (signal: AbortSignal) => {
      const ask = call as (name: Name, input: Input<Name>, options: object) => Promise<Answer<Name>>;
      const answer = await ask(name, input, { signal });
      noteAnswer();
      return answer;
    },
    pollMs,
    firstAfterMs,
  };
  // The key stands for name and input.
  useEffect(() => (isWanted ? queries.watch(key, options) : undefined), [key, isWanted]);
  return queries.state<Answer<Name>>(key, options).value;
}

/** The key stands for what is fetched. */
export function useQuery<Value>(key: string, options: QueryOptions<Value>): QueryState<Value> {
  useEffect(() => queries.watch(key, options), [key]);
  return queries.state<Value>(key, options).value;
}

/** Of the user; undefined until they are known. Administrators need none. */
const grants = signal<Answer<'get_grants'> | undefined>(undefined);

/** Keeps them known, for what is shown only to who may use it. */
export function useGrants(): void {
  const { isAdmin = false, username = '' } = session.value ?? {};
  const { data } = useOperation('get_grants', { path: { username } }, { isWanted: !isAdmin && username !== '' });
  useEffect(() => {
    grants.value = data;
  }, [data]);
}

/** Whether the user may register access points and create silences somewhere: an administrator, or a manager by grant. */
export function useIsManager(): boolean {
  return session.value?.isAdmin === true || (grants.value?.some(({ role }) => role === 'manager') ?? false);
}

/** What the user may do with what access points shall be; `reads` is undefined until it is known. */
export function configRights() {
  if (session.value?.isAdmin) return { reads: true, drafts: true, setsSecrets: true, shares: true };
  const managers = grants.value?.filter(({ role }) => role === 'manager');
  return {
    reads: managers && (managers.length > 0 || grants.value?.length === 0),
    drafts: managers !== undefined && managers.length > 0,
    /** Those of the installation. */
    setsSecrets: managers?.some(({ selector = '' }) => selector === '') ?? false,
    /** The same, and moves them. */
    shares: false,
  };
}
