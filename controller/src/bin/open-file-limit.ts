// The limit of open files, and whether it is high enough: every connection is an open file.
import { readFileSync } from 'node:fs';

// For the database, the logs, the modules being loaded, and a reserve in which those who come after the last are refused.
const besideConnections = 100;
const fewest = 16;

/**
 * `limit` is undefined if unknown; `warning` is undefined if the limit is high enough. `maxConnections` is how many fit: more would leave
 * no file for the next one, so that nobody gives way, and nobody gets an answer.
 */
export function openFileLimit(
  maxConnections: number,
  limits: () => string = () => readFileSync('/proc/self/limits', 'utf8'),
): { limit: number | undefined; warning: string | undefined; maxConnections: number } {
  const limit = softLimit(limits);
  const needed = maxConnections + besideConnections;
  if (limit === undefined || limit >= needed) return { limit, warning: undefined, maxConnections };
  const fitting = Math.min(maxConnections, Math.max(fewest, limit - besideConnections));
  // The reserve alone is not worth a word at each start.
  if (limit >= maxConnections) return { limit, warning: undefined, maxConnections: fitting };
  const remedy = `raise the limit (ulimit -n ${needed}) or set WEFT_MAX_CONNECTIONS=${fitting}`;
  const warning = `The limit of ${limit} open files is too low for ${maxConnections} connections, so ${fitting} are accepted: ${remedy}`;
  return { limit, warning, maxConnections: fitting };
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
