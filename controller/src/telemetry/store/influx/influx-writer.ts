// Puts the lines of many appends into few requests to InfluxDB; each append hears of its own lines only.
import { TryLaterError } from '../../../errors.ts';
import { InfluxRefusal } from './influx-client.ts';

/** Appends that come within this time share a request. */
const groupMs = 3;
const maxRequestLength = 1024 * 1024;
const maxRequestsUnderWay = 4;
/** Beyond it new appends are refused rather than piled up. */
const maxWaitingLength = 64 * 1024 * 1024;

interface WaitingAppend {
  lines: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export class InfluxWriter {
  readonly #send: (lines: string) => Promise<void>;
  #waiting: WaitingAppend[] = [];
  #waitingLength = 0;
  #requestsUnderWay = 0;
  #timer: NodeJS.Timeout | undefined;
  #onIdle: (() => void)[] = [];

  constructor(send: (lines: string) => Promise<void>) {
    this.#send = send;
  }

  /** Resolves once these lines are stored. */
  add(lines: string): Promise<void> {
    if (this.#waitingLength + lines.length > maxWaitingLength) {
      return Promise.reject(
        new TryLaterError(503, 'telemetry_busy', 'More telemetry arrives than can be stored; try again shortly', 1),
      );
    }
    this.#waitingLength += lines.length;
    this.#timer ??= setTimeout(() => this.#flush(), groupMs);
    return new Promise((resolve, reject) => this.#waiting.push({ lines, resolve, reject }));
  }

  /** Resolves once nothing waits any more. */
  idle(): Promise<void> {
    if (this.#waiting.length === 0 && this.#requestsUnderWay === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #flush(): void {
    this.#timer = undefined;
    while (this.#waiting.length > 0 && this.#requestsUnderWay < maxRequestsUnderWay) {
      this.#requestsUnderWay++;
      this.#store(this.#takeGroup()).finally(() => {
        this.#requestsUnderWay--;
        if (!this.#timer) this.#flush();
      });
    }
    if (this.#waiting.length > 0 || this.#requestsUnderWay > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #takeGroup(): WaitingAppend[] {
    let length = 0;
    const end = this.#waiting.findIndex((append) => {
      length += append.lines.length;
      return length > maxRequestLength;
    });
    const group = this.#waiting.splice(0, end === -1 ? this.#waiting.length : Math.max(end, 1));
    for (const { lines } of group) this.#waitingLength -= lines.length;
    return group;
  }

  async #store(group: WaitingAppend[]): Promise<void> {
    try {
      await this.#send(group.map(({ lines }) => lines).join(''));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (group.length > 1 && error instanceof InfluxRefusal) {
        // Somebody's lines are bad: each on its own, so that nobody else suffers. What was stored is stored again.
        for (const append of group) await this.#store([append]);
      } else {
        for (const { reject } of group) reject(error);
      }
    }
  }
}
