// The transports that bring commands to agents, as a part: channels, long polls and pushes.
import type { AgentService } from '../../accounts/agents/agent-service.ts';
import type { AuditService } from '../../accounts/audit/audit-service.ts';
import { authorize } from '../../base/credential.ts';
import { createFormats } from '../../base/input/formats.ts';
import { Validator } from '../../base/input/validator.ts';
import { GuardedHttp, type Resolve } from '../../base/outgoing/guarded-http.ts';
import { agentItself } from '../../base/rights/permission.ts';
import { limitPerMinutes } from '../../base/shares/rate-limiter.ts';
import type { Events } from '../../events.ts';
import type { SocketTimes } from '../../http/sockets/open-socket.ts';
import type { Network } from '../../network/network.ts';
import type { Part, Platform } from '../../part.ts';
import type { TelemetryService } from '../../telemetry/ingest/telemetry-service.ts';
import type { FlowLimits } from './channel/channel-flow.ts';
import { ChannelHub } from './channel/channel-hub.ts';
import { channelSocketRoutes } from './channel/channel-socket.ts';
import { channelTopic } from './channel/channel-topic.ts';
import type { ChannelNews } from './channel/remote-channels.ts';
import { type CommandDelivery, type CommandTransport, SentWindow } from './command-delivery.ts';
import { CommandPoll } from './poll/command-poll.ts';
import { PushDispatcher, type PushDispatcherOptions } from './push/push-dispatcher.ts';
import { PushSecretService } from './push/push-secret-service.ts';
import { PushSecretStore } from './push/push-secret-store.ts';
import { transportRoutes } from './transport-routes.ts';

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
  broadcast?: (news: ChannelNews) => void;
}

interface TransportsPartDeps extends Platform {
  network: Pick<Network, 'columns'>;
  agents: AgentService;
  audit: AuditService;
  telemetry: TelemetryService;
  delivery: CommandDelivery & { fail: PushDispatcherOptions['fail'] };
  tuning?: TransportsTuning;
}

export function createTransportsPart(deps: TransportsPartDeps, events: Events) {
  const { config, database, news: nodeNews, keyring, agents, audit, telemetry, delivery, onError, tuning = {} } = deps;
  const validator = new Validator(createFormats(config));
  const sentWindow = new SentWindow();
  const isShared = database.dialect === 'postgres';
  const topic = channelTopic();
  const hub = new ChannelHub({
    delivery,
    telemetry,
    validator,
    sentWindow,
    onError,
    authorize: (shown) => authorize(shown, agentItself),
    offerSecret: (agent) => agents.offerSecret(agent),
    topic,
    broadcast: tuning.broadcast ?? (isShared ? (news) => nodeNews.broadcast(JSON.stringify(news)) : undefined),
    isCutOff: deps.isCutOff,
    times: tuning.socketTimes,
    flowLimits: tuning.flowLimits,
  });
  const poll = new CommandPoll({ delivery, sentWindow });
  const secretStore = new PushSecretStore(database);
  const secrets = new PushSecretService({ secrets: secretStore, agents, keyring, audit });
  const connecting: CommandTransport[] = [hub, poll];
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
    isReachable: (ap_id) => connecting.some((transport) => transport.isConnected(ap_id)),
  });
  const transports: CommandTransport[] = [...connecting, push];

  deps.network.columns.transports = (agent) => ({
    channel: hub.isConnected(agent.ap_id),
    command_ready: transports.some((transport) => transport.isReady(agent)),
  });
  events.agentRemoved.add('work', async (ap_id) => {
    for (const transport of transports) await transport.removed?.(ap_id);
  });

  return {
    topic,
    hub,
    poll,
    push,
    routes: transportRoutes(poll, secrets),
    sockets: {
      routes: channelSocketRoutes({
        hub,
        connects: limitPerMinutes('too_many_connects', tuning.connectsPerMinute ?? connectsPerMinute, 1),
      }),
      async close() {
        await Promise.all(transports.map((transport) => transport.stop()));
      },
    },
    metrics: {
      weft_agent_channels: { help: 'Open channels of agents', value: () => hub.openChannels },
      weft_agent_channels_cut_off: { help: 'Channels whose agents were too slow', value: () => hub.cutOff },
    },
    async start() {
      if (!config.roles.includes('api')) return;
      nodeNews.listen(
        (news) => {
          for (const transport of transports) transport.heard?.(news);
        },
        () => {
          for (const transport of transports) transport.newsLost?.();
        },
      );
      for (const transport of transports) await transport.start?.();
    },
  } satisfies Part & Record<string, unknown>;
}
