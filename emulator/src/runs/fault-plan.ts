// What is known beforehand to go wrong in a run: the faults that were asked for, and the end of access points whose time is
// over before that of the others. Pure; the run asks in each second.
import type { EmulatorTask } from '@weft/contract';
import type { FaultRequest } from '../access-points/faults.ts';

/** The model knows no longer fault; one that is to last is renewed. */
const longestFaultSeconds = 604_800;

export interface FaultEvent {
  /** Seconds of model time since the start of the run. */
  second: number;
  ap_id: string;
  fault: FaultRequest;
}

export class FaultPlan {
  readonly #ends: ReadonlyMap<string, number>;
  /** In the order of their seconds. */
  readonly #events: FaultEvent[];

  /** `fromSecond` is where the run is taken up: what began before and lasts longer begins then, for the rest of its time. */
  constructor({ agents, faults, duration }: EmulatorTask, fromSecond = 0) {
    this.#ends = new Map(agents.map(({ ap_id, duration: end }) => [ap_id, end]));
    const byNumber = new Map(agents.map(({ ap_id }) => [Number(/\d+$/.exec(ap_id)?.[0]), ap_id]));
    const events: FaultEvent[] = [];
    for (const { access_point, after_seconds: second = 0, ...fault } of faults) {
      const ap_id = byNumber.get(access_point);
      if (ap_id !== undefined && second < this.endOf(ap_id)) events.push({ second, ap_id, fault });
    }
    for (const [ap_id, end] of this.#ends) {
      for (let second = end; second < duration; second += longestFaultSeconds) {
        const seconds = Math.min(longestFaultSeconds, duration - second + 1);
        events.push({ second, ap_id, fault: { kind: 'crash', seconds } });
      }
    }
    this.#events = events.map((event) => cut(event, fromSecond)).filter(({ fault }) => fault.seconds > 0);
    this.#events.sort((a, b) => a.second - b.second);
  }

  /** When the access point ends; what is not in the run has ended always. */
  endOf(ap_id: string): number {
    return this.#ends.get(ap_id) ?? 0;
  }

  /** What begins in this second. Seconds must be asked for in their order; none may be left out. */
  take(second: number): FaultEvent[] {
    const count = this.#events.findIndex((event) => event.second > second);
    return this.#events.splice(0, count < 0 ? this.#events.length : count);
  }

  /** Forgets what began before this second: a world that is taken up again has it already. */
  skipTo(second: number): void {
    this.take(second - 1);
  }
}

function cut({ second, ap_id, fault }: FaultEvent, fromSecond: number): FaultEvent {
  const passed = Math.max(0, fromSecond - second);
  return { second: second + passed, ap_id, fault: { ...fault, seconds: fault.seconds - passed } };
}
