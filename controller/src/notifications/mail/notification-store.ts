// Who is told by e-mail, and how far each has come in the event log.
import type { NotificationInput } from '@weft/contract';
import { ConflictError } from '../../errors.ts';
import type { InSameTransaction, SqlQueries } from '../../storage/sql-database.ts';
import { insertRecord } from '../../storage/sql-rows.ts';
import { ifTaken, RecordTable, SqlStore } from '../../storage/sql-store.ts';

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

/** What `create` and `update` throw if the name is taken. */
export function notificationExists(): ConflictError {
  return new ConflictError('notification_exists', 'A notification with this name exists');
}

const COLUMNS =
  'id, name, email, rule, enabled, created_by, created_at, version, position, last_sent_at, failing_since';

const table = new RecordTable<NotificationRecord>('notifications', COLUMNS, {
  json: ['rule'],
  flags: ['enabled'],
});

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class NotificationStore extends SqlStore {
  async get(id: string): Promise<NotificationRecord | undefined> {
    return read(this.db, id);
  }

  /** Ordered by name. */
  async list(): Promise<NotificationRecord[]> {
    return table.list(this.db, 'ORDER BY name');
  }

  /** Throws ConflictError `notification_exists` if the name is taken. */
  async create(record: NotificationRecord, also?: InSameTransaction<NotificationRecord>): Promise<void> {
    await this.db
      .transaction(async (tx) => {
        await insertRecord(tx, 'notifications', COLUMNS, record);
        await also?.(tx, { after: record });
      })
      .catch(ifTaken(notificationExists));
  }

  /** Resolves the updated record with the next version, or undefined. Throws ConflictError like `create`. */
  async update(
    id: string,
    change: NotificationChange,
    also?: InSameTransaction<NotificationRecord>,
  ): Promise<NotificationRecord | undefined> {
    return this.db
      .transaction(async (tx) => {
        const before = await read(tx, id, this.db.dialect === 'postgres');
        if (!before) return undefined;
        const after = { ...before, ...change, version: before.version + 1 };
        await tx.query(
          'UPDATE notifications SET name = ?, email = ?, rule = ?, enabled = ?, version = ? WHERE id = ?',
          [after.name, after.email, JSON.stringify(after.rule), Number(after.enabled), after.version, id],
        );
        await also?.(tx, { before, after });
        return after;
      })
      .catch(ifTaken(notificationExists));
  }

  /** Resolves whether it existed. */
  async remove(id: string, also?: InSameTransaction<NotificationRecord>): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const before = await read(tx, id, this.db.dialect === 'postgres');
      if (!before) return false;
      await tx.query('DELETE FROM notifications WHERE id = ?', [id]);
      await also?.(tx, { before });
      return true;
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

async function read(tx: SqlQueries, id: string, isLocked = false): Promise<NotificationRecord | undefined> {
  return table.get(tx, `WHERE id = ?${isLocked ? ' FOR UPDATE' : ''}`, [id]);
}
