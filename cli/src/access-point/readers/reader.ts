// The interface of a reader, which measures one part of the machine.
import type { Machine } from '../machine/machine.ts';

export interface Measured {
  name: string;
  /** Undefined if it needs a second measurement: the metric is declared, but not reported yet. */
  value: number | undefined;
  label: string;
  unit?: string;
}

export interface Reader {
  /** What it measures, for messages. */
  readonly subject: string;
  /** `nowMs` is a monotonic clock. Empty if the machine has no such part. */
  read(nowMs: number): Promise<Measured[]>;
}

export abstract class MachineReader implements Reader {
  abstract readonly subject: string;
  protected readonly machine: Machine;

  constructor(machine: Machine) {
    this.machine = machine;
  }

  abstract read(nowMs: number): Promise<Measured[]>;
}

/** Rounded to a tenth of the useful precision. */
export function rounded(value: number, digits = 2): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}

// The increase of kernel counters since the last measurement. They only rise, until they wrap or are reset.
interface Look {
  value: number;
  atMs: number;
}

export interface Rise {
  by: number;
  seconds: number;
}

/** Counters by name. Counters that were not read in a measurement are forgotten at the next one. */
export class Counters {
  #before = new Map<string, Look>();
  #now = new Map<string, Look>();

  /** Must be called before each measurement. */
  begin(): void {
    this.#before = this.#now;
    this.#now = new Map();
  }

  /** Undefined at the first measurement, if the counter has fallen, or if no time has passed. */
  rise(name: string, value: number | undefined, nowMs: number): Rise | undefined {
    if (value === undefined) return undefined;
    this.#now.set(name, { value, atMs: nowMs });
    const before = this.#before.get(name);
    if (!before || value < before.value || nowMs <= before.atMs) return undefined;
    return { by: value - before.value, seconds: (nowMs - before.atMs) / 1000 };
  }

  /** Like `rise`; a counter that has fallen was reset, and has risen from zero. */
  riseAfterRestart(name: string, value: number | undefined, nowMs: number): number | undefined {
    const isKnown = this.#before.has(name);
    const rise = this.rise(name, value, nowMs);
    return rise?.by ?? (isKnown ? value : undefined);
  }
}
