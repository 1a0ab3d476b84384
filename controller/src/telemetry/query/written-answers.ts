// Remembers the last answer of each chart that polls, so that the next one need not be written from the beginning.
import type { Frame } from '../store/telemetry-store.ts';
import { type WrittenSeries, writeSeries } from './written-series.ts';

const defaultMaxBytes = 64 * 1024 * 1024;

export class WrittenAnswers {
  readonly #answers = new Map<string, WrittenSeries>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** At most what was allowed, plus one answer. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The body of #28. `movesOn` says that the same question will come again a little later. */
  write(ap_id: string, window_minutes: number, metrics: readonly string[], frame: Frame, movesOn: boolean): Uint8Array {
    if (!movesOn) return writeSeries(ap_id, window_minutes, metrics, frame).json;
    const key = `${window_minutes} ${frame.resolution_seconds ?? ''} ${metrics.join()} ${ap_id}`;
    const previous = this.#answers.get(key);
    const written = writeSeries(ap_id, window_minutes, metrics, frame, previous);
    if (previous) this.#forget(key, previous);
    this.#answers.set(key, written);
    this.#bytes += bytesOf(written);
    for (const [oldKey, old] of this.#answers) {
      if (this.#bytes <= this.#maxBytes || old === written) break;
      this.#forget(oldKey, old);
    }
    return written.json;
  }

  #forget(key: string, written: WrittenSeries): void {
    this.#answers.delete(key);
    this.#bytes -= bytesOf(written);
  }
}

/** The memory behind it, which may be more than what is in use of it. */
function bytesOf({ json, frame }: WrittenSeries): number {
  return json.buffer.byteLength + frame.ts.length * 8 * (frame.columns.size + 1) + 512;
}
