// What time it is by Weft's clock, for access points whose own clock is wrong or starts in 1970. Learns from the Date of
// Weft's answers, which is cut to the second.

/** A clock of this machine that differs by less is taken as it is. */
const toleranceMs = 2_000;
const secondMs = 1_000;
/** After this long clocks have drifted apart, and a worse look is better than an old one. */
const lookLastsMs = 3_600_000;

export interface ServerClockOptions {
  wall?: () => number;
  /** Is not changed when the wall clock is set. */
  monotonic?: () => number;
}

export class ServerClock {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  /** Only if the machine's own clock is not to be trusted. */
  #anchor: { serverMs: number; atMs: number; spanMs: number } | undefined;
  #isKnown = false;

  constructor({ wall = Date.now, monotonic = () => performance.now() }: ServerClockOptions = {}) {
    this.#wall = wall;
    this.#monotonic = monotonic;
  }

  /** Whether Weft's clock is known; before, times are those of this machine. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Whether this machine's own clock is wrong. */
  get isOff(): boolean {
    return this.#anchor !== undefined;
  }

  /** For `timeOf`. */
  moment(): number {
    return this.#monotonic();
  }

  /** An answer with this Date has just come to what was asked at that moment. */
  heard(date: string | undefined, askedAt: number): void {
    const told = date === undefined ? Number.NaN : Date.parse(date);
    if (Number.isNaN(told)) return;
    const nowMs = this.#monotonic();
    this.#isKnown = true;
    // Weft wrote it at some moment between question and answer, which may be far apart when it is busy.
    const spanMs = secondMs + Math.max(0, nowMs - askedAt);
    const { atMs = 0, spanMs: knownSpanMs = Number.POSITIVE_INFINITY } = this.#anchor ?? {};
    const differsMs = this.#anchor ? Math.abs(told + spanMs / 2 - this.timeOf(nowMs)) : 0;
    // Too far apart for both to be right: another node has answered, or the clock of this one was set.
    const doesContradict = differsMs > (spanMs + knownSpanMs) / 2 + toleranceMs;
    if (!doesContradict && spanMs > knownSpanMs && nowMs - atMs < lookLastsMs) return;
    const aheadMs = this.#wall() - told;
    const isGood = aheadMs >= -toleranceMs && aheadMs <= spanMs + toleranceMs;
    this.#anchor = isGood ? undefined : { serverMs: told + spanMs / 2, atMs: nowMs, spanMs };
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.timeOf(this.#monotonic());
  }

  /** What time it was at that moment, as far as is known by now. */
  timeOf(moment: number): number {
    if (this.#anchor) return Math.floor(this.#anchor.serverMs + moment - this.#anchor.atMs);
    // The wall clock is cut to the millisecond: what happens now must not come out as a millisecond ago.
    return Math.ceil(this.#wall() - (this.#monotonic() - moment));
  }
}
