// Work that is not saved yet: whoever would lose it by going elsewhere is asked first.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Says whether going there would lose something. */
type Loses = (to: URL) => boolean;

const guards = new Set<Loses>();

/** Whether there is work that a reload of the page would lose. */
export function hasUnsavedWork(): boolean {
  return guards.size > 0;
}

/** Set while somebody has to decide; goes where they wanted to. */
export const heldBack = signal<(() => void) | undefined>(undefined);

/** True: not now, because work would be lost; `go` is called if that is accepted. */
export function holdsBack(to: URL, go: () => void): boolean {
  if (![...guards].some((loses) => loses(to))) return false;
  heldBack.value = go;
  return true;
}

/** For what is not a place: `go` is called if the loss is accepted. */
export function askBefore(go: () => void): void {
  heldBack.value = go;
}

export function stay(): void {
  heldBack.value = undefined;
}

export function leave(): void {
  const go = heldBack.peek();
  heldBack.value = undefined;
  guards.clear();
  go?.();
}

/** Asks before leaving while there is unsaved work; also before the tab is closed, in the browser's own words. */
export function useUnsaved(hasWork: boolean, loses: Loses): void {
  useEffect(() => {
    if (!hasWork) return;
    const guard: Loses = (to) => loses(to);
    const onUnload = (event: Event) => event.preventDefault();
    guards.add(guard);
    window.addEventListener('beforeunload', onUnload);
    return () => {
      guards.delete(guard);
      window.removeEventListener('beforeunload', onUnload);
    };
  }, [hasWork]);
}
