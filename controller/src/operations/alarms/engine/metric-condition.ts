// A condition on metrics, compiled: which metrics it reads, what it makes of them, and what it compares that with.
import type { AlarmClear, AlarmCondition } from '@weft/contract/operations';
import { ChangeQuantity, MeanQuantity, PlainQuantity, type Quantity } from './quantity.ts';

/** Of emulated access points, and of others that tell: 0 while it sleeps. */
export const activeMetric = 'active';

/** When an alarm is due, and when it is over. */
export interface AlarmCriteria {
  condition: AlarmCondition;
  for_seconds: number;
  clear: AlarmClear | undefined;
  when_asleep: 'ignore' | 'evaluate';
}

export class MetricCondition {
  readonly metric: string;
  readonly other: string | undefined;
  readonly op: Operator;
  readonly limit: number;
  readonly clearLimit: number;
  readonly forMs: number;
  readonly clearForMs: number;
  /** How much of the past a quantity needs, besides the sample itself. */
  readonly windowMs: number;
  readonly ignoresSleep: boolean;
  readonly #condition: AlarmCondition;

  constructor({ condition, for_seconds, clear, when_asleep }: AlarmCriteria) {
    this.#condition = condition;
    this.metric = condition.metric!;
    this.other = condition.other_metric;
    this.op = condition.change === undefined ? (condition.op as Operator) : '>';
    this.limit = condition.value ?? 0;
    this.clearLimit = clear?.value ?? this.limit;
    this.forMs = for_seconds * 1000;
    this.clearForMs = (clear?.for_seconds ?? for_seconds) * 1000;
    this.windowMs = 1000 * (condition.change === undefined ? (condition.over_seconds ?? 0) : condition.within_seconds!);
    this.ignoresSleep = when_asleep === 'ignore' && this.metric !== activeMetric;
  }

  createQuantity(): Quantity {
    const { change, over_seconds, other_metric, times = 1 } = this.#condition;
    if (change !== undefined) return new ChangeQuantity(this.windowMs, change);
    const factor = other_metric === undefined ? 0 : times;
    return over_seconds === undefined ? new PlainQuantity(factor) : new MeanQuantity(this.windowMs, factor);
  }

  fires(quantity: number): boolean {
    return isBeyond(this.op, quantity, this.limit);
  }

  clears(quantity: number): boolean {
    return !Number.isNaN(quantity) && !isBeyond(this.op, quantity, this.clearLimit);
  }

  /** The metrics that a look into the store has to read. */
  get metrics(): string[] {
    const names = this.other === undefined ? [this.metric] : [this.metric, this.other];
    return this.ignoresSleep ? [...names, activeMetric] : names;
  }
}

// A value against a limit: the comparison of a condition, as a function that is chosen once.
export type Operator = '>' | '>=' | '<' | '<=' | '==' | '!=';

const comparisons: Record<Operator, (value: number, limit: number) => boolean> = {
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '==': (value, limit) => value === limit,
  '!=': (value, limit) => value !== limit,
};

/** Never for NaN, which is no measurement. */
export function isBeyond(op: Operator, value: number, limit: number): boolean {
  return !Number.isNaN(value) && comparisons[op](value, limit);
}

/** Whether `clear` is on the good side of `limit`, so that no value fires and clears at once. */
export function isHysteresis(op: Operator, limit: number, clear: number): boolean {
  if (op === '>' || op === '>=') return clear <= limit;
  if (op === '<' || op === '<=') return clear >= limit;
  return clear === limit;
}
