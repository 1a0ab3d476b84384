// A run in words: its state with a shape, what it is made of as glyphs, how far it is, and what it told.
import { emulatedTechnologies } from '@weft/contract/emulated-model';
import './run-state.css';
import {
  call,
  type EmulatorFaultKind,
  type EmulatorRun,
  type EmulatorSpinupRequest,
  type JobEnvelope,
  type ResolvedPlace,
  type Technology,
} from '../../../api/client.ts';
import { Glyph, MarkChip, marks } from '../../../components/glyph.tsx';
import { now } from '../../../data/freshness.ts';
import { queries } from '../../../data/use-operation.ts';
import { formatNumber, formatSpan } from '../../../format.ts';
import { navigate } from '../../../router/location.ts';
import { emulatorText } from '../../../text/pages.ts';

export interface ActiveFault {
  agent_id: string;
  kind: EmulatorFaultKind;
  /** In model time. */
  until: string;
}

export interface RunEvent {
  modelTime: number | undefined;
  agentsOnline: number | undefined;
  served: number | undefined;
  powerW: number | undefined;
  deliveredMbps: number | undefined;
  lateBySeconds: number | undefined;
}

export function countsByType({ by_type }: Pick<EmulatorRun, 'by_type'>): [technology: Technology, count: number][] {
  return emulatedTechnologies.flatMap((technology): [Technology, number][] => {
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

export function toRunEvent(value: unknown): RunEvent {
  const told = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const number = (key: string) => (typeof told[key] === 'number' ? told[key] : undefined);
  const modelTime = typeof told.model_time === 'string' ? Date.parse(told.model_time) : Number.NaN;
  return {
    modelTime: Number.isFinite(modelTime) ? modelTime : undefined,
    agentsOnline: number('agents_online'),
    served: number('served'),
    powerW: number('power_w'),
    deliveredMbps: number('delivered_mbps'),
    lateBySeconds: number('late_by_seconds'),
  };
}

/** What the emulator told, oldest first. */
export function runEvents(messages: readonly JobEnvelope[]): RunEvent[] {
  return messages.filter(({ type }) => type === 'emulator').flatMap(({ data }) => data.map(toRunEvent));
}

/** The faults that hold, as the emulator told last; the next to end comes first. */
export function activeFaults({ latest, is_over }: Pick<EmulatorRun, 'latest' | 'is_over'>): ActiveFault[] {
  const told = is_over ? undefined : (latest?.faults as ActiveFault[] | undefined);
  return (told ?? []).toSorted((a, b) => Date.parse(a.until) - Date.parse(b.until));
}

const places = new Map<string, ResolvedPlace[]>();

/** Rejects with Failure; then there is nothing of the network. */
export async function startNetwork(request: EmulatorSpinupRequest): Promise<void> {
  const answer = await call('emulator_spinup', { json: request });
  places.set(answer.job_number, answer.places);
  queries.refresh('list_emulator_runs', 'metrics_');
  navigate(`/emulator/${answer.job_number}`);
}

/** Empty for a network that was asked for elsewhere. */
export function placesOfRun(job_number: string): ResolvedPlace[] {
  const known = places.get(job_number) ?? [];
  // Each technology names the same places again.
  return [...new Map(known.map((place) => [place.given, place])).values()];
}

const shapes: Record<EmulatorRun['state'], string> = {
  queued: marks.clock,
  running: 'M3 1.8v8.4l7-4.2z',
  succeeded: marks.tick,
  failed: marks.cross,
  expired: marks.cross,
  cancelled: 'M2.5 2.5h7v7h-7z',
};

export function RunStateChip({ state }: { state: EmulatorRun['state'] }) {
  return <MarkChip class={`chip run-state ${state}`} mark={shapes[state]} words={emulatorText.states[state]} />;
}

export function RunKinds({ run }: { run: Pick<EmulatorRun, 'by_type'> }) {
  return (
    <span class="run-kinds">
      {countsByType(run).map(([technology, count]) => (
        <span key={technology} class="chip">
          <Glyph technology={technology} />
          {`${formatNumber(count)} ${technology}`}
        </span>
      ))}
    </span>
  );
}

export function RunProgress({ run }: { run: EmulatorRun }) {
  const left = secondsLeft(run, now.value);
  const share = shareDone(run, now.value);
  if (left === undefined || share === undefined) return <span class="faint">–</span>;
  return (
    <span class="run-progress">
      <progress value={share} max={1} aria-label={emulatorText.columns.progress} />
      {run.state === 'running' && <span class="soft">{`${formatSpan(left, left < 3600 ? 1 : 2)} left`}</span>}
    </span>
  );
}
