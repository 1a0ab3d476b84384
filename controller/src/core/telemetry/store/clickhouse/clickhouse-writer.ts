// Puts many appends into few inserts: one at a time on this node, and what arrives meanwhile is the next one. ClickHouse
// makes a part of each insert, and merges them: few large ones cost it far less than many small ones.
import { BatchQueue } from '@weft/contract/batch-queue';
import { TryLaterError } from '../../../base/errors.ts';
import type { Sample } from '../telemetry-store.ts';
import type { ClickHouseClient } from './clickhouse-client.ts';
import { type Append, encodeSamples, insertedColumns } from './native-block.ts';

const maxGroupBytes = 4 * 1024 * 1024;
/** Beyond it new appends are refused rather than piled up. */
const maxWaitingBytes = 64 * 1024 * 1024;
/** About, in a block. */
const rowBytes = 64;
const pointBytes = 9;

interface WaitingAppend extends Append {
  bytes: number;
}

export class ClickHouseWriter {
  readonly #client: ClickHouseClient;
  readonly #queue = new BatchQueue<WaitingAppend>({
    take: groupSize,
    write: async (group) => {
      for (const { bytes } of group) this.#waitingBytes -= bytes;
      const statement = `INSERT INTO ${this.#client.table('telemetry_samples')} (${insertedColumns})`;
      await this.#client.insert(statement, encodeSamples(group));
      return [];
    },
  });
  #waitingBytes = 0;

  constructor(client: ClickHouseClient) {
    this.#client = client;
  }

  /** Resolves once all of its samples are stored. */
  add({ ap_id, samples: all }: Append): Promise<void> {
    const samples = all.every(hasFields) ? all : all.filter(hasFields);
    if (samples.length === 0) return Promise.resolve();
    const bytes = sizeOf(samples);
    if (this.#waitingBytes + bytes > maxWaitingBytes) {
      return Promise.reject(
        new TryLaterError(503, 'telemetry_busy', 'More telemetry arrives than can be stored; try again shortly', 1),
      );
    }
    this.#waitingBytes += bytes;
    return this.#queue.add({ ap_id, samples, bytes });
  }

  /** Resolves once nothing waits any more. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }
}

/** How many of those that wait go into one insert. */
function groupSize(waiting: readonly WaitingAppend[]): number {
  let sum = 0;
  const end = waiting.findIndex(({ bytes }) => {
    sum += bytes;
    return sum > maxGroupBytes;
  });
  return end === -1 ? waiting.length : end;
}

function hasFields({ names, texts }: Sample): boolean {
  return names.length > 0 || texts.length > 0;
}

function sizeOf(samples: readonly Sample[]): number {
  let bytes = samples.length * rowBytes;
  for (const { names, texts } of samples) {
    bytes += names.length * pointBytes;
    for (const [name, text] of texts) bytes += name.length + text.length;
  }
  return bytes;
}
