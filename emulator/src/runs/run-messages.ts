// What passes between a run's own thread and the one that holds its lease.
import type { EmulatorEvent, EmulatorLease, EmulatorRequest, EmulatorTask } from '@weft/contract';
import type { ClockReading } from './model-clock.ts';

/** What the thread is started with. */
export interface RunThreadOptions {
  job_number: string;
  task: EmulatorTask;
  url: string;
  trustedCertificate: string | undefined;
  stateDir: string | undefined;
  /** What its access points ran, as they told Weft last. */
  settings: EmulatorLease['settings'];
  clock: ClockReading;
}

export interface RunStatus extends Omit<EmulatorEvent, 'event'> {
  /** From 0 to 1. */
  progress: number;
  /** Some agents that should be online are not connected yet. */
  isComingUp: boolean;
}

export type ToRunThread =
  | { type: 'clock'; reading: ClockReading }
  | { type: 'request'; request: EmulatorRequest }
  /** `save`: the run will be resumed. */
  | { type: 'stop'; save: boolean };

export type FromRunThread =
  | { type: 'status'; status: RunStatus }
  | { type: 'answer'; id: string; answer: unknown }
  | { type: 'trouble'; message: string }
  /** The network is invalid: nobody could run it. */
  | { type: 'impossible'; detail: string }
  /** The run reached its end, and all samples are stored that could be. */
  | { type: 'ended'; status: RunStatus }
  | { type: 'stopped' };
