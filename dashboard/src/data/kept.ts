// What this browser keeps between visits, or this tab between reloads. Browsers may forbid it or have no room left: then
// nothing is kept, and everything else goes on.

/** `browser` outlives the tab, `tab` does not. */
export type Keeper = 'browser' | 'tab';

export function readKept(keeper: Keeper, key: string): string | null {
  try {
    return storageOf(keeper).getItem(key);
  } catch {
    return null;
  }
}

export function keep(keeper: Keeper, key: string, text: string): void {
  try {
    storageOf(keeper).setItem(key, text);
  } catch {
    // It is as it was chosen until the page is left.
  }
}

export function forget(keeper: Keeper, key: string): void {
  try {
    storageOf(keeper).removeItem(key);
  } catch {
    // What could not be kept is not there.
  }
}

/** Throws where the browser forbids even to look. */
function storageOf(keeper: Keeper): Storage {
  return keeper === 'browser' ? localStorage : sessionStorage;
}
