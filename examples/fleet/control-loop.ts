// The loop of a control program: live samples in, a decision at a fixed interval of their time, orders out. Reading never
// waits for an order.
import type { App } from '@weft/sdk';
import { cellMetrics, Fleet } from '@weft/sdk';
import type { ControlProgram, Order } from './control-program.ts';
import { OrderDesk, type Outcome, type Tally } from './order-desk.ts';
import { Pace } from './pace.ts';
import { toSeenDevice } from './seen-device.ts';

/** By the clock: reports of one moment arrive one after the other. */
const gatherMs = 200;
const learnEveryMs = 2_000;

export interface LoopSummary extends Tally {
  decisions: number;
  /** The speed of the samples' time, at the end. */
  pace: number;
}

export class ControlLoop {
  readonly #app: App;
  readonly #program: ControlProgram;
  readonly #say: (line: string) => void;
  readonly #fleet = new Fleet();
  readonly #pace = new Pace();
  readonly #desk: OrderDesk;
  readonly #underWay = new Set<Promise<void>>();
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #gathering: NodeJS.Timeout | undefined;
  #learntAtMs = Number.NEGATIVE_INFINITY;
  #decisions = 0;
  #isLooking = false;

  constructor(app: App, program: ControlProgram, say: (line: string) => void = () => {}) {
    this.#app = app;
    this.#program = program;
    this.#say = say;
    this.#desk = new OrderDesk(app, (order, outcome, detail) => this.#told(order, outcome, detail));
  }

  /** Runs until the signal; resolves with a summary. Throws permanent errors. */
  async run(signal: AbortSignal): Promise<LoopSummary> {
    try {
      await this.#learn(signal);
      for await (const sample of this.#app.live({ metrics: cellMetrics, signal })) {
        if (!this.#fleet.hear(sample)) await this.#learn(signal);
        else this.#heard(signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      clearTimeout(this.#gathering);
    }
    await Promise.allSettled(this.#underWay);
    return { ...this.#desk.tally, decisions: this.#decisions, pace: this.#pace.value ?? 1 };
  }

  /** Access points may be added while it runs. */
  async #learn(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#learntAtMs < learnEveryMs) return;
    this.#learntAtMs = performance.now();
    this.#fleet.learn(await this.#app.agents({ signal }));
  }

  #heard(signal: AbortSignal): void {
    const { nowMs } = this.#fleet;
    this.#pace.note(performance.now(), nowMs);
    if (nowMs < this.#dueAtMs || this.#pace.value === undefined || this.#isLooking) return;
    if (this.#fleet.hasAllSince(this.#dueAtMs)) this.#decide(signal);
    else this.#gathering ??= setTimeout(() => this.#decide(signal), gatherMs);
  }

  #decide(signal: AbortSignal): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const { nowMs } = this.#fleet;
    this.#dueAtMs = nowMs + this.#program.everySeconds * 1000;
    this.#decisions++;
    if (this.#decisions === 1) {
      this.#say(`controls ${this.#fleet.cells().length} access points, decides every ${this.#program.everySeconds} s`);
    }
    if (!this.#program.see) this.#order(nowMs, signal);
    else this.#keep(this.#look(nowMs, signal));
  }

  /** Programs that steer devices see them first. */
  async #look(nowMs: number, signal: AbortSignal): Promise<void> {
    this.#isLooking = true;
    try {
      const devices = await this.#app.devices({ signal }).toArray();
      this.#program.see!(devices.filter(({ links }) => links.length > 0).map(toSeenDevice), nowMs);
      this.#order(nowMs, signal);
    } catch (error) {
      if (!signal.aborted) this.#say(`devices: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      this.#isLooking = false;
    }
  }

  #order(nowMs: number, signal: AbortSignal): void {
    for (const order of this.#program.decide(this.#fleet.cells(), nowMs)) {
      this.#keep(this.#desk.send(order, this.#pace.value ?? 1, signal));
    }
  }

  #keep(work: Promise<void>): void {
    const kept = work.finally(() => this.#underWay.delete(kept));
    this.#underWay.add(kept);
  }

  #told(order: Order, outcome: Outcome, detail: string): void {
    const { nowMs } = this.#fleet;
    if (outcome !== 'done') this.#program.undone?.(order, outcome, nowMs);
    const { ap_id, name, args, because } = order;
    const what = `${name} ${ap_id}${args ? ` ${JSON.stringify(args)}` : ''}`;
    const result = outcome === 'done' ? because : `${outcome}: ${detail}`;
    this.#say(`${new Date(nowMs).toISOString().slice(11, 19)} ${what}: ${result}`);
  }
}
