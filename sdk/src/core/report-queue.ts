// Reports on their way to Weft over the channel: many at once, each kept until Weft says that it is stored. After a broken
// connection they are sent again, with the same times, so that nothing is lost and nothing doubled.
import { maxMessageBytes, type Report, type Stamp } from './report.ts';
import { pauseAfter, WeftRefusal } from './weft-refusal.ts';

const maxUnanswered = 1_000;

/** A report that has no answer yet. */
export interface WaitingReport {
  id: number;
  report: Report;
  /** On the machine's own clock; what is sent again is as new. */
  sentAtMs: number;
  resolve: (accepted: number) => void;
  reject: (error: Error) => void;
}

export interface ReportQueueOptions {
  /** False if there is no channel now. */
  send: (text: string) => boolean;
  isOpen: () => boolean;
  stamp: Stamp;
  maxWaiting: number;
}

export class ReportQueue {
  readonly #send: (text: string) => boolean;
  readonly #isOpen: () => boolean;
  readonly #stamp: Stamp;
  readonly #maxWaiting: number;
  #nextId = 1;
  readonly #unsent = new Map<number, WaitingReport>();
  readonly #sent = new Map<number, WaitingReport>();
  /** When the newest report was sent that has an answer. */
  #answeredSentAtMs = Number.NEGATIVE_INFINITY;
  /** Weft has asked to wait until then, on the machine's own clock. */
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ send, isOpen, stamp, maxWaiting }: ReportQueueOptions) {
    this.#send = send;
    this.#isOpen = isOpen;
    this.#stamp = stamp;
    this.#maxWaiting = maxWaiting;
  }

  get size(): number {
    return this.#unsent.size + this.#sent.size;
  }

  /** Resolves how many samples were stored; throws WeftRefusal if Weft refuses some or too many reports wait already. */
  async add(...reports: readonly Report[]): Promise<number> {
    if (this.#isClosed) throw stopped();
    if (!this.hasRoom) throw new WeftRefusal(0, 'too_many_reports', `${this.#maxWaiting} reports wait already`);
    const answers = reports.map((report) => this.#add(report));
    // A refusal is told once nothing of the rest is on its way.
    await Promise.allSettled(answers);
    return (await Promise.all(answers)).reduce((sum, count) => sum + count, 0);
  }

  #add(report: Report): Promise<number> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#unsent.set(id, { id, report, sentAtMs: 0, resolve, reject });
      this.pump();
    });
  }

  get hasRoom(): boolean {
    return this.size < this.#maxWaiting;
  }

  /** Sends what waits, as far as there is room. */
  pump(): void {
    // A time is given as late as possible: before the first connection it would only be a guess.
    if (!this.#isOpen() || performance.now() < this.#pausedUntilMs) return;
    for (const [id, waiting] of this.#unsent) {
      if (this.#sent.size >= maxUnanswered) return;
      const text = `{"type":"telemetry","id":${id},${waiting.report.body(this.#stamp)}}`;
      if (Buffer.byteLength(text) > maxMessageBytes) {
        this.#unsent.delete(id);
        waiting.reject(new WeftRefusal(413, 'body_too_large', `a sample is larger than ${maxMessageBytes} bytes`));
        continue;
      }
      if (!this.#send(text)) return;
      waiting.sentAtMs = performance.now();
      this.#unsent.delete(id);
      this.#sent.set(id, waiting);
    }
  }

  /**
   * Since when an answer is missing; Infinity if none is. Weft answers in the order of the reports: one that a later report has
   * overtaken is missed since it was sent, any other since Weft's last answer, at `heardAtMs`. A Weft that is slow is not deaf.
   */
  missingSinceMs(heardAtMs: number): number {
    const [oldest] = this.#sent.values();
    if (!oldest) return Number.POSITIVE_INFINITY;
    return oldest.sentAtMs < this.#answeredSentAtMs ? oldest.sentAtMs : Math.max(oldest.sentAtMs, heardAtMs);
  }

  stored(id: number, accepted: number): void {
    this.#settle(id)?.resolve(accepted);
    this.pump();
  }

  refused(id: number, refusal: WeftRefusal): void {
    const report = this.#settle(id);
    if (!report) return;
    if (!refusal.isPassing || this.#isClosed) report.reject(refusal);
    else {
      this.#unsent.set(id, report);
      this.#pause(pauseAfter(refusal));
      return;
    }
    this.pump();
  }

  /** A new connection: what has no answer goes again, oldest first, once a pause is over. */
  repeat(): void {
    for (const waiting of this.take()) this.#unsent.set(waiting.id, waiting);
    this.pump();
  }

  /** Everything that has no answer, oldest first; from now on it is the caller's. */
  take(): WaitingReport[] {
    const waiting = [...this.#sent.values(), ...this.#unsent.values()].sort((a, b) => a.id - b.id);
    this.#sent.clear();
    this.#unsent.clear();
    return waiting;
  }

  /** Resolves when everything has an answer. */
  async idle(): Promise<void> {
    const waiting = [...this.#sent.values(), ...this.#unsent.values()];
    await Promise.all(
      waiting.map(
        (report) =>
          new Promise<void>((resolve) => {
            const { resolve: accept, reject } = report;
            report.resolve = (accepted) => {
              accept(accepted);
              resolve();
            };
            report.reject = (error) => {
              reject(error);
              resolve();
            };
          }),
      ),
    );
  }

  /** What has no answer yet is given up. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { reject } of this.take()) reject(stopped());
  }

  #settle(id: number): WaitingReport | undefined {
    const report = this.#sent.get(id) ?? this.#unsent.get(id);
    if (report && this.#sent.has(id)) this.#answeredSentAtMs = Math.max(this.#answeredSentAtMs, report.sentAtMs);
    this.#sent.delete(id);
    this.#unsent.delete(id);
    return report;
  }

  /** Nothing is sent meanwhile: of many refusals the one that asks for the longest pause counts. */
  #pause(ms: number): void {
    const untilMs = performance.now() + ms;
    if (untilMs <= this.#pausedUntilMs) return;
    this.#pausedUntilMs = untilMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
      this.pump();
    }, ms);
  }
}

export function stopped(): WeftRefusal {
  return new WeftRefusal(0, 'stopped', 'the agent has been stopped');
}
