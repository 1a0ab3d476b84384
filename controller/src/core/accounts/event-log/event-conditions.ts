// The filters of the event log in SQL, for both databases.
import type { SqlValue } from '../../base/storage/sql-database.ts';
import type { EventFilters } from './event-record.ts';

/** Their own, and those of many at once that name one of them. */
const aboutAgents = (count: number) => `id IN (SELECT id FROM event_log WHERE ap_id IN (${listOf('?', count, ', ')})
  UNION ALL SELECT id FROM event_log WHERE subject_kind = 'agents' AND (${listOf("data LIKE ? ESCAPE '!'", count, ' OR ')}))`;

/** Its own, and those of many at once. The kind is written out: the index is only for rows of this kind. */
const aboutDevice = `id IN (SELECT id FROM event_log WHERE subject_kind = 'device' AND subject = ?
  UNION ALL SELECT event_id FROM grouped_devices WHERE device = ?)`;

export function toConditions({ kinds, ap_id, ap_ids, subject, subject_kind, site, fromMs, untilMs }: EventFilters) {
  const conditions: string[] = [];
  const params: SqlValue[] = [];
  const add = (condition: string, ...values: SqlValue[]) => {
    conditions.push(` AND ${condition}`);
    params.push(...values);
  };
  if (kinds && !kinds.includes('*')) {
    const parts = kinds.map(kindCondition);
    add(`(${parts.map(({ sql }) => sql).join(' OR ') || '1 = 0'})`, ...parts.flatMap(({ values }) => values));
  }
  for (const names of [ap_id === undefined ? undefined : [ap_id], ap_ids]) {
    if (names === undefined) continue;
    if (names.length === 0) add('1 = 0');
    else add(aboutAgents(names.length), ...names, ...names.map((name) => `%${likeText(JSON.stringify(name))}%`));
  }
  if (subject_kind === 'device' && subject !== undefined) add(aboutDevice, subject, subject);
  else {
    if (subject !== undefined) add('subject = ?', subject);
    if (subject_kind !== undefined) add('subject_kind = ?', subject_kind);
  }
  // `0` is the character after `/`.
  if (site !== undefined) add('(site = ? OR (site >= ? AND site < ?))', site, `${site}/`, `${site}0`);
  if (fromMs !== undefined) add('ts >= ?', fromMs);
  if (untilMs !== undefined) add('ts < ?', untilMs);
  return { conditions: conditions.join(''), params };
}

function listOf(part: string, count: number, between: string): string {
  return Array.from({ length: count }, () => part).join(between);
}

/** Matches itself alone. */
function likeText(text: string): string {
  return text.replace(/[!%_]/g, (character) => `!${character}`);
}

function kindCondition(kind: string): { sql: string; values: string[] } {
  if (!kind.endsWith('.*')) return { sql: 'kind = ?', values: [kind] };
  const family = kind.slice(0, -2);
  // `/` is the character after `.`.
  return { sql: '(kind >= ? AND kind < ?)', values: [`${family}.`, `${family}/`] };
}
