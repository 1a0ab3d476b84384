// The ways to an agent on a real server with real stores, for tests that need the ledger, the clocks or the nodes in their
// own hands. The ledger is one in memory that keeps the promises of CommandDelivery and nothing else.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, CommandResult } from '../contract/src/index.ts';
import { AgentService } from '../controller/src/agents/agent-service.ts';
import { createAgentStore } from '../controller/src/agents/agent-store.sql.ts';
import { AuditService } from '../controller/src/audit/audit-service.ts';
import { createAuditLog } from '../controller/src/audit/audit-store.sql.ts';
import { AuthService } from '../controller/src/auth/auth-service.ts';
import { requirePermission } from '../controller/src/auth/permissions.ts';
import { tokenRoutes } from '../controller/src/auth/token-routes.ts';
import { type Caller, type PrincipalSource, system } from '../controller/src/caller.ts';
import type { ChannelNews } from '../controller/src/commands/channel-elsewhere.ts';
import type { FlowLimits } from '../controller/src/commands/channel-flow.ts';
import { ChannelHub } from '../controller/src/commands/channel-hub.ts';
import { SentWindow } from '../controller/src/commands/channel-sent-window.ts';
import { channelSocketRoutes } from '../controller/src/commands/channel-socket.ts';
import type { CommandDelivery, OutgoingCommand } from '../controller/src/commands/command-delivery.ts';
import { CommandPoll } from '../controller/src/commands/command-poll.ts';
import { commandPollRoutes } from '../controller/src/commands/command-poll-routes.ts';
import { PushAllowList, type PushEntry } from '../controller/src/commands/push-address.ts';
import { PushClient, type Resolve } from '../controller/src/commands/push-client.ts';
import { PushDispatcher } from '../controller/src/commands/push-dispatcher.ts';
import { pushRoutes } from '../controller/src/commands/push-routes.ts';
import { PushSecretService } from '../controller/src/commands/push-secret-service.ts';
import { createPushSecretStore } from '../controller/src/commands/push-secret-store.sql.ts';
import { NotFoundError } from '../controller/src/errors.ts';
import { createFormats } from '../controller/src/http/formats.ts';
import { createLogger } from '../controller/src/http/log.ts';
import type { SocketTimes } from '../controller/src/http/open-socket.ts';
import { createServer } from '../controller/src/http/server.ts';
import { ServiceMetrics } from '../controller/src/http/service-metrics.ts';
import { Validator } from '../controller/src/http/validator.ts';
import { PasswordHasher } from '../controller/src/password-hasher.ts';
import { RateLimiter } from '../controller/src/rate-limiter.ts';
import { Keyring } from '../controller/src/secrets.ts';
import { openSqlite } from '../controller/src/storage/sql-database.sqlite.ts';
import { ingestRoutes } from '../controller/src/telemetry/ingest-routes.ts';
import { TelemetryService } from '../controller/src/telemetry/telemetry-service.ts';
import { openSqliteTelemetry } from '../controller/src/telemetry/telemetry-store.sqlite.ts';
import type { Frame, TelemetryStore } from '../controller/src/telemetry/telemetry-store.ts';
import { type Answer, password } from './weft.ts';

const day = 86_400_000;

export interface MemoryCommand extends OutgoingCommand {
  agent_id: string;
  state: Command['state'];
  sentAtMs: number;
  detail: string;
  answers: CommandResult[];
}

export class MemoryLedger implements CommandDelivery {
  readonly commands = new Map<string, MemoryCommand>();
  readonly #listeners: ((ap_id: string) => void)[] = [];
  /** How long a command without a word waits to be sent again. */
  resendMs = 60_000;
  dues = 0;
  /** Called before each look: where a test may hold or end it. */
  onDueAsked: () => Promise<void> | void = () => {};

  send(
    agent: { id: string; ap_id: string },
    name: string,
    args: Record<string, unknown> = {},
    lifeMs = 600_000,
  ): string {
    const command_id = randomUUID();
    const now = Date.now();
    this.commands.set(command_id, {
      ...{ command_id, ap_id: agent.ap_id, agent_id: agent.id, name, args, issued_at: now, expires_at: now + lifeMs },
      ...{ state: 'queued', sentAtMs: 0, detail: '', answers: [] },
    });
    this.tell(agent.ap_id);
    return command_id;
  }

