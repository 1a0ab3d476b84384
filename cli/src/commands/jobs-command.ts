// `weft jobs`: lists jobs, follows their messages, cancels them.
import type { Job } from '@weft/contract';
import { type Command, type CommandLine, printResult, unknownValue } from '../command.ts';
import { connect, identityHelp, listOptions } from '../connection.ts';
import { toJson } from '../json-text.ts';
import { toMoment } from '../moments.ts';
import { interruptionOf, type Surroundings, UsageError, writeAll } from '../surroundings.ts';
import { type Look, printList } from '../table.ts';

const states = ['queued', 'running', 'succeeded', 'failed', 'expired', 'cancelled'];

export const jobsCommand: Command = {
  summary: 'list jobs, follow their messages, cancel them',
  usage: [
    'jobs [--state STATE] [--all] [--limit N] [--wide] [--iso] [--json]',
    'jobs follow JOB [--after SEQ] [--json]',
    'jobs cancel JOB [--json]',
  ],
  about: `follow prints each message of the job as one JSON object per line, including earlier ones, until the job has ended.
${identityHelp}`,
  options: {
    state: {
      value: 'STATE',
      about: 'only jobs in this state: queued, running, succeeded, failed, expired or cancelled',
    },
    all: { about: 'jobs of all callers; for administrators' },
    limit: { value: 'N', about: 'maximum number, up to 200 (default: 50)' },
    after: { value: 'SEQ', about: 'only messages after the one with this number' },
    ...listOptions,
  },
  examples: ['jobs', 'jobs --state running --json', 'jobs follow 8e146d6a-3b23-42ba-8616-a658af6a70be'],
  async run(line, around) {
    const [action, job_number] = line.words;
    if (job_number === undefined) return list(line, around);
    return action === 'follow' ? follow(job_number, line, around) : cancel(job_number, line, around);
  },
};

async function list(line: CommandLine, around: Surroundings): Promise<void> {
  const state = line.get('state');
  if (state !== undefined && !states.includes(state)) throw unknownValue('--state', state, states);
  const limit = Number(line.get('limit') ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > 200) throw new UsageError('--limit must be from 1 to 200.');
  const query = { state, limit, all: line.has('all') || undefined };
  const jobs: Job[] = await connect(line, around).request('GET', '/api/v1/jobs', { query });
  const head = ['JOB', 'TYPE', 'STATE', 'MESSAGES', 'CREATED', 'REASON'];
  printList(jobs, { none: 'There are no such jobs.', head, toRow }, line, around);
}

function toRow({ job_number, task_type, state, last_seq, created_at, detail }: Job, { isIso }: Look): string[] {
  return [job_number, task_type, state, String(last_seq), toMoment(created_at, isIso), detail ?? ''];
}

async function follow(job_number: string, line: CommandLine, around: Surroundings): Promise<void> {
  const after = Number(line.get('after') ?? 0);
  if (!Number.isInteger(after) || after < 0) throw new UsageError('--after must be the number of a message.');
  const app = connect(line, around, { patienceMs: 60_000 });
  const signal = interruptionOf(around);
  // The WebSocket of an administrator would create a job with this number, and wait for it.
  await app.request('GET', `/api/v1/jobs/${encodeURIComponent(job_number)}`, { query: { after }, signal });
  for await (const message of app.job(job_number, { after, signal })) {
    await writeAll(around.stdout, `${toJson(message)}\n`);
  }
  signal.throwIfAborted();
}

async function cancel(job_number: string, line: CommandLine, around: Surroundings): Promise<void> {
  const job: Job = await connect(line, around).request('DELETE', `/api/v1/jobs/${encodeURIComponent(job_number)}`);
  printResult(job, `The job is ${job.state}.`, line, around);
}
