// What is asked of a running network, on its way to the process that runs it, and the answers on their way back.
import type { EmulatorRequest } from '@weft/contract';

export interface NewRequest extends EmulatorRequest {
  job_number: string;
  expires_at: number;
}

/** Every method throws TryLaterError (503) while the database is out of reach; then nothing was changed. */
export interface EmulatorRequestStore {
  create(request: NewRequest): Promise<void>;
  /** Those of the run that nobody has taken and that have not expired; nobody else gets them, on whichever node. */
  take(job_number: string, nowMs: number): Promise<EmulatorRequest[]>;
  /** Keeps the answer, a JSON text, if it is the run's request and has none yet. */
  answer(job_number: string, id: string, answer: string): Promise<void>;
  /** The JSON text; undefined while there is none. */
  answerOf(id: string): Promise<string | undefined>;
  remove(id: string): Promise<void>;
  /** Forgets what has expired. */
  prune(nowMs: number): Promise<void>;
}
