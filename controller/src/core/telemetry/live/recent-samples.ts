// The last samples of all agents, in the order in which they were stored, for those who come back after a short break.
// Bounded in bytes, whatever the samples look like. They lie in rings of numbers, and an object is made of one only when a
// reader wants it: thousands of samples a second that live for seconds would keep the garbage collector at work.
import type { Sample } from '../store/telemetry-store.ts';

export interface RecentSample {
  number: number;
  ap_id: string;
  ts: number;
  names: readonly string[];
  values: readonly number[];
  receivedMs: number;
  /** The event as it is sent to whoever wants all metrics; made when the first one does, and shared by those who read at the same time. */
  event: string | undefined;
}

/** What an entry costs beside its names and values. */
const entryBytes = 200;
const firstEntries = 1024;
const firstValues = 8192;
/** So many objects are kept for other readers: they come to a sample within moments. Objects and events of all would be ten times the samples. */
const keptObjects = 256;

/** The parts of an entry lie at its number in these, and its values from its place on in the ring of values. */
interface Ring {
  ap_id: string[];
  names: (readonly string[])[];
  ts: Float64Array;
  receivedMs: Float64Array;
  place: Float64Array;
  bytes: Float64Array;
}

const noNames: readonly string[] = [];

export class RecentSamples {
  readonly #maxBytes: number;
  /** Sizes of rings are powers of two. */
  #ring = createRing(firstEntries);
  #values = new Float64Array(firstValues);
  /**
   * The last that readers have wanted, each at the place of its number. A Map gets new room again and again, and what it left
   * would keep its samples and their events until all of the heap is collected.
   */
  readonly #made = new Array<RecentSample | undefined>(keptObjects).fill(undefined);
  #oldest = 1;
  #next = 1;
  /** Of values, counted since the start. */
  #nextPlace = 0;
  #bytes = 0;
  /** All bytes that ever came in. */
  appendedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Numbers count from 1 and are never used again. */
  get oldest(): number {
    return this.#oldest;
  }

  /** The number that the next sample will get. */
  get next(): number {
    return this.#next;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** For readers that ask at about the same time, the same object. */
  get(number: number): RecentSample | undefined {
    if (number < this.#oldest || number >= this.#next) return undefined;
    const known = this.#made[number % keptObjects];
    if (known?.number === number) return known;
    const ring = this.#ring;
    const at = number % ring.ts.length;
    const made = {
      number,
      ap_id: ring.ap_id[at]!,
      ts: ring.ts[at]!,
      names: ring.names[at]!,
      values: this.#valuesOf(at),
      receivedMs: ring.receivedMs[at]!,
      event: undefined,
    };
    this.#made[number % keptObjects] = made;
    return made;
  }

  append(ap_id: string, { ts, names, values }: Sample, receivedMs: number): void {
    const bytes = bytesOf(names);
    this.#bytes += bytes;
    this.appendedBytes += bytes;
    while (this.#bytes > this.#maxBytes && this.#oldest < this.#next) this.#drop();
    this.#makeRoom(names.length);
    const ring = this.#ring;
    const at = this.#next++ % ring.ts.length;
    ring.ap_id[at] = ap_id;
    ring.names[at] = names;
    ring.ts[at] = ts;
    ring.receivedMs[at] = receivedMs;
    ring.place[at] = this.#nextPlace;
    ring.bytes[at] = bytes;
    const mask = this.#values.length - 1;
    let place = this.#nextPlace & mask;
    for (let index = 0; index < values.length; index++) {
      this.#values[place] = values[index]!;
      place = (place + 1) & mask;
    }
    this.#nextPlace += values.length;
    if (this.#bytes > this.#maxBytes) this.#drop();
  }

  #drop(): void {
    const ring = this.#ring;
    const at = this.#oldest++ % ring.ts.length;
    this.#bytes -= ring.bytes[at]!;
    ring.names[at] = noNames;
  }

  #valuesOf(at: number): number[] {
    const { place, names } = this.#ring;
    const mask = this.#values.length - 1;
    return names[at]!.map((_, index) => this.#values[(place[at]! + index) & mask]!);
  }

  /** For one more entry with so many values. */
  #makeRoom(values: number): void {
    const { place, ts } = this.#ring;
    const count = this.#next - this.#oldest;
    const firstPlace = count === 0 ? this.#nextPlace : place[this.#oldest % ts.length]!;
    if (count === ts.length) this.#growRing();
    const needed = this.#nextPlace - firstPlace + values;
    if (needed > this.#values.length) this.#growValues(firstPlace, needed);
  }

  #growRing(): void {
    const from = this.#ring;
    const to = createRing(from.ts.length * 2);
    for (let number = this.#oldest; number < this.#next; number++) {
      const [source, target] = [number % from.ts.length, number % to.ts.length];
      to.ap_id[target] = from.ap_id[source]!;
      to.names[target] = from.names[source]!;
      to.ts[target] = from.ts[source]!;
      to.receivedMs[target] = from.receivedMs[source]!;
      to.place[target] = from.place[source]!;
      to.bytes[target] = from.bytes[source]!;
    }
    this.#ring = to;
  }

  #growValues(firstPlace: number, needed: number): void {
    let size = this.#values.length;
    while (size < needed) size *= 2;
    const values = new Float64Array(size);
    for (let place = firstPlace; place < this.#nextPlace; place++) {
      values[place & (size - 1)] = this.#values[place & (this.#values.length - 1)]!;
    }
    this.#values = values;
  }
}

function createRing(size: number): Ring {
  return {
    ap_id: new Array(size).fill(''),
    names: new Array(size).fill(noNames),
    ts: new Float64Array(size),
    receivedMs: new Float64Array(size),
    place: new Float64Array(size),
    bytes: new Float64Array(size),
  };
}

/** Names are counted in full, although agents that repeat themselves share them; twice, for the text made of them. */
function bytesOf(names: readonly string[]): number {
  let bytes = entryBytes;
  for (const name of names) bytes += 48 + 3 * name.length;
  return bytes;
}
