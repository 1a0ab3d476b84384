// What is remembered of agents' fields, so that a name too many is found before anything is written: ClickHouse takes everything.
import { BatchQueue } from '@weft/contract/batch-queue';
import { maxNamesPerAgent, type Sample, TooManyNames } from '../telemetry-store.ts';

const maxRemembered = 500_000;
/** Other nodes add names too: before a name is refused or added, what is older than this is read again. */
const trustedMs = 1000;
const longAgo = Number.NEGATIVE_INFINITY;

export interface KnownFields {
  names: Set<string>;
  readAtMs: number;
  /** While there are any, their new names are known only here. */
  appendsUnderWay: number;
}

export class FieldCatalogue {
  /** Agents that are met at the same time, as after a start, are read together. */
  readonly #reads: BatchQueue<string, KnownFields>;
  readonly #agents = new Map<string, KnownFields>();
  #remembered = 0;

  /** `read` resolves with the fields of those agents that have any. */
  constructor(read: (ap_ids: readonly string[]) => Promise<Map<string, Set<string>>>) {
    this.#reads = new BatchQueue({
      write: async (ap_ids) => {
        const found = await read(ap_ids);
        return ap_ids.map((ap_id) => this.#note(ap_id, found.get(ap_id) ?? new Set()));
      },
    });
  }

  /** The agent's fields if these samples add none; to be given back with `release`. */
  admitKnown(ap_id: string, samples: readonly Sample[]): KnownFields | undefined {
    const known = this.#agents.get(ap_id);
    if (!known || !isCovered(known, samples)) return undefined;
    known.appendsUnderWay++;
    return known;
  }

  /** The agent's fields with all that these samples add; to be given back with `release`. One at a time for an agent. Throws TooManyNames. */
  async admit(ap_id: string, samples: readonly Sample[]): Promise<KnownFields> {
    const covered = this.admitKnown(ap_id, samples);
    if (covered) return covered;
    let known = this.#agents.get(ap_id);
    if (!known || isOld(known)) known = await this.#reads.add(ap_id);
    this.#register(ap_id, known, samples);
    known.appendsUnderWay++;
    return known;
  }

  release(known: KnownFields, isStored: boolean): void {
    known.appendsUnderWay--;
    // The names that came with it may be nowhere.
    if (!isStored) known.readAtMs = longAgo;
  }

  forget(ap_id: string): void {
    const known = this.#agents.get(ap_id);
    if (!known) return;
    this.#agents.delete(ap_id);
    this.#remembered -= known.names.size;
  }

  #note(ap_id: string, names: Set<string>): KnownFields {
    this.forget(ap_id);
    const known = { names, readAtMs: performance.now(), appendsUnderWay: 0 };
    this.#agents.set(ap_id, known);
    this.#remembered += names.size;
    for (const [oldest, { appendsUnderWay }] of this.#agents) {
      if (this.#remembered <= maxRemembered) break;
      if (oldest !== ap_id && appendsUnderWay === 0) this.forget(oldest);
    }
    return known;
  }

  #register(ap_id: string, known: KnownFields, samples: readonly Sample[]): void {
    const added = new Set<string>();
    for (const [index, { names, texts }] of samples.entries()) {
      for (const name of [...names, ...texts.map(([text]) => text)]) {
        if (known.names.has(name) || added.has(name)) continue;
        if (known.names.size + added.size >= maxNamesPerAgent) throw new TooManyNames(index, name);
        added.add(name);
      }
    }
    for (const name of added) known.names.add(name);
    if (this.#agents.get(ap_id) === known) this.#remembered += added.size;
  }
}

function isOld({ readAtMs, appendsUnderWay }: KnownFields): boolean {
  return appendsUnderWay === 0 && performance.now() - readAtMs > trustedMs;
}

function isCovered({ names: known }: KnownFields, samples: readonly Sample[]): boolean {
  let covered: readonly string[] | undefined;
  for (const { names, texts } of samples) {
    if (names !== covered) for (const name of names) if (!known.has(name)) return false;
    covered = names;
    for (const [name] of texts) if (!known.has(name)) return false;
  }
  return true;
}
