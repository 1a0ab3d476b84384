// A cache of sealed rows of the last minutes, which charts read again and again. A block has half an hour of all metrics, a
// chart needs a few minutes of a few: without the rest, the rows of thousands of charts fit into memory.
import type { Rows } from '../blocks/block-codec.ts';

const maxBytes = 64 * 1024 * 1024;
/** Larger windows are read less often, and from their blocks. */
const maxEntryBytes = 128 * 1024;

interface Entry {
  startMs: number;
  fields: ReadonlySet<number>;
  rows: Rows;
  bytes: number;
}

export class RecentRows {
  /** Keyed by an object that is replaced when the blocks change; least recently used first. */
  readonly #entries = new Map<object, Entry>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(limit = maxBytes) {
    this.#maxBytes = limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Rows from a time on, or from a little before it, with these fields; from `read` if they are not known. */
  rows(
    source: object,
    startMs: number,
    fields: readonly number[],
    read: (startMs: number, fields: readonly number[]) => Rows,
  ): Rows {
    const known = this.#entries.get(source);
    if (known && known.startMs <= startMs && fields.every((field) => known.fields.has(field))) {
      this.#entries.delete(source);
      this.#entries.set(source, known);
      return known.fields.size === fields.length ? known.rows : only(known.rows, fields);
    }
    const asked = read(startMs, fields);
    if (bytesOf(asked) > maxEntryBytes) return asked;
    // Two charts with different metrics share one entry; otherwise each would evict the other.
    const all = known ? new Set([...known.fields, ...fields]) : new Set(fields);
    const firstMs = Math.min(startMs, known?.startMs ?? startMs);
    const rows = known ? read(firstMs, [...all]) : asked;
    if (bytesOf(rows) <= maxEntryBytes) this.#keep(source, { startMs: firstMs, fields: all, rows: copy(rows) });
    return asked;
  }

  #keep(source: object, entry: Omit<Entry, 'bytes'>): void {
    this.#drop(source);
    const bytes = bytesOf(entry.rows);
    this.#entries.set(source, { ...entry, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(source: object): void {
    this.#bytes -= this.#entries.get(source)?.bytes ?? 0;
    this.#entries.delete(source);
  }
}

function only({ ts, columns, texts }: Rows, fields: readonly number[]): Rows {
  const wanted = new Set(fields);
  return {
    ts,
    columns: new Map([...columns].filter(([field]) => wanted.has(field))),
    texts: new Map([...texts].filter(([field]) => wanted.has(field))),
  };
}

/** Copies: a view of a block's column would keep the whole column in memory. */
function copy({ ts, columns, texts }: Rows): Rows {
  return {
    ts: ts.slice(),
    columns: new Map([...columns].map(([field, values]) => [field, values.slice()])),
    texts: new Map(texts),
  };
}

/** An estimate: texts are counted with a fixed size each. */
function bytesOf({ ts, columns, texts }: Rows): number {
  return 256 + ts.length * (8 * (1 + columns.size) + 64 * texts.size);
}
