// State of a list that lives in the address: it can be shared, and survives Back.
import { useComputed } from '@preact/signals';
import { useCallback } from 'preact/hooks';
import { place, setQuery } from './location.ts';

/** `initial` is what an address without the parameter means; it is not written out. */
export function useQueryState(name: string, initial = ''): [value: string, set: (value: string) => void] {
  const value = useComputed(() => new URLSearchParams(place.value.search).get(name) ?? initial).value;
  const set = useCallback((next: string) => setQuery({ [name]: next === initial ? undefined : next }), [name, initial]);
  return [value, set];
}
