// A guard: what a caller wants to stay true after its command. `rsrp_dbm>-110` is broken by the first value of the access point
// that is not above -110; then the command is rolled back. As JSON, with a selector, it is about all access points that match.
import { parseObject } from '@weft/contract/is-object';
import { invalidValue, type Loc } from '../../base/input/value-rules.ts';
import { isName, toNumber } from '../../telemetry/ingest/sample-fields.ts';

const comparisons = {
  '<': (value: number, limit: number) => value < limit,
  '<=': (value: number, limit: number) => value <= limit,
  '>': (value: number, limit: number) => value > limit,
  '>=': (value: number, limit: number) => value >= limit,
};

export interface Guard {
  metric: string;
  comparison: keyof typeof comparisons;
  limit: number;
  /** Which access points; undefined: the one that got the command. `neighbours`: those within its interference range. */
  selector?: string;
  /** Those that it was when the command was sent. */
  ap_ids?: readonly string[];
}

const maxLength = 1024;
const expected =
  'guard should be metric<limit or metric>limit, or {"selector", "metric", "op", "value"}, with the name of a metric and a number';

/**
 * Reads `metric<limit` or `metric>limit`; the last `<` or `>` counts, since a metric's name may hold others. Spaces
 * around either side mean nothing. Throws ValidationError at `loc` for anything else.
 */
export function parseGuard(text: string, loc: Loc = ['query', 'guard']): Guard {
  if (text.length > maxLength) throw invalidValue(loc, expected);
  if (isWide(text.trim())) return parseWide(text, loc);
  const at = Math.max(text.lastIndexOf('<'), text.lastIndexOf('>'));
  const metric = text.slice(0, Math.max(at, 0)).trim();
  const limit = toNumber(text.slice(at + 1).trim());
  const isMetric = at > 0 && isName(metric);
  if (!isMetric || limit === undefined || !Number.isFinite(limit)) throw invalidValue(loc, expected);
  return { metric, comparison: text[at] as '<' | '>', limit };
}

/** The other kind ends with a number. */
function isWide(text: string): boolean {
  return text.startsWith('{') && text.endsWith('}');
}

function parseWide(text: string, loc: Loc): Guard {
  const { selector, metric, op, value, ...others } = parseObject(text) ?? {};
  const isComparison = typeof op === 'string' && Object.hasOwn(comparisons, op);
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  const isMetric = typeof metric === 'string' && isName(metric);
  if (!isMetric || !isNumber || !isComparison || typeof selector !== 'string' || Object.keys(others).length > 0) {
    throw invalidValue(loc, expected);
  }
  return { metric, comparison: op as Guard['comparison'], limit: value, selector };
}

/** As it is stored: with the access points that it is about. */
export function storedGuard({ selector, metric, comparison: op, limit: value, ap_ids }: Guard): string {
  return selector === undefined
    ? `${metric}${op}${value}`
    : JSON.stringify({ guard: JSON.stringify({ selector, metric, op, value }), ap_ids });
}

/** One that was stored; the access points of one without a selector are not named. */
export function readGuard(stored: string): Guard {
  if (!isWide(stored)) return parseGuard(stored);
  const { guard, ap_ids } = JSON.parse(stored) as { guard: string; ap_ids: string[] };
  return { ...parseGuard(guard), ap_ids };
}

/** As callers read it, and gave it. */
export function shownGuard(stored: string): string {
  return isWide(stored) ? (JSON.parse(stored) as { guard: string }).guard : stored;
}

/** Whether this value of the metric breaks the guard; at the limit itself `<` and `>` are broken. */
export function isBroken({ comparison, limit }: Guard, value: number): boolean {
  return !comparisons[comparison](value, limit);
}
