// One socket that reads the mailbox of a job: what is stored, then what comes, in order, without a gap and without a
// double. It takes the next page only once the client has taken the one before, so that a slow client costs no memory.
// A client of bare arrays cannot say what it has got: a ping behind the messages finds out.
import type { Shown } from '../../base/credential.ts';
import { closeCodes, type OpenSocket, type SocketListener } from '../../http/sockets/open-socket.ts';
import type { MessageRecord } from './mailbox-store.ts';
import { toEnvelopeText } from './message-view.ts';

/** Between two pings that ask what has arrived. */
const askEveryMs = 100;
/** Sweeps for which the end waits for the answer to the last of them. */
const endSweeps = 2;

/** What a socket may hold that its client has not taken. */
export const maxBufferedBytes = 1024 * 1024;

export interface ReaderOptions {
  job_number: string;
  /** Whose it is. */
  caller: string;
  shown: Shown;
  /** Messages up to this one are the client's already. */
  after: number;
  /** Data alone, without the envelope. */
  isBare: boolean;
  /** Whether messages may be sent as they are; else only as `read` resolves them. */
  isDirect: () => boolean;
  /** The client has received everything up to this one; told of bare sockets only. */
  onReceived: (seq: number) => void;
  /** The next messages after that one, as many as should be held at once. */
  read: (job_number: string, afterSeq: number) => Promise<MessageRecord[]>;
  onError: (error: unknown) => void;
  onClosed: (reader: SocketReader) => void;
}

export class SocketReader implements SocketListener {
  readonly #socket: OpenSocket;
  readonly #options: ReaderOptions;
  #position: number;
  /** The newest message that there is, as far as is known. */
  #due: number;
  /** How often it was told of messages: what is told during a look may not be in what the look has found. */
  #told = 0;
  #isReading = false;
  #reading: Promise<void> = Promise.resolve();
  /** The job has ended: nothing comes after what is stored. */
  #hasEnded = false;
  /** Everything has been sent; what to say once it has been taken. */
  #ending: { code: number; reason: string } | undefined;

  #received: number;
  #isAsking = false;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #sweepsToEnd = endSweeps;

  constructor(socket: OpenSocket, options: ReaderOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#position = options.after;
    this.#due = options.after;
    this.#received = options.after;
    socket.listener = this;
  }

  get job_number(): string {
    return this.#options.job_number;
  }

  get shown(): Shown {
    return this.#options.shown;
  }

  /** Resolves once what is being read has been sent, and at once if nothing is. */
  get reading(): Promise<void> {
    return this.#reading;
  }

  isBareOf(caller: string): boolean {
    return this.#options.isBare && this.isOpen && this.#options.caller === caller;
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  /** A message was stored by this process. `text` is its envelope, made once for all who want it. */
  deliver(message: MessageRecord, text: () => string): void {
    const isNext = !this.#isReading && this.#ending === undefined && message.seq === this.#position + 1;
    const { bufferedBytes } = this.#socket;
    if (
      isNext &&
      this.isOpen &&
      this.#options.isDirect() &&
      (bufferedBytes === 0 || bufferedBytes + message.data.length <= maxBufferedBytes)
    ) {
      this.#due = Math.max(this.#due, message.seq);
      this.#send(message, text);
    } else {
      this.expect(message.seq, message.final);
    }
  }

  /** There is such a message, whoever stored it; and maybe none after it. */
  expect(seq: number, hasEnded: boolean): void {
    this.#told++;
    this.#hasEnded ||= hasEnded;
    this.#due = Math.max(this.#due, seq);
    this.#pump();
  }

  /** The job does not exist any more. */
  jobRemoved(): void {
    this.#socket.forceClose(closeCodes.notFound, 'the job is gone');
  }

  onDrain(): void {
    this.#ask();
    if (!this.#ending) this.#pump();
    else if (!this.#isOwedReceipt || this.#sweepsToEnd <= 0) this.#socket.close(this.#ending.code, this.#ending.reason);
  }

  onPong(text: string): void {
    const seq = Number(text);
    if (text === '' || !(seq > this.#received && seq <= this.#position)) return;
    this.#received = seq;
    this.#isAsking = false;
    this.#options.onReceived(seq);
    this.onDrain();
  }

  /** What could not be read at first is tried again. */
  onSweep(): void {
    if (this.#ending) this.#sweepsToEnd--;
    this.onDrain();
  }

  onClose(): void {
    this.#options.onClosed(this);
  }

  get #isOwedReceipt(): boolean {
    return this.#options.isBare && this.#received < this.#position;
  }

  /** Not too often: pongs count among what a client may send. The next sweep makes up for it. */
  #ask(): void {
    if (!this.#isOwedReceipt || this.#isAsking || this.#socket.bufferedBytes > 0) return;
    const now = performance.now();
    if (now - this.#askedAtMs < askEveryMs && !this.#ending) return;
    this.#askedAtMs = now;
    this.#isAsking = true;
    this.#socket.ping(String(this.#position));
  }

  #pump(): void {
    if (!this.#isReading && this.#mayRead) this.#reading = this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#mayRead) {
        const toldBefore = this.#told;
        const page = await this.#options.read(this.job_number, this.#position);
        if (!this.isOpen) return;
        for (const message of page) this.#send(message, () => toEnvelopeText(message));
        // Nothing there, and nothing heard of meanwhile.
        if (page.length === 0 && this.#told === toldBefore) {
          this.#due = this.#position;
          if (this.#hasEnded) await this.#finishLate();
        }
      }
    } catch (error) {
      this.#options.onError(error);
    } finally {
      this.#isReading = false;
    }
  }

  get #mayRead(): boolean {
    const isBehind = this.#position < this.#due || this.#hasEnded;
    return isBehind && this.#ending === undefined && this.isOpen && this.#socket.bufferedBytes === 0;
  }

  #send(message: MessageRecord, text: () => string): void {
    this.#position = message.seq;
    if (!this.#options.isBare) this.#socket.send(text());
    else if (message.type !== 'status') this.#socket.send(message.data);
    // After a quiet end more may be stored.
    if (message.final && message.seq >= this.#due) this.#finishWith(message);
  }

  /** The client has had everything, the last message included, and comes to hear that. */
  async #finishLate(): Promise<void> {
    const [last] = this.#options.isBare ? await this.#options.read(this.job_number, this.#position - 1) : [];
    if (last?.final) this.#finishWith(last);
    else this.#finish(1000, 'job ended');
  }

  /** A bare client has no other way to learn how the job ended. */
  #finishWith({ type, data }: MessageRecord): void {
    const failure = this.#options.isBare && type === 'status' ? failureOf(data) : undefined;
    if (failure === undefined) this.#finish(1000, 'job ended');
    else this.#finish(1011, failure);
  }

  /** Not before everything has been taken: a closing handshake has a time limit. */
  #finish(code: number, reason: string): void {
    this.#ending ??= { code, reason };
    if (this.#socket.bufferedBytes === 0) this.onDrain();
  }
}

/** How a job ended, from its last message: `failed: why`; undefined if it succeeded. */
function failureOf(data: string): string | undefined {
  const [end] = JSON.parse(data) as { state?: unknown; detail?: unknown }[];
  if (end?.state === undefined || end.state === 'succeeded') return undefined;
  return typeof end.detail === 'string' && end.detail !== '' ? `${end.state}: ${end.detail}` : String(end.state);
}
