// What callers notice of an outage: how many of their requests were refused, how, and for how long.
import { performance } from 'node:perf_hooks';

export class Outage {
  /** By status; `none` is no answer. */
  readonly refused = new Map<string, number>();
  answered = 0;
  longestMs = 0;
  #firstMs: number | undefined;
  #lastMs = 0;

  /** Notes how a request ended that began at this time. */
  note(status: number | undefined, startedMs: number): void {
    const nowMs = performance.now();
    this.longestMs = Math.max(this.longestMs, nowMs - startedMs);
    if (status === 200) {
      this.answered++;
      return;
    }
    const key = String(status ?? 'none');
    this.refused.set(key, (this.refused.get(key) ?? 0) + 1);
    this.#firstMs ??= nowMs;
    this.#lastMs = nowMs;
  }

  get refusals(): number {
    return [...this.refused.values()].reduce((sum, count) => sum + count, 0);
  }

  /** From the first refusal to the last. */
  get refusedForMs(): number {
    return this.#firstMs === undefined ? 0 : this.#lastMs - this.#firstMs;
  }

  toString(): string {
    const statuses = [...this.refused].map(([status, count]) => `${count} x ${status}`).join(', ') || 'none';
    return `${this.answered} answered 200, refused ${statuses} for ${seconds(this.refusedForMs)} s, the longest answer took ${seconds(this.longestMs)} s`;
  }
}

/** For whoever runs the long tests: what was measured. */
export function report(text: string): void {
  process.stdout.write(`${text}\n`);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
