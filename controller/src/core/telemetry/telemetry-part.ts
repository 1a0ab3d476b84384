// Telemetry as a part: what agents report goes in by #21 and line protocol, and comes out as series, live values and presence.
import type { AgentService } from '../accounts/agents/agent-service.ts';
import type { EventLog } from '../accounts/event-log/event-log.ts';
import { authorize } from '../base/credential.ts';
import { fleetReaders } from '../base/rights/permission.ts';
import { NodeLease } from '../base/storage/node-lease.ts';
import { Event } from '../event-kinds.ts';
import type { Events } from '../events.ts';
import type { AgentDetailTexts } from '../network/agent-details.ts';
import type { Network } from '../network/network.ts';
import type { Part, Platform } from '../part.ts';
import { ingestRoutes } from './ingest/ingest-routes.ts';
import { lineProtocolRoutes } from './ingest/line-protocol-routes.ts';
import { ReportBudget } from './ingest/report-budget.ts';
import { TelemetryService, type TelemetryServiceOptions } from './ingest/telemetry-service.ts';
import { LiveFeed } from './live/live-feed.ts';
import { metricsStreamRoutes } from './live/metrics-stream-routes.ts';
import { RemoteSamples } from './live/remote-samples.ts';
import { AgentStateStore } from './presence/agent-state-store.ts';
import { PowerWatch } from './presence/power-watch.ts';
import { PresenceService } from './presence/presence-service.ts';
import { PresenceStore } from './presence/presence-store.ts';
import { PresenceTransitions } from './presence/presence-transitions.ts';
import { StallWatch } from './presence/stall-watch.ts';
import { StateColumn } from './presence/state-column.ts';
import { MetricColumns } from './query/metric-columns.ts';
import { metricsFormats } from './query/metrics-formats.ts';
import { metricsRoutes } from './query/metrics-routes.ts';
import { MetricsService } from './query/metrics-service.ts';

const dayMs = 86_400_000;

/** How long the newest values are trusted where other nodes hear of them too: lists of all nodes are the same within two seconds. */
const sharedFreshMs = 1_500;
const maxStreamsPerCaller = 100;

interface TelemetryPartDeps extends Platform {
  network: Network;
  agentDetails: AgentDetailTexts;
  eventLog: EventLog;
  agents: AgentService;
  /** Takes the devices of reports; absent: reports are stored without them. */
  devices?: { report: TelemetryServiceOptions['onDevices'] };
  /** How much of the live values is remembered for readers that come back; default: LiveFeed's own. */
  recentBytes?: number;
}

