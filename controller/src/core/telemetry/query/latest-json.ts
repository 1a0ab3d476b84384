// The newest values of thousands of agents as JSON: each agent's text is kept as long as nothing about it changes, so that
// an answer is mostly put together from pieces that are there.
import type { Presence } from '@weft/contract';
import type { LatestValues } from '../store/telemetry-store.ts';
import { JsonBytes } from './json-bytes.ts';
import { createTimestampWriter } from './timestamps.ts';

/** What is told of one agent. */
export interface LatestRow {
  ap_id: string;
  presence: Presence;
  /** Undefined if it has no metrics. */
  latest: LatestValues | undefined;
  /** As JSON, where they are asked for. */
  texts?: string | undefined;
}

const usualRowBytes = 800;
const maxRows = 50_000;
const maxKeys = 10_000;
const comma = Buffer.from(',');

export class LatestJson {
  /**
   * By agent: the store returns the same list of metrics again until something newer comes. Not by that list in a WeakMap: what
   * lies there stays until all of the heap is collected, which takes many minutes, and a text is replaced every second.
   */
  readonly #rows = new Map<string, { metrics: LatestValues['metrics']; presence: Presence; json: Uint8Array }>();
  /** The same few names stand in every agent. */
  readonly #keys = new Map<string, Uint8Array>();

  /** Rows, separated by commas; `wanted` leaves other metrics out. */
  write(rows: readonly LatestRow[], wanted?: ReadonlySet<string>): Uint8Array {
    const json = new JsonBytes(rows.length * usualRowBytes + 64);
    const timestamp = createTimestampWriter();
    for (const [index, row] of rows.entries()) {
      if (index > 0) json.bytes(comma);
      const known = this.#row(row, timestamp, wanted);
      json.bytes(row.texts === undefined ? known : known.subarray(0, -1));
      if (row.texts !== undefined) json.text(`,"texts":${row.texts}}`);
    }
    return json.takeBytes();
  }

  #row({ ap_id, presence, latest }: LatestRow, timestamp: (ms: number) => string, wanted?: ReadonlySet<string>) {
    const known = latest && !wanted ? this.#rows.get(ap_id) : undefined;
    if (known && known.metrics === latest?.metrics && known.presence === presence) return known.json;
    const json = new JsonBytes(256 + (latest?.metrics.length ?? 0) * 80);
    json.text(`{"ap_id":${JSON.stringify(ap_id)},"presence":"${presence}","metrics":{`);
    const start = json.length;
    let lastTs = Number.NaN;
    let time = '';
    for (const { name, ts, value } of latest?.metrics ?? []) {
      if (wanted && !wanted.has(name)) continue;
      if (ts !== lastTs) time = `:{"ts":"${timestamp(ts)}","value":`;
      lastTs = ts;
      if (json.length > start) json.bytes(comma);
      json.bytes(this.#key(name));
      json.text(time);
      json.number(value);
      json.text('}');
    }
    json.text('}}');
    if (!latest || wanted) return json.takeBytes();
    // A copy: the bytes are a piece of a much larger buffer, which would be kept with them.
    const bytes = new Uint8Array(json.takeBytes());
    if (this.#rows.size >= maxRows) this.#rows.clear();
    this.#rows.set(ap_id, { metrics: latest.metrics, presence, json: bytes });
    return bytes;
  }

  #key(name: string): Uint8Array {
    let key = this.#keys.get(name);
    if (key === undefined) {
      key = Buffer.from(JSON.stringify(name));
      if (this.#keys.size >= maxKeys) this.#keys.clear();
      this.#keys.set(name, key);
    }
    return key;
  }
}
