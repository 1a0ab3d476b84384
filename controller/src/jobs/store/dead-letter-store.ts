// Messages that nobody could work on, kept for the operator. They come without secrets.

export interface DeadLetterRecord {
  /** Names the message; the same one may die again. */
  id: string;
  queue: string;
  /** As the broker puts it: `rejected`, `delivery_limit`, `expired` or `maxlen`. */
  reason: string;
  /** Null: the message did not say. */
  job_number: string | null;
  body: string;
  received_at: number;
}

/** Every method throws TryLaterError (503) while the database is out of reach; then nothing was changed. */
export interface DeadLetterStore {
  /** Durable when it resolves; replaces a letter of the same id. */
  record(letter: DeadLetterRecord): Promise<void>;
  /** Newest first. */
  list(limit: number): Promise<DeadLetterRecord[]>;
  /** How many were received from this moment on. */
  countSince(ms: number): Promise<number>;
  /** Forgets those received before `beforeMs`, and all but the newest `keep`. */
  prune(beforeMs: number, keep: number): Promise<void>;
}
