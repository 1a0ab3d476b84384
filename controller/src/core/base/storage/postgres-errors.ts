// Maps error codes and connection failures of PostgreSQL to the errors of the stores.
import { DatabaseError } from 'pg';
import { TryLaterError } from '../errors.ts';
import { UniqueViolation } from './sql-database.ts';
import { diskFull } from './write-probe.ts';

// SQLSTATE classes and codes of temporary conditions, or of those that an operator can fix: the statement was not the cause.
const PASSING = [
  '08', // the connection
  '28', // logging in
  '3D000', // no such database
  '53', // disk, memory or connections used up
  '57P', // shutting down, starting up
  '57014', // statement timeout
  '58', // the system below PostgreSQL
  '25006', // read-only: a standby, or set by an operator
  '55P03', // lock timeout
];

/** Idle for too long inside a transaction. */
const idleTimeout = '25P03';

/** What PgBouncer says to settings of a session, which are not one client's there. */
const pooled = 'unsupported startup parameter';

export function unavailable(detail: string, cause?: unknown): TryLaterError {
  return new TryLaterError(503, 'database_unavailable', detail, 1, { cause });
}

/** The transaction conflicted with another one, or this node stood still inside it, and it was rolled back: it may be retried. */
export function isRetryable(error: unknown): boolean {
  return isIdleTimeout(error) || (error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01'));
}

export function isIdleTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === idleTimeout;
}

/**
 * The connection is unusable, or leads to a standby, while another one may lead to the primary. The driver reports every problem with it (refused, reset, timed out, no free
 * one in the pool) as a plain Error with various messages, and every error of the server as a DatabaseError.
 */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DatabaseError) return startsWithAny(error.code, ['08', '57P', idleTimeout, '25006']);
  return error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);
}

/** Converts an error of the driver to an error of the store. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof DatabaseError && error.code === '23505') {
    return new UniqueViolation('A unique key is taken', { cause: error });
  }
  if (error instanceof DatabaseError && error.code === '53100') {
    return diskFull('The disk of PostgreSQL is full', error);
  }
  const isPassing = error instanceof DatabaseError ? startsWithAny(error.code, PASSING) : isConnectionLost(error);
  return isPassing ? unavailable('The database is unavailable right now', error) : error;
}

/** A short reason for the operator. Neither the server nor the driver repeats a password. */
export function whyUnavailable(error: unknown): string {
  const origin = error instanceof TryLaterError ? (error.cause ?? error) : error;
  if (!(origin instanceof Error)) return String(origin);
  if (origin.message.startsWith(pooled)) {
    return `${origin.message}. This looks like PgBouncer: give the address of PostgreSQL itself; how many connections Weft opens is WEFT_DATABASE_POOL`;
  }
  // If a name has several addresses, the message is empty and only the code is set.
  return origin.message || String((origin as { code?: unknown }).code ?? origin.name);
}

function startsWithAny(code: string | undefined, beginnings: readonly string[]): boolean {
  return code !== undefined && beginnings.some((beginning) => code.startsWith(beginning));
}
