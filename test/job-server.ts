// The job path of the real server without its worker, on a broker and a clock that a test can switch. Whoever shows a name as
// token is that caller.
import { type Broker, BrokerUnavailable } from '../broker/src/index.ts';
import { type JobMessage, TaskType } from '../contract/src/index.ts';
import { noLabels } from '../controller/src/core/accounts/agents/agent-record.ts';
import { ThirdPartyAppStore } from '../controller/src/core/accounts/third-party-apps/third-party-app-store.ts';
import { UserStore } from '../controller/src/core/accounts/users/user-store.ts';
import { type Caller, system } from '../controller/src/core/base/caller.ts';
import type { SqlDatabase } from '../controller/src/core/base/storage/sql-database.ts';
import { createAccountParts } from '../controller/src/core/core-parts.ts';
import { Event } from '../controller/src/core/event-kinds.ts';
import { createJobsPart } from '../controller/src/core/jobs/jobs-part.ts';
import type { MailboxLimits } from '../controller/src/core/jobs/mailbox/mailbox-service.ts';
import { schemeOf, shownBy } from './pure/shown.ts';
import { type Answer, startWeft } from './weft.ts';

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

/** Nobody gets a job who does not exist. */
async function createCallers(database: SqlDatabase): Promise<void> {
  const users = new UserStore(database);
  const apps = new ThirdPartyAppStore(database);
  for (const caller of Object.values(callers)) {
    const { id, name } = caller;
    if (caller.kind === 'user') {
      const roles = [...caller.roles];
      const enabled = { disabled_at: null, disabled_by: null, waiting_since: null, grants: [] };
      await users.create({ id, username: name, password_hash: '', roles, ver: '', created_at: 0, ...enabled });
    } else if (caller.kind === 'third_party_app') {
      const permissions = { ...caller.permissions };
      await apps.create({ id, app_name: name, api_key_encrypted: '', permissions, ver: '', created_at: 0 });
    }
  }
}

interface JobServerOptions {
  maxOpen?: number;
  maxUnpublished?: number;
  mailboxLimits?: MailboxLimits;
  more?: Record<string, string>;
}

export type JobServer = Awaited<ReturnType<typeof startJobServer>>;

export async function startJobServer({ maxOpen, maxUnpublished, mailboxLimits, more }: JobServerOptions = {}) {
  // What a test may set.
  const outside = { brokerIsAway: false, aheadMs: 0, sockets: new Set<string>() };
  const changes: string[] = [];
  const settings = {
    ...(maxOpen !== undefined && { WEFT_MAX_OPEN_JOBS: String(maxOpen) }),
    ...(maxUnpublished !== undefined && { WEFT_MAX_WAITING_JOBS: String(maxUnpublished) }),
    ...more,
  };
  const weft = await startWeft(settings, {
    createParts(platform, events) {
      const { broker, config } = platform;
      const publish: Broker['publish'] = async (...message) => {
        if (outside.brokerIsAway) throw new BrokerUnavailable('switched off by the test');
        await broker.publish(...message);
      };
      const accounts = createAccountParts(platform, events);
      // The tests say themselves which queue is lost.
      const own = { ...events, queueLost: new Event<[string, number?]>() };
      const { start: _, ...jobs } = createJobsPart(
        {
          ...platform,
          config: { ...config, roles: ['api'] },
          // All that jobs need of it while they are not started.
          broker: { ...broker, publish, broadcast: (news) => broker.broadcast(news) },
          onChange: (message) => changes.push(message),
          principals: accounts.auth.principals,
          network: accounts.network.network,
          agentDetails: accounts.network.agentDetails,
          changes: accounts.audit.changes,
          tuning: { now: () => Date.now() + outside.aheadMs, mailboxLimits },
        },
        own,
      );
      jobs.hub.hasSocket = (job_number) => outside.sockets.has(job_number);
      const named = {
        schemes: [
          schemeOf((name) => (Object.hasOwn(callers, name) ? shownBy(callers[name]!) : undefined)),
          schemeOf(() => shownBy(callers['ap-1']!), 'basic'),
        ],
      };
      return { named, ...accounts, jobs };
    },
  });
  const { jobs, agents } = weft.parts;
  await createCallers(weft.platform.database);
  const published: JobMessage[] = [];
  for (const queue of TaskType.enum) {
    await weft.platform.broker.consume(queue, { prefetch: 100 }, async ({ body }) => {
      published.push(JSON.parse(Buffer.from(body).toString()));
    });
  }
  const request = (method: string, path: string, token?: string, body?: unknown): Promise<Answer> =>
    typeof body === 'string'
      ? weft.request(method, path, { token, body, headers: { 'content-type': 'application/json' } })
      : weft.request(method, path, { token, json: body });

  return {
    ...jobs,
    url: weft.url,
    database: weft.platform.database,
    retention: weft.platform.retention,
    store: jobs.jobStore,
    outside,
    /** What came out of the queues, in order. */
    published,
    /** What the log would say. */
    changes,
    request,
    async agent(ap_id: string) {
      const record = { id: `id of ${ap_id}`, ap_id, password_hash: '', configuration: {}, onboard: true };
      await agents.agentStore.create({ ...record, emulated_for: null, ver: '', created_at: 0, ...noLabels });
    },
    removeAgent: (ap_id: string) => agents.agents.remove(ap_id, system),
    /** The number of a new job of this caller. */
    async ask(token = 'ada'): Promise<string> {
      const answer = await request('POST', '/api/v1/agent_details/request_all_agents_details', token);
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body.job_number;
    },
    stop: () => weft.stop(),
  };
}
