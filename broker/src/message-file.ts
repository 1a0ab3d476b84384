// The tables of the embedded broker: messages in their queues, and dead letters. Everything here is synchronous; what
// belongs together is put into one transaction by `broker.sqlite.ts`.
import { existsSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { DeadLetter } from './broker.ts';
import { openPrivateDatabase } from './private-database.ts';

const TABLES = `
CREATE TABLE messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  queue TEXT NOT NULL,
  id TEXT NOT NULL,
  body BLOB NOT NULL,
  is_sealed INTEGER NOT NULL,
  expires_at INTEGER,
  -- How often it was handed out: written before the handler begins, so that a message that kills the process counts.
  deliveries INTEGER NOT NULL DEFAULT 0,
  is_out INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX messages_waiting ON messages (queue, seq) WHERE is_out = 0;
CREATE INDEX messages_expiry ON messages (expires_at) WHERE is_out = 0 AND expires_at IS NOT NULL;
CREATE TABLE dead_letters (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  queue TEXT NOT NULL,
  id TEXT NOT NULL,
  body BLOB NOT NULL,
  is_sealed INTEGER NOT NULL,
  reason TEXT NOT NULL
)`;

export interface NewMessage {
  queue: string;
  id: string;
  body: Uint8Array;
  is_sealed: number;
  expires_at: number | null;
}

export interface StoredMessage extends NewMessage {
  seq: number;
  /** This time included. */
  deliveries: number;
}

export interface StoredDeadLetter extends Pick<NewMessage, 'queue' | 'id' | 'body' | 'is_sealed'> {
  seq: number;
  reason: DeadLetter['reason'];
}

export interface QueueSize {
  messages: number;
  bytes: number;
  /** Of the messages, those that nobody has in hand. */
  waiting: number;
}

export class MessageFile {
  readonly isNew: boolean;
  readonly #file: string;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Counted once, then kept along: the table would have to be walked for every message. */
  #sizes: Map<string, QueueSize> | undefined;

  /** Messages that were in the hands of a process that is no more are waiting again. */
  constructor(file: string) {
    this.#file = file;
    const { connection, isNew } = openPrivateDatabase(file, TABLES);
    this.#connection = connection;
    this.isNew = isNew;
    this.#run('UPDATE messages SET is_out = 0 WHERE is_out = 1');
  }

  /** All of it or nothing; durable when it returns. */
  transaction<T>(work: () => T): T {
    this.#rollBack();
    this.#connection.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#connection.exec('COMMIT');
      return result;
    } catch (error) {
      this.#sizes = undefined;
      this.#rollBack();
      throw error;
    }
  }

  sizeOf(queue: string): QueueSize {
    this.#sizes ??= this.#count();
    let size = this.#sizes.get(queue);
    if (size === undefined) {
      size = { messages: 0, bytes: 0, waiting: 0 };
      this.#sizes.set(queue, size);
    }
    return size;
  }

  insert({ queue, id, body, is_sealed, expires_at }: NewMessage): void {
    const size = this.sizeOf(queue);
    this.#run(
      'INSERT INTO messages (queue, id, body, is_sealed, expires_at) VALUES (?, ?, ?, ?, ?)',
      ...[queue, id, body, is_sealed, expires_at],
    );
    size.messages++;
    size.waiting++;
    size.bytes += body.length;
  }

  /** The oldest that wait, now in hand and counted as handed out once more. */
  take(queue: string, limit: number): StoredMessage[] {
    if (limit <= 0 || this.sizeOf(queue).waiting === 0) return [];
    const rows = this.#run(
      'SELECT seq, queue, id, body, is_sealed, expires_at, deliveries + 1 AS deliveries FROM messages WHERE queue = ? AND is_out = 0 ORDER BY seq LIMIT ?',
      ...[queue, limit],
    ) as unknown as StoredMessage[];
    for (const { seq } of rows) {
      this.#run('UPDATE messages SET is_out = 1, deliveries = deliveries + 1 WHERE seq = ?', seq);
    }
    this.sizeOf(queue).waiting -= rows.length;
    return rows;
  }

  putBack({ seq, queue }: StoredMessage): void {
    const size = this.sizeOf(queue);
    this.#run('UPDATE messages SET is_out = 0 WHERE seq = ?', seq);
    size.waiting++;
  }

  /** Of one that is in hand. */
  remove({ seq, queue, body }: StoredMessage): void {
    const size = this.sizeOf(queue);
    this.#run('DELETE FROM messages WHERE seq = ?', seq);
    size.messages--;
    size.bytes -= body.length;
  }

  /** Makes one that is in hand a dead letter, and forgets the oldest of those beyond `maxKept`. */
  bury(message: StoredMessage, reason: DeadLetter['reason'], maxKept: number): void {
    const { queue, id, body, is_sealed } = message;
    this.#run(
      'INSERT INTO dead_letters (queue, id, body, is_sealed, reason) VALUES (?, ?, ?, ?, ?)',
      ...[queue, id, body, is_sealed, reason],
    );
    this.#run(
      'DELETE FROM dead_letters WHERE seq <= (SELECT seq FROM dead_letters ORDER BY seq DESC LIMIT 1 OFFSET ?)',
      maxKept,
    );
    this.remove(message);
  }

  /** The waiting ones whose time is over, some of them, now in hand. */
  takeExpired(nowMs: number, limit: number): StoredMessage[] {
    const rows = this.#run(
      'SELECT seq, queue, id, body, is_sealed, expires_at, deliveries FROM messages WHERE is_out = 0 AND expires_at <= ? ORDER BY expires_at LIMIT ?',
      ...[nowMs, limit],
    ) as unknown as StoredMessage[];
    for (const { seq, queue } of rows) {
      const size = this.sizeOf(queue);
      this.#run('UPDATE messages SET is_out = 1 WHERE seq = ?', seq);
      size.waiting--;
    }
    return rows;
  }

  /** When the next of those that wait expires. */
  nextExpiry(): number | undefined {
    const [row] = this.#run('SELECT min(expires_at) AS at FROM messages WHERE is_out = 0 AND expires_at IS NOT NULL');
    return (row?.at as number | null) ?? undefined;
  }

  /** The oldest dead letter after that one. */
  deadLetterAfter(seq: number): StoredDeadLetter | undefined {
    const [row] = this.#run(
      'SELECT seq, queue, id, body, is_sealed, reason FROM dead_letters WHERE seq > ? ORDER BY seq LIMIT 1',
      seq,
    );
    return row as unknown as StoredDeadLetter | undefined;
  }

  removeDeadLetter(seq: number): void {
    this.#run('DELETE FROM dead_letters WHERE seq = ?', seq);
  }

  /** Throws if nothing could be written. */
  check(): void {
    if (!existsSync(this.#file)) throw new Error('the file is gone');
    this.transaction(() => this.#run('SELECT 1'));
  }

  close(): void {
    this.#statements.clear();
    this.#connection.close();
  }

  /** SQLite has rolled back by itself after some errors, such as a full disk. */
  #rollBack(): void {
    if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
  }

  #count(): Map<string, QueueSize> {
    const rows = this.#run(
      'SELECT queue, count(*) AS messages, sum(length(body)) AS bytes, sum(is_out = 0) AS waiting FROM messages GROUP BY queue',
    ) as unknown as (QueueSize & { queue: string })[];
    return new Map(rows.map(({ queue, messages, bytes, waiting }) => [queue, { messages, bytes, waiting }]));
  }

  #run(sql: string, ...params: SQLInputValue[]): Record<string, unknown>[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...params);
  }
}
