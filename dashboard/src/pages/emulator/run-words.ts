// What is known of a run, in the form pages need it. Pure; nothing a worker posted is trusted to be of a certain shape.
import type { EmulatorRun, JobEnvelope, Technology } from '../../api/operations.ts';
import { technologies } from './network-form.ts';

export interface RunEvent {
  event: string;
  modelTime: number | undefined;
  agentsOnline: number | undefined;
  served: number | undefined;
  devices: number | undefined;
  powerW: number | undefined;
  deliveredMbps: number | undefined;
  lateBySeconds: number | undefined;
  at: number;
}

export function countsByType({ by_type }: Pick<EmulatorRun, 'by_type'>): [technology: Technology, count: number][] {
  return technologies.flatMap((technology): [Technology, number][] => {
    const count = Number(by_type[technology] ?? 0);
    return count > 0 ? [[technology, count]] : [];
  });
}

/** Seconds until the end, by the clock; undefined for a run that is over. */
export function secondsLeft({ is_over, ends_at }: Pick<EmulatorRun, 'is_over' | 'ends_at'>, nowMs: number) {
  return is_over ? undefined : Math.max(0, (Date.parse(ends_at) - nowMs) / 1000);
}

/** How much is done, from 0 to 1. What the emulator told last may be a minute old; the clock knows better. */
export function shareDone(
  run: Pick<EmulatorRun, 'is_over' | 'state' | 'progress' | 'created_at' | 'ends_at'>,
  nowMs: number,
) {
  if (run.state !== 'running') return run.progress ?? undefined;
  const [start, end] = [Date.parse(run.created_at), Date.parse(run.ends_at)];
  return Math.min(1, Math.max(run.progress ?? 0, (nowMs - start) / Math.max(1, end - start)));
}

export function toRunEvent(value: unknown, at: number): RunEvent {
  const told = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const number = (key: string) => (typeof told[key] === 'number' ? told[key] : undefined);
  const modelTime = typeof told.model_time === 'string' ? Date.parse(told.model_time) : Number.NaN;
  return {
    event: typeof told.event === 'string' ? told.event : '',
    modelTime: Number.isFinite(modelTime) ? modelTime : undefined,
    agentsOnline: number('agents_online'),
    served: number('served'),
    devices: number('devices'),
    powerW: number('power_w'),
    deliveredMbps: number('delivered_mbps'),
    lateBySeconds: number('late_by_seconds'),
    at,
  };
}

/** What the emulator told, oldest first. */
export function runEvents(messages: readonly JobEnvelope[]): RunEvent[] {
  return messages
    .filter(({ type }) => type === 'emulator')
    .flatMap(({ data, ts }) => data.map((item) => toRunEvent(item, Date.parse(ts))));
}

/** Its number within the run; 0 for a name that has none. */
export function numberInRun(ap_id: string): number {
  return Number(/-(\d+)$/.exec(ap_id)?.[1] ?? 0);
}
