// Who is told by e-mail, and how far each has come in the event log.
import type { NotificationInput } from '@weft/contract';
import { ConflictError } from '../../errors.ts';
import type { InSameTransaction, SqlQueries } from '../../storage/sql-database.ts';

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

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export interface NotificationStore {
  get(id: string): Promise<NotificationRecord | undefined>;
  /** Ordered by name. */
  list(): Promise<NotificationRecord[]>;
  /** Throws ConflictError `notification_exists` if the name is taken. */
  create(record: NotificationRecord, also?: InSameTransaction<NotificationRecord>): Promise<void>;
  /** Resolves the updated record with the next version, or undefined. Throws ConflictError like `create`. */
  update(
    id: string,
    change: NotificationChange,
    also?: InSameTransaction<NotificationRecord>,
  ): Promise<NotificationRecord | undefined>;
  /** Resolves whether it existed. */
  remove(id: string, also?: InSameTransaction<NotificationRecord>): Promise<boolean>;
  /** In the caller's transaction; false, and nothing changed, if it has another version now or is gone. */
  save(tx: SqlQueries, progress: NotificationProgress): Promise<boolean>;
}
