// How much the results of jobs may take, of each caller and in all, as they are stored. Nothing that was accepted is removed
// early, so beyond that new jobs and results are refused until old ones have gone. And how results are stored: compressed.
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { Config } from '../../base/config.ts';
import { TryLaterError } from '../../base/errors.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';

const everyMs = 10_000;
/** A count may take this share of the time, however many jobs there are. */
const shareOfTime = 0.01;
const retryAfterSeconds = 60;
const mib = 2 ** 20;

interface ResultBudgetOptions {
  database: SqlDatabase;
  config: Pick<Config, 'maxResultsMb' | 'maxResultsMbPerCaller' | 'jobRetentionHours'>;
  onChange: (message: string, error?: unknown) => void;
}

export class ResultBudget extends PeriodicTask {
  readonly #options: ResultBudgetOptions;
  readonly #byOwner = new Map<string, number>();
  #bytes = 0;
  #nextCountMs = 0;

  constructor(options: ResultBudgetOptions) {
    const { onChange } = options;
    super({ everyMs, jitter: 0.2, what: 'the count of stored results', run: () => this.#countAgain(), onChange });
    this.#options = options;
  }

  get metrics() {
    return {
      weft_job_results_bytes: { help: 'Stored results of jobs, compressed', value: () => this.#bytes },
      weft_job_results_limit_bytes: {
        help: 'Of all callers together',
        value: () => this.#options.config.maxResultsMb * mib,
      },
    };
  }

  /** What other nodes have stored and removed is found by counting again; of an embedded database there are none. */
  override start(): void {
    if (this.#options.database.dialect === 'postgres') super.start();
  }

  async count(): Promise<void> {
    const rows = await this.#options.database.query<{ owner_id: string; bytes: number }>(
      'SELECT owner_id, CAST(SUM(COALESCE(stored_bytes, bytes)) AS BIGINT) AS bytes FROM jobs GROUP BY owner_id',
    );
    this.#byOwner.clear();
    this.#bytes = 0;
    for (const { owner_id, bytes } of rows) this.add(owner_id, bytes);
  }

  /** Less than nothing: removed. */
  add(owner_id: string, bytes: number): void {
    const own = (this.#byOwner.get(owner_id) ?? 0) + bytes;
    if (own > 0) this.#byOwner.set(owner_id, own);
    else this.#byOwner.delete(owner_id);
    this.#bytes = Math.max(0, this.#bytes + bytes);
  }

  /** Why nothing more is taken for this caller; undefined if there is room. */
  refusal(owner_id: string): TryLaterError | undefined {
    const { maxResultsMb, maxResultsMbPerCaller: own, jobRetentionHours } = this.#options.config;
    const isOwn = (this.#byOwner.get(owner_id) ?? 0) >= own * mib;
    if (!isOwn && this.#bytes < maxResultsMb * mib) return undefined;
    const whose = isOwn
      ? `Results of your jobs take ${own} MiB, the most for one caller`
      : `Results of jobs take ${maxResultsMb} MiB`;
    const kept = `they are kept for ${jobRetentionHours} hours after the end of a job`;
    return new TryLaterError(429, 'results_full', `${whose}; ${kept}`, retryAfterSeconds);
  }

  requireRoom(owner_id: string): void {
    const refusal = this.refusal(owner_id);
    if (refusal) throw refusal;
  }

  async #countAgain(): Promise<void> {
    const startedMs = performance.now();
    if (startedMs < this.#nextCountMs) return;
    await this.count();
    const endedMs = performance.now();
    this.#nextCountMs = endedMs + (endedMs - startedMs) / shareOfTime;
  }
}

/** No JSON text begins so: what stands behind it is compressed. */
const mark = 'zstd:';
/** Shorter ones hardly become smaller. */
const worthPacking = 512;
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** As it is stored: text, so that every database, copy and backup takes it. */
export async function pack(json: string): Promise<string> {
  if (json.length < worthPacking) return json;
  const packed = mark + (await compress(json)).toString('base64');
  return packed.length < Buffer.byteLength(json) ? packed : json;
}

export async function unpack(stored: string): Promise<string> {
  if (!stored.startsWith(mark)) return stored;
  return (await decompress(Buffer.from(stored.slice(mark.length), 'base64'))).toString();
}
