// The result of messages that nobody could work on: they are written down without their secrets, and their job, which
// nobody will ever finish, ends.
import { createHash } from 'node:crypto';
import type { DeadLetter } from '@weft/broker';
import type { MailboxService } from '../mailbox/mailbox-service.ts';
import type { DeadLetterStore } from '../store/dead-letter-store.ts';
import type { JobStore } from '../store/job-store.ts';

const maxLooksBytes = 1024 * 1024;
const maxBodyBytes = 64 * 1024;
const secretFields = /^(callback_token|.*(password|secret|api_key|token))$/i;
const jobNumber = /^[A-Za-z0-9._:-]{1,128}$/;

const whatHappened: Record<DeadLetter['reason'], string> = {
  rejected: 'No worker could read what was asked for',
  delivery_limit: 'Workers began it too often without finishing it',
  expired: 'No worker had time for it',
  maxlen: 'Too many jobs of this kind were waiting',
};

/** For how long letters are kept. */
export const letterKeptMs = 7 * 86_400_000;

export interface DeadLetterServiceOptions {
  letters: DeadLetterStore;
  jobs: Pick<JobStore, 'get'>;
  mailbox: Pick<MailboxService, 'end'>;
  /** Told of each letter, for the log; nothing of its body. */
  onLetter?: (letter: Pick<DeadLetter, 'id' | 'queue' | 'reason'>) => void;
  now?: () => number;
}

export class DeadLetterService {
  readonly #options: DeadLetterServiceOptions;

  constructor(options: DeadLetterServiceOptions) {
    this.#options = options;
  }

  /** Done when it resolves; may be repeated. Throws if the database is away. */
  async take(letter: DeadLetter): Promise<void> {
    const { letters, jobs, mailbox, onLetter, now = Date.now } = this.#options;
    const { queue, reason } = letter;
    const message = readMessage(letter.body);
    const job_number = jobNumberOf(message);
    const id = isStorable(letter.id) ? letter.id : createHash('sha256').update(letter.body).digest('hex');
    await letters.record({ id, queue, reason, job_number, body: toBodyText(message, letter.body), received_at: now() });
    onLetter?.({ id, queue, reason });
    const job = job_number === null ? undefined : await jobs.get(job_number);
    // Somebody works on it: this was a second copy of a message that did arrive.
    if (!job || job.ended_at !== null || job.lease_until > now()) return;
    await mailbox.end(
      job.job_number,
      reason === 'expired' ? 'expired' : 'failed',
      `${whatHappened[reason]} (${reason})`,
    );
  }

  /** Forgets what is older than that, and all but the newest 10,000. */
  async prune(nowMs: number): Promise<void> {
    await this.#options.letters.prune(nowMs - letterKeptMs, 10_000);
  }
}

/** The message without its secrets, or undefined for what is not JSON or more than anybody wants to look at. */
function readMessage(body: Uint8Array): unknown {
  if (body.length > maxLooksBytes) return undefined;
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'), (key, value) =>
      secretFields.test(key) && value !== null ? '***' : value,
    );
  } catch {
    // Nested so deeply that nothing can walk it, or no JSON at all.
    return undefined;
  }
}

function toBodyText(message: unknown, body: Uint8Array): string {
  const text = message === undefined ? '' : JSON.stringify(message);
  if (text !== '' && Buffer.byteLength(text) <= maxBodyBytes) return text;
  return JSON.stringify({ left_out: message === undefined ? 'not readable' : 'too large', bytes: body.length });
}

function jobNumberOf(message: unknown): string | null {
  const { job_number } = (message ?? {}) as { job_number?: unknown };
  return typeof job_number === 'string' && jobNumber.test(job_number) ? job_number : null;
}

function isStorable(id: string): boolean {
  return id !== '' && id.length <= 128 && id.isWellFormed() && !id.includes('\0');
}
