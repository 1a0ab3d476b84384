// Tells a program what Weft leaves out of its reports: once for each field, not with every report.
import type { IgnoredField } from '@weft/contract';
import { ignoredReasons } from '@weft/contract/ignored-reasons';

/** Enough for every field that Weft would store. */
const maxRemembered = 1_024;

export class IgnoredWarnings {
  readonly #tell: (field: IgnoredField) => void;
  readonly #told = new Set<string>();

  constructor(tell: (field: IgnoredField) => void = warn) {
    this.#tell = tell;
  }

  heard(fields: readonly IgnoredField[]): void {
    for (const each of fields) {
      const key = `${each.reason} ${each.field}`;
      if (this.#told.has(key) || this.#told.size >= maxRemembered) continue;
      this.#told.add(key);
      this.#tell(each);
    }
  }
}

function warn({ field, reason }: IgnoredField): void {
  process.emitWarning(
    `Weft does not store the field ${JSON.stringify(field)}: ${ignoredReasons[reason] ?? reason}`,
    'WeftWarning',
  );
}
