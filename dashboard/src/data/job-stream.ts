// The messages of a job as they come: first what is there, over HTTP, then the job's WebSocket, which goes on where
// reading stopped. While the socket cannot be had, the job is asked for every two seconds.
import { call } from '../api/client.ts';
import { type Failure, toFailure } from '../api/failure.ts';
import type { Job, JobEnvelope, JobWithMessages } from '../api/operations.ts';
import { sessionToken } from '../session/session.ts';
import { pause } from './pause.ts';

export type JobStreamState = 'reading' | 'live' | 'polling' | 'broken' | 'ended';

interface JobStreamOptions {
  job_number: string;
  /** The job as it stood when it was last asked for. */
  onJob: (job: Job) => void;
  /** In their order, each once. */
  onMessages: (messages: JobEnvelope[]) => void;
  /** How many messages at the beginning are left out, because there are more than a page can hold. */
  onSkipped: (count: number) => void;
  onState: (state: JobStreamState, failure?: Failure) => void;
}

const pollMs = 2000;
const maxRetryMs = 30_000;
/** What a page takes in of what is stored already. */
const maxMessages = 500;
const maxBytes = 8 * 1024 * 1024;

/** The `seq` after which to begin, so that what is read stays within bounds. */
export function firstToRead({ last_seq, bytes }: { last_seq: number; bytes: number }): number {
  const mean = last_seq === 0 ? 0 : bytes / last_seq;
  const fitting = mean === 0 ? maxMessages : Math.max(1, Math.floor(maxBytes / mean));
  return Math.max(0, last_seq - Math.min(maxMessages, fitting));
}

export class JobStream {
  readonly #options: JobStreamOptions;
  readonly #stop = new AbortController();
  #seq = 0;
  #isEnded = false;
  #isLive = false;

  constructor(options: JobStreamOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#run();
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { onState } = this.#options;
    onState('reading');
    let isFirst = true;
    let retryAt = 0;
    let retryMs = 1000;
    while (!signal.aborted) {
      try {
        await this.#readAll(isFirst);
        isFirst = false;
        if (this.#isEnded) return onState('ended');
        if (signal.aborted) return;
        if (Date.now() >= retryAt) {
          const wasLive = await this.#listen();
          retryMs = wasLive ? 1000 : Math.min(maxRetryMs, retryMs * 2);
          retryAt = Date.now() + retryMs;
          // What came to an end while listening is told by the job itself.
          if (wasLive) continue;
        }
        onState('polling');
      } catch (error) {
        if (signal.aborted) return;
        const failure = toFailure(error);
        onState('broken', failure);
        // Refusals stay what they are.
        if (failure.status >= 400 && failure.status < 500 && failure.status !== 429) return;
      }
      await pause(pollMs, signal);
    }
  }

  async #readAll(isFirst: boolean): Promise<void> {
    let page = await this.#read(this.#seq);
    if (isFirst) {
      const begin = firstToRead(page);
      if (begin > 0) {
        this.#seq = begin;
        this.#options.onSkipped(begin);
        page = await this.#read(begin);
      }
    }
    for (;;) {
      const { messages, has_more, ...job } = page;
      this.#take(messages);
      this.#options.onJob(job);
      this.#isEnded = job.ended_at !== null && !has_more;
      if (!has_more) return;
      page = await this.#read(this.#seq);
    }
  }

  #read(after: number): Promise<JobWithMessages> {
    const { job_number } = this.#options;
    return call('get_job', { path: { job_number }, query: { after } }, { signal: this.#stop.signal });
  }

  #take(messages: JobEnvelope[]): void {
    const fresh = messages.filter(({ seq }) => seq > this.#seq);
    if (fresh.length === 0) return;
    this.#seq = fresh.at(-1)!.seq;
    this.#options.onMessages(fresh);
  }

  /** Resolves when the socket is closed: whether it had been open. */
  #listen(): Promise<boolean> {
    const token = sessionToken();
    const { signal } = this.#stop;
    if (token === undefined) return Promise.resolve(false);
    const path = `/api/v1/ws/${encodeURIComponent(this.#options.job_number)}?after=${this.#seq}`;
    const url = new URL(path, location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url, ['weft.v1', `bearer.${token}`]);
    const close = () => socket.close();
    signal.addEventListener('abort', close, { once: true });
    this.#isLive = false;
    socket.addEventListener('open', () => {
      this.#isLive = true;
      this.#options.onState('live');
    });
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as JobEnvelope;
      this.#take([message]);
      if (message.final) close();
    });
    return new Promise((resolve) => {
      socket.addEventListener('close', () => {
        signal.removeEventListener('abort', close);
        resolve(this.#isLive);
      });
    });
  }
}
