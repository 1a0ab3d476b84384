// The state of a job, told by shape as well as by colour.
import type { JobState } from '../../api/operations.ts';
import { jobsText } from '../../text/jobs.ts';
import './job-state.css';

export function JobStateChip({ state }: { state: JobState }) {
  return (
    <span class={`job-state ${state}`}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d={shapes[state]} />
      </svg>
      {jobsText.states[state]}
    </span>
  );
}

const ring = 'M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9';
const shapes: Record<JobState, string> = {
  queued: ring,
  running: `${ring}M6 6h.01M6 3.4V6l1.9 1.2`,
  succeeded: 'M1.8 6.4 4.8 9.4 10.4 2.8',
  failed: 'M2.2 2.2l7.6 7.6M9.8 2.2 2.2 9.8',
  expired: 'M2.5 1.5h7M2.5 10.5h7M3.5 1.5c0 4 5 5 5 9M8.5 1.5c0 4-5 5-5 9',
  cancelled: `${ring}M2.9 9.1l6.2-6.2`,
};
