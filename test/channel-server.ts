// The transports of the real server on a ledger in memory, for tests that need the ledger, the clocks or the nodes in their own
// hands.
import { type Caller, system } from '../controller/src/core/base/caller.ts';
import type { AllowListEntry } from '../controller/src/core/base/outgoing/allow-list.ts';
import {
  createTransportsPart,
  type TransportsTuning,
} from '../controller/src/core/commands/delivery/transports-part.ts';
import { createAccountParts } from '../controller/src/core/core-parts.ts';
import { createTelemetryPart } from '../controller/src/core/telemetry/telemetry-part.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { type Answer, password, startWeft } from './weft.ts';

export interface ChannelServerOptions extends Omit<TransportsTuning, 'socketTimes'> {
  times?: TransportsTuning['socketTimes'];
  /** Shorter than the settings allow. */
  tokenTtlSeconds?: number;
  pushAllow?: AllowListEntry[];
  ledger?: MemoryLedger;
  /** Whether this node alone does not reach the database. */
  isCutOff?: () => boolean;
  /** Stands between the parser and the store. */
  onAppend?: () => Promise<void> | void;
}

export type ChannelServer = Awaited<ReturnType<typeof startChannelServer>>;

export async function startChannelServer(options: ChannelServerOptions = {}) {
  const {
    times: socketTimes,
    pushAllow = [],
    ledger = new MemoryLedger(),
    onAppend,
    isCutOff = () => false,
    tokenTtlSeconds,
    ...tuning
  } = options;
  const admin: Caller = { kind: 'user', id: 'id of admin', name: 'admin', roles: ['admin'], isAdmin: true };
  const errors: unknown[] = [];
  const weft = await startWeft(
    {},
    {
      createParts(own, events) {
        const platform = {
          ...own,
          isCutOff,
          config: { ...own.config, pushAllow, ...(tokenTtlSeconds !== undefined && { tokenTtlSeconds }) },
          onError: (error: unknown) => errors.push(error),
        };
        const { telemetryStore } = platform;
        if (onAppend) {
          const append = telemetryStore.append.bind(telemetryStore);
          telemetryStore.append = async (...report) => {
            await onAppend();
            await append(...report);
          };
        }
        const accounts = createAccountParts(platform, events);
        const { agents } = accounts.agents;
        const { network, agentDetails } = accounts.network;
        const telemetry = createTelemetryPart(
          { ...platform, network, agentDetails, agents, eventLog: accounts.eventLog.eventLog },
          events,
        );
        const transports = createTransportsPart(
          {
            ...platform,
            network,
            agents,
            audit: accounts.audit.audit,
            telemetry: telemetry.telemetry,
            delivery: ledger,
            tuning: { connectsPerMinute: 1e6, socketTimes, ...tuning },
          },
          events,
        );
        return { ...accounts, telemetry, transports };
      },
    },
  );
  const { agents } = weft.parts.agents;
  const { hub, poll, push } = weft.parts.transports;
  return {
    url: weft.url,
    port: Number(new URL(weft.url).port),
    hub,
    poll,
    push,
    ledger,
    agents,
    errors,
    admin,
    async agent(ap_id: string, configuration: Record<string, unknown> = {}) {
      const { agent } = await agents.create({ ap_id, password, configuration }, system);
      return { id: agent.id, ap_id, token: await weft.login('agent', ap_id) };
    },
    adminToken: () => weft.admin(),
    configurationOf: (ap_id: string) => weft.configurationOf(ap_id),
    request: (method: string, path: string, token: string, json?: unknown, signal?: AbortSignal): Promise<Answer> =>
      weft.request(method, path, { token, json, signal }),
    rowsOf: (ap_id: string) => weft.rowsOf(ap_id),
    stop: () => weft.stop(),
  };
}
