// Removes telemetry that is older than the retention, now and then, in steps small enough that nobody notices.
import { setTimeout as pause } from 'node:timers/promises';
import { PeriodicTask } from '../../periodic-task.ts';
import type { TelemetryStore } from './telemetry-store.ts';

const everyMs = 60_000;
const betweenStepsMs = 20;

export class Retention extends PeriodicTask {
  constructor(store: Pick<TelemetryStore, 'prune'>, onChange: (message: string, error?: unknown) => void) {
    const run = async () => {
      while (!this.isStopped && (await store.prune(Date.now()))) await pause(betweenStepsMs);
    };
    super({ everyMs, what: 'the removal of old telemetry', run, onChange });
  }
}
