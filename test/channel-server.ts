// The ways to an agent on a real server with real stores, for tests that need the ledger, the clocks or the nodes in their
// own hands. The ledger is one in memory.
import { requirePermission } from '../controller/src/auth/permissions.ts';
import { tokenRoutes } from '../controller/src/auth/token-routes.ts';
import { type Caller, type PrincipalSource, system } from '../controller/src/caller.ts';
import type { ChannelNews } from '../controller/src/commands/delivery/channel/channel-elsewhere.ts';
import type { FlowLimits } from '../controller/src/commands/delivery/channel/channel-flow.ts';
import { ChannelHub } from '../controller/src/commands/delivery/channel/channel-hub.ts';
import { channelSocketRoutes } from '../controller/src/commands/delivery/channel/channel-socket.ts';
import { CommandPoll } from '../controller/src/commands/delivery/poll/command-poll.ts';
import { commandPollRoutes } from '../controller/src/commands/delivery/poll/command-poll-routes.ts';
import { PushAllowList, type PushEntry } from '../controller/src/commands/delivery/push/push-address.ts';
import { PushClient, type Resolve } from '../controller/src/commands/delivery/push/push-client.ts';
import { PushDispatcher } from '../controller/src/commands/delivery/push/push-dispatcher.ts';
import { pushRoutes } from '../controller/src/commands/delivery/push/push-routes.ts';
import { PushSecretService } from '../controller/src/commands/delivery/push/push-secret-service.ts';
import { createPushSecretStore } from '../controller/src/commands/delivery/push/push-secret-store.sql.ts';
import { SentWindow } from '../controller/src/commands/delivery/sent-window.ts';
import type { SocketTimes } from '../controller/src/http/sockets/open-socket.ts';
import { Validator } from '../controller/src/input/validator.ts';
import { RateLimiter } from '../controller/src/rate-limiter.ts';
import { ingestRoutes } from '../controller/src/telemetry/ingest/ingest-routes.ts';
import { TelemetryService } from '../controller/src/telemetry/ingest/telemetry-service.ts';
import type { TelemetryStore } from '../controller/src/telemetry/store/telemetry-store.ts';
import { createAccounts } from './accounts.ts';
import { formats, listen } from './listening-server.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { openStores } from './stores.ts';
import { type Answer, password } from './weft.ts';

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
  const { database, telemetry: store, rowsOf, close } = await openStores('channels');
  const admin: Caller = { kind: 'user', id: 'id of admin', name: 'admin', roles: ['admin'], isAdmin: true };
  const accounts: PrincipalSource = {
    principal: async () => ({ caller: admin, ver: '1' }),
    authenticate: async () => ({ caller: admin, ver: '1' }),
  };
  const { agents, auth, audit, keyring } = createAccounts(database, {
    tokenTtlSeconds: options.tokenTtlSeconds,
    sources: { user: accounts, third_party_app: accounts },
    forgetData: async (ap_id) => hub.removed(ap_id),
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
  const validator = new Validator(formats);
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
  const server = await listen({
    routes: [
      ...tokenRoutes({ auth, failures: { perAccount: atMost(1e6), perAddress: atMost(1e6) } }),
      ...ingestRoutes(telemetry),
      ...commandPollRoutes(poll),
      ...pushRoutes(secrets),
    ],
    sockets: channelSocketRoutes({ hub, connects: atMost(options.connectsPerMinute ?? 1e6) }),
    authenticator: {
      authenticate: (token) => auth.authenticate(token),
      remembered: (token) => auth.remembered(token),
    },
    validator,
  });
  const { url, port } = server;
  let stopped: Promise<void> | undefined;

  return {
    url,
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
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        ...(signal && { signal }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
    },
    rowsOf,
    stop() {
      stopped ??= (async () => {
        poll.stop();
        await push.stop();
        await Promise.all([hub.stop(), server.close()]);
        await close();
      })();
      return stopped;
    },
  };
}
