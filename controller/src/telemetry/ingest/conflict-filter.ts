// A name is a metric or a text for as long as its agent exists. Leaves out of a report what comes under a name of the
// other kind, and what would make a text of it without being one.
import type { FieldInfo, Sample } from '../store/telemetry-store.ts';
import { IgnoredFields } from './ignored-fields.ts';
import { countFields } from './sample-fields.ts';

/** Whether one of them has an empty text. */
export function hasEmptyText(samples: readonly Sample[]): boolean {
  for (const { texts } of samples) for (const [, text] of texts) if (text === '') return true;
  return false;
}

/**
 * Without empty texts under names that are no text fields yet: what has no value is no reason to take a metric for a text for
 * ever. Under the name of a text field an empty text is a value. `places`: which of the samples are left.
 */
export function withoutEmptyTexts(
  samples: readonly Sample[],
  fields: readonly Pick<FieldInfo, 'name' | 'kind'>[],
): { samples: Sample[]; places: number[]; ignored: IgnoredFields | undefined } {
  const known = new Set(fields.filter(({ kind }) => kind === 'text').map(({ name }) => name));
  for (const { texts } of samples) for (const [name, text] of texts) if (text !== '') known.add(name);
  let ignored: IgnoredFields | undefined;
  const left: Sample[] = [];
  const places: number[] = [];
  for (const [place, sample] of samples.entries()) {
    const texts = sample.texts.filter(([name, text]) => {
      if (text !== '' || known.has(name)) return true;
      ignored ??= new IgnoredFields();
      ignored.add(name, 'empty');
      return false;
    });
    if (sample.names.length + texts.length === 0) continue;
    left.push({ ...sample, texts });
    places.push(place);
  }
  return { samples: left, places, ignored };
}

export class ConflictFilter {
  readonly #samples: readonly Sample[];
  readonly #kinds = new Map<string, FieldInfo['kind']>();

  constructor(samples: readonly Sample[]) {
    this.#samples = samples;
  }

  knows(fields: readonly Pick<FieldInfo, 'name' | 'kind'>[]): void {
    for (const { name, kind } of fields) this.#kinds.set(name, kind);
  }

  /** The samples that have a field left. A name that is not known is what its first field is, as in the store. */
  apply(): { samples: Sample[]; ignored: IgnoredFields } {
    const kinds = new Map(this.#kinds);
    const ignored = new IgnoredFields();
    const isKept = (name: string, kind: FieldInfo['kind']) => {
      const known = kinds.get(name);
      if (known === undefined) kinds.set(name, kind);
      if (known === undefined || known === kind) return true;
      ignored.add(name, kind === 'text' ? 'text_for_metric' : 'metric_for_text');
      return false;
    };
    const samples = this.#samples.map(({ ts, names, values, texts }) => {
      const kept: Sample = { ts, names: [], values: [], texts: [] };
      for (const [index, name] of names.entries()) {
        if (!isKept(name, 'metric')) continue;
        kept.names.push(name);
        kept.values.push(values[index]!);
      }
      kept.texts = texts.filter(([name]) => isKept(name, 'text'));
      return kept;
    });
    return { samples: samples.filter((sample) => countFields(sample) > 0), ignored };
  }
}
