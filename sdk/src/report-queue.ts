// Reports on their way to Weft over the channel: many at once, each kept until Weft says that it is stored. After a broken
// connection they are sent again, with the same times, so that nothing is lost and nothing doubled.
import { WeftRefusal } from './weft-refusal.ts';

const maxUnanswered = 1_000;
const passingPauseMs = 1_000;

interface Report {
  id: number;
  text: string;
  resolve: (accepted: number) => void;
  reject: (error: Error) => void;
}

export interface ReportQueueOptions {
  /** False if there is no channel now. */
  send: (text: string) => boolean;
  maxWaiting: number;
}

export class ReportQueue {
  readonly #send: (text: string) => boolean;
  readonly #maxWaiting: number;
  #nextId = 1;
  readonly #unsent = new Map<number, Report>();
  readonly #sent = new Map<number, Report>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isClosed = false;

  constructor({ send, maxWaiting }: ReportQueueOptions) {
    this.#send = send;
    this.#maxWaiting = maxWaiting;
  }

  get size(): number {
    return this.#unsent.size + this.#sent.size;
  }

  /** Resolves how many samples were stored; throws WeftRefusal if Weft refuses them or too many wait already. */
  add(body: Record<string, unknown>): Promise<number> {
    if (this.#isClosed) return Promise.reject(stopped());
    if (this.size >= this.#maxWaiting) {
      return Promise.reject(new WeftRefusal(0, 'too_many_reports', `${this.#maxWaiting} reports wait already`));
    }
    const id = this.#nextId++;
    // The order of the keys is part of the short way through the gate.
    const text = `{"type":"telemetry","id":${id},${JSON.stringify(body).slice(1)}`;
    return new Promise((resolve, reject) => {
      this.#unsent.set(id, { id, text, resolve, reject });
      this.pump();
    });
  }

  /** Sends what waits, as far as there is room. */
  pump(): void {
    for (const [id, report] of this.#unsent) {
      if (this.#sent.size >= maxUnanswered || !this.#send(report.text)) return;
      this.#unsent.delete(id);
      this.#sent.set(id, report);
    }
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
      this.#later((refusal.retryAfterSeconds ?? 0) * 1000 || passingPauseMs);
      return;
    }
    this.pump();
  }

  /** A new connection: what has no answer goes again, oldest first. */
  repeat(): void {
    const waiting = [...this.#sent.values(), ...this.#unsent.values()].sort((a, b) => a.id - b.id);
    this.#sent.clear();
    this.#unsent.clear();
    for (const report of waiting) this.#unsent.set(report.id, report);
    this.pump();
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
    for (const timer of this.#timers) clearTimeout(timer);
    for (const report of [...this.#sent.values(), ...this.#unsent.values()]) report.reject(stopped());
    this.#sent.clear();
    this.#unsent.clear();
  }

  #settle(id: number): Report | undefined {
    const report = this.#sent.get(id) ?? this.#unsent.get(id);
    this.#sent.delete(id);
    this.#unsent.delete(id);
    return report;
  }

  #later(ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.pump();
    }, ms);
    this.#timers.add(timer);
  }
}

export function stopped(): WeftRefusal {
  return new WeftRefusal(0, 'stopped', 'the agent has been stopped');
}
