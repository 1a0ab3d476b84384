// Counters of the kernel only ever rise, until they wrap or begin anew: what they have risen by since the last look.

interface Look {
  value: number;
  atMs: number;
}

export interface Rise {
  by: number;
  seconds: number;
}

/** Counters by name. Those that a look does not ask for are forgotten with the next one. */
export class Counters {
  #before = new Map<string, Look>();
  #now = new Map<string, Look>();

  /** To be called before each look. */
  begin(): void {
    this.#before = this.#now;
    this.#now = new Map();
  }

  /** Undefined at the first look, when the counter has fallen, or when no time has passed. */
  rise(name: string, value: number | undefined, nowMs: number): Rise | undefined {
    if (value === undefined) return undefined;
    this.#now.set(name, { value, atMs: nowMs });
    const before = this.#before.get(name);
    if (!before || value < before.value || nowMs <= before.atMs) return undefined;
    return { by: value - before.value, seconds: (nowMs - before.atMs) / 1000 };
  }

  /** As `rise`; a counter that has fallen has begun anew, and risen to where it is. */
  riseAfterRestart(name: string, value: number | undefined, nowMs: number): number | undefined {
    const isKnown = this.#before.has(name);
    const rise = this.rise(name, value, nowMs);
    return rise?.by ?? (isKnown ? value : undefined);
  }
}
