// `weft jobs`: lists jobs, follows their messages, cancels them.
import type { Job } from '@weft/contract';
import { didYouMean } from '@weft/contract/closest-name';
import { type ClientCommand, type CommandLine, printResult, requireOptions, unknownValue } from '../command.ts';
import { connect, identityHelp, listOptions } from '../connection.ts';
import { toJson } from '../json-text.ts';
import { toMoment } from '../moments.ts';
import { interruptionOf, type Surroundings, UsageError, writeAll } from '../surroundings.ts';
import { type Look, printList } from '../table.ts';

const states = ['queued', 'running', 'succeeded', 'failed', 'expired', 'cancelled'];

export const jobsCommand: ClientCommand = {
  summary: 'list jobs, follow their messages, cancel them',
  usage: ['jobs [--state STATE] [--all] [--wide] [--iso] [--json]', 'jobs follow JOB [--after SEQ]', 'jobs cancel JOB'],
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
    const [action, job_number, ...rest] = line.words;
    if (action === undefined) {
      requireOptions(line, 'jobs', ['state', 'all', 'limit', 'wide', 'iso', 'json', 'url']);
      return list(line, around);
    }
    if (job_number === undefined || rest.length > 0)
      throw new UsageError(`Usage: weft ${jobsCommand.usage.join('\n       weft ')}`);
    if (action === 'follow') requireOptions(line, 'jobs follow', ['after', 'json', 'url']);
    if (action === 'cancel') requireOptions(line, 'jobs cancel', ['json', 'url']);
    if (action === 'follow') return follow(job_number, line, around);
    if (action === 'cancel') return cancel(job_number, line, around);
    const hint = didYouMean(action, ['follow', 'cancel']);
    throw new UsageError(`Unknown action ${action}.${hint} Use weft jobs follow or weft jobs cancel.`);
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
