// What a report holds that cannot be stored: left out of it, named in the answer, and counted.
import type { IgnoredField } from '@weft/contract';

/** How many are named; the rest is counted. */
export const maxNamedFields = 20;
const maxNamedLength = 256;

export type IgnoredReason = IgnoredField['reason'];

export class IgnoredFields {
  /** Each field once for each reason. */
  readonly named: IgnoredField[] = [];
  /** Of all samples. */
  count = 0;

  add(name: string, reason: IgnoredReason): void {
    this.count++;
    if (this.named.length === maxNamedFields) return;
    const field = name.slice(0, maxNamedLength).toWellFormed();
    if (this.named.some((known) => known.field === field && known.reason === reason)) return;
    this.named.push({ field, reason });
  }

  /** These and one more list; neither is changed. */
  with(others: IgnoredFields): IgnoredFields {
    const all = new IgnoredFields();
    for (const { field, reason } of [...this.named, ...others.named]) all.add(field, reason);
    all.count = this.count + others.count;
    return all;
  }
}

/** For an answer. */
export function toIgnored(ignored: IgnoredFields | undefined): { ignored?: IgnoredField[]; ignored_count?: number } {
  return ignored ? { ignored: ignored.named, ignored_count: ignored.count } : {};
}
