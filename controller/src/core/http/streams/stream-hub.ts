// The open streams of server-sent events of a feature: bounded for each caller; once a second each reader is asked for its
// rights, kept alive, and cut off if it is too slow.
import { Readable } from 'node:stream';
import type { Caller } from '../../base/caller.ts';
import type { Shown } from '../../base/credential.ts';
import { TryLaterError } from '../../base/errors.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import { type OpenShare, principalOf } from '../../base/shares/shares.ts';

const bufferBytes = 64 * 1024;
const checkEveryMs = 1_000;
/** A comment keeps proxies and time-outs quiet. */
const checksPerBeat = 15;
/** For the last event to reach a reader before its connection goes. */
const farewellMs = 1_000;

export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'x-accel-buffering': 'no',
  // A stream that has ended leaves nothing on which a stop would have to wait.
  connection: 'close',
};

/** One reader. It takes events as fast as its connection drains, so that a slow one costs no memory. */
export abstract class ServerSentEvents extends Readable {
  /** The connection has room for more. */
  protected isHungry = false;
  protected isOver = false;
  #caller: Caller;

  /** The first bytes also carry the headers to the client. */
  constructor(caller: Caller, first: string) {
    super({ highWaterMark: bufferBytes });
    this.#caller = caller;
    this.push(`retry: 2000\n${first}`);
  }

  /** Takes what has come, as far as there is room. */
  abstract pump(): void;

  abstract isTooSlow(): boolean;

  /** What was found out about what the caller may see is true no longer. */
  rightsChanged(): void {}

  get caller(): Caller {
    return this.#caller;
  }

  set caller(caller: Caller) {
    if (caller === this.#caller) return;
    this.#caller = caller;
    this.rightsChanged();
  }

  override _read(): void {
    this.isHungry = true;
    this.pump();
  }

  beat(): void {
    if (!this.isOver && this.isHungry) this.push(': \n\n');
  }

  /** Says why, and ends. */
  finish(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.push(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`);
    this.push(null);
    const deadline = setTimeout(() => this.destroy(), farewellMs).unref();
    this.once('close', () => clearTimeout(deadline));
  }
}

export interface StreamHubOptions {
  /** The present caller; throws if it may not read any more. */
  authorize: (shown: Shown) => Caller | Promise<Caller>;
  /** While it is true, all streams end: another node can serve them. */
  isCutOff?: () => boolean;
  /** Streams that each caller has open. */
  share: OpenShare;
}

export class StreamHub<Stream extends ServerSentEvents> {
  readonly #options: StreamHubOptions;
  /** With what was shown for each. */
  readonly #streams = new Map<Stream, Shown>();
  readonly #checks = new PeriodicTask({ everyMs: checkEveryMs, what: 'the look at streams', run: () => this.check() });
  #checksSinceBeat = 0;
  #isClosed = false;
  /** Streams that were cut off because their readers were too slow. */
  cutOff = 0;

  constructor(options: StreamHubOptions) {
    this.#options = options;
  }

  protected get streams(): Iterable<Stream> {
    return this.#streams.keys();
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  /** The share of one more stream, which the result gives back. Throws TryLaterError (429) if the caller has too many open. */
  protected take(caller: Caller): () => void {
    if (this.#isClosed) throw new TryLaterError(503, 'stopping', 'Weft is stopping', 2);
    return this.#options.share.take(principalOf(caller), 'too_many_streams');
  }

  protected add(stream: Stream, shown: Shown, giveBack: () => void): Stream {
    this.#streams.set(stream, shown);
    stream.once('close', () => {
      this.#streams.delete(stream);
      giveBack();
    });
    this.#checks.start();
    return stream;
  }

  protected pumpAll(): void {
    for (const stream of this.#streams.keys()) stream.pump();
  }

  /** The rights of this caller have changed, or it is gone. */
  callerChanged(caller_id: string): void {
    for (const [stream, shown] of this.#streams)
      if (stream.caller.id === caller_id) void this.#authorizeAgain(stream, shown);
  }

  /** Labels or sites have changed: who may see which agents is looked up again. */
  relabelled(): void {
    for (const stream of this.#streams.keys()) stream.rightsChanged();
  }

  /** Once a second: who may no longer read, who is too slow, who has heard nothing for long. */
  async check(): Promise<void> {
    const isBeat = ++this.#checksSinceBeat >= checksPerBeat;
    if (isBeat) this.#checksSinceBeat = 0;
    for (const [stream, shown] of [...this.#streams]) {
      if (this.#options.isCutOff?.()) {
        this.#finish(stream, 'this node is cut off from the database');
        continue;
      }
      if (stream.isTooSlow()) {
        this.cutOff++;
        stream.destroy();
        continue;
      }
      if (isBeat) stream.beat();
      stream.pump();
      await this.#authorizeAgain(stream, shown);
    }
  }

  /** Ends every stream at once; no more can be opened. */
  close(): void {
    this.#isClosed = true;
    void this.#checks.stop();
    for (const stream of [...this.#streams.keys()]) this.#finish(stream, 'Weft is stopping');
  }

  async #authorizeAgain(stream: Stream, shown: Shown): Promise<void> {
    try {
      const caller = this.#options.authorize(shown);
      stream.caller = caller instanceof Promise ? await caller : caller;
    } catch (error) {
      // While the accounts are unreachable nobody can say; whoever was allowed a second ago goes on.
      if (!(error instanceof TryLaterError)) this.#finish(stream, 'the token is no longer good for this stream');
    }
  }

  #finish(stream: Stream, reason: string): void {
    stream.finish(reason);
    this.#streams.delete(stream);
  }
}
