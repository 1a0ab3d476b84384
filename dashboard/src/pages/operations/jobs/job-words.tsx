// A job and its messages in words, and its state, told by shape as well as by colour.
import './job-state.css';
import type { BulkProgress, Command, Job, JobEnvelope, JobState } from '../../../api/client.ts';
import { MarkChip, marks } from '../../../components/glyph.tsx';
import { formatCount } from '../../../format.ts';
import { jobsText } from '../../../text/pages.ts';

const kinds = {
  agent_details: 'Details of all access points',
  agent_data: 'Data of an access point',
  send_command: 'Command',
  bulk: 'Bulk change',
  emulator_spinup: 'Emulated network',
  energy: 'Energy saved on an emulated network',
  adopted: 'Opened by an administrator',
} as Record<string, string>;
const bulkActions = { command: 'command', labels: 'site and tags', remove: 'deletion' };

export function kindOf({ task_type }: Pick<Job, 'task_type'>): string {
  return kinds[task_type] ?? task_type;
}

/** A job with what it is about, which tells jobs of one kind apart. */
export type ToldJob = Job & {
  about: { ap_id: string; command: string } | undefined;
  /** The same in words, of a bulk change. */
  words?: string | undefined;
};

export function bulkWords({ action, selector, totals }: Pick<BulkProgress, 'action' | 'selector' | 'totals'>): string {
  const count = totals.waiting + totals.done + totals.refused + totals.stopped;
  const whom =
    selector === '' ? formatCount(count, 'access point') : `${selector} (${formatCount(count, 'access point')})`;
  return `${bulkActions[action]}, ${whom}`;
}

/** The jobs with the command that each sends and to whom, as far as it is known. */
export function withCommands(
  jobs: readonly Job[],
  commands: readonly Pick<Command, 'job_number' | 'name' | 'ap_id'>[],
): ToldJob[] {
  const byJob = new Map(commands.map((command) => [command.job_number, command]));
  return jobs.map((job) => {
    const command = byJob.get(job.job_number);
    return { ...job, about: command && { ap_id: command.ap_id, command: command.name } };
  });
}

/** What a message holds, in a line. Nothing of its data is trusted to be of a certain shape. */
export function summaryOf({ type, data }: JobEnvelope): string {
  if (type === 'agent_details') return formatCount(data.length, 'access point');
  if (type === 'agent_data') {
    const fields = [...new Set(data.map((record) => textAt(record, 'field')).filter((name) => name !== undefined))];
    const names = fields.slice(0, 4).join(', ') + (fields.length > 4 ? ' …' : '');
    return names === '' ? formatCount(data.length, 'record') : `${formatCount(data.length, 'record')}: ${names}`;
  }
  const words = data.flatMap((item) => {
    const state = textAt(item, 'state');
    const detail = textAt(item, 'detail') ?? textAt(item, 'message');
    return [state, detail].filter((part) => part !== undefined).join(': ') || [];
  });
  return words.length > 0 ? words.join('; ') : formatCount(data.length, 'record');
}

/** The command a message is about, if it is about one. */
export function commandOf(messages: readonly JobEnvelope[]): string | undefined {
  for (const { data } of messages) {
    for (const item of data) {
      const id = textAt(item, 'command_id');
      if (id !== undefined) return id;
    }
  }
  return undefined;
}

function textAt(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  const found = (value as Record<string, unknown>)[key];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

export function JobStateChip({ state }: { state: JobState }) {
  return <MarkChip class={`job-state ${state}`} mark={shapes[state]} words={jobsText.states[state]} />;
}

const shapes: Record<JobState, string> = {
  queued: marks.ring,
  running: `M6 6h.01${marks.clock}`,
  succeeded: marks.tick,
  failed: marks.cross,
  expired: 'M2.5 1.5h7M2.5 10.5h7M3.5 1.5c0 4 5 5 5 9M8.5 1.5c0 4-5 5-5 9',
  cancelled: `${marks.ring}M2.9 9.1l6.2-6.2`,
};
