// A job and its messages for a component, for as long as it is on the page.
import { useEffect, useState } from 'preact/hooks';
import { type Failure, type Job, type JobEnvelope, toFailure, weft } from '../api/client.ts';
import { isSignedIn } from '../session/session.ts';

type JobStreamState = 'reading' | 'live' | 'polling' | 'broken' | 'ended';

export interface JobInSight {
  job: Job | undefined;
  messages: readonly JobEnvelope[];
  /** How many at the beginning are not among `messages`. */
  skipped: number;
  state: JobStreamState;
  failure: Failure | undefined;
}

/** What a page takes in of what is stored already. */
const maxMessages = 500;
const maxBytes = 8 * 1024 * 1024;
/** Of a job that goes on for long the newest stay. */
const keptMessages = 1000;
const nothing: JobInSight = { job: undefined, messages: [], skipped: 0, state: 'reading', failure: undefined };

export function useJobStream(job_number: string): JobInSight {
  const [seen, setSeen] = useState<JobInSight>(nothing);
  const canAsk = isSignedIn.value;
  useEffect(() => {
    if (!canAsk) return;
    const leaving = new AbortController();
    setSeen(nothing);
    const change = (part: (before: JobInSight) => Partial<JobInSight>) => {
      if (!leaving.signal.aborted) setSeen((before) => ({ ...before, ...part(before) }));
    };
    follow(job_number, leaving.signal, change).catch((error) =>
      change(() => ({ state: 'broken', failure: toFailure(error) })),
    );
    return () => leaving.abort();
  }, [job_number, canAsk]);
  return seen;
}

/** Resolves when the job has ended; rejects if it is refused. */
async function follow(
  job_number: string,
  signal: AbortSignal,
  change: (part: (before: JobInSight) => Partial<JobInSight>) => void,
): Promise<void> {
  const messages = weft.job(job_number, {
    pollMs: 2_000,
    signal,
    after: (job) => {
      const skipped = firstToRead(job);
      change(() => ({ skipped }));
      return skipped;
    },
    onJob: (job) => change(() => ({ job })),
    // What a job has left behind is read, not waited for.
    onOpen: () => change(({ job, state }) => ({ state: job?.ended_at ? state : 'live', failure: undefined })),
    onBreak: (error) =>
      change(() => ({ state: error ? 'broken' : 'polling', failure: error ? toFailure(error) : undefined })),
  });
  for await (const message of messages) {
    change((before) => {
      const all = [...before.messages, message];
      const dropped = Math.max(0, all.length - keptMessages);
      return { messages: all.slice(dropped), skipped: before.skipped + dropped };
    });
  }
  if (!signal.aborted) change(() => ({ state: 'ended', failure: undefined }));
}

/** The `seq` after which to begin, so that what is read stays within bounds. */
export function firstToRead({ last_seq, bytes }: { last_seq: number; bytes: number }): number {
  const mean = last_seq === 0 ? 0 : bytes / last_seq;
  const fitting = mean === 0 ? maxMessages : Math.max(1, Math.floor(maxBytes / mean));
  return Math.max(0, last_seq - Math.min(maxMessages, fitting));
}
