// A guard: what a caller wants to stay true of an access point after its command. `rsrp_dbm>-110` is broken by the first
// value that is not above -110; then the command is rolled back.
import { invalidValue, type Loc } from '../../input/value-rules.ts';
import { isName, toPlainNumber } from '../../telemetry/ingest/sample-fields.ts';

export interface Guard {
  metric: string;
  comparison: '<' | '>';
  limit: number;
}

const maxLength = 1024;

/**
 * Reads `metric<limit` or `metric>limit`; the last `<` or `>` counts, since a metric's name may hold others. Spaces
 * around either side mean nothing. Throws ValidationError at `loc` for anything else.
 */
export function parseGuard(text: string, loc: Loc = ['query', 'guard']): Guard {
  const at = text.length > maxLength ? -1 : Math.max(text.lastIndexOf('<'), text.lastIndexOf('>'));
  const metric = text.slice(0, Math.max(at, 0)).trim();
  const limit = toPlainNumber(text.slice(at + 1).trim());
  const isMetric = at > 0 && isName(metric);
  if (!isMetric || limit === undefined || !Number.isFinite(limit)) {
    throw invalidValue(loc, 'guard should be metric<limit or metric>limit, with the name of a metric and a number');
  }
  return { metric, comparison: text[at] as '<' | '>', limit };
}

/** Whether this value of the metric breaks the guard; at the limit itself it does. */
export function isBroken({ comparison, limit }: Guard, value: number): boolean {
  return !(comparison === '<' ? value < limit : value > limit);
}
