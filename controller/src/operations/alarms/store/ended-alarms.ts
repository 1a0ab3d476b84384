// Clears the alarms of emulated networks that have ended: in the transaction in which one ends, and at the start those that an
// older version has left.

import type { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import { ENDED, endedAmong, endedWithNetwork } from '../../../core/base/storage/ended-agents.ts';
import type { SqlQueries } from '../../../core/base/storage/sql-database.ts';
import { alarmEvent } from './alarm-events.ts';
import type { AlarmChange, AlarmRecord, AlarmStore } from './alarm-store.ts';

export interface EndedAlarmsOptions {
  alarms: Pick<AlarmStore, 'nextVersion' | 'listActive' | 'updateActive'>;
  eventLog: Pick<EventLog, 'append'>;
  /** Further steps of the transaction. */
  also: (tx: SqlQueries, cleared: readonly AlarmRecord[]) => Promise<void>;
}

/**
 * Clears what is about agents whose network has ended, about sites where nobody else is left, and storms of nothing else; with
 * events that say so.
 */
export async function clearEndedAlarms(tx: SqlQueries, options: EndedAlarmsOptions, nowMs: number): Promise<void> {
  const { alarms, eventLog, also } = options;
  // Held until the end: whoever writes an alarm comes before this, or finds that its agent has ended.
  const version = await alarms.nextVersion(tx);
  const active = await alarms.listActive(tx);
  const gone = new Set((await tx.query<{ id: string }>(GONE)).map(({ id }) => id));
  const left = active.filter(({ id }) => !gone.has(id));
  const isOver = ({ id, subject_kind }: AlarmRecord) =>
    gone.has(id) ||
    (subject_kind === 'storm' &&
      active.some(({ inhibited_by }) => inhibited_by === id) &&
      !left.some(({ inhibited_by }) => inhibited_by === id));
  const to: AlarmChange = { state: 'cleared', cleared_at: nowMs };
  const cleared: AlarmRecord[] = [];
  for (const { id } of active.filter(isOver)) cleared.push((await alarms.updateActive(tx, id, to, version))!);
  await also(tx, cleared);
  const told = cleared.filter(({ is_announced }) => is_announced);
  await eventLog.append(
    tx,
    told.map((alarm) => alarmEvent('cleared', alarm, undefined, endedWithNetwork)),
  );
}

/** Whether `clearEndedAlarms` would find any but storms. */
export async function hasEndedAlarms(database: SqlQueries): Promise<boolean> {
  return (await database.query(`${GONE} LIMIT 1`)).length > 0;
}

/** Of alarms that are about to be written after `nextVersion`, whether what one is about has ended. */
export async function endedSubjects(tx: SqlQueries, found: readonly Subject[]): Promise<(alarm: Subject) => boolean> {
  const agents = await endedAmong(
    tx,
    found.flatMap(({ ap_id }) => ap_id ?? []),
  );
  const sites = new Set<string>();
  for (const { subject_kind, subject } of found) {
    if (subject_kind !== 'site') continue;
    const rows = await tx.query(`SELECT 1 AS one WHERE ${siteIsOver('CAST(? AS TEXT)')}`, Array(6).fill(subject));
    if (rows.length > 0) sites.add(subject);
  }
  return ({ subject_kind, subject, ap_id }) =>
    (ap_id !== null && agents.has(ap_id)) || (subject_kind === 'site' && sites.has(subject));
}

type Subject = Pick<AlarmRecord, 'subject_kind' | 'subject' | 'ap_id'>;

/** Access points in the site of this path or below it, which have ended or have not. */
function anyIn(path: string, not: 'NOT' | '' = ''): string {
  const below = `(sites.path = ${path} OR (sites.path > ${path} || '/' AND sites.path < ${path} || '0'))`;
  return `EXISTS (SELECT 1 FROM agents JOIN sites ON sites.id = agents.site_id WHERE ${below} AND ${not} ${ENDED})`;
}

/** Access points of ended networks stand in the site of this path or below it, and no others. */
function siteIsOver(path: string): string {
  return `${anyIn(path)} AND NOT ${anyIn(path, 'NOT')}`;
}

const OF_ENDED = `EXISTS (SELECT 1 FROM agents WHERE agents.ap_id = alarms.ap_id AND ${ENDED})`;
/** A condition on alarms: what one is about has ended. */
export const ABOUT_ENDED = `(${OF_ENDED} OR (alarms.subject_kind = 'site' AND ${siteIsOver('alarms.subject')}))`;
/** A condition on alarms: one is of what has ended, of a site where some have, or a storm, which is of other alarms. */
export const BY_ENDED = `(${OF_ENDED} OR (alarms.subject_kind = 'site' AND ${anyIn('alarms.subject')})
  OR alarms.subject_kind = 'storm')`;
const GONE = `SELECT id FROM alarms WHERE cleared_at IS NULL AND ${ABOUT_ENDED}`;
