// How much time has really passed, for whatever removes what is old. The wall clock may be wrong, and it says when things were
// stored; the steady clock cannot be set, but stands still while Weft is not running. So what counts is the time that Weft has
// been running, and by how much the wall clock was ahead of that: the least of it within the time that a thing is kept.

const hourMs = 3_600_000;
/** Less is how exactly two clocks can be read one after the other. */
const noticedMs = 2_000;
/** More than that at once is a jump, and pauses all removal. */
const jumpMs = 60_000;
/** While Weft is not running the clock goes on: so much of it is a stop like any other. */
const longStopMs = 24 * hourMs;
/** How long the clock has to be steady after a jump. */
const steadyMs = hourMs;
const maxOffsets = 1_000;

/** What is kept in the database, because a clock may also be set while Weft is not running. */
export interface ClockState {
  /** When Weft began to count, by the wall clock, and the time that it has been running since. */
  elapsedMs: number;
  /** What the wall clock said then. */
  wallMs: number;
  /** By how much the wall clock was ahead of that, and from when on; the oldest first, never empty. */
  offsets: { fromMs: number; offsetMs: number }[];
  /** When the clock jumped last, in elapsed time; null once it has been steady for long enough. */
  jumpedMs: number | null;
}

/** Where nothing is known of the past: `newestMs` is the time of the newest thing that is stored. */
export function firstState(newestMs: number): ClockState {
  return { elapsedMs: newestMs, wallMs: newestMs, offsets: [{ fromMs: newestMs, offsetMs: 0 }], jumpedMs: null };
}

export class RetentionClock {
  readonly #longestKeptMs: () => number;
  #state: ClockState | undefined;
  #steadyMs = 0;

  /** `longestKeptMs`: what happened before that time is of no use any more. */
  constructor(longestKeptMs: () => number) {
    this.#longestKeptMs = longestKeptMs;
  }

  get state(): ClockState | undefined {
    return this.#state;
  }

  /** Nothing may be removed: the clock has jumped, or is not known yet. */
  get isPaused(): boolean {
    return this.#state === undefined || this.#state.jumpedMs !== null;
  }

  /** For how long it has been steady. */
  get steadyForMs(): number {
    const { elapsedMs = 0, jumpedMs } = this.#state ?? {};
    return elapsedMs - (jumpedMs ?? 0);
  }

  /** Takes over what was kept; nothing is known of the time since. Returns by how much the clock has jumped, if it has. */
  begin(state: ClockState, wallMs: number, steadyNowMs: number): number | undefined {
    this.#state = structuredClone(state);
    this.#steadyMs = steadyNowMs;
    return this.#step(0, wallMs, longStopMs);
  }

  /** What another node keeps; this one only follows it. */
  follow(state: ClockState | undefined): void {
    this.#state = state;
  }

  /** Every second or so. Returns by how much the clock has jumped since, if it has. */
  tick(wallMs: number, steadyNowMs: number): number | undefined {
    if (this.#state === undefined) return undefined;
    const passedMs = Math.max(0, steadyNowMs - this.#steadyMs);
    this.#steadyMs = steadyNowMs;
    return this.#step(passedMs, wallMs, jumpMs);
  }

  /** Ends the pause if the clock has been steady for an hour. */
  settle(): boolean {
    if (this.#state === undefined || this.#state.jumpedMs === null || this.steadyForMs < steadyMs) return false;
    this.#state.jumpedMs = null;
    return true;
  }

  /** The clock is right, somebody says: it counts, whatever it said before. */
  accept(): void {
    const state = this.#state;
    if (state === undefined) return;
    state.offsets = [{ fromMs: state.elapsedMs, offsetMs: state.wallMs - state.elapsedMs }];
    state.jumpedMs = null;
  }

  /**
   * The time for a kind of things that is kept for at most `keptMs`: what is due at this time by its own record has been stored for
   * as long as that record says, in time that has really passed. It is never ahead of that, and may be behind.
   */
  now(keptMs: number): number {
    if (this.#state === undefined) return Number.NEGATIVE_INFINITY;
    const { elapsedMs, offsets } = this.#state;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const [index, { offsetMs }] of offsets.entries()) {
      const untilMs = offsets[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
      if (untilMs >= elapsedMs - keptMs) leastMs = Math.min(leastMs, offsetMs);
    }
    return elapsedMs + leastMs;
  }

  #step(passedMs: number, wallMs: number, forwardMs: number): number | undefined {
    const state = this.#state!;
    const byMs = wallMs - state.wallMs - passedMs;
    state.elapsedMs += passedMs;
    state.wallMs = wallMs;
    const { offsets, elapsedMs } = state;
    const offsetMs = wallMs - elapsedMs;
    if (Math.abs(offsetMs - offsets.at(-1)!.offsetMs) > noticedMs) offsets.push({ fromMs: elapsedMs, offsetMs });
    while (offsets.length > 1 && offsets[1]!.fromMs < elapsedMs - this.#longestKeptMs()) offsets.shift();
    if (offsets.length > maxOffsets) {
      const [oldest, next] = offsets.splice(0, 2);
      offsets.unshift({ fromMs: oldest!.fromMs, offsetMs: Math.min(oldest!.offsetMs, next!.offsetMs) });
    }
    if (byMs <= forwardMs && byMs >= -jumpMs) return undefined;
    state.jumpedMs = elapsedMs;
    return byMs;
  }
}
