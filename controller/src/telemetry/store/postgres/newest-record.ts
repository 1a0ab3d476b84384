// The newest value of each field of a source, as one row of PostgreSQL holds them: field, time and value, one after the
// other. A text has its time only.
export interface NewestField {
  ts: number;
  value: number;
}

export type NewestFields = Map<number, NewestField>;

const numbersEach = 3;

export function readNewest(bytes: Uint8Array): NewestFields {
  const numbers = new Float64Array(new Uint8Array(bytes).buffer);
  const newest: NewestFields = new Map();
  for (let at = 0; at < numbers.length; at += numbersEach) {
    newest.set(numbers[at]!, { ts: numbers[at + 1]!, value: numbers[at + 2]! });
  }
  return newest;
}

export function writeNewest(newest: NewestFields): Uint8Array {
  const numbers = new Float64Array(newest.size * numbersEach);
  let at = 0;
  for (const [field, { ts, value }] of newest) {
    numbers[at++] = field;
    numbers[at++] = ts;
    numbers[at++] = value;
  }
  return new Uint8Array(numbers.buffer);
}

/** A value of the same time replaces the one before. */
export function noteNewest(newest: NewestFields, field: number, ts: number, value: number): void {
  const known = newest.get(field);
  if (!known || ts >= known.ts) newest.set(field, { ts, value });
}
