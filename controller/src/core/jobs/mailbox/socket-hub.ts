// All sockets of jobs on this node: hears of new messages, from this process and from other nodes, and wakes the readers
// of their jobs. The last stretch of a job's path: mailbox-service → socket-hub → socket-reader → client.
import { BoundedMap } from '@weft/contract/bounded-map';
import { type Caller, callerKey } from '../../base/caller.ts';
import type { Shown } from '../../base/credential.ts';
import { TryLaterError } from '../../base/errors.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import type { FairTurns } from '../../base/shares/fair-turns.ts';
import { principalOf, type Shares } from '../../base/shares/shares.ts';
import type { SocketTimes } from '../../http/sockets/open-socket.ts';
import { SocketRegistry } from '../../http/sockets/socket-registry.ts';
import type { Upgraded } from '../../http/sockets/socket-route.ts';
import type { JobStore } from '../store/job-store.ts';
import type { MailboxStore, MessageRecord } from './mailbox-store.ts';
import { type MessageView, toEnvelopeText } from './message-view.ts';
import { maxBufferedBytes, SocketReader } from './socket-reader.ts';

/** What all readers together should hold: the more there are, the smaller their pages. */
const sharedBytes = 128 * 1024 * 1024;
const minPageBytes = 64 * 1024;
const readsAtOnce = 16;
const maxRemembered = 100_000;
const jobsPerLookup = 500;
const retryMs = 1_000;
/** A database that is away concerns every reader; one word about it is enough. */
const reportEveryMs = 10_000;

export interface SocketHubOptions {
  list: MailboxStore['list'];
  positions: JobStore['positions'];
  view: Pick<MessageView, 'seesAll' | 'show'>;
  /** The present caller; throws if it may have no socket any more. */
  authorize: (shown: Shown) => Caller | Promise<Caller>;
  maxSocketsPerCaller: number;
  isCutOff?: (() => boolean) | undefined;
  shares: Shares;
  /** Where other nodes store messages too: how often to look, should their news be lost. */
  pollMs?: number | undefined;
  onError: (error: unknown, message: string) => void;
  times?: Partial<SocketTimes> | undefined;
}

export interface NewReader {
  caller: Caller;
  shown: Shown;
  job_number: string;
  /** The one agent that the job is about, if it is about one. */
  subject: string | null;
  /** Default: where this caller's last bare socket was left; 0 with the envelope. */
  after: number | undefined;
  isBare: boolean;
}

