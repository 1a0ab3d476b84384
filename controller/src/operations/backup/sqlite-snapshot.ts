// A consistent snapshot of a SQLite database while another process writes it. A read transaction is open from that moment to
// the end of the copy: it blocks no writer, and no writer can restart the copy, as would happen without it.
import { backup, DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { BackupError } from './backup-error.ts';

const pagesPerStep = 2048;
/** Writers hold the lock for milliseconds, with gaps between them. */
const lockPatienceMs = 60_000;
const SQLITE_BUSY = 5;

export class SqliteSnapshot {
  readonly #database: DatabaseSync;
  /** As it is in the copy. */
  readonly bytes: number;

  private constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec('BEGIN');
    // The snapshot of the transaction begins with the first read.
    const pages = database.prepare('SELECT page_count AS pages FROM pragma_page_count()').get() as { pages: number };
    database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get();
    const { size } = database.prepare('SELECT page_size AS size FROM pragma_page_size()').get() as { size: number };
    this.bytes = pages.pages * size;
  }

  /** The file must exist: SQLite would create a new one. */
  static take(file: string): SqliteSnapshot {
    const database = new DatabaseSync(file, { timeout: 5_000 });
    try {
      return new SqliteSnapshot(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** The only value of a query's only row. */
  value(sql: string): number {
    return Object.values(this.#database.prepare(sql).get() ?? {})[0] as number;
  }

  async copyTo(file: string, onBytes: (sinceLast: number) => void): Promise<void> {
    let told = 0;
    const tell = (share: number) => {
      const bytes = Math.round(this.bytes * share);
      onBytes(bytes - told);
      told = bytes;
    };
    await backup(this.#database, file, {
      rate: pagesPerStep,
      progress: ({ totalPages, remainingPages }) => tell((totalPages - remainingPages) / totalPages),
    });
    tell(1);
  }

  close(): void {
    this.#database.close();
  }
}

/** Runs the work while the database is locked for writers; must be short. */
export async function whileWritersWait<T>(file: string, work: () => T): Promise<T> {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    const deadline = performance.now() + lockPatienceMs;
    while (!tryLock(database)) {
      if (performance.now() > deadline) throw new BackupError(`${file} is written continuously`);
      await pause(1);
    }
    return work();
  } finally {
    database.close();
  }
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode! % 256 !== SQLITE_BUSY) throw error;
    return false;
  }
}
