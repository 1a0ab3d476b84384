// What an emulated network would have drawn without commands about sleep and power: asks for the job, and follows it.
import type { EnergyRerun } from '@weft/contract/operations';
import { useEffect, useState } from 'preact/hooks';
import { call, type Failure, toFailure } from '../../../api/client.ts';
import { useOperation } from '../../../data/use-operation.ts';

const pollMs = { open: 1_000, ended: 600_000 };

export interface RerunInSight {
  result: EnergyRerun | undefined;
  /** From 0 to 1. */
  progress: number;
  failure: Failure | undefined;
  /** Why the job has failed. */
  detail: string | undefined;
}

/** Of no network: nothing is asked. */
export function useRerun(network: string | undefined, window: string): RerunInSight {
  const [job_number, setJob] = useState<string | undefined>(undefined);
  const [refusal, setRefusal] = useState<Failure | undefined>(undefined);
  useEffect(() => {
    setJob(undefined);
    setRefusal(undefined);
    if (network === undefined) return undefined;
    const leaving = new AbortController();
    call('rerun_energy', { json: { job_number: network, window } }, { signal: leaving.signal }).then(
      (job) => setJob(job.job_number),
      (error) => !leaving.signal.aborted && setRefusal(toFailure(error)),
    );
    return () => leaving.abort();
  }, [network, window]);
  const { data, failure } = useOperation(
    'get_job',
    { path: { job_number: job_number ?? '' } },
    { isWanted: job_number !== undefined, pollMs: ({ ended_at }) => (ended_at ? pollMs.ended : pollMs.open) },
  );
  const job = job_number === undefined ? undefined : data;
  const result = job?.messages.find(({ type }) => type === 'energy')?.data[0] as EnergyRerun | undefined;
  const hasFailed = job !== undefined && job.ended_at !== null && !result;
  return {
    result,
    progress: job?.progress ?? 0,
    failure: refusal ?? failure,
    detail: hasFailed ? (job.detail ?? '') : undefined,
  };
}
