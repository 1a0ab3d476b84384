// What a worker stands on, real stores and a real broker, and its outside world: an HTTP server that takes callbacks into
// the real mailbox, or answers as it is told.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openSqliteBroker } from '../broker/src/index.ts';
import { AgentService } from '../controller/src/agents/agent-service.ts';
import { createAgentStore } from '../controller/src/agents/agent-store.sql.ts';
import { AuditService } from '../controller/src/audit/audit-service.ts';
import { createAuditLog } from '../controller/src/audit/audit-store.sql.ts';
import { ConflictError, NotFoundError, TryLaterError } from '../controller/src/errors.ts';
import { type CallbackKind, MailboxService } from '../controller/src/jobs/mailbox/mailbox-service.ts';
import { createMailboxStore } from '../controller/src/jobs/mailbox/mailbox-store.sql.ts';
import { createJobStore } from '../controller/src/jobs/store/job-store.sql.ts';
import { CallbackClient } from '../controller/src/jobs/worker/callback-client.ts';
import { JobRun, type JobTask } from '../controller/src/jobs/worker/job-run.ts';
import { PasswordHasher } from '../controller/src/password-hasher.ts';
import { openSqlite } from '../controller/src/storage/sql-database.sqlite.ts';
import { openEmbeddedTelemetry } from '../controller/src/telemetry/store/telemetry-store.embedded.ts';

const day = 86_400_000;

/** What a callback is answered with instead of being stored; `drop` closes the connection. */
export type Told = { status: number; code?: string; retryAfter?: number } | 'drop' | undefined;

export interface ReceivedPost {
  job_number: string;
  kind: string;
  token: string | undefined;
  chunk: number | null;
  final: boolean;
  progress: number | undefined;
  error: string | undefined;
  data: string;
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
  const mailbox = createMailboxStore(database);
  const mailboxService = new MailboxService({ mailbox, retentionMs: day });
  const broker = openSqliteBroker({
    file: join(folder, 'broker.db'),
    queues: ['agent_details', 'agent_data'],
    deliveryLimit: 3,
  });
  const endpoint = await startEndpoint(async (post) => {
    const job = await jobs.get(post.job_number);
    if (!job) throw new NotFoundError('job_not_found', 'Job not found');
    const { kind, data, chunk, final, error, progress } = post;
    const isEmpty = data === '[]';
    return mailboxService.post(job, {
      kind: kind as CallbackKind,
      data,
      isEmpty,
      final,
      chunk,
      error,
      progress,
      isByWorker: true,
    });
  });
  const callback = new CallbackClient({ url: endpoint.url });

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
  const attempt = async (job_number: string, task: JobTask, onRun?: (run: JobRun) => void) => {
    const holder = randomUUID();
    await jobs.release([job_number], (await jobs.get(job_number))!.lease_holder ?? '');
    const job = await jobs.claim(job_number, holder, Date.now(), 5_000);
    const run = new JobRun({
      job: job!,
      kind: job!.task_type as CallbackKind,
      callback,
      callback_token: `token-${job_number}`,
      mailbox,
      renew: async () => (await jobs.renew([job_number], holder, Date.now(), 5_000)).has(job_number),
      leaseMs: 5_000,
    });
    onRun?.(run);
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
    mailbox,
    mailboxService,
    broker,
    endpoint,
    callback,
    createJob,
    publish,
    attempt,
    messages,
    /** All records or agents of a job's messages, in order. */
    results: async (job_number: string) =>
      (await messages(job_number)).filter(({ type }) => type !== 'status').flatMap(({ data }) => JSON.parse(data)),
    close: async () => {
      callback.close();
      await broker.close();
      await endpoint.close();
      await telemetry.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startEndpoint(store: (post: ReceivedPost) => Promise<unknown>) {
  const posts: ReceivedPost[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://localhost');
    const query = url.searchParams;
    const number = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined);
    const post: ReceivedPost = {
      job_number: query.get('job_number') ?? '',
      kind: url.pathname.replace('/api/v1/callback/', ''),
      token: request.headers.authorization,
      chunk: number('chunk') ?? null,
      final: query.get('final') === 'true',
      progress: number('progress'),
      error: query.get('error') ?? undefined,
      data: await text(request).catch(() => ''),
    };
    posts.push(post);
    const before = await endpoint.before(post);
    if (before) return tell(response, before);
    try {
      const answer = await store(post);
      const after = await endpoint.after(post);
      if (after) return tell(response, after);
      response.end(JSON.stringify(answer));
    } catch (error) {
      tell(response, { status: statusOf(error), code: (error as { code?: string }).code ?? 'unknown' });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    /** Asked before a post is stored, and after it. */
    before: async (_post: ReceivedPost): Promise<Told> => undefined,
    after: async (_post: ReceivedPost): Promise<Told> => undefined,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return endpoint;
}

function tell(response: ServerResponse, told: Exclude<Told, undefined>): void {
  if (told === 'drop') {
    response.destroy();
    return;
  }
  const { status, code = 'told', retryAfter } = told;
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ detail: `as told: ${code}`, code }));
}

function statusOf(error: unknown): number {
  if (error instanceof TryLaterError) return error.status;
  if (error instanceof NotFoundError) return 404;
  return error instanceof ConflictError ? 409 : 500;
}