  tell(ap_id: string): void {
    for (const listener of this.#listeners) listener(ap_id);
  }

  async due(ap_id: string, isFresh: boolean): Promise<OutgoingCommand[]> {
    this.dues++;
    await this.onDueAsked();
    const now = Date.now();
    return [...this.commands.values()]
      .filter((command) => {
        const isWaiting = command.state === 'sent' && (isFresh || now - command.sentAtMs >= this.resendMs);
        return command.ap_id === ap_id && command.expires_at > now && (command.state === 'queued' || isWaiting);
      })
      .slice(0, 1000)
      .map(({ command_id, ap_id, name, args, issued_at, expires_at }) => ({
        ...{ command_id, ap_id, name, args, issued_at, expires_at },
      }));
  }

  /** A moment later, as the real one. */
  sent(command_ids: readonly string[]): void {
    setTimeout(() => {
      for (const id of command_ids) {
        const command = this.commands.get(id)!;
        command.sentAtMs = Date.now();
        if (command.state === 'queued') command.state = 'sent';
      }
    }, 20);
  }

  async answer(agent: { id: string }, command_id: string, answer: CommandResult): Promise<Command> {
    const command = this.commands.get(command_id);
    if (command?.agent_id !== agent.id) throw new NotFoundError('command_not_found', 'Command not found');
    command.answers.push(answer);
    if (!['succeeded', 'failed'].includes(command.state)) command.state = answer.state;
    return { state: command.state } as Command;
  }

  async fail(command_id: string, detail: string): Promise<void> {
    Object.assign(this.commands.get(command_id)!, { state: 'failed', detail });
  }

  onDue(listener: (ap_id: string) => void): void {
    this.#listeners.push(listener);
  }

  of(ap_id: string): MemoryCommand[] {
    return [...this.commands.values()].filter((command) => command.ap_id === ap_id);
  }
}

export interface ChannelServerOptions {
  times?: Partial<SocketTimes>;
  flowLimits?: Partial<FlowLimits>;
  connectsPerMinute?: number;
  tokenTtlSeconds?: number;
  pushAllow?: PushEntry[];
  resolve?: Resolve;
  pushTimeoutMs?: number;
  ledger?: MemoryLedger;
  /** Reaches the other nodes of the test. */
  tell?: (news: ChannelNews) => void;
  /** Stands between the gate and the store. */
  onAppend?: () => Promise<void> | void;
}

export type ChannelServer = Awaited<ReturnType<typeof startChannelServer>>;

export async function startChannelServer(options: ChannelServerOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'weft-channels-'));
  const database = openSqlite(join(folder, 'weft.db'));
  await database.migrate();
  const store = await openSqliteTelemetry({
    folder,
    rawRetentionMs: 30 * day,
    rollupRetentionMs: 400 * day,
    onDamage: () => {},
    onFatal: (error) => {
      throw error;
    },
  });
  const keyring = new Keyring(randomBytes(32).toString('hex'));
  const audit = new AuditService(createAuditLog(database));
  const agents = new AgentService({
    agents: createAgentStore(database),
    hasher: new PasswordHasher(),
    callerChanged: (kind, name) => auth.forget(kind, name),
    audit,
    maxAgents: 1e6,
    forgetData: async (ap_id) => hub.removed(ap_id),
  });
  const admin: Caller = { kind: 'user', id: 'id of admin', name: 'admin', roles: ['admin'], isAdmin: true };
  const accounts: PrincipalSource = {
    principal: async () => ({ caller: admin, ver: '1' }),
    authenticate: async () => ({ caller: admin, ver: '1' }),
  };
  const auth = new AuthService({
    sources: { user: accounts, agent: agents, third_party_app: accounts },
    keyring,
    tokenTtlSeconds: options.tokenTtlSeconds ?? 3600,
    freshMs: 500,
  });
  const slowStore = {
    append: async (...report: Parameters<TelemetryStore['append']>) => {
      await options.onAppend?.();
      await store.append(...report);
    },
  } as TelemetryStore;
  const telemetry = new TelemetryService({
    store: options.onAppend ? slowStore : store,
    agents,
    retentionDays: 30,
    onRecorded: () => {},
  });
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const validator = new Validator(createFormats({ passwordLength: { min: 8, max: 128 } }));
  const ledger = options.ledger ?? new MemoryLedger();
  const sentWindow = new SentWindow();
  const requireChannel = (caller: Caller) => {
    requirePermission('agent_channel', caller);
    return caller;
  };
  const hub = new ChannelHub({
    delivery: ledger,
    telemetry,
    validator,
    sentWindow,
    authorize: (token) => {
      const caller = auth.authenticate(token);
      return caller instanceof Promise ? caller.then(requireChannel) : requireChannel(caller);
    },
    tell: options.tell,
    onError,
    times: options.times,
    flowLimits: options.flowLimits,
  });
  const poll = new CommandPoll({ delivery: ledger, sentWindow });
  const secretStore = createPushSecretStore(database);
  const secrets = new PushSecretService({ secrets: secretStore, agents, keyring, audit });
  const push = new PushDispatcher({
    delivery: ledger,
    fail: (command_id, detail) => ledger.fail(command_id, detail),
    agents,
    secrets,
    claims: secretStore,
    client: new PushClient({
      allow: new PushAllowList(options.pushAllow ?? []),
      resolve: options.resolve,
      timeoutMs: options.pushTimeoutMs,
    }),
    validator,
    sentWindow,
    isReachable: (ap_id) => hub.isConnected(ap_id) || poll.isWaiting(ap_id),
    onError,
  });
  const atMost = (max: number) => new RateLimiter('too_many', { max, windowMs: 60_000 });
  const server = createServer({
    routes: [
      ...tokenRoutes({ auth, failures: { perAccount: atMost(1e6), perAddress: atMost(1e6) } }),
      ...ingestRoutes(telemetry),
      ...commandPollRoutes(poll),
      ...pushRoutes(secrets),
    ],
    sockets: channelSocketRoutes({ hub, connects: atMost(options.connectsPerMinute ?? 1e6) }),
    pages: [],
    doorkeeper: {
      authenticate: (token: string) => auth.authenticate(token),
      remembered: (token: string) => auth.remembered(token),
      isEnrolmentToken: () => false,
    } as unknown as Parameters<typeof createServer>[0]['doorkeeper'],
    validator,
    metrics: new ServiceMetrics({}),
    log: createLogger('silent'),
    isReady: () => true,
    host: '127.0.0.1',
    publicUrl: undefined,
    allowedHosts: [],
    corsOrigins: [],
    trustedProxies: [],
    tls: undefined,
    maxConnections: 10_000,
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  let stopped: Promise<void> | undefined;

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    hub,
    poll,
    push,
    ledger,
    agents,
    errors,
    admin,
    async agent(ap_id: string, configuration: Record<string, unknown> = {}) {
      const { id } = await agents.create({ ap_id, password, configuration }, system);
      const { access_token: token } = await auth.login('agent', ap_id, password);
      return { id, ap_id, token };
    },
    adminToken: async () => (await auth.login('user', 'admin', '')).access_token,
    async configurationOf(ap_id: string): Promise<Record<string, unknown>> {
      return (await agents.get(ap_id, admin)).configuration;
    },
    async request(method: string, path: string, token: string, body?: unknown, signal?: AbortSignal): Promise<Answer> {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        ...(signal && { signal }),
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
    /** Everything stored of an agent: one object a moment, oldest first. */
    async rowsOf(ap_id: string): Promise<Record<string, number | string>[]> {
      return toRows(await store.rows(ap_id, { startMs: 0, endMs: Date.now() + day }, 1_000_000));
    },
    stop() {
      stopped ??= (async () => {
        poll.stop();
        await push.stop();
        await Promise.all([hub.stop(), server.close()]);
        await store.close();
        await database.close();
        await rm(folder, { recursive: true, force: true });
      })();
      return stopped;
    },
  };
}

function toRows({ ts, columns, texts }: Frame): Record<string, number | string>[] {
  return Array.from(ts, (moment, index) => {
    const fields: [string, number | string][] = [];
    for (const [name, values] of columns) if (!Number.isNaN(values[index])) fields.push([name, values[index]!]);
    for (const [name, values] of texts) if (values[index] !== undefined) fields.push([name, values[index]]);
    return Object.fromEntries([['ts', moment], ...fields]);
  });
}
