// How far Weft is set up: asked before anybody has signed in.
import { failureOf } from './failure.ts';
import { get } from './service.ts';

export interface Setup {
  /** Null while the database does not answer. */
  has_admin: boolean | null;
  /** Whether creating the first administrator needs the code that was printed at start. */
  code_needed: boolean;
  signup: 'open' | 'approve' | 'closed';
  password_length: { min: number; max: number };
  /** The operator's map server; null: the map draws its own ground. */
  map_tiles: { url: string; attribution: string } | null;
}

/** Rejects with Failure. */
export async function readSetup(): Promise<Setup> {
  const response = await get('/setup.json');
  if (!response.ok) throw failureOf(response, await response.text().catch(() => ''));
  return (await response.json()) as Setup;
}
