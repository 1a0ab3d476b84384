// Work on very many things in small pieces: others have a turn as soon as it has kept the thread for a moment. Whoever gives way
// goes on in a later turn of the event loop, one piece in each, callers in turn: however much one asks for at once, others
// wait for one piece of it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Others wait for this much longer at most, for each caller that has long work: as long as a small request takes. */
const sliceMs = 0.2;
/** The clock costs more than most visits. */
const maxStride = 32;

/** Whose work something is. `isGone`: nobody waits for it any more, and it may end anywhere. */
interface Work {
  principal: string;
  isGone?: (() => boolean) | undefined;
}

interface Piece {
  isGone: Work['isGone'];
  resolve: () => void;
  reject: (error: CallerGone) => void;
}

/** Thrown inside of work that nobody waits for any more. */
export class CallerGone extends Error {
  override name = 'CallerGone';
}

const current = new AsyncLocalStorage<Work>();
const ofNobody: Work = { principal: '' };
/** What waits, by caller, in the order of their turns. What goes on is before what begins: few of a caller's are under way. */
const waiting = new Map<string, { goOn: Piece[]; begin: Piece[] }>();
/** Who has begun something in this turn of the event loop. */
const begun = new Set<string>();

/**
 * The work of a request, with everything that follows from it: one of a caller begins in each turn of the event loop, and what
 * gives way there waits among what is the caller's. Throws CallerGone where it would begin or go on for somebody who has left.
 */
export function inTurn<T>(principal: string, work: () => Promise<T>, isGone?: () => boolean): Promise<T> {
  return current.run({ principal, isGone }, () => {
    if (begun.has(principal) || waiting.has(principal)) return wait({ principal, isGone }, 'begin').then(work);
    if (begun.size === 0) setImmediate(() => begun.clear());
    begun.add(principal);
    return work();
  });
}

/** Work that others wait for too: it is nobody's, and does not end with who was the first to ask for it. */
export function forAll<T>(work: () => T): T {
  return current.run(ofNobody, work);
}

/** Whether nobody waits any more for what is being done: to be asked later as well, from anywhere. */
export function leaving(): (() => boolean) | undefined {
  return current.getStore()?.isGone;
}

/** Resolves in a later turn of the event loop, when everything that had arrived has been looked at. Not for what others wait for. */
export function giveWay(): Promise<void> {
  return wait(current.getStore() ?? ofNobody, 'goOn');
}

function wait({ principal, isGone }: Work, what: 'goOn' | 'begin'): Promise<void> {
  return new Promise((resolve, reject) => {
    if (waiting.size === 0) setImmediate(nextPiece);
    const pieces = waiting.get(principal) ?? { goOn: [], begin: [] };
    pieces[what].push({ isGone, resolve, reject });
    waiting.set(principal, pieces);
  });
}

/** Whatever is of somebody who has left ends without a turn. */
function nextPiece(): void {
  const [principal, pieces] = waiting.entries().next().value!;
  let piece = pieces.goOn.shift() ?? pieces.begin.shift();
  while (piece?.isGone?.()) {
    piece.reject(new CallerGone());
    piece = pieces.goOn.shift() ?? pieces.begin.shift();
  }
  piece?.resolve();
  waiting.delete(principal);
  if (pieces.goOn.length + pieces.begin.length > 0) waiting.set(principal, pieces);
  if (waiting.size > 0) setImmediate(nextPiece);
}

/** Says when a slice is over; the clock is looked at more often where visits are slow. */
class Slice {
  #beganMs = performance.now();
  /** Visits until the next look at the clock, and from that to the one after it. */
  #left = 1;
  #stride = 1;

  isOver(): boolean {
    if (--this.#left > 0) return false;
    const elapsedMs = performance.now() - this.#beganMs;
    if (elapsedMs < sliceMs / 8) this.#stride = Math.min(2 * this.#stride, maxStride);
    else if (elapsedMs > 1.5 * sliceMs) this.#stride = Math.max(1, this.#stride >> 2);
    this.#left = this.#stride;
    return elapsedMs >= sliceMs;
  }

  begin(): void {
    this.#beganMs = performance.now();
  }
}

/** Visits all of them in order. */
export async function inSlices<T>(list: Iterable<T>, visit: (item: T, index: number) => void): Promise<void> {
  const slice = new Slice();
  let index = 0;
  for (const item of list) {
    visit(item, index++);
    if (!slice.isOver()) continue;
    await giveWay();
    slice.begin();
  }
}

export async function mapInSlices<T, R>(list: Iterable<T>, change: (item: T) => R): Promise<R[]> {
  const all: R[] = [];
  await inSlices(list, (item) => all.push(change(item)));
  return all;
}

/** The numbers from `start` up to `end`, which `visit` can end early by returning true. */
export async function countInSlices(
  start: number,
  end: number,
  visit: (index: number) => boolean | undefined,
): Promise<void> {
  const slice = new Slice();
  for (let index = start; index < end; index++) {
    if (visit(index)) return;
    if (!slice.isOver()) continue;
    await giveWay();
    slice.begin();
  }
}

/** Goes through all steps, and resolves what the last one returns. */
export async function endInSlices<T>(steps: Generator<void, T>): Promise<T> {
  for (let endMs = performance.now() + sliceMs; ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < endMs) continue;
    await giveWay();
    endMs = performance.now() + sliceMs;
  }
}

/**
 * Pieces of an answer, which are made as they are taken: for the caller whose work this is. What they are made of ends with it,
 * also if nobody has taken even the first.
 */
export function givingWay<T>(pieces: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  const work = current.getStore() ?? ofNobody;
  const taken = (async function* () {
    let endMs = performance.now() + sliceMs;
    for await (const piece of pieces) {
      yield piece;
      if (performance.now() < endMs) continue;
      await wait(work, 'goOn');
      endMs = performance.now() + sliceMs;
    }
  })();
  const end = async () => (pieces as Partial<AsyncGenerator<T>>).return?.(undefined);
  const [leave, fail] = [taken.return.bind(taken), taken.throw.bind(taken)];
  taken.return = (value) => end().then(() => leave(value));
  taken.throw = (error) => end().then(() => fail(error));
  return taken;
}

export async function allInSlices<T>(pieces: Iterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const piece of givingWay(pieces)) all.push(piece);
  return all;
}

/** For chains of calls that never wait for anything outside, of all callers: they would keep the thread until their end. */
export class SharedThread {
  #beganMs: number | undefined;

  /** Works at once, or after others have had a turn if this one has lasted for a moment. */
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
