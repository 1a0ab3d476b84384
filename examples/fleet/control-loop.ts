// The loop of a control program: live samples in, a decision at a fixed interval of their time, orders out. Reading never
// waits for an order.
import type { App } from '@weft/sdk';
import type { ControlProgram, Order } from './control-program.ts';
import { cellMetrics, Fleet } from './fleet.ts';
import { OrderDesk, type Outcome, type Tally } from './order-desk.ts';
import { Pace } from './pace.ts';

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
    if (nowMs < this.#dueAtMs || this.#pace.value === undefined) return;
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
    for (const order of this.#program.decide(this.#fleet.cells(), nowMs)) {
      const sending = this.#desk.send(order, this.#pace.value ?? 1, signal).finally(() => {
        this.#underWay.delete(sending);
      });
      this.#underWay.add(sending);
    }
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
