// Sends history to Weft in batches within its limits, each for one agent. Retries after temporary errors;
// a batch that arrives twice is harmless, because a sample with the same time is the same sample.
import { gzipSync } from 'node:zlib';
import { BackOff } from '@weft/contract/back-off';
import { parseObject } from '@weft/contract/is-object';
import { pause } from '@weft/contract/pause';
import { detailInWords, HttpClient } from '@weft/sdk';
import { CommandFailure } from '../surroundings.ts';
import { BadLine, type HistoryLine } from './line-protocol-history.ts';

/** Limits of the endpoint: 1 MiB and 10,000 samples. */
const maxBatchBytes = 512 * 1024;
const maxBatchLines = 5_000;
/** Limit for all agents together; then everything is sent. */
const maxWaitingBytes = 16 * 1024 * 1024;
const timeoutMs = 60_000;
const patienceMs = 300_000;

export interface HistoryWriterOptions {
  url: string;
  precision: string;
  /** A valid token. */
  token: () => Promise<string>;
  /** Called for lines that Weft rejects. If it throws, the import ends; else the line is skipped. */
  onBad: (bad: BadLine) => void;
  onStored: (lines: number) => void;
  signal: AbortSignal;
}

interface Batch {
  lines: HistoryLine[];
  bytes: number;
}

interface Problem {
  loc: (string | number)[];
  msg: string;
}

export class HistoryWriter {
  readonly #options: HistoryWriterOptions;
  readonly #http: HttpClient;
  readonly #batches = new Map<string, Batch>();
  /** Lines that have replaced fields of others in the same millisecond. */
  merged = 0;
  /** Integers that no number holds exactly. */
  rounded = 0;
  #waitingBytes = 0;

  constructor(options: HistoryWriterOptions) {
    this.#options = options;
    this.#http = new HttpClient({ url: options.url, fetch });
  }

  async add(line: HistoryLine): Promise<void> {
    const bytes = Buffer.byteLength(line.text) + 1;
    let batch = this.#batches.get(line.ap_id);
    if (batch && (batch.bytes + bytes > maxBatchBytes || batch.lines.length === maxBatchLines)) {
      await this.#flush(line.ap_id, batch);
      batch = undefined;
    }
    if (!batch) {
      batch = { lines: [], bytes: 0 };
      this.#batches.set(line.ap_id, batch);
    }
    batch.lines.push(line);
    batch.bytes += bytes;
    this.#waitingBytes += bytes;
    if (this.#waitingBytes > maxWaitingBytes) await this.flush();
  }

  /** Resolves when all waiting lines are durable. */
  async flush(): Promise<void> {
    for (const [ap_id, batch] of [...this.#batches]) await this.#flush(ap_id, batch);
  }

  async #flush(ap_id: string, batch: Batch): Promise<void> {
    this.#batches.delete(ap_id);
    this.#waitingBytes -= batch.bytes;
    let { lines } = batch;
    while (lines.length > 0) {
      const problems = await this.#send(ap_id, lines);
      if (problems === undefined) {
        this.#options.onStored(lines.length);
        return;
      }
      lines = this.#without(lines, problems);
    }
  }

  /** The valid lines. */
  #without(lines: HistoryLine[], problems: Problem[]): HistoryLine[] {
    const starts: number[] = [];
    let count = 0;
    for (const { text } of lines) {
      starts.push(count);
      count += text.split('\n').length;
    }
    const bad = new Map<HistoryLine, string>();
    for (const { loc, msg } of problems) {
      const index =
        loc[0] === 'body' && typeof loc[1] === 'number' ? starts.findLastIndex((start) => start <= +loc[1]!) : -1;
      const line = lines[index];
      if (!line) throw new CommandFailure(`Weft rejects lines ${lines[0]!.number} to ${lines.at(-1)!.number}: ${msg}`);
      if (!bad.has(line)) bad.set(line, msg.replace(/^Value error, /, ''));
    }
    for (const [{ number }, why] of bad) this.#options.onBad(new BadLine(number, why));
    return lines.filter((line) => !bad.has(line));
  }

  /** Resolves the problems of the lines, or undefined when they are stored. */
  async #send(ap_id: string, lines: HistoryLine[]): Promise<Problem[] | undefined> {
    const { signal } = this.#options;
    const body = new Uint8Array(gzipSync(lines.map(({ text }) => text).join('\n'), { level: 1 }));
    const backOff = new BackOff();
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const answer = await this.#post(ap_id, body);
      if (answer.status === 204) {
        this.merged += answer.merged;
        this.rounded += answer.rounded;
        return undefined;
      }
      if (answer.status === 422 && Array.isArray(answer.detail)) return answer.detail;
      const isPassing = [0, 429, 502, 503, 504].includes(answer.status);
      const waitMs = backOff.next() + answer.retryAfterSeconds * 1000;
      if (!isPassing || performance.now() + waitMs > deadline) throw toFailure(ap_id, answer.status, answer.detail);
      await pause(waitMs, signal);
    }
  }

  /** Status 0 if there was no answer. */
  async #post(
    ap_id: string,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<{ status: number; detail: unknown; retryAfterSeconds: number; merged: number; rounded: number }> {
    const { precision, token, signal } = this.#options;
    const request = {
      method: 'POST',
      path: '/api/v1/write',
      query: { agent: ap_id, precision },
      headers: { 'content-type': 'text/plain; charset=utf-8', 'content-encoding': 'gzip' },
      body,
      token: await token(),
      timeoutMs,
      signal,
    } as const;
    try {
      const { status, text, headers } = await this.#http.answer(request);
      const detail = parseObject(text)?.detail ?? text;
      const count = (name: string) => Number(headers.get(name)) || 0;
      const counts = { merged: count('x-weft-merged'), rounded: count('x-weft-rounded') };
      return { status, detail, retryAfterSeconds: count('retry-after'), ...counts };
    } catch (error) {
      signal.throwIfAborted();
      const { message, cause } = error as Error & { cause?: Error };
      return { status: 0, detail: cause?.message || message, retryAfterSeconds: 0, merged: 0, rounded: 0 };
    }
  }
}

function toFailure(ap_id: string, status: number, detail: unknown): CommandFailure {
  if (status === 0) return new CommandFailure(`Weft is unreachable: ${detail}.`);
  if (status === 401) return new CommandFailure(`${detail}. Log in again with weft login.`);
  if (status === 403)
    return new CommandFailure('Only administrators can import history. Log in as an administrator with weft login.');
  if (status === 404) return new CommandFailure(`There is no agent ${ap_id}: create it first. weft agents lists them.`);
  return new CommandFailure(`Weft rejects the history of ${ap_id} (${status}): ${detailInWords(detail)}`);
}
