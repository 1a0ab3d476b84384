// What is remembered of agents' fields, so that a conflict is found before anything is written: ClickHouse takes everything.
import { BatchQueue } from '@weft/contract/batch-queue';
import { FieldConflict, maxNamesPerAgent, type Sample } from '../telemetry-store.ts';

const maxRemembered = 500_000;
/** Other nodes add names too: before a name is refused or added, what is older than this is read again. */
const trustedMs = 1000;
const longAgo = Number.NEGATIVE_INFINITY;

/** Whether it is a text, by name. */
export type FieldKinds = Map<string, boolean>;

export interface KnownFields {
  kinds: FieldKinds;
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
  constructor(read: (ap_ids: readonly string[]) => Promise<Map<string, FieldKinds>>) {
    this.#reads = new BatchQueue({
      write: async (ap_ids) => {
        const found = await read(ap_ids);
        return ap_ids.map((ap_id) => this.#note(ap_id, found.get(ap_id) ?? new Map()));
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

  /** The agent's fields with all that these samples add; to be given back with `release`. One at a time for an agent. Throws FieldConflict. */
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
    this.#remembered -= known.kinds.size;
  }

  #note(ap_id: string, kinds: FieldKinds): KnownFields {
    this.forget(ap_id);
    const known = { kinds, readAtMs: performance.now(), appendsUnderWay: 0 };
    this.#agents.set(ap_id, known);
    this.#remembered += kinds.size;
    for (const [oldest, { appendsUnderWay }] of this.#agents) {
      if (this.#remembered <= maxRemembered) break;
      if (oldest !== ap_id && appendsUnderWay === 0) this.forget(oldest);
    }
    return known;
  }

  #register(ap_id: string, known: KnownFields, samples: readonly Sample[]): void {
    const added = new Map<string, boolean>();
    const check = (name: string, isText: boolean, sampleIndex: number) => {
      const kind = known.kinds.get(name) ?? added.get(name);
      if (kind === isText) return;
      if (kind !== undefined)
        throw new FieldConflict(sampleIndex, name, isText ? 'text_for_metric' : 'metric_for_text');
      if (known.kinds.size + added.size >= maxNamesPerAgent) {
        throw new FieldConflict(sampleIndex, name, 'too_many_names');
      }
      added.set(name, isText);
    };
    for (const [index, { names, texts }] of samples.entries()) {
      for (const name of names) check(name, false, index);
      for (const [name] of texts) check(name, true, index);
    }
    for (const [name, isText] of added) known.kinds.set(name, isText);
    if (this.#agents.get(ap_id) === known) this.#remembered += added.size;
  }
}

function isOld({ readAtMs, appendsUnderWay }: KnownFields): boolean {
  return appendsUnderWay === 0 && performance.now() - readAtMs > trustedMs;
}

function isCovered({ kinds }: KnownFields, samples: readonly Sample[]): boolean {
  let covered: readonly string[] | undefined;
  for (const { names, texts } of samples) {
    if (names !== covered) for (const name of names) if (kinds.get(name) !== false) return false;
    covered = names;
    for (const [name] of texts) if (kinds.get(name) !== true) return false;
  }
  return true;
}
