// The transports that bring commands to agents, as a part: channels, long polls and pushes.
import type { AgentService } from '../../agents/agent-service.ts';
import type { AuditService } from '../../audit/audit-service.ts';
import type { AuthService } from '../../auth/auth-service.ts';
import type { Caller } from '../../caller.ts';
import type { Events } from '../../events.ts';
import type { SocketTimes } from '../../http/sockets/open-socket.ts';
import { createFormats } from '../../input/formats.ts';
import { Validator } from '../../input/validator.ts';
import { GuardedHttp, type Resolve } from '../../outgoing/guarded-http.ts';
import type { Part, Platform } from '../../part.ts';
import { agentItself, requirePermission } from '../../rights/permission.ts';
import { limitPerMinutes } from '../../shares/rate-limiter.ts';
import type { TelemetryService } from '../../telemetry/ingest/telemetry-service.ts';
import { type ChannelNews, parseChannelNews } from './channel/channel-elsewhere.ts';
import type { FlowLimits } from './channel/channel-flow.ts';
import { ChannelHub } from './channel/channel-hub.ts';
import { channelSocketRoutes } from './channel/channel-socket.ts';
import type { CommandDelivery } from './command-delivery.ts';
import { CommandPoll } from './poll/command-poll.ts';
import { commandPollRoutes } from './poll/command-poll-routes.ts';
import { PushDispatcher, type PushDispatcherOptions } from './push/push-dispatcher.ts';
import { pushRoutes } from './push/push-routes.ts';
import { PushSecretService } from './push/push-secret-service.ts';
import { PushSecretStore } from './push/push-secret-store.ts';
import { SentWindow } from './sent-window.ts';

/** Of one agent. */
const connectsPerMinute = 120;
const pushTimeoutMs = 5_000;

/** Other clocks and bounds than Weft's own; for tests. */
export interface TransportsTuning {
  socketTimes?: Partial<SocketTimes>;
  flowLimits?: Partial<FlowLimits>;
  connectsPerMinute?: number;
  pushTimeoutMs?: number;
  resolve?: Resolve;
  /** Reaches the other nodes; default: over the broker, if there can be any. */
  tell?: (news: ChannelNews) => void;
}

interface TransportsPartDeps extends Platform {
  auth: AuthService;
  agents: AgentService;
  audit: AuditService;
  telemetry: TelemetryService;
  delivery: CommandDelivery & { fail: PushDispatcherOptions['fail'] };
  tuning?: TransportsTuning;
}

export function createTransportsPart(deps: TransportsPartDeps, events: Events) {
  const { config, database, broker, keyring, auth, agents, audit, telemetry, delivery, onError, tuning = {} } = deps;
  const validator = new Validator(createFormats(config));
  const sentWindow = new SentWindow();
  const isShared = database.dialect === 'postgres';
  const hub = new ChannelHub({
    delivery,
    telemetry,
    validator,
    sentWindow,
    onError,
    // Asked for every message and, for each token, every second: without a promise where everything is remembered.
    authorize: (token) => {
      const caller = auth.authenticate(token);
      return caller instanceof Promise ? caller.then(requireChannelRight) : requireChannelRight(caller);
    },
    offerSecret: (agent) => agents.offerSecret(agent),
    tell: tuning.tell ?? (isShared ? (news) => broker.tell(JSON.stringify(news)) : undefined),
    isCutOff: deps.isCutOff,
    times: tuning.socketTimes,
    flowLimits: tuning.flowLimits,
  });
  const poll = new CommandPoll({ delivery, sentWindow });
  const secretStore = new PushSecretStore(database);
  const secrets = new PushSecretService({ secrets: secretStore, agents, keyring, audit });
  const client = new GuardedHttp({
    allow: config.pushAllow,
    addressName: 'api_url',
    notListed: 'is not on the list of allowed destinations',
    timeoutMs: tuning.pushTimeoutMs ?? pushTimeoutMs,
    resolve: tuning.resolve,
  });
  const push = new PushDispatcher({
    delivery,
    agents,
    secrets,
    claims: secretStore,
    validator,
    sentWindow,
    onError,
    fail: (command_id, detail) => delivery.fail(command_id, detail),
    client,
    isReachable: (ap_id) => hub.isConnected(ap_id) || poll.isWaiting(ap_id),
  });
  const isPushable = (ap_id: string, { api_url }: Record<string, unknown>): boolean =>
    api_url !== undefined && secrets.hasSecret(ap_id) && client.isListed(api_url);

  events.commandTransports.onAsk((ap_id, configuration) => {
    const channel = hub.isConnected(ap_id);
    return { channel, command_ready: channel || poll.isAttentive(ap_id) || isPushable(ap_id, configuration) };
  });
  events.agentRemoved.add('work', async (ap_id) => {
    hub.removed(ap_id);
    await secrets.removed(ap_id);
  });

  return {
    hub,
    poll,
    push,
    routes: [...commandPollRoutes(poll), ...pushRoutes(secrets)],
    sockets: {
      routes: channelSocketRoutes({
        hub,
        connects: limitPerMinutes('too_many_connects', tuning.connectsPerMinute ?? connectsPerMinute, 1),
      }),
      /** Everybody who waits is answered, every channel closed. */
      async close() {
        poll.stop();
        await Promise.all([push.stop(), hub.stop()]);
      },
    },
    metrics: {
      weft_agent_channels: { help: 'Open channels of agents', value: () => hub.openChannels },
      weft_agent_channels_cut_off: { help: 'Channels whose agents were too slow', value: () => hub.cutOff },
    },
    async start() {
      if (!config.roles.includes('api')) return;
      broker.listen(
        (text) => {
          const news = parseChannelNews(text);
          if (news) hub.heard(news);
        },
        // News may have been lost.
        () => hub.wakeAll(),
      );
      await push.start();
    },
  } satisfies Part & Record<string, unknown>;
}

function requireChannelRight(caller: Caller): Caller {
  requirePermission(agentItself, caller);
  return caller;
}
