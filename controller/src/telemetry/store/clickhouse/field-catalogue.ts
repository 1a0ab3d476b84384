// What is remembered of agents' fields, so that a conflict is found before anything is written: ClickHouse takes everything.

import { FieldConflict, maxNamesPerAgent, type Sample } from '../telemetry-store.ts';
import type { RowField } from './clickhouse-writer.ts';
import { textBytes } from './row-binary.ts';

const maxRemembered = 500_000;
/** Other nodes add names too: before a name is refused or added, what is older than this is read again. */
const trustedMs = 1000;
const longAgo = Number.NEGATIVE_INFINITY;

export interface KnownFields {
  fields: Map<string, RowField>;
  readAtMs: number;
  /** While there are any, their new names are known only here. */
  appendsUnderWay: number;
}

export type FieldKinds = { name: string; isText: boolean }[];

export class FieldCatalogue {
  readonly #read: (ap_id: string) => Promise<FieldKinds>;
  readonly #agents = new Map<string, KnownFields>();
  readonly #readsUnderWay = new Map<string, Promise<KnownFields>>();
  #remembered = 0;

  constructor(read: (ap_id: string) => Promise<FieldKinds>) {
    this.#read = read;
  }

  /** The agent's fields with all that these samples add; to be given back with `release`. Throws FieldConflict. */
  async admit(ap_id: string, samples: readonly Sample[]): Promise<KnownFields> {
    let known = this.#agents.get(ap_id);
    if (!known || !isCovered(known, samples)) {
      if (!known || isOld(known)) known = await this.#refresh(ap_id);
      this.#register(ap_id, known, samples);
    }
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
    this.#remembered -= known.fields.size;
  }

  #refresh(ap_id: string): Promise<KnownFields> {
    let read = this.#readsUnderWay.get(ap_id);
    if (!read) {
      read = this.#readNow(ap_id).finally(() => this.#readsUnderWay.delete(ap_id));
      this.#readsUnderWay.set(ap_id, read);
    }
    return read;
  }

  async #readNow(ap_id: string): Promise<KnownFields> {
    const kinds = await this.#read(ap_id);
    const before = this.#agents.get(ap_id);
    // Somebody got in between with names that this answer may not have.
    if (before && before.appendsUnderWay > 0) return before;
    this.forget(ap_id);
    const fields = new Map(kinds.map(({ name, isText }) => [name, fieldOf(name, isText)]));
    const known = { fields, readAtMs: performance.now(), appendsUnderWay: 0 };
    this.#agents.set(ap_id, known);
    this.#remembered += fields.size;
    for (const [oldest, { appendsUnderWay }] of this.#agents) {
      if (this.#remembered <= maxRemembered) break;
      if (oldest !== ap_id && appendsUnderWay === 0) this.forget(oldest);
    }
    return known;
  }

  #register(ap_id: string, known: KnownFields, samples: readonly Sample[]): void {
    const added = new Map<string, RowField>();
    const check = (name: string, isText: boolean, sampleIndex: number) => {
      const field = known.fields.get(name) ?? added.get(name);
      if (field && field.isText !== isText) {
        throw new FieldConflict(sampleIndex, name, isText ? 'text_for_metric' : 'metric_for_text');
      }
      if (field) return;
      if (known.fields.size + added.size >= maxNamesPerAgent) {
        throw new FieldConflict(sampleIndex, name, 'too_many_names');
      }
      added.set(name, fieldOf(name, isText));
    };
    for (const [index, { names, texts }] of samples.entries()) {
      for (const name of names) check(name, false, index);
      for (const [name] of texts) check(name, true, index);
    }
    for (const [name, field] of added) known.fields.set(name, field);
    if (this.#agents.get(ap_id) === known) this.#remembered += added.size;
  }
}

function isOld({ readAtMs, appendsUnderWay }: KnownFields): boolean {
  return appendsUnderWay === 0 && performance.now() - readAtMs > trustedMs;
}

function isCovered({ fields }: KnownFields, samples: readonly Sample[]): boolean {
  for (const { names, texts } of samples) {
    for (const name of names) if (fields.get(name)?.isText !== false) return false;
    for (const [name] of texts) if (fields.get(name)?.isText !== true) return false;
  }
  return true;
}

function fieldOf(name: string, isText: boolean): RowField {
  return { isText, bytes: textBytes(name) };
}
