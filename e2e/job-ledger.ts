// A client that asks for jobs, follows their sockets whatever happens to them, and remembers: the judge of the job path.
// Every accepted job must end, and its messages must have come in order, none missing, none twice.
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { Agent } from '../sdk/src/index.ts';
import { password } from './weft-process.ts';

export interface LedgerJob {
  job_number: string;
  path: string;
  /** The data of all messages that are not of type `status`, one after the other. */
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape
  data: any[];
  messages: number;
  connections: number;
  /** The state the job ended in, as its last message tells. */
  end: string | undefined;
  violations: string[];
}

export class JobLedger {
  readonly jobs: LedgerJob[] = [];
  /** Requests that were refused with a status or not answered at all: nothing is promised of them. */
  refused = 0;
  /** Why, by status and code. */
  readonly refusals = new Map<string, number>();
  readonly #url: () => string;
  readonly #token: string;

  constructor(url: () => string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** Resolves the job, or undefined if it was not accepted. */
  async ask(path: string, json?: object): Promise<LedgerJob | undefined> {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(json && { 'content-type': 'application/json' }),
    };
    const body = json ? JSON.stringify(json) : null;
    const response = await fetch(this.#url() + path, { method: 'POST', headers, body }).catch(() => undefined);
    if (response?.status !== 200) {
      this.refused++;
      const text = await response?.text().catch(() => '');
      const reason = response
        ? `${response.status} ${/"code":"(\w+)"/.exec(text ?? '')?.[1] ?? 'of the proxy'}`
        : 'no answer';
      this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
      return undefined;
    }
    const { job_number } = (await response.json()) as { job_number: string };
    const job: LedgerJob = { job_number, path, data: [], messages: 0, connections: 0, end: undefined, violations: [] };
    this.jobs.push(job);
    return job;
  }

  /** Follows the job's socket, again and again, until its last message. */
  async follow(job: LedgerJob, patienceMs = 800_000): Promise<LedgerJob> {
    const deadline = Date.now() + patienceMs;
    while (job.end === undefined) {
      if (Date.now() >= deadline) {
        job.violations.push(`no end within ${patienceMs} ms, ${await this.#whatIsKnown(job)}`);
        return job;
      }
      // A socket that is open and says no more must not be waited for, but told.
      await this.connectOnce(job, () => {}, deadline - Date.now());
      // Many follow at once, and while nobody answers each of them tries again.
      if (job.end === undefined) await pause(600);
    }
    return job;
  }

  /** Resolves when the socket has closed or could not be opened. `onMessage` may end it. */
  connectOnce(
    job: LedgerJob,
    onMessage: (socket: WebSocket) => void = () => {},
    patienceMs = 2 ** 31 - 1,
  ): Promise<void> {
    const url = `${this.#url().replace('http', 'ws')}/api/v1/ws/${job.job_number}?after=${job.messages}`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${this.#token}` } });
    job.connections++;
    const timer = setTimeout(() => socket.terminate(), patienceMs);
    return new Promise<void>((resolve) => {
      socket.on('error', () => {});
      socket.on('message', (bytes) => {
        this.#note(job, JSON.parse(String(bytes)));
        onMessage(socket);
      });
      socket.on('close', () => resolve());
    }).finally(() => clearTimeout(timer));
  }

  async #whatIsKnown({ job_number, messages, connections }: LedgerJob): Promise<string> {
    const headers = { authorization: `Bearer ${this.#token}` };
    const answer = await fetch(`${this.#url()}/api/v1/jobs/${job_number}`, { headers }).catch(() => undefined);
    const known = (await answer?.json().catch(() => undefined)) as { state: string; messages: unknown[] } | undefined;
    return `${messages} messages over ${connections} sockets; Weft says ${known?.state} with ${known?.messages?.length}`;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as it comes over the wire
  #note(job: LedgerJob, message: any): void {
    if (message.job_number !== job.job_number) job.violations.push(`a message of ${message.job_number}`);
    if (message.seq !== job.messages + 1) job.violations.push(`${message.seq} after ${job.messages}`);
    if (job.end !== undefined) job.violations.push(`${message.seq} after the end`);
    job.messages = message.seq;
    if (message.type !== 'status') job.data.push(...message.data);
    if (message.final) job.end = message.type === 'status' ? message.data[0].state : 'succeeded';
  }

  get violations(): string[] {
    return this.jobs.flatMap(({ job_number, path, violations }) =>
      violations.map((violation) => `${path} ${job_number}: ${violation}`),
    );
  }
}

/** An access point that does what it is told; returns what it did. */
export async function obey(url: string, ap_id: string): Promise<number[]> {
  const applied: number[] = [];
  const agent = new Agent({ url, ap_id, password, onError: () => {} }).command('set_tx_power', ({ dbm }) => {
    applied.push(Number(dbm));
    return { applied: { dbm: Number(dbm) } };
  });
  onTestFinished(() => agent.stop());
  await agent.start();
  return applied;
}
