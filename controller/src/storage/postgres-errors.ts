// What PostgreSQL's error codes, and the failures of the connection to it, mean to the stores.
import { DatabaseError } from 'pg';
import { TryLaterError } from '../errors.ts';
import { UniqueViolation } from './sql-database.ts';

// SQLSTATE classes and codes that pass by themselves or once the operator has acted: the statement was not at fault.
const PASSING = [
  '08', // the connection
  '28', // logging in
  '3D000', // no such database
  '53', // disk, memory or connections used up
  '57P', // shutting down, starting up
  '57014', // statement timeout
  '58', // the system below PostgreSQL
  '25006', // read-only: a standby, or an operator's hand
  '25P03', // idle for too long inside a transaction
  '55P03', // lock timeout
];

export function unavailable(detail: string, cause?: unknown): TryLaterError {
  return new TryLaterError(503, 'database_unavailable', detail, 1, { cause });
}

/** The transaction met another one and was rolled back whole: it may be run again. */
export function isRetryable(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01');
}

/**
 * The connection cannot be used again. The driver reports every trouble with it (refused, reset, timed out, no free
 * one in the pool) as a plain Error in many wordings, and everything the server says as a DatabaseError.
 */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DatabaseError) return startsWithAny(error.code, ['08', '57P', '25P03']);
  return error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);
}

/** The error a store lets out for one that the driver threw. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof DatabaseError && error.code === '23505') {
    return new UniqueViolation('A unique key is taken', { cause: error });
  }
  const isPassing = error instanceof DatabaseError ? startsWithAny(error.code, PASSING) : isConnectionLost(error);
  return isPassing ? unavailable('The database is out of reach right now', error) : error;
}

/** In a few words, for the operator. Neither the server nor the driver repeats a password. */
export function whyUnavailable(error: unknown): string {
  const origin = error instanceof TryLaterError ? (error.cause ?? error) : error;
  if (!(origin instanceof Error)) return String(origin);
  // Where a name has several addresses, the message is empty and only the code is left.
  return origin.message || String((origin as { code?: unknown }).code ?? origin.name);
}

function startsWithAny(code: string | undefined, beginnings: readonly string[]): boolean {
  return code !== undefined && beginnings.some((beginning) => code.startsWith(beginning));
}
