// Work on very many things in small pieces: others have a turn as soon as it has kept the thread for a few milliseconds.
import { setImmediate as nextTurn } from 'node:timers/promises';

const sliceMs = 4;
/** The clock costs more than most visits. */
const checkEvery = 128;

/** Visits all of them in order. */
export async function inSlices<T>(list: Iterable<T>, visit: (item: T, index: number) => void): Promise<void> {
  let endMs = performance.now() + sliceMs;
  let index = 0;
  for (const item of list) {
    visit(item, index);
    if (++index % checkEvery !== 0 || performance.now() < endMs) continue;
    await nextTurn();
    endMs = performance.now() + sliceMs;
  }
}

/** The numbers from `start` up to `end`, which `visit` can end early by returning true. */
export async function countInSlices(
  start: number,
  end: number,
  visit: (index: number) => boolean | undefined,
): Promise<void> {
  let endMs = performance.now() + sliceMs;
  for (let index = start; index < end; index++) {
    if (visit(index)) return;
    if (index % checkEvery !== 0 || performance.now() < endMs) continue;
    await nextTurn();
    endMs = performance.now() + sliceMs;
  }
}

/** For chains of calls that never wait for anything outside: they would keep the thread until their end. */
export class SharedThread {
  #beganMs: number | undefined;

  /** Works at once, or after others have had a turn if this one has lasted for a few milliseconds. */
  run<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#isTurnOver() ? nextTurn().then(work) : work();
  }

  #isTurnOver(): boolean {
    const nowMs = performance.now();
    if (this.#beganMs !== undefined) return nowMs - this.#beganMs > sliceMs;
    this.#beganMs = nowMs;
    setImmediate(() => {
      this.#beganMs = undefined;
    });
    return false;
  }
}
