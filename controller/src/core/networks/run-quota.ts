// What one caller may have of emulated networks at once. What is too much alone is refused by emulator-plan.
import type { Caller } from '../base/caller.ts';
import { TryLaterError } from '../base/errors.ts';
import { rightsOf } from '../base/rights/rights.ts';
import type { RunUsage } from './emulator-run-store.ts';

export interface RunQuota {
  /** Of one caller that have not ended. */
  maxRuns: number;
  maxAccessPointsPerCaller: number;
  maxDeviceSeconds: number;
}

export interface EmulatorLimits extends RunQuota {
  maxAccessPoints: number;
  maxDurationSeconds: number;
  retentionDays: number;
  /** Limit of unfinished jobs of one caller. */
  maxOpenJobs: number;
  /** How long after its end a job may still be processed. */
  jobTimeoutMs: number;
}

const longestRetrySeconds = 3600;

/** With what the app itself may have. */
export function limitsFor(caller: Caller, limits: EmulatorLimits): EmulatorLimits {
  const own = rightsOf(caller).limits.emulator;
  const most = (typeof own === 'object' ? own.max_access_points : undefined) ?? Number.POSITIVE_INFINITY;
  return { ...limits, maxAccessPointsPerCaller: Math.min(limits.maxAccessPointsPerCaller, most) };
}

/** Throws TryLaterError 429 that names the bound and what to do. */
export function requireQuota(
  quota: RunQuota,
  has: RunUsage,
  wants: { accessPoints: number; deviceSeconds: number },
  nowMs: number,
): void {
  const { maxRuns, maxAccessPointsPerCaller, maxDeviceSeconds } = quota;
  const refuse = (code: string, bound: string, present: number) => {
    const seconds = Math.ceil(((has.nextEndMs ?? nowMs) - nowMs) / 1000);
    throw new TryLaterError(
      429,
      code,
      `At most ${bound} of one caller at once, and you have ${present}: stop one of your networks ` +
        '(POST /api/v1/emulator/{job_number}/stop), or wait until one ends',
      Math.min(longestRetrySeconds, Math.max(1, seconds)),
    );
  };
  if (has.runs >= maxRuns) refuse('too_many_runs', `${maxRuns} emulated networks`, has.runs);
  if (has.accessPoints + wants.accessPoints > maxAccessPointsPerCaller) {
    refuse('too_many_access_points', `${maxAccessPointsPerCaller} emulated access points`, has.accessPoints);
  }
  // Those that have ended are kept to be looked at; without a bound one caller would fill the whole installation with them.
  const maxWithKept = 2 * maxAccessPointsPerCaller;
  if (has.accessPoints + has.kept + wants.accessPoints > maxWithKept) {
    throw new TryLaterError(
      429,
      'too_many_kept_access_points',
      `At most ${maxWithKept} emulated access points of one caller with those that have ended, and of yours ${has.kept} have: ` +
        'they are removed a while after their network has ended (WEFT_EMULATOR_KEEP_HOURS)',
      longestRetrySeconds,
    );
  }
  if (has.deviceSeconds + wants.deviceSeconds > maxDeviceSeconds) {
    refuse('too_many_device_seconds', `${maxDeviceSeconds} device-seconds (devices times duration)`, has.deviceSeconds);
  }
}
