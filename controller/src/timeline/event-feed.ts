// Live events: reads what is new once for all streams and keeps a bounded tail; streams that are further behind read the log
// themselves. Asks every second whether each reader may still read, and whether other nodes have appended.
import type { Caller } from '../caller.ts';
import { TryLaterError } from '../errors.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { LoggedEvent } from '../event-log/event-record.ts';
import type { OpenShare } from '../shares/open-share.ts';
import { principalOf } from '../shares/shares.ts';
import { EventStream } from './event-stream.ts';
import type { EventView } from './event-view.ts';

/** Events that come within this time are handed on together. */
const gatherMs = 20;
const checkEveryMs = 1_000;
const beatEveryMs = 15_000;
const farewellMs = 1_000;
const maxTail = 1_000;
const readAtOnce = 200;

export interface EventFeedOptions {
  log: Pick<EventLog, 'read' | 'newest' | 'oldest'>;
  view: EventView;
  /** The present caller behind a token; throws if it may not read events any more. */
  authorize: (token: string) => Caller | Promise<Caller>;
  /** While it is true, all streams end: another node can serve them. */
  isCutOff?: () => boolean;
  /** Streams that each caller has open. */
  share: OpenShare;
  onError: (error: unknown, message: string) => void;
}

export interface EventStreamRequest {
  caller: Caller;
  token: string;
  kinds: readonly string[] | undefined;
  ap_id?: string | undefined;
  selector?: string | undefined;
  /** The id of the last event the reader has; undefined to begin with what comes next. */
  after: number | undefined;
}

export class EventFeed {
  readonly #options: EventFeedOptions;
  readonly #streams = new Map<EventStream, string>();
  /** The newest events, and the id after which there are no others than these. */
  #tail: LoggedEvent[] = [];
  #tailAfter = 0;
  #newest = 0;
  #gathering: NodeJS.Timeout | undefined;
  #checking: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #isDirty = false;
  #sinceBeatMs = 0;
  #isClosed = false;

  constructor(options: EventFeedOptions) {
    this.#options = options;
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  /** This node has appended. */
  logged(): void {
    if (this.#streams.size > 0) this.#gathering ??= setTimeout(() => this.#refresh(), gatherMs);
  }

  /** Throws TryLaterError (429) if the caller has too many open. */
  async open({ caller, token, kinds, ap_id, selector, after }: EventStreamRequest): Promise<EventStream> {
    const { share, log, view } = this.#options;
    if (this.#isClosed) throw new TryLaterError(503, 'stopping', 'Weft is stopping', 2);
    const giveBack = share.take(principalOf(caller), 'too_many_streams');
    try {
      const newest = await log.newest();
      const oldest = (await log.oldest()) ?? newest + 1;
      if (this.#streams.size === 0) this.#startTail(newest);
      const stream = new EventStream({
        caller,
        after: Math.min(after ?? newest, newest),
        hasGap: after !== undefined && (after > newest || after < oldest - 1),
        kinds,
        ap_id,
        next: (position) => this.#next(position),
        show: (present, events) => view.show(present, events, selector),
      });
      this.#streams.set(stream, token);
      stream.once('close', () => {
        this.#forget(stream);
        giveBack();
      });
      this.#checking ??= setInterval(() => void this.check(), checkEveryMs).unref();
      return stream;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** The rights of this caller have changed, or it is gone. */
  callerChanged(caller_id: string): void {
    for (const [stream, token] of this.#streams)
      if (stream.caller.id === caller_id) void this.#authorizeAgain(stream, token);
  }

  /** Once a second. */
  async check(): Promise<void> {
    this.#sinceBeatMs += checkEveryMs;
    const isBeat = this.#sinceBeatMs >= beatEveryMs;
    if (isBeat) this.#sinceBeatMs = 0;
    this.#refresh();
    for (const [stream, token] of [...this.#streams]) {
      if (this.#options.isCutOff?.()) {
        this.#finish(stream, 'this node is cut off from the database');
        continue;
      }
      if (stream.isStuck()) {
        stream.destroy();
        continue;
      }
      if (isBeat) stream.beat();
      stream.pump();
      await this.#authorizeAgain(stream, token);
    }
  }

  /** Ends every stream at once; no more can be opened. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#gathering);
    clearInterval(this.#checking);
    for (const stream of [...this.#streams.keys()]) this.#finish(stream, 'Weft is stopping');
  }

  #startTail(newest: number): void {
    this.#tail = [];
    this.#tailAfter = newest;
    this.#newest = newest;
  }

  /** Reads what is new, once at a time, and wakes the streams. */
  #refresh(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#isDirty = true;
    this.#reading ??= this.#readNew()
      .catch((error) => this.#options.onError(error, 'new events cannot be read; trying again'))
      .finally(() => {
        this.#reading = undefined;
      });
  }

  async #readNew(): Promise<void> {
    while (this.#isDirty && this.#streams.size > 0) {
      this.#isDirty = false;
      if ((await this.#options.log.newest()) <= this.#newest) continue;
      const { events, next } = await this.#options.log.read({ after: this.#newest, limit: readAtOnce });
      this.#isDirty ||= next !== null;
      this.#newest = next ?? events.at(-1)?.id ?? this.#newest;
      this.#tail.push(...events);
      const surplus = this.#tail.splice(0, Math.max(0, this.#tail.length - maxTail));
      this.#tailAfter = surplus.at(-1)?.id ?? this.#tailAfter;
      for (const stream of this.#streams.keys()) stream.pump();
    }
  }

  /** What follows this id, as far as it is known: from the tail, or from the log for whoever is behind it. */
  async #next(after: number): Promise<{ events: readonly LoggedEvent[]; position: number }> {
    if (after >= this.#tailAfter) {
      const events = this.#tail.filter(({ id }) => id > after).slice(0, readAtOnce);
      return { events, position: events.at(-1)?.id ?? after };
    }
    const { events, next } = await this.#options.log.read({ after, limit: readAtOnce });
    return { events, position: next ?? events.at(-1)?.id ?? Math.max(after, this.#tailAfter) };
  }

  async #authorizeAgain(stream: EventStream, token: string): Promise<void> {
    try {
      stream.caller = await this.#options.authorize(token);
    } catch (error) {
      // While the accounts are out of reach nobody can say; whoever was allowed a second ago goes on.
      if (!(error instanceof TryLaterError)) this.#finish(stream, 'the token is no longer good for this stream');
    }
  }

  #finish(stream: EventStream, reason: string): void {
    stream.finish(reason);
    this.#forget(stream);
    const deadline = setTimeout(() => stream.destroy(), farewellMs).unref();
    stream.once('close', () => clearTimeout(deadline));
  }

  #forget(stream: EventStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#checking);
    this.#checking = undefined;
  }
}
