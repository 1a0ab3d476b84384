// A job and its messages for a component, for as long as it is on the page.
import { useEffect, useState } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import type { Job, JobEnvelope } from '../api/operations.ts';
import { isSignedIn } from '../session/session.ts';
import { JobStream, type JobStreamState } from './job-stream.ts';

export interface JobInSight {
  job: Job | undefined;
  messages: readonly JobEnvelope[];
  /** How many at the beginning are not among `messages`. */
  skipped: number;
  state: JobStreamState;
  failure: Failure | undefined;
}

/** Of a job that goes on for long the newest stay. */
const keptMessages = 1000;
const nothing: JobInSight = { job: undefined, messages: [], skipped: 0, state: 'reading', failure: undefined };

export function useJobStream(job_number: string): JobInSight {
  const [seen, setSeen] = useState<JobInSight>(nothing);
  const canAsk = isSignedIn.value;
  useEffect(() => {
    if (!canAsk) return;
    setSeen(nothing);
    const change = (part: (before: JobInSight) => Partial<JobInSight>) =>
      setSeen((before) => ({ ...before, ...part(before) }));
    const stream = new JobStream({
      job_number,
      onJob: (job) => change(() => ({ job })),
      onSkipped: (skipped) => change(() => ({ skipped })),
      onState: (state, failure) => change(() => ({ state, failure })),
      onMessages: (fresh) =>
        change(({ messages, skipped }) => {
          const all = [...messages, ...fresh];
          const dropped = Math.max(0, all.length - keptMessages);
          return { messages: all.slice(dropped), skipped: skipped + dropped };
        }),
    });
    stream.start();
    return () => stream.stop();
  }, [job_number, canAsk]);
  return seen;
}
