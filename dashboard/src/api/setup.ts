// How far Weft is set up: asked before anybody has signed in.
import { failureText } from '../text/failures.ts';
import { Failure, failureOf } from './failure.ts';

export interface Setup {
  /** Null while the database does not answer. */
  has_admin: boolean | null;
  /** Whether creating the first administrator needs the code that was printed at start. */
  code_needed: boolean;
  signup: 'open' | 'closed';
  password_length: { min: number; max: number };
}

/** Rejects with Failure. */
export async function readSetup(): Promise<Setup> {
  const response = await fetch('/setup.json', { credentials: 'omit', cache: 'no-store' }).catch(() => {
    throw new Failure(0, 'unreachable', failureText.unreachable);
  });
  const body = await response.json().catch(() => undefined);
  if (!response.ok) throw failureOf(response, body);
  return body as Setup;
}
