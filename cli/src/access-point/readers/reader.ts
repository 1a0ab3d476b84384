// What a reader is: it looks at one part of the machine and says what it has measured.

export interface Measured {
  name: string;
  /** Undefined if it takes another look to know: the metric is declared, and nothing is reported yet. */
  value: number | undefined;
  label: string;
  unit?: string;
}

export interface Reader {
  /** What it looks at, for messages. */
  readonly subject: string;
  /** `nowMs` is a clock that never goes back. Nothing at all where the machine has no such part. */
  read(nowMs: number): Promise<Measured[]>;
}

/** Within a tenth of what is told apart anyway. */
export function rounded(value: number, digits = 2): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}
