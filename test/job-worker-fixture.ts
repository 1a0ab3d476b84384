// What a worker stands on: real stores, the real embedded broker and the real mailbox.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteBroker } from '../broker/src/index.ts';
import type { CallbackAnswer } from '../contract/src/index.ts';
import { AgentService } from '../controller/src/agents/agent-service.ts';
import { createAgentStore } from '../controller/src/agents/agent-store.sql.ts';
import { AuditService } from '../controller/src/audit/audit-service.ts';
import { createAuditLog } from '../controller/src/audit/audit-store.sql.ts';
import { type Callback, MailboxService } from '../controller/src/jobs/mailbox/mailbox-service.ts';
import { createMailboxStore } from '../controller/src/jobs/mailbox/mailbox-store.sql.ts';
import { createJobStore } from '../controller/src/jobs/store/job-store.sql.ts';
import { JobRun, type JobTask } from '../controller/src/jobs/worker/job-run.ts';
import { PasswordHasher } from '../controller/src/password-hasher.ts';
import { openSqlite } from '../controller/src/storage/sql-database.sqlite.ts';
import { openEmbeddedTelemetry } from '../controller/src/telemetry/store/telemetry-store.embedded.ts';

const day = 86_400_000;

/** The real mailbox, with a look at each post before it is stored and after it. What these throw, the worker gets. */
class WatchedMailbox extends MailboxService {
  readonly posts: Callback[] = [];
  before = async (_post: Callback): Promise<void> => {};
  after = async (_post: Callback): Promise<void> => {};

  override async post(...[job, post]: Parameters<MailboxService['post']>): Promise<CallbackAnswer> {
    this.posts.push(post);
    await this.before(post);
    const answer = await super.post(job, post);
    await this.after(post);
    return answer;
  }

  reset(): void {
    this.posts.length = 0;
    this.before = async () => {};
    this.after = async () => {};
  }
}

export type JobFixture = Awaited<ReturnType<typeof openJobFixture>>;

export async function openJobFixture() {
  const folder = await mkdtemp(join(tmpdir(), 'weft-jobs-'));
  const database = openSqlite(join(folder, 'weft.db'));
  await database.migrate();
  const telemetry = await openEmbeddedTelemetry({
    folder,
    rawRetentionMs: 30 * day,
    rollupRetentionMs: 400 * day,
    onDamage: () => {},
    onFatal: () => {},
  });
  const agentStore = createAgentStore(database);
  const agents = new AgentService({
    agents: agentStore,
    hasher: new PasswordHasher(),
    callerChanged: () => {},
    audit: new AuditService(createAuditLog(database)),
    maxAgents: 1e6,
  });
  const jobs = createJobStore(database);
  const mailboxStore = createMailboxStore(database);
  const mailbox = new WatchedMailbox({ mailbox: mailboxStore, retentionMs: day });
  const broker = openSqliteBroker({
    file: join(folder, 'broker.db'),
    queues: ['agent_details', 'agent_data'],
    deliveryLimit: 3,
  });

  /** A job as JobService makes it, and its message. */
  const createJob = async (task_type: string, data: Record<string, unknown>, created_at = Date.now()) => {
    const job_number = randomUUID();
    await jobs.create({
      job_number,
      task_type,
      owner_kind: 'user',
      owner_id: 'owner-1',
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
    const { task_type } = (await jobs.get(job_number))!;
    const requested_by = { kind: 'user', id: 'owner-1' };
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
    agents,
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
    close: async () => {
      await broker.close();
      await telemetry.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
