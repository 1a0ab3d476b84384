// Requests to a running network, for the process that runs it, and its answers.
import type { EmulatorRequest } from '@weft/contract';

export interface NewRequest extends EmulatorRequest {
  job_number: string;
  expires_at: number;
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export interface EmulatorRequestStore {
  create(request: NewRequest): Promise<void>;
  /** Takes the requests of the run that were not taken and have not expired; each is taken once, on any node. */
  take(job_number: string, nowMs: number): Promise<EmulatorRequest[]>;
  /** Stores the answer, a JSON text, if the request belongs to the run and has no answer yet. */
  answer(job_number: string, id: string, answer: string): Promise<void>;
  /** The JSON text; undefined while there is none. */
  answerOf(id: string): Promise<string | undefined>;
  remove(id: string): Promise<void>;
  /** Deletes expired requests. */
  prune(nowMs: number): Promise<void>;
}
