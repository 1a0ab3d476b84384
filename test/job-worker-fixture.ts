// What a worker stands on: the stores, the broker and the mailbox of the real job part, which is not started.
import { randomUUID } from 'node:crypto';
import type { Caller } from '../controller/src/core/base/caller.ts';
import { createAccountParts } from '../controller/src/core/core-parts.ts';
import { createJobsPart } from '../controller/src/core/jobs/jobs-part.ts';
import type { Callback } from '../controller/src/core/jobs/mailbox/mailbox-service.ts';
import { JobRun, type JobTask } from '../controller/src/core/jobs/worker/job-run.ts';
import { openTestPlatform } from './platform.ts';

const day = 86_400_000;

/** Sees everything. */
export const admin: Caller = { kind: 'user', id: 'owner-1', name: 'ada@example.org', roles: ['admin'], isAdmin: true };

export const nobody: Caller = { kind: 'third_party_app', id: 'app', name: 'app', permissions: { agents: ['none'] } };

export type JobFixture = Awaited<ReturnType<typeof openJobFixture>>;

export async function openJobFixture() {
  const platform = await openTestPlatform();
  const { database, telemetryStore: telemetry, broker, events } = platform;
  const accounts = createAccountParts(platform, events);
  const { agentStore } = accounts.agents;
  const { principals } = accounts.auth;
  const part = createJobsPart(
    { ...platform, ...accounts.network, principals, changes: accounts.audit.changes },
    events,
  );
  const { jobStore: jobs, mailboxStore } = part;
  const mailbox = watch(part.mailbox);

  /** A job as JobService makes it, and its message. */
  const createJob = async (
    task_type: string,
    data: Record<string, unknown>,
    created_at = Date.now(),
    owner_id = 'owner-1',
  ) => {
    const job_number = randomUUID();
    await jobs.create({
      job_number,
      task_type,
      owner_kind: 'user',
      owner_id,
      owner_name: 'ada@example.org',
      data: JSON.stringify(data),
      created_at,
      expires_at: Date.now() + day,
      published_at: null,
      publish_after: 0,
    });
    return job_number;
  };
  const publish = async (job_number: string) => {
    const { task_type, owner_id: id } = (await jobs.get(job_number))!;
    const requested_by = { kind: 'user', id };
    const message = { job_number, task_type, requested_by, callback_token: `token-${job_number}`, data: {} };
    await broker.publish(task_type, Buffer.from(JSON.stringify(message)), { id: job_number });
  };
  /** One worker's attempt, from the claim to whatever ends it. */
  const attempt = async (job_number: string, task: JobTask) => {
    const holder = randomUUID();
    await jobs.release([job_number], (await jobs.get(job_number))!.lease_holder ?? '');
    const job = await jobs.claim(job_number, holder, Date.now(), 5_000);
    const run = new JobRun({
      job: job!,
      mailbox,
      renew: async () => (await jobs.renew([job_number], holder, Date.now(), 5_000)).has(job_number),
      leaseMs: 5_000,
    });
    await task(run);
  };
  const messages = async (job_number: string) => {
    const all = [];
    for (let after = 0; ; ) {
      const page = await mailbox.list(job_number, after, 1e9);
      if (page.length === 0) return all;
      all.push(...page);
      after = page.at(-1)!.seq;
    }
  };
  return {
    database,
    telemetry,
    agentStore,
    ...accounts.network,
    jobs,
    mailboxStore,
    mailbox,
    broker,
    createJob,
    publish,
    attempt,
    messages,
    /** All records or agents of a job's messages, in order. */
    results: async (job_number: string) =>
      (await messages(job_number)).filter(({ type }) => type !== 'status').flatMap(({ data }) => JSON.parse(data)),
    close: () => platform.close(),
  };
}

/** With a look at each post before it is stored and after it. What these throw, the worker gets. */
function watch(mailbox: ReturnType<typeof createJobsPart>['mailbox']) {
  const post = mailbox.post.bind(mailbox);
  const watched = Object.assign(mailbox, {
    posts: [] as Callback[],
    before: async (_post: Callback): Promise<void> => {},
    after: async (_post: Callback): Promise<void> => {},
    reset(): void {
      watched.posts.length = 0;
      watched.before = async () => {};
      watched.after = async () => {};
    },
  });
  watched.post = async (job, callback) => {
    watched.posts.push(callback);
    await watched.before(callback);
    const answer = await post(job, callback);
    await watched.after(callback);
    return answer;
  };
  return watched;
}
