// Talks to InfluxDB over its v1 HTTP API, on connections that stay open. Whatever keeps it from serving becomes a 503
// that says why, and never says the password.
import { TryLaterError } from '../../../errors.ts';
import { type OutgoingAnswer, OutgoingHttp } from '../../../outgoing/outgoing-http.ts';

const defaultDatabase = 'weft';
const maxConnections = 32;
/** Far above any answer that is put together here, and below what a string can hold. */
const maxAnswerBytes = 256 * 1024 * 1024;
const retryAfterSeconds = 2;
/** Some hundred statements, which InfluxDB answers well within the time it has. */
const maxRequestLength = 50_000;

/** InfluxDB is there and does not want to do this. Of lines that it refuses, some may be stored. */
export class InfluxRefusal extends Error {
  override name = 'InfluxRefusal';
}

export type InfluxValue = number | string | null;

export interface InfluxSeries {
  name: string;
  columns: string[];
  values: InfluxValue[][];
  partial?: boolean;
}

export interface InfluxClientOptions {
  /** May carry user:password and ?db=. */
  url: string;
  timeoutMs: number;
  /** The database or its retention policy is gone. */
  onMissing: () => void;
}

export class InfluxClient {
  readonly database: string;
  readonly #options: InfluxClientOptions;
  readonly #url: URL;
  readonly #headers: Record<string, string>;
  readonly #http: OutgoingHttp;
  #isClosed = false;

  /** Throws if the address is none. */
  constructor(options: InfluxClientOptions) {
    this.#url = new URL(options.url);
    const { username, password, searchParams } = this.#url;
    this.#options = options;
    this.database = searchParams.get('db') || defaultDatabase;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#headers =
      credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
    const { timeoutMs } = options;
    this.#http = new OutgoingHttp({ timeoutMs, maxAnswerBytes, maxKeptConnections: maxConnections });
  }

  /** Resolves once all lines are stored. Throws InfluxRefusal if they are not, for what they hold. */
  async write(lines: string): Promise<void> {
    const answer = await this.#post('/write', { precision: 'ms' }, { 'content-type': 'text/plain' }, lines);
    if (answer.status >= 200 && answer.status < 300) return;
    const message = messageOf(answer);
    // A database that holds as many series as it may is full, which is not the fault of these lines.
    if (answer.status === 400 && !message.includes('limit exceeded')) throw new InfluxRefusal(message);
    throw this.#failure(answer.status, message);
  }

  /** What each statement found: one series for each measurement, none where there is nothing. */
  async query(...statements: string[]): Promise<InfluxSeries[][]> {
    return this.#seriesOf(await this.#ask(statements.join(';'), 'application/json'));
  }

  /** Any number of statements, in as many requests as their length demands. */
  async queryAll(statements: readonly string[]): Promise<InfluxSeries[][]> {
    const found: InfluxSeries[][] = [];
    for (let start = 0; start < statements.length; ) {
      let end = start + 1;
      let length = statements[start]!.length;
      while (end < statements.length && length + statements[end]!.length <= maxRequestLength) {
        length += statements[end++]!.length;
      }
      found.push(...(await this.query(...statements.slice(start, end))));
      start = end;
    }
    return found;
  }

  /** Rows of numbers that one statement found, the time first. */
  async queryNumbers(statement: string): Promise<(number | null)[][]> {
    const answer = await this.#ask(statement, 'application/json');
    // InfluxDB cannot write an infinite sum as JSON. As CSV it can, but there errors would look like empty answers.
    if (answer.status !== 200 || !answer.text.includes('unsupported value: ')) {
      const [series] = this.#seriesOf(answer)[0] ?? [];
      return (series?.values ?? []) as (number | null)[][];
    }
    const { status, text } = await this.#ask(statement, 'application/csv');
    if (status !== 200) throw this.#failure(status, `status ${status}`);
    return numbersOfCsv(text);
  }

  close(): void {
    this.#isClosed = true;
    this.#http.close();
  }

  #seriesOf({ status, text }: OutgoingAnswer): InfluxSeries[][] {
    if (status !== 200) throw this.#failure(status, messageOf({ status, text }));
    return parseAnswer(text).results.map(({ error, series = [] }) => {
      if (error !== undefined) throw this.#failure(503, error);
      if (series.some(({ partial }) => partial)) throw this.#failure(503, 'its max-row-limit is too low');
      return series;
    });
  }

  #ask(statements: string, accept: string): Promise<OutgoingAnswer> {
    const headers = { accept, 'content-type': 'application/x-www-form-urlencoded' };
    return this.#post('/query', { epoch: 'ms' }, headers, `q=${encodeURIComponent(statements)}`);
  }

  async #post(
    path: string,
    query: Record<string, string>,
    headers: Record<string, string>,
    body: string,
  ): Promise<OutgoingAnswer> {
    const search = new URLSearchParams({ db: this.database, ...query });
    try {
      return await this.#http.post({
        origin: this.#url,
        path: `${this.#url.pathname.replace(/\/$/, '')}${path}?${search}`,
        headers: { ...this.#headers, ...headers },
        body,
        isRepeatable: true,
      });
    } catch (error) {
      if (this.#isClosed) throw unavailable('the telemetry store is closed');
      const { code, message } = error as NodeJS.ErrnoException;
      throw unavailable(`InfluxDB does not answer (${code ?? message})`, error);
    }
  }

  #failure(status: number, message: string): Error {
    if (/(database|retention policy) not found/.test(message)) {
      this.#options.onMissing();
      return unavailable('InfluxDB does not have the database');
    }
    if (status === 401) return unavailable('InfluxDB does not accept the user name or password');
    const refusal = new InfluxRefusal(message);
    if (status === 403) return unavailable('InfluxDB does not give this user the right to do that', refusal);
    return status === 400
      ? new Error(`InfluxDB cannot read a request: ${message}`)
      : unavailable(`InfluxDB cannot serve right now: ${message.slice(0, 200)}`, refusal);
  }
}

function unavailable(why: string, cause?: unknown): TryLaterError {
  return new TryLaterError(503, 'telemetry_unavailable', why, retryAfterSeconds, { cause });
}

function messageOf({ status, text }: OutgoingAnswer): string {
  try {
    return String(JSON.parse(text).error ?? `status ${status}`);
  } catch {
    return `status ${status}`;
  }
}

function parseAnswer(text: string): { results: { error?: string; series?: InfluxSeries[] }[] } {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unavailable('InfluxDB gives an answer that cannot be read', error);
  }
}

/** Lines of name, tags, time and values; names here hold nothing that CSV would quote. */
function numbersOfCsv(text: string): (number | null)[][] {
  const lines = text.split('\n').slice(1);
  return lines.filter(Boolean).map((line) => line.split(',').slice(2).map(numberOfCsv));
}

function numberOfCsv(text: string): number | null {
  if (text === '') return null;
  return Number(text.replace('Inf', 'Infinity'));
}
