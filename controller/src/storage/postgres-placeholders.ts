// Converts the `?` of statements to PostgreSQL's `$1`, `$2`, …, except in quoted text and comments.

const rewritten = new Map<string, string>();

export function toPostgresPlaceholders(sql: string): string {
  let result = rewritten.get(sql);
  if (result === undefined) {
    result = rewrite(sql);
    rewritten.set(sql, result);
  }
  return result;
}

const CLOSING: Record<string, string> = { "'": "'", '"': '"', '--': '\n', '/*': '*/' };

function rewrite(sql: string): string {
  let result = '';
  let count = 0;
  for (let at = 0; at < sql.length; ) {
    const opening = [sql.slice(at, at + 1), sql.slice(at, at + 2)].find((text) => text in CLOSING);
    if (opening !== undefined) {
      // A doubled quote closes and opens again, with the same result.
      const closing = CLOSING[opening]!;
      const end = sql.indexOf(closing, at + opening.length);
      const next = end === -1 ? sql.length : end + closing.length;
      result += sql.slice(at, next);
      at = next;
    } else {
      result += sql[at] === '?' ? `$${++count}` : sql[at];
      at += 1;
    }
  }
  return result;
}
