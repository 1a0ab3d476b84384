// The last samples of all agents, in the order in which they were stored, for those who come back after a short break.
// Bounded in bytes, whatever the samples look like.

export interface RecentSample {
  ap_id: string;
  ts: number;
  names: readonly string[];
  values: readonly number[];
  receivedMs: number;
  /** The event as it is sent to whoever wants all metrics; made when the first one does. */
  event: string | undefined;
}

/** What an entry costs beside its names and values. */
const entryBytes = 200;

export class RecentSamples {
  readonly #maxBytes: number;
  #entries: (RecentSample | undefined)[] = [];
  /** Index of the oldest entry that is still there; those before it are gone. */
  #start = 0;
  /** The number of the entry at index 0. */
  #firstNumber = 1;
  #bytes = 0;
  /** All bytes that ever came in. */
  appendedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Numbers count from 1 and are never used again. */
  get oldest(): number {
    return this.#firstNumber + this.#start;
  }

  /** The number that the next sample will get. */
  get next(): number {
    return this.#firstNumber + this.#entries.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(number: number): RecentSample | undefined {
    return this.#entries[number - this.#firstNumber];
  }

  append(sample: RecentSample): void {
    const size = bytesOf(sample);
    this.#entries.push(sample);
    this.#bytes += size;
    this.appendedBytes += size;
    while (this.#bytes > this.#maxBytes) {
      this.#bytes -= bytesOf(this.#entries[this.#start]!);
      this.#entries[this.#start++] = undefined;
    }
    if (this.#start < 4096 || this.#start * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#start);
    this.#firstNumber += this.#start;
    this.#start = 0;
  }
}

/** Names are counted in full, although agents that repeat themselves share them; twice, for the text made of them. */
function bytesOf({ names }: RecentSample): number {
  let bytes = entryBytes;
  for (const name of names) bytes += 48 + 3 * name.length;
  return bytes;
}
