// The `format`s of the metrics operations' queries, so that their problems are reported together with all others.
import { toApId } from '@weft/contract/ap-id';
import { ValidationError } from '../../base/errors.ts';
import type { FormatCheck, Formats } from '../../base/input/validator.ts';
import { defaultMaxWindowMs, parseWindow } from './time-window.ts';

/** How many names a list may have, by its format. */
export const nameBounds = {
  'metric-names': { minItems: 1, maxItems: 100 },
  'metric-filter': { minItems: 0, maxItems: 100 },
  'agent-filter': { minItems: 0, maxItems: 1000 },
  'agent-names': { minItems: 1, maxItems: 100 },
} as const;

export function metricsFormats(maxWindowMs = defaultMaxWindowMs): Formats {
  return {
    'time-window': (value) => {
      try {
        parseWindow(value as string, maxWindowMs);
        return { value };
      } catch (error) {
        if (error instanceof ValidationError) return { problems: error.problems };
        throw error;
      }
    },
    'metric-names': nameList(nameBounds['metric-names']),
    'metric-filter': nameList(nameBounds['metric-filter']),
    'agent-filter': nameList(nameBounds['agent-filter'], toApId),
    'agent-names': nameList(nameBounds['agent-names'], toApId),
  };
}

function nameList(
  { minItems: min, maxItems: max }: { minItems: number; maxItems: number },
  spell = (name: string) => name,
): FormatCheck {
  return (value, loc) => {
    const names = parseNames((value as string[]).map(spell));
    const ctx = { field_type: 'List', actual_length: names.length };
    if (names.length < min) {
      const msg = `List should have at least ${min} item after validation, not ${names.length}`;
      return { problems: [{ loc, msg, type: 'too_short', ctx: { ...ctx, min_length: min } }] };
    }
    if (names.length > max) {
      const msg = `List should have at most ${max} items after validation, not ${names.length}`;
      return { problems: [{ loc, msg, type: 'too_long', ctx: { ...ctx, max_length: max } }] };
    }
    return { value: names };
  };
}

// Reads a list of names out of a query, where it may be written as repeated parameters, with commas, or both.

/**
 * Each name once, in the order of first mention. A parameter without a comma is one name, exactly as written; around
 * commas, spaces and empty pieces do not count.
 */
export function parseNames(values: readonly string[]): string[] {
  const names = new Set<string>();
  for (const value of values) {
    if (!value.includes(',')) {
      if (value !== '') names.add(value);
      continue;
    }
    for (const piece of value.split(',')) {
      const name = piece.trim();
      if (name !== '') names.add(name);
    }
  }
  return [...names];
}
