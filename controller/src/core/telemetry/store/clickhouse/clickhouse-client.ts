// Talks to ClickHouse over its HTTP interface, on connections that stay open. Whatever keeps it from serving becomes a 503
// that says why, and never says the password or a statement.
import { TryLaterError } from '../../../base/errors.ts';
import { OutgoingHttp } from '../../../base/outgoing/outgoing-http.ts';
import { diskFull } from '../../../base/storage/write-probe.ts';
import { RowReader } from './row-binary.ts';

const defaultDatabase = 'weft';
const maxConnections = 16;
/** Far above any answer that is put together here. */
const maxAnswerBytes = 512 * 1024 * 1024;
const retryAfterSeconds = 2;
const unlimited = String(2 ** 40);

const codes = { unknownTable: 60, unknownDatabase: 81, noSpace: 243, accessDenied: 497, wrongPassword: 516 };

/**
 * Sent with every request, because the defaults of a server, and of a user, may be others: an answer of 200 comes once
 * everything is done; an insert is one block, so that it is one part, which is there or not; and the same rows sent again are
 * stored again, for they may have been replaced meanwhile.
 */
const settings = {
  wait_end_of_query: '1',
  async_insert: '0',
  insert_deduplicate: '0',
  // Since 26 it overrides the one above.
  deduplicate_insert: 'disable',
  max_insert_block_size: unlimited,
  max_insert_block_size_bytes: '0',
  min_insert_block_size_rows: '0',
  min_insert_block_size_bytes: '0',
  max_insert_threads: '1',
  max_partitions_per_insert_block: '0',
  lightweight_deletes_sync: '2',
  mutations_sync: '2',
  alter_sync: '2',
  max_query_size: String(64 * 1024 * 1024),
  max_ast_elements: '1000000',
  max_expanded_ast_elements: '1000000',
  cancel_http_readonly_queries_on_client_close: '1',
};

export interface ClickHouseClientOptions {
  /** clickhouse(s)://user:password@host:8123/database; all but the host may be left out. */
  url: string;
  timeoutMs: number;
  /** The database or a table is gone. */
  onMissing: () => void;
}

/** ClickHouse is there and does not want to do this. */
class ClickHouseRefusal extends Error {
  override name = 'ClickHouseRefusal';
}

export class ClickHouseClient {
  readonly database: string;
  readonly #options: ClickHouseClientOptions;
  readonly #origin: URL;
  readonly #headers: Record<string, string>;
  readonly #http: OutgoingHttp;
  #isClosed = false;

  /** Throws if the address is none. */
  constructor(options: ClickHouseClientOptions) {
    const url = new URL(options.url);
    const isTls = url.protocol === 'clickhouses:';
    this.#options = options;
    this.#origin = new URL(`${isTls ? 'https' : 'http'}://${url.hostname}:${url.port || (isTls ? 8443 : 8123)}`);
    this.database = decodeURIComponent(url.pathname.slice(1)) || defaultDatabase;
    this.#headers = {
      ...(url.username !== '' && { 'x-clickhouse-user': decodeURIComponent(url.username) }),
      ...(url.password !== '' && { 'x-clickhouse-key': decodeURIComponent(url.password) }),
    };
    const { timeoutMs } = options;
    this.#http = new OutgoingHttp({ timeoutMs, maxAnswerBytes, maxKeptConnections: maxConnections });
  }

  /** A table of Weft, for use in a statement. */
  table(name: string): string {
    return `${identifier(this.database)}.${name}`;
  }

  /** Resolves once it is done. */
  async run(statement: string, more: Record<string, string> = {}): Promise<void> {
    await this.#post(more, statement);
  }

  /** The rows that a SELECT found. */
  async read(statement: string): Promise<RowReader> {
    return new RowReader(await this.#post({ default_format: 'RowBinary' }, statement));
  }

  /** Resolves once this block is stored, in the columns that the statement names. */
  async insert(statement: string, block: Uint8Array): Promise<void> {
    await this.#post({ query: `${statement} FORMAT Native` }, block);
  }

  close(): void {
    this.#isClosed = true;
    this.#http.close();
  }

  async #post(query: Record<string, string>, body: string | Uint8Array): Promise<Buffer> {
    const search = new URLSearchParams({ ...settings, ...query });
    const request = { origin: this.#origin, path: `/?${search}`, headers: this.#headers, body, isRepeatable: true };
    if (this.#isClosed) throw unavailable('the telemetry store is closed');
    const { status, bytes } = await this.#http.postForBytes(request).catch((error) => {
      if (this.#isClosed) throw unavailable('the telemetry store is closed');
      const { code, message } = error as NodeJS.ErrnoException;
      throw unavailable(`ClickHouse does not answer (${code ?? message})`, error);
    });
    if (status === 200) return bytes;
    throw this.#failure(status, bytes.toString());
  }

  #failure(status: number, text: string): Error {
    const code = Number(/^Code: (\d+)\./.exec(text)?.[1]);
    const word = /\(([A-Z_]+)\)(?: \(version [^)]*\))?\s*$/.exec(text)?.[1] ?? `status ${status}`;
    const refusal = new ClickHouseRefusal(text.slice(0, 500));
    if (code === codes.unknownTable || code === codes.unknownDatabase) {
      this.#options.onMissing();
      return unavailable('ClickHouse does not have the database or its tables', refusal);
    }
    if (code === codes.noSpace) return diskFull('The disk of ClickHouse is full', refusal);
    if (code === codes.wrongPassword) return unavailable('ClickHouse does not accept the user name or password');
    if (code === codes.accessDenied) return unavailable('ClickHouse does not give this user the right', refusal);
    return unavailable(`ClickHouse cannot serve right now: ${word}`, refusal);
  }
}

export function identifier(name: string): string {
  return `\`${escaped(name)}\``;
}

export function literal(text: string): string {
  return `'${escaped(text)}'`;
}

/** Everything but plain letters and digits as bytes in hexadecimal: nothing can end the quotes. */
function escaped(text: string): string {
  if (/^[A-Za-z0-9_.:-]*$/.test(text)) return text;
  let safe = '';
  for (const byte of Buffer.from(text)) {
    const letter = String.fromCharCode(byte);
    safe += /[A-Za-z0-9_.:-]/.test(letter) ? letter : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return safe;
}

export function unavailable(why: string, cause?: unknown): TryLaterError {
  return new TryLaterError(503, 'telemetry_unavailable', why, retryAfterSeconds, { cause });
}
