// Maps result codes of SQLite to the errors of the stores.
import { TryLaterError } from '../errors.ts';
import { UniqueViolation } from './sql-database.ts';
import { diskFull } from './write-probe.ts';

// Primary result codes, https://sqlite.org/rescode.html. All of them are temporary problems of the disk, a lock or the folder.
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
/** The shared memory file cannot grow. */
const SHARED_MEMORY_FULL = 4874;
const PASSING = new Map([
  [SQLITE_BUSY, 'another process holds its lock'],
  [6, 'it is locked'],
  [7, 'memory is short'],
  [8, 'it is read-only'],
  [10, 'reading or writing the disk failed'],
  [SQLITE_FULL, 'the disk is full'],
  [14, 'the file cannot be opened'],
  [15, 'the locking protocol failed'],
  [23, 'access is denied'],
]);

const UNIQUE_CODES = new Set([1555 /* primary key */, 2067 /* unique */, 2579 /* rowid */]);

export function isBusy(error: unknown): boolean {
  return resultCode(error) % 256 === SQLITE_BUSY;
}

export function unavailable(detail: string, cause?: unknown): TryLaterError {
  return new TryLaterError(503, 'database_unavailable', detail, 1, { cause });
}

/** Converts an error of SQLite to an error of the store; other errors are returned unchanged. */
export function toStoreError(error: unknown): unknown {
  const code = resultCode(error);
  if (UNIQUE_CODES.has(code)) return new UniqueViolation('A unique key is taken', { cause: error });
  if (code % 256 === SQLITE_FULL || code === SHARED_MEMORY_FULL)
    return diskFull('The disk of the database is full', error);
  if (PASSING.has(code % 256)) return unavailable('The database is unavailable right now', error);
  return error;
}

/** A short reason for the operator. */
export function whyUnavailable(error: unknown): string {
  const origin = error instanceof TryLaterError ? error.cause : error;
  const known = PASSING.get(resultCode(origin) % 256);
  return known ?? (origin instanceof Error ? origin.message : error instanceof Error ? error.message : String(error));
}

function resultCode(error: unknown): number {
  const isFromSqlite = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
  return isFromSqlite ? (error.errcode as number) : 0;
}