export class SocketHub {
  readonly #options: SocketHubOptions;
  readonly #registry: SocketRegistry;
  readonly #readers = new Map<string, Set<SocketReader>>();
  /** Whose each is, as the check once a second has found it. */
  readonly #callers = new Map<Shown, Caller>();
  /** Counts changes, so that a record read before a change is not used after it. */
  #changes = 0;
  readonly #reads: FairTurns;
  /** Caller and job → what the caller's bare sockets have received, on this node. */
  readonly #received = new BoundedMap<string, number>(maxRemembered);
  readonly #checking: PeriodicTask;
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SocketHubOptions) {
    this.#options = options;
    this.#reads = options.shares.turns('socket_reads', { slots: readsAtOnce });
    const { times, pollMs = Number.POSITIVE_INFINITY } = options;
    this.#checking = new PeriodicTask({ everyMs: pollMs, what: 'the look for messages', run: () => this.#checkAll() });
    this.#registry = new SocketRegistry({
      authorize: this.#authorize,
      times,
      maxPerCaller: options.maxSocketsPerCaller,
      isCutOff: options.isCutOff,
    });
  }

  get openSockets(): number {
    return this.#registry.size;
  }

  /** Sockets that were closed because their clients took nothing. */
  get cutOff(): number {
    return this.#registry.cutOff;
  }

  /** True if a client of this node listens to the job. */
  hasSocket(job_number: string): boolean {
    for (const reader of this.#readers.get(job_number) ?? []) if (reader.isOpen) return true;
    return false;
  }

  /** Throws TryLaterError if the caller may not have one more socket now. */
  requireCapacity(caller: Caller): void {
    this.#registry.requireCapacity(caller);
  }

  open(upgraded: Upgraded, { caller, shown, job_number, subject, after, isBare }: NewReader): void {
    const key = `${callerKey(caller)} ${job_number}`;
    const reader = new SocketReader(this.#registry.add(upgraded, { caller, shown }), {
      job_number,
      caller: key,
      shown,
      after: after ?? (isBare && !this.#hasBareSocket(job_number, key) ? this.#received.get(key) : undefined) ?? 0,
      isBare,
      isDirect: () => {
        const known = this.#callers.get(shown);
        return known !== undefined && this.#options.view.seesAll(known);
      },
      onReceived: (seq) => this.#received.set(key, Math.max(seq, this.#received.get(key) ?? 0)),
      read: async (...page) => this.#show(shown, subject, await this.#read(principalOf(caller), ...page)),
      onError: this.#onReadError,
      onClosed: (closed) => {
        this.#callers.delete(shown);
        this.#onClosed(closed);
      },
    });
    this.#callers.set(shown, caller);
    const readers = this.#readers.get(job_number);
    if (readers) readers.add(reader);
    else this.#readers.set(job_number, new Set([reader]));
    if (this.#options.pollMs !== undefined) this.#checking.start();
    // Only now, so that nothing can be stored unnoticed between the look and the listening.
    void this.#check([job_number]);
  }

  /** While one is open, the next is another client and not the same one that comes back. */
  #hasBareSocket(job_number: string, key: string): boolean {
    for (const reader of this.#readers.get(job_number) ?? []) if (reader.isBareOf(key)) return true;
    return false;
  }

  /** A message was stored by this process. */
  deliver(message: MessageRecord): void {
    const readers = this.#readers.get(message.job_number);
    if (!readers) return;
    let text: string | undefined;
    const envelope = () => {
      text ??= toEnvelopeText(message);
      return text;
    };
    for (const reader of readers) reader.deliver(message, envelope);
  }

  /** The rights of a caller have changed: nothing is sent to it before they have been looked at. */
  callerChanged(caller_id: string): void {
    this.#changes++;
    for (const [shown, { id }] of this.#callers) if (id === caller_id) this.#callers.delete(shown);
  }

  /** A message was stored by another node. */
  news(job_number: string, seq: number): void {
    for (const reader of this.#readers.get(job_number) ?? []) reader.expect(seq, false);
  }

  /** Looks for what was missed. */
  checkAll(): void {
    this.#checking.soon();
  }

  async #checkAll(): Promise<void> {
    const job_numbers = [...this.#readers.keys()];
    for (let start = 0; start < job_numbers.length; start += jobsPerLookup) {
      await this.#check(job_numbers.slice(start, start + jobsPerLookup));
    }
  }

  /** Closes every socket with 1012; no more can be opened. */
  async stop(): Promise<void> {
    await this.#registry.stop();
    await this.#checking.stop();
  }

  async #check(job_numbers: string[]): Promise<void> {
    try {
      const positions = await this.#options.positions(job_numbers);
      for (const job_number of job_numbers) {
        const position = positions.get(job_number);
        for (const reader of this.#readers.get(job_number) ?? []) {
          if (position) reader.expect(position.last_seq, position.hasEnded);
          else reader.jobRemoved();
        }
      }
    } catch (error) {
      this.#onReadError(error);
      this.#checking.soon(retryMs);
    }
  }

  /** Few at a time: thousands of clients that come back at once must not keep everybody else from the database. */
  readonly #read = (principal: string, job_number: string, afterSeq: number): Promise<MessageRecord[]> =>
    this.#reads.run(principal, async () => {
      const share = Math.floor(sharedBytes / Math.max(1, this.#registry.size));
      const pageBytes = Math.min(maxBufferedBytes, Math.max(minPageBytes, share));
      return this.#options.list(job_number, afterSeq, pageBytes);
    });

  readonly #authorize = (shown: Shown): Caller | Promise<Caller> => {
    const changes = this.#changes;
    const keep = (caller: Caller) => {
      if (changes === this.#changes) this.#callers.set(shown, caller);
      return caller;
    };
    const forget = async (error: unknown): Promise<never> => {
      if (!(error instanceof TryLaterError)) {
        this.#callers.delete(shown);
        await this.#handOutLast(shown);
      }
      throw error;
    };
    try {
      const caller = this.#options.authorize(shown);
      return caller instanceof Promise ? caller.then(keep, forget) : keep(caller);
    } catch (error) {
      return forget(error);
    }
  };

  /** Whoever is gone cannot come back for it: how its jobs ended is sent before its sockets are closed. */
  async #handOutLast(shown: Shown): Promise<void> {
    const readers = [...this.#readers.values()].flatMap((set) => [...set]).filter((reader) => reader.shown === shown);
    await this.#check([...new Set(readers.map(({ job_number }) => job_number))]);
    await Promise.all(readers.map((reader) => reader.reading));
  }

  async #show(shown: Shown, subject: string | null, page: MessageRecord[]): Promise<MessageRecord[]> {
    let caller: Caller | undefined;
    try {
      caller = await this.#options.authorize(shown);
    } catch (error) {
      if (error instanceof TryLaterError) throw error;
    }
    return this.#options.view.show(caller, subject, page);
  }

  readonly #onReadError = (error: unknown): void => {
    const now = performance.now();
    if (now - this.#reportedAtMs < reportEveryMs) return;
    this.#reportedAtMs = now;
    this.#options.onError(error, 'the messages of jobs cannot be read; retrying');
  };

  readonly #onClosed = (reader: SocketReader): void => {
    const readers = this.#readers.get(reader.job_number);
    readers?.delete(reader);
    if (readers?.size === 0) this.#readers.delete(reader.job_number);
  };
}
