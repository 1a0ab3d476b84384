// The interface of a reader, which measures one part of the machine.

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

/** Rounded to a tenth of the useful precision. */
export function rounded(value: number, digits = 2): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}
