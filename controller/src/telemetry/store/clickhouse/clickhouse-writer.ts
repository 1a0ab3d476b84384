// Puts many appends into few inserts: one at a time on this node, and what arrives meanwhile is the next one. ClickHouse
// makes a part of each insert, and merges them: few large ones cost it far less than many small ones.
import { randomBytes } from 'node:crypto';
import { BatchQueue } from '@weft/contract/batch-queue';
import { TryLaterError } from '../../../errors.ts';
import type { Sample } from '../telemetry-store.ts';
import type { ClickHouseClient } from './clickhouse-client.ts';
import { RowWriter } from './row-binary.ts';

const maxGroupBytes = 16 * 1024 * 1024;
/** Beyond it new appends are refused rather than piled up. */
const maxWaitingBytes = 64 * 1024 * 1024;
const dayMs = 86_400_000;

/** A field as rows carry it. */
export interface RowField {
  isText: boolean;
  /** The name with its length. */
  bytes: Buffer;
}

export interface Append {
  ap_id: string;
  /** The name of the agent with its length. */
  agent: Buffer;
  samples: readonly Sample[];
  fields: ReadonlyMap<string, RowField>;
}

interface WaitingAppend extends Append {
  rows: Buffer;
  /** 0 if all samples are of one day. */
  batch: bigint;
}

export class ClickHouseWriter {
  readonly #client: ClickHouseClient;
  readonly #queue = new BatchQueue<WaitingAppend>({
    take: groupSize,
    write: async (group) => {
      for (const { rows } of group) this.#waitingBytes -= rows.length;
      await this.#store(group);
      return [];
    },
  });
  #waitingBytes = 0;

  constructor(client: ClickHouseClient) {
    this.#client = client;
  }

  /** Resolves once all of its samples are stored. */
  add(append: Append): Promise<void> {
    const batch = isOnOneDay(append.samples) ? 0n : randomBytes(8).readBigUInt64LE() | 1n;
    const rows = rowsOf(append, batch);
    if (rows.length === 0) return Promise.resolve();
    if (this.#waitingBytes + rows.length > maxWaitingBytes) {
      return Promise.reject(
        new TryLaterError(503, 'telemetry_busy', 'More telemetry arrives than can be stored; try again shortly', 1),
      );
    }
    this.#waitingBytes += rows.length;
    return this.#queue.add({ ...append, rows, batch });
  }

  /** Resolves once nothing waits any more. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** The samples first: what is in the other tables must be there. */
  async #store(group: readonly WaitingAppend[]): Promise<void> {
    const columns = 'ap_id, name, is_text, ts, value, text, batch';
    const rows = Buffer.concat(group.map((append) => append.rows));
    await this.#client.insert(`INSERT INTO ${this.#client.table('telemetry')} (${columns})`, rows);
    const batches = batchRows(group);
    if (batches.length > 0) {
      await this.#client.insert(`INSERT INTO ${this.#client.table('telemetry_batches')}`, batches);
    }
    await this.#client.insert(
      `INSERT INTO ${this.#client.table('telemetry_newest')}
       SELECT ap_id, name, is_text, tuple(ts, toUnixTimestamp64Nano(now64(9)), value)
       FROM input('ap_id String, name String, is_text UInt8, ts DateTime64(3), value Float64')`,
      newestRows(group),
    );
  }
}

/** How many of those that wait fit into one insert. */
function groupSize(waiting: readonly WaitingAppend[]): number {
  const agents = new Set<string>();
  const inBatches = new Set<string>();
  let bytes = 0;
  const end = waiting.findIndex(({ ap_id, batch, rows }) => {
    bytes += rows.length;
    // Rows of one insert have one version: in different batches none of them would be the newer one.
    const isAmbiguous = inBatches.has(ap_id) || (batch !== 0n && agents.has(ap_id));
    agents.add(ap_id);
    if (batch !== 0n) inBatches.add(ap_id);
    return isAmbiguous || bytes > maxGroupBytes;
  });
  return end === -1 ? waiting.length : end;
}

function isOnOneDay(samples: readonly Sample[]): boolean {
  const first = Math.floor((samples[0]?.ts ?? 0) / dayMs);
  return samples.every(({ ts }) => Math.floor(ts / dayMs) === first);
}

function rowsOf({ agent, samples, fields }: Append, batch: bigint): Buffer {
  const rows = new RowWriter();
  const emptyText = 0;
  for (const { ts, names, values, texts } of samples) {
    for (let index = 0; index < names.length; index++) {
      rows.raw(agent);
      rows.raw(fields.get(names[index]!)!.bytes);
      rows.byte(0);
      rows.int64(ts);
      rows.float64(values[index]!);
      rows.byte(emptyText);
      rows.uint64(batch);
    }
    for (const [name, text] of texts) {
      rows.raw(agent);
      rows.raw(fields.get(name)!.bytes);
      rows.byte(1);
      rows.int64(ts);
      rows.float64(0);
      rows.text(text);
      rows.uint64(batch);
    }
  }
  return rows.bytes;
}

function batchRows(group: readonly WaitingAppend[]): Buffer {
  const rows = new RowWriter();
  for (const { agent, batch, samples } of group) {
    if (batch === 0n) continue;
    rows.raw(agent);
    rows.uint64(batch);
    rows.int64(samples.reduce((least, { ts }) => Math.min(least, ts), Number.POSITIVE_INFINITY));
    rows.int64(samples.reduce((most, { ts }) => Math.max(most, ts), Number.NEGATIVE_INFINITY));
  }
  return rows.bytes;
}

/** One row for each field of the group, its newest; of the same time, the later. */
function newestRows(group: readonly WaitingAppend[]): Buffer {
  const agents = new Map<string, { agent: Buffer; newest: Map<RowField, { ts: number; value: number }> }>();
  for (const { ap_id, agent, samples, fields } of group) {
    const known = agents.get(ap_id) ?? { agent, newest: new Map() };
    agents.set(ap_id, known);
    const note = (name: string, ts: number, value: number) => {
      const field = fields.get(name)!;
      const before = known.newest.get(field);
      if (!before || ts >= before.ts) known.newest.set(field, { ts, value });
    };
    for (const { ts, names, values, texts } of samples) {
      for (let index = 0; index < names.length; index++) note(names[index]!, ts, values[index]!);
      for (const [name] of texts) note(name, ts, 0);
    }
  }
  const rows = new RowWriter();
  for (const { agent, newest } of agents.values()) {
    for (const [field, { ts, value }] of newest) {
      rows.raw(agent);
      rows.raw(field.bytes);
      rows.byte(field.isText ? 1 : 0);
      rows.int64(ts);
      rows.float64(value);
    }
  }
  return rows.bytes;
}
