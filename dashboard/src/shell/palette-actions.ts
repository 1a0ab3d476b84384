// What the page on show adds to the search.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PaletteEntry } from './palette-entries.ts';

export const pageActions = signal<readonly PaletteEntry[]>([]);

/** Adds what the present page can do to the search, for as long as the page is there. */
export function usePaletteActions(entries: readonly PaletteEntry[]): void {
  useEffect(() => {
    pageActions.value = [...pageActions.peek(), ...entries];
    return () => {
      pageActions.value = pageActions.peek().filter((entry) => !entries.includes(entry));
    };
  }, [entries]);
}
