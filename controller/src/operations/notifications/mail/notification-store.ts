// Who is told by e-mail, and how far each has come in the event log.
import type { NotificationInput } from '@weft/contract/operations';
import type { SqlDatabase, SqlQueries } from '../../../core/base/storage/sql-database.ts';
import { RecordStore } from '../../records/record-store.ts';

/** What is told when; every field is set. */
export type NotificationRule = Required<
  Pick<NotificationInput, 'events' | 'severities' | 'selector' | 'digest_minutes' | 'quiet' | 'time_zone'>
>;

export interface NotificationRecord {
  id: string;
  name: string;
  email: string;
  rule: NotificationRule;
  enabled: boolean;
  created_by: string;
  created_at: number;
  /** Grows with every `update`. */
  version: number;
  /** Everything up to this event was told, or was not for them. */
  position: number;
  last_sent_at: number | null;
  failing_since: number | null;
}

export type NotificationChange = Pick<NotificationRecord, 'name' | 'email' | 'rule' | 'enabled'>;

export type NotificationProgress = Pick<
  NotificationRecord,
  'id' | 'version' | 'position' | 'last_sent_at' | 'failing_since'
>;

const COLUMNS =
  'id, name, email, rule, enabled, created_by, created_at, version, position, last_sent_at, failing_since';

export class NotificationStore extends RecordStore<NotificationRecord, NotificationChange> {
  constructor(db: SqlDatabase) {
    super(db, {
      name: 'notifications',
      columns: COLUMNS,
      json: ['rule'],
      flags: ['enabled'],
      what: 'notification',
    });
  }

  /** In the caller's transaction; false, and nothing changed, if it has another version now or is gone. */
  async save(tx: SqlQueries, progress: NotificationProgress): Promise<boolean> {
    const { id, version, position, last_sent_at, failing_since } = progress;
    const updated = await tx.query(
      `UPDATE notifications SET position = ?, last_sent_at = ?, failing_since = ?
       WHERE id = ? AND version = ? RETURNING id`,
      [position, last_sent_at, failing_since, id, version],
    );
    return updated.length > 0;
  }
}
