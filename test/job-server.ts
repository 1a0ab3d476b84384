// The job path without its workers and sockets on a real server with a real database and the embedded broker, for tests
// that need the broker or the clock in their own hands. Whoever shows a name as token is that caller.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Broker, BrokerUnavailable, openSqliteBroker } from '../broker/src/index.ts';
import { type JobMessage, TaskType } from '../contract/src/index.ts';
import { AgentService, type AgentServiceOptions } from '../controller/src/agents/agent-service.ts';
import { createAgentStore } from '../controller/src/agents/agent-store.sql.ts';
import type { Caller } from '../controller/src/caller.ts';
import { AuthenticationError } from '../controller/src/errors.ts';
import { callbackRoutes } from '../controller/src/jobs/api/callback-routes.ts';
import { jobRoutes } from '../controller/src/jobs/api/job-routes.ts';
import { JobService } from '../controller/src/jobs/api/job-service.ts';
import { type MailboxLimits, MailboxService } from '../controller/src/jobs/mailbox/mailbox-service.ts';
import { createMailboxStore } from '../controller/src/jobs/mailbox/mailbox-store.sql.ts';
import { CallbackTokens } from '../controller/src/jobs/publish/callback-tokens.ts';
import { DeadLetterService } from '../controller/src/jobs/publish/dead-letter-service.ts';
import { JobOutbox } from '../controller/src/jobs/publish/job-outbox.ts';
import { JobUpkeep } from '../controller/src/jobs/publish/job-upkeep.ts';
import { createDeadLetterStore } from '../controller/src/jobs/store/dead-letter-store.sql.ts';
import { createJobStore } from '../controller/src/jobs/store/job-store.sql.ts';
import { Keyring } from '../controller/src/secrets.ts';
import { listen } from './listening-server.ts';
import { openDatabase } from './stores.ts';
import type { Answer } from './weft.ts';

const user = (name: string, isAdmin = false): Caller => ({
  kind: 'user',
  id: `id of ${name}`,
  name: `${name}@weft.test`,
  roles: [isAdmin ? 'admin' : 'user'],
  isAdmin,
});

const callers: Record<string, Caller> = {
  admin: user('admin', true),
  admin2: user('admin2', true),
  ada: user('ada'),
  bob: user('bob'),
  'ap-1': { kind: 'agent', id: 'id of ap-1', name: 'ap-1' },
  'app-1': { kind: 'third_party_app', id: 'id of app-1', name: 'app-1', permissions: { agents: ['ap-*'] } },
  // Ids of one kind of caller mean nothing to another.
  impostor: { kind: 'third_party_app', id: 'id of ada', name: 'ada', permissions: {} },
  blind: { kind: 'third_party_app', id: 'id of blind', name: 'blind', permissions: { read: false } },
};

interface JobServerOptions {
  maxOpen?: number;
  maxUnpublished?: number;
  mailboxLimits?: MailboxLimits;
}

export type JobServer = Awaited<ReturnType<typeof startJobServer>>;

export async function startJobServer({
  maxOpen = 1000,
  maxUnpublished = 10_000,
  mailboxLimits,
}: JobServerOptions = {}) {
  const { folder, database, close } = await openDatabase('jobs');
  const keyring = new Keyring(randomBytes(32).toString('hex'));
  const tokens = new CallbackTokens(keyring);
  const broker = openSqliteBroker({ file: join(folder, 'broker.db'), queues: TaskType.enum, deliveryLimit: 4 });
  // What a test may set.
  const outside = { brokerIsAway: false, aheadMs: 0, sockets: new Set<string>() };
  const now = () => Date.now() + outside.aheadMs;
  const publish: Broker['publish'] = async (...message) => {
    if (outside.brokerIsAway) throw new BrokerUnavailable('switched off by the test');
    await broker.publish(...message);
  };
  const changes: string[] = [];
  const store = createJobStore(database);
  const mailbox = new MailboxService({
    mailbox: createMailboxStore(database),
    retentionMs: 24 * 3_600_000,
    hasSocket: (job_number) => outside.sockets.has(job_number),
    now,
    ...(mailboxLimits && { limits: mailboxLimits }),
  });
  const outbox = new JobOutbox({
    jobs: store,
    broker: { publish },
    tokens,
    keyring,
    onUnreadable: (job_number) => void mailbox.end(job_number, 'failed', 'unreadable'),
    onChange: (message) => changes.push(message),
    now,
  });
  const jobs = new JobService({
    jobs: store,
    mailbox,
    outbox,
    timeoutMs: 3_600_000,
    limits: { maxOpen, maxUnpublished },
    now,
  });
  const letterStore = createDeadLetterStore(database);
  const letters = new DeadLetterService({ letters: letterStore, jobs: store, mailbox, now });
  const upkeep = new JobUpkeep({
    jobs: store,
    outbox,
    mailbox,
    letters,
    onChange: (message) => changes.push(message),
    now,
  });
  const agentStore = createAgentStore(database);
  // Only looked up here; nothing else of it is asked for.
  const agents = new AgentService({ agents: agentStore } as AgentServiceOptions);
  const server = await listen({
    routes: [...jobRoutes({ jobs, agents }), ...callbackRoutes({ jobs, mailbox })],
    authenticator: {
      authenticate(token) {
        if (!Object.hasOwn(callers, token)) throw new AuthenticationError('invalid_token', 'Could not validate');
        return callers[token]!;
      },
      authenticateAgent: () => callers['ap-1']!,
      callbackJob: (token) => tokens.verify(token),
    },
  });
  const { url } = server;

  const request = async (method: string, path: string, token?: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };
  const published: JobMessage[] = [];
  const collectors = await Promise.all(
    TaskType.enum.map((queue) =>
      broker.consume(queue, { prefetch: 100 }, async ({ body }) => {
        published.push(JSON.parse(Buffer.from(body).toString()));
      }),
    ),
  );

  return {
    url,
    database,
    store,
    jobs,
    mailbox,
    outbox,
    letters,
    letterStore,
    upkeep,
    tokens,
    outside,
    /** What came out of the queues, in order. */
    published,
    /** What the log would say. */
    changes,
    request,
    async agent(ap_id: string) {
      const record = { id: `id of ${ap_id}`, ap_id, password_hash: '', configuration: {}, onboard: true };
      await agentStore.create({ ...record, emulated_for: null, ver: '', created_at: 0 });
    },
    /** The number of a new job of this caller. */
    async ask(token = 'ada'): Promise<string> {
      const answer = await request('POST', '/api/v1/agent_details/request_all_agents_details', token);
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body.job_number;
    },
    async stop() {
      await server.close();
      await upkeep.stop();
      await outbox.stop();
      await Promise.all(collectors.map((collector) => collector.stop()));
      await broker.close();
      await close();
    },
  };
}
