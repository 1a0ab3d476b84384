// The ways to the agents, put together: channels, long polls and pushes. Part of the composition root; wire.ts starts and
// stops what stands here.
import type { Broker } from '@weft/broker';
import type { AgentService } from './agents/agent-service.ts';
import type { AuditService } from './audit/audit-service.ts';
import type { AuthService } from './auth/auth-service.ts';
import { requirePermission } from './auth/permissions.ts';
import type { Caller } from './caller.ts';
import { parseChannelNews } from './commands/delivery/channel/channel-elsewhere.ts';
import { ChannelHub } from './commands/delivery/channel/channel-hub.ts';
import { channelSocketRoutes } from './commands/delivery/channel/channel-socket.ts';
import type { CommandDelivery } from './commands/delivery/command-delivery.ts';
import { CommandPoll } from './commands/delivery/poll/command-poll.ts';
import { commandPollRoutes } from './commands/delivery/poll/command-poll-routes.ts';
import { PushAllowList, parseDestination } from './commands/delivery/push/push-address.ts';
import { PushClient } from './commands/delivery/push/push-client.ts';
import { PushDispatcher, type PushDispatcherOptions } from './commands/delivery/push/push-dispatcher.ts';
import { pushRoutes } from './commands/delivery/push/push-routes.ts';
import { PushSecretService } from './commands/delivery/push/push-secret-service.ts';
import { createPushSecretStore } from './commands/delivery/push/push-secret-store.sql.ts';
import { SentWindow } from './commands/delivery/sent-window.ts';
import type { Config } from './config.ts';
import type { Logger } from './http/request/log.ts';
import { createFormats } from './input/formats.ts';
import { Validator } from './input/validator.ts';
import { RateLimiter } from './rate-limiter.ts';
import type { Keyring } from './secrets.ts';
import type { SqlDatabase } from './storage/sql-database.ts';
import type { TelemetryService } from './telemetry/ingest/telemetry-service.ts';
import type { CommandTransports } from './telemetry/presence/presence-service.ts';

const minute = 60_000;
/** Of one agent. */
const connectsPerMinute = 120;

export interface WaysParts {
  config: Config;
  database: SqlDatabase;
  broker: Broker;
  keyring: Keyring;
  auth: AuthService;
  agents: AgentService;
  audit: AuditService;
  telemetry: TelemetryService;
  delivery: CommandDelivery & { fail: PushDispatcherOptions['fail'] };
  log: Logger;
}

export type Ways = ReturnType<typeof createWays>;

export function createWays(parts: WaysParts) {
  const { config, database, broker, keyring, auth, agents, audit, telemetry, delivery, log } = parts;
  const onError = (err: unknown, message: string) => log.warn({ err }, message);
  const validator = new Validator(createFormats({ passwordLength: config.passwordLength }));
  const sentWindow = new SentWindow();
  const isShared = database.dialect === 'postgres';
  const hub = new ChannelHub({
    ...{ delivery, telemetry, validator, sentWindow, onError },
    // Asked for every message and, for each token, every second: without a promise where everything is remembered.
    authorize: (token) => {
      const caller = auth.authenticate(token);
      return caller instanceof Promise ? caller.then(requireChannelRight) : requireChannelRight(caller);
    },
    tell: isShared ? (news) => broker.tell(JSON.stringify(news)) : undefined,
  });
  const poll = new CommandPoll({ delivery, sentWindow });
  const secretStore = createPushSecretStore(database);
  const secrets = new PushSecretService({ secrets: secretStore, agents, keyring, audit });
  const allow = new PushAllowList(config.pushAllow);
  const push = new PushDispatcher({
    ...{ delivery, agents, secrets, claims: secretStore, validator, sentWindow, onError },
    fail: (command_id, detail) => delivery.fail(command_id, detail),
    client: new PushClient({ allow }),
    isReachable: (ap_id) => hub.isConnected(ap_id) || poll.isWaiting(ap_id),
  });
  const isPushable = (ap_id: string, { api_url }: Record<string, unknown>): boolean => {
    if (api_url === undefined || !secrets.hasSecret(ap_id)) return false;
    try {
      return allow.isListed(parseDestination(api_url));
    } catch {
      return false;
    }
  };

  return {
    routes: [...commandPollRoutes(poll), ...pushRoutes(secrets)],
    sockets: channelSocketRoutes({
      hub,
      connects: new RateLimiter('too_many_connects', { max: connectsPerMinute, windowMs: minute }),
    }),
    metrics: {
      weft_agent_channels: { help: 'Open channels of agents', value: () => hub.openChannels },
      weft_agent_channels_cut_off: { help: 'Channels whose agents were too slow', value: () => hub.cutOff },
    },
    /** How commands reach the agent now, for its presence. */
    commandTransports: (ap_id: string, configuration: Record<string, unknown>): CommandTransports => {
      const channel = hub.isConnected(ap_id);
      return { channel, command_ready: channel || poll.isAttentive(ap_id) || isPushable(ap_id, configuration) };
    },
    /** Before the agent's record goes. */
    async agentRemoved(ap_id: string): Promise<void> {
      hub.removed(ap_id);
      await secrets.removed(ap_id);
    },
    async start(): Promise<void> {
      if (!config.roles.includes('api')) return;
      broker.listen(
        (text) => {
          const news = parseChannelNews(text);
          if (news) hub.heard(news);
        },
        // Something may have been told that nobody heard.
        () => hub.wakeAll(),
      );
      await push.start().catch((error) => onError(error, 'the secrets for pushes cannot be read; trying again'));
    },
    /** Everybody who waits is answered, every channel closed. */
    async stopSockets(): Promise<void> {
      poll.stop();
      await Promise.all([push.stop(), hub.stop()]);
    },
  };
}

function requireChannelRight(caller: Caller): Caller {
  requirePermission('agent_channel', caller);
  return caller;
}
