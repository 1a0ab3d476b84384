// Answers that are no operation of the interface, for components: kept fresh like those.
import { useEffect } from 'preact/hooks';
import type { QueryOptions, QueryState } from './query-cache.ts';
import { queries } from './use-operation.ts';

/** The key stands for what is fetched. */
export function useQuery<Value>(key: string, options: QueryOptions<Value>): QueryState<Value> {
  useEffect(() => queries.watch(key, options), [key]);
  return queries.state<Value>(key, options).value;
}
