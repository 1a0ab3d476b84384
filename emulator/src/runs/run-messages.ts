// What passes between a run's own thread and the one that holds its lease.
import type { EmulatorEvent, EmulatorRequest, EmulatorTask } from '@weft/contract';
import type { ClockReading } from './model-clock.ts';

/** What the thread is started with. */
export interface RunThreadOptions {
  job_number: string;
  task: EmulatorTask;
  url: string;
  trustedCertificate: string | undefined;
  stateDir: string | undefined;
  clock: ClockReading;
}

export interface RunStatus extends Omit<EmulatorEvent, 'event'> {
  /** From 0 to 1. */
  progress: number;
  /** Some agents that should be on line are not yet. */
  isComingUp: boolean;
}

export type ToRunThread =
  | { type: 'clock'; reading: ClockReading }
  | { type: 'request'; request: EmulatorRequest }
  /** `save`: somebody will go on with it. */
  | { type: 'stop'; save: boolean };

export type FromRunThread =
  | { type: 'status'; status: RunStatus }
  | { type: 'answer'; id: string; answer: unknown }
  | { type: 'trouble'; message: string }
  /** The network makes no sense: nobody could run it. */
  | { type: 'impossible'; detail: string }
  /** Its time is over, and everything is stored that could be. */
  | { type: 'ended'; status: RunStatus }
  | { type: 'stopped' };
