// The limit of open files, and whether it is high enough: every connection is an open file.
import { readFileSync } from 'node:fs';

// For the database, the logs, and the modules being loaded.
const besideConnections = 100;

/** `limit` is undefined if unknown; `warning` is undefined if the limit is high enough. */
export function openFileLimit(
  maxConnections: number,
  limits: () => string = () => readFileSync('/proc/self/limits', 'utf8'),
): { limit: number | undefined; warning: string | undefined } {
  const limit = softLimit(limits);
  if (limit === undefined || limit >= maxConnections) return { limit, warning: undefined };
  const needed = maxConnections + besideConnections;
  const fitting = Math.max(1, limit - besideConnections);
  const remedy = `raise the limit (ulimit -n ${needed}) or set WEFT_MAX_CONNECTIONS=${fitting}`;
  const warning = `The limit of ${limit} open files is too low for ${maxConnections} connections: ${remedy}`;
  return { limit, warning };
}

function softLimit(limits: () => string): number | undefined {
  const title = 'Max open files';
  try {
    const line = limits()
      .split('\n')
      .find((text) => text.startsWith(title));
    const soft = line?.slice(title.length).trim().split(' ')[0];
    if (soft === 'unlimited') return Number.POSITIVE_INFINITY;
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
