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