export function createTelemetryPart(deps: TelemetryPartDeps, events: Events) {
  const {
    config,
    database,
    telemetryStore: store,
    network,
    agents,
    shares,
    eventLog,
    recentBytes,
    retention,
    onError,
  } = deps;
  const { telemetryRetentionDays: retentionDays, rollupRetentionDays: rollupDays } = config;
  const budget = new ReportBudget(shares, {
    pointsPerSecond: config.pointsPerSecond,
    mibPerDay: config.reportMibPerDay,
  });
  const stalls = new StallWatch({ database, eventLog, node: deps.node, onError });
  const presence = new PresenceService({
    presence: new PresenceStore(database),
    network,
    telemetry: store,
    hasOtherNodes: database.dialect === 'postgres',
    hearing: stalls,
    reportBudget: (ap_id) => budget.left(ap_id),
    onError,
  });
  const lease = new NodeLease({ database, name: 'presence', onError });
  const states = new AgentStateStore(database);
  const transitions = new PresenceTransitions({
    database,
    lease,
    store: states,
    eventLog,
    presence,
    onChanged: events.presenceChanged.emit,
    onError,
  });
  const power = new PowerWatch({ database, store: states, eventLog, onError });
  const metrics = new MetricsService({
    network,
    freshMs: deps.freshMs,
    details: deps.agentDetails,
    agents,
    telemetry: store,
    presence,
    shares,
  });
  const columns = new MetricColumns({
    telemetry: store,
    network,
    freshMs: config.telemetryUrl !== undefined ? sharedFreshMs : Number.POSITIVE_INFINITY,
  });
  network.columns.presence = new StateColumn(presence, network);
  network.columns.metrics = columns;
  const streamOpened = new Event<[]>();
  const feed = new LiveFeed({
    recentBytes,
    onOpened: streamOpened.emit,
    isCutOff: deps.isCutOff,
    share: shares.open('live_streams', maxStreamsPerCaller),
    network,
    authorize: (shown) => authorize(shown, fleetReaders),
  });
  const remote = config.amqpUrl === undefined ? undefined : createRemote(deps, feed);
  streamOpened.on(() => remote?.opened());
  const telemetry = new TelemetryService({
    store,
    agents,
    retentionDays,
    writes: deps.writes,
    ageClock: (keptMs) => retention.ageClock(keptMs),
    budget,
    onRecorded: events.recorded.emit,
    onDevices: deps.devices?.report,
  });
  // Imported history is old: only cached answers have to know of it.
  const history = new TelemetryService({
    store,
    agents,
    retentionDays,
    writes: deps.writes,
    onRecorded: (ap_id) => metrics.recorded(ap_id),
  });
  retention.add(
    { name: 'samples', keptMs: retentionDays * dayMs, remove: (nowMs) => store.prune(nowMs, 0) },
    { name: 'roll-ups', keptMs: rollupDays * dayMs, remove: (nowMs) => store.prune(0, nowMs) },
  );
  events.recorded.on((ap_id, samples, receivedMs) => {
    presence.seen(ap_id, receivedMs);
    power.recorded(ap_id, samples);
    metrics.recorded(ap_id);
    columns.recorded(ap_id, samples);
    feed.publish(ap_id, samples, receivedMs);
    remote?.recorded(ap_id, samples, receivedMs);
  });
  events.callerChanged.on(({ kind, id }) => {
    if (kind !== 'agent') feed.callerChanged(id);
  });
  events.labelsChanged.on(() => feed.relabelled());
  events.sitesChanged.on(() => feed.relabelled());
  events.agentRemoved.add('data', async (ap_id) => {
    await store.remove(ap_id);
    await presence.remove(ap_id);
    power.forget(ap_id);
    await states.remove([ap_id]);
    metrics.recorded(ap_id);
  });

  return {
    telemetry,
    presence,
    agentStates: states,
    reportBudget: budget,
    feed,
    routes: [
      ...ingestRoutes(telemetry),
      ...lineProtocolRoutes(telemetry, { telemetry: history, network }),
      ...metricsRoutes({ metrics, presence }),
      ...metricsStreamRoutes(feed),
    ],
    formats: metricsFormats(rollupDays * dayMs),
    metrics: {
      weft_telemetry_fields_ignored: {
        help: 'Fields that were left out of reports because they could not be stored',
        value: () => telemetry.ignoredFields,
      },
      weft_live_streams: { help: 'Open streams of live values', value: () => feed.openStreams },
      weft_live_samples_sent_total: {
        help: 'Samples that were sent on to streams of other nodes',
        value: () => remote?.sent ?? 0,
      },
      weft_live_streams_cut_off: { help: 'Streams whose readers were too slow', value: () => feed.cutOff },
    },
    prepare: () => presence.start(),
    start() {
      stalls.start();
      power.start();
      if (!config.roles.includes('api')) return;
      if (remote) {
        deps.news.listen(
          (news) => remote.heard(news),
          () => {},
        );
        remote.start();
      }
      lease.start();
      transitions.start();
    },
    drain: () => feed.close(),
    async stop() {
      await Promise.all([stalls.stop(), presence.stop(), transitions.stop(), power.stop(), remote?.stop()]);
      await lease.stop();
    },
  } satisfies Part & Record<string, unknown>;
}

/** What streams of this node show of agents that report to others. */
function createRemote(
  { network, broker, news, telemetryStore, onError }: TelemetryPartDeps,
  feed: LiveFeed,
): RemoteSamples {
  return new RemoteSamples({
    filters: () => feed.filters(),
    send: (text) => news.broadcastByBroker(text),
    isBrokerThere: () => broker.tells,
    ask: (text) => news.broadcast(text),
    telemetry: telemetryStore,
    async listAgents() {
      await network.fresh();
      return network.agents.map(({ ap_id }) => ap_id);
    },
    publish: (ap_id, samples, receivedMs) => feed.publish(ap_id, samples, receivedMs),
    onError,
  });
}
