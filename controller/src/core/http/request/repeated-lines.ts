// Sums up lines of the log that repeat: of lines that are alike only the first few within a window are written, and at
// its end one that says how many more there were. Alike: the same level, message, status, code, operation and error.
import { isObject } from '@weft/contract/is-object';

const windowMs = 10_000;
const maxWritten = 10;
/** More kinds of lines than the code has: whatever exceeds this is one kind. */
const maxKinds = 2000;

interface Kind {
  level: number;
  msg: string;
  status: unknown;
  code: unknown;
  operation: unknown;
  count: number;
  until: number;
}

export interface Repeated {
  level: number;
  fields: Record<string, unknown>;
  msg: string;
}

export class RepeatedLines {
  readonly #kinds = new Map<string, Kind>();

  /** How many kinds are counted at the moment. */
  get size(): number {
    return this.#kinds.size;
  }

  /** Whether the line is to be written; else it is counted. `fields` and `msg` as given to the logger. */
  admit(level: number, fields: unknown, msg: string, now: number): boolean {
    const { status, code, operation, err } = isObject(fields) ? fields : ({} as Record<string, unknown>);
    let key = `${level} ${status} ${code} ${operation} ${msg} ${errorText(err)}`;
    if (!this.#kinds.has(key) && this.#kinds.size >= maxKinds) key = '';
    let kind = this.#kinds.get(key);
    if (!kind) {
      kind =
        key === '' ? otherKind(level, now) : { level, msg, status, code, operation, count: 0, until: now + windowMs };
      this.#kinds.set(key, kind);
    }
    kind.count++;
    return kind.count <= maxWritten;
  }

  /** The sums of the windows that have ended; of all of them if `now` is Infinity. */
  sums(now: number): Repeated[] {
    const sums: Repeated[] = [];
    for (const [key, { until, level, msg, status, code, operation, count }] of this.#kinds) {
      if (until > now) continue;
      this.#kinds.delete(key);
      const repeated = count - maxWritten;
      if (repeated <= 0) continue;
      const text = `${msg} ... and ${repeated.toLocaleString('en')} more like this`;
      sums.push({ level, fields: { operation, status, code, repeated }, msg: text });
    }
    return sums;
  }
}

function otherKind(level: number, now: number): Kind {
  return {
    level,
    msg: 'other lines',
    status: undefined,
    code: undefined,
    operation: undefined,
    count: 0,
    until: now + windowMs,
  };
}

function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name} ${error.message.slice(0, 200)}` : '';
}
