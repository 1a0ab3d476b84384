// Looks at very many devices without keeping the thread to itself.
import { setImmediate as nextTurn } from 'node:timers/promises';

const sliceMs = 8;
const checkEvery = 512;

/** Visits the items from `start` on until `visit` says that it is enough, and lets others have a turn now and then. */
export async function inTurns(
  items: readonly number[],
  start: number,
  visit: (item: number, position: number) => boolean,
): Promise<void> {
  let endMs = performance.now() + sliceMs;
  for (let position = start; position < items.length; position++) {
    if (visit(items[position]!, position)) return;
    if (position % checkEvery !== 0 || performance.now() < endMs) continue;
    await nextTurn();
    endMs = performance.now() + sliceMs;
  }
}
