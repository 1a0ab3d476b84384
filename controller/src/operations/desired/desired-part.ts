// What access points shall be, as a part.

import { parseObject } from '@weft/contract/is-object';
import type { LabelWatcher } from '../../core/accounts/agents/label-service.ts';
import type { AuditService } from '../../core/accounts/audit/audit-service.ts';
import type { AuditLog } from '../../core/accounts/audit/audit-store.ts';
import type { EventLog } from '../../core/accounts/event-log/event-log.ts';
import { callerNow, isEnded, ownerRef, type Principals } from '../../core/base/caller.ts';
import { NodeLease } from '../../core/base/storage/node-lease.ts';
import type { ChannelHub } from '../../core/commands/delivery/channel/channel-hub.ts';
import type { ChannelTopic } from '../../core/commands/delivery/channel/channel-topic.ts';
import type { ParameterOwner } from '../../core/commands/parameter-owner.ts';
import type { DeviceRegistry } from '../../core/devices/registry/device-registry.ts';
import type { Events } from '../../core/events.ts';
import type { AgentRowStore } from '../../core/network/agent-row-store.ts';
import type { Network } from '../../core/network/network.ts';
import type { Part, Platform } from '../../core/part.ts';
import type { Port } from '../../core/port.ts';
import type { ActiveAlarms, SiteZones } from '../alarms/watch/active-alarms.ts';
import type { WeftReadings } from '../alarms/watch/weft-readings.ts';
import { AgentConfigService } from './api/agent-config-service.ts';
import { ChangeSetService } from './api/change-set-service.ts';
import { configRoutes } from './api/config-routes.ts';
import { ConfigService } from './api/config-service.ts';
import { RolloutService } from './api/rollout-service.ts';
import { RolloutStart } from './api/rollout-start.ts';
import { ValuesService } from './api/values-service.ts';
import { CommandWatch } from './command-watch.ts';
import { ConfigDelivery, contextOf } from './delivery/config-delivery.ts';
import { LayersInForce } from './layers-in-force.ts';
import { leftOut } from './model/render.ts';
import { secretsOf } from './model/settings.ts';
import { Reconciler } from './reconciler.ts';
import { GateReader } from './rollout/gate-reader.ts';
import { RolloutDriver, type RolloutDriverOptions } from './rollout/rollout-driver.ts';
import { rolloutEvent } from './rollout/rollout-words.ts';
import { type Advanced, AgentConfigStore } from './store/agent-config-store.ts';
import { LayerStore, type LayerVersion, type SecretRecord } from './store/layer-store.ts';
import { endOwner, RolloutStore } from './store/rollout-store.ts';

const maxNews = 100;
/** What happens within this time is looked at together: each look is at all access points of a roll-out. */
const togetherMs = 200;

export interface DesiredPartDeps extends Platform {
  audit: AuditService;
  auditLog: AuditLog;
  eventLog: EventLog;
  zones: SiteZones;
  network: Network;
  agentRows: Pick<AgentRowStore, 'configurations'>;
  registry: DeviceRegistry;
  activeAlarms: ActiveAlarms;
  readings: WeftReadings;
  principals: Principals;
  transports: { hub: Pick<ChannelHub, 'onConfigDue'>; topic: Port<ChannelTopic> };
  parameters: Port<ParameterOwner>;
  labelWatcher: Port<LabelWatcher>;
}

export function createDesiredPart(deps: DesiredPartDeps, events: Events) {
  const { config, database, keyring, log, news, now, onError, audit, auditLog, eventLog, zones, network } = deps;
  const isShared = database.dialect === 'postgres';
  const store = new LayerStore(database);
  const rolloutStore = new RolloutStore(database);
  const lease = new NodeLease({ database, name: 'desired configuration', onError });
  const inForce = new LayersInForce({
    database,
    store,
    network,
    configurations: (ap_ids) => deps.agentRows.configurations(ap_ids),
  });
  const configs = new AgentConfigStore(database, eventLog, (changed) => wake(changed));
  const shared = {
    database,
    configs,
    network,
    auditLog,
    eventLog,
    inForce,
    rollouts: rolloutStore,
    now,
    onError,
    lease,
  };
  const reconciler = new Reconciler(shared);
  const present: RolloutDriverOptions['present'] = (tx, owner) => callerNow(deps.principals, tx, ownerRef(owner));
  const gates = new GateReader({
    telemetry: deps.telemetryStore,
    alarms: deps.activeAlarms,
    devices: deps.registry,
    network,
    ownerOf: ({ changes, ...rollout }) => present(database, changes.resumed_by ?? rollout),
    now,
  });
  const driver = new RolloutDriver({
    ...shared,
    reconciler,
    gates,
    present,
    timeZoneOf: (site) => zones.of(site) ?? 'UTC',
  });
  const delivery = new ConfigDelivery({
    configs,
    inForce,
    network,
    keyring,
    now,
    async mayConfirm({ agent_id, rollout_id }) {
      const rollout = rollout_id === null ? undefined : await rolloutStore.get(rollout_id);
      const agent = rollout && (await rolloutStore.agent(rollout.id, agent_id));
      return !rollout || !agent || gates.mayConfirm(rollout, agent);
    },
  });
  const commands = new CommandWatch({ ...shared, store });
  const soon = () => {
    reconciler.soon();
    driver.soon();
  };
  const service = new ConfigService({ ...shared, store });
  const values = new ValuesService({ ...shared, store, keyring, audit, onChanged: soon });
  const changeSets = new ChangeSetService({ ...shared, present });
  const rolloutStart = new RolloutStart({ ...shared, changeSets, onStarted: soon });
  const rollouts = new RolloutService({ ...shared, gates, onChanged: soon });
  const agents = new AgentConfigService({
    ...{ configs, network, reconciler, changeSets, rolloutStart, auditLog },
    caughtUp: () => commands.once(),
  });

  /** Here, and on the node that the agent is connected to. */
  function wake(changed: readonly Advanced[]): void {
    const due = changed.filter(
      ({ after }) => (after.state === 'pending' && after.is_due) || after.state === 'confirmed',
    );
    const names = due.map(({ after }) => after.ap_id);
    for (const ap_id of names) woken(ap_id);
    for (let start = 0; isShared && start < names.length; start += maxNews) {
      news.broadcast(JSON.stringify({ config_of: names.slice(start, start + maxNews) }));
    }
    driver.soon(togetherMs);
  }
  function woken(ap_id: string): void {
    deps.transports.hub.onConfigDue(ap_id);
    delivery.wake(ap_id);
  }

  deps.transports.topic.take(delivery);
  deps.parameters.take({
    settingsOf: (ap_id, parameter) => commands.settingsOf(ap_id, parameter),
    running: (ap_id) => configs.runningOf(ap_id),
    given: (ap_ids) => configs.running(ap_ids),
  });
  deps.labelWatcher.take(inForce);
  network.columns.config = () => configs.states();
  deps.readings.add('settings_drifted', async () =>
    (await configs.drifted()).map(({ ap_id, leaves }) => ({ subject_kind: 'agent', subject: ap_id, value: leaves })),
  );
  events.labelsChanged.on(soon);
  events.agentConfigured.on(soon);
  events.sitesChanged.on(() => {
    soon();
    store
      .forgetSites()
      .catch((error) => onError(error, 'variables and secrets of sites that are gone were not removed'));
  });
  events.agentRemoved.add('data', async (ap_id) => {
    const agent = network.get(ap_id);
    if (agent) await store.forget(agent.id);
  });
  events.callerChanged.within(async (tx, change) => {
    const stopped = isEnded(change) ? await endOwner(tx, change, now()) : [];
    await eventLog.append(tx, stopped.map(rolloutEvent));
    const entries = stopped.map(({ id, title, reason }) => ({
      actor: change.by,
      action: 'rollout_stopped',
      target: { kind: 'rollout', name: id },
      detail: { title, reason },
    }));
    return { entries, committed: soon };
  });

  return {
    desired: { reconciler, driver, delivery, configs, lease },
    rolloutStore,
    replicas: { settings: inForce.replica },
    routes: configRoutes({ config: service, values, changeSets, rollouts, rolloutStart, agents, delivery }),
    metrics: {
      weft_config_agents: {
        help: 'Access points by how they stand to what they shall be',
        labels: ['state'],
        values: async () => {
          const counts = new Map<string, number>();
          for (const state of (await configs.states()).values()) counts.set(state, (counts.get(state) ?? 0) + 1);
          return [...counts].map(([state, value]) => ({ labels: { state }, value }));
        },
      },
    },
    warnings: () => inForce.leftOut.map(({ id }) => `layer_left_out ${id}`),
    async prepare() {
      await inForce.current();
      for (const layer of inForce.leftOut) log.error({ layer: layer.id }, leftOut(layer));
      for (const secret of await store.secrets()) {
        if (!keyring.isOutdated(secret.value) || !keyring.canDecrypt(secret.value)) continue;
        const context = contextOf(secret);
        await store.resealSecret(secret, keyring.encrypt(keyring.decrypt(secret.value, context), context));
      }
      await store.forgetSites();
      const kept = keptReach(await store.inForce(), await store.secrets());
      if (kept.length > 0) {
        const words = 'layers from before secrets had owners go on to name secrets of the whole installation';
        log.warn(
          { layers: kept.slice(0, 20) },
          `${words} (${kept.length}): share these secrets, or move them to a site`,
        );
      }
    },
    start() {
      if (config.roles.includes('worker')) {
        lease.start();
        reconciler.start();
        commands.start();
        driver.start();
      }
      news.listen(
        (text) => {
          for (const ap_id of readNews(text)) woken(ap_id);
        },
        () => {},
      );
    },
    async drain() {
      delivery.stop();
      await reconciler.stop();
      await commands.stop();
      await driver.stop();
    },
    stop: () => lease.stop(),
  } satisfies Part & Record<string, unknown>;
}

/** Layers whose names of secrets reach everything, because nobody asked when they were made, and by whom. */
function keptReach(layers: readonly LayerVersion[], secrets: readonly SecretRecord[]) {
  const isOwned = (name: string) =>
    secrets.some((each) => each.name === name && each.scope === 'all' && !each.is_shared);
  return layers.flatMap(({ name: layer, created_by, reach, settings }) => {
    const names = reach ? [] : [...secretsOf(settings)].filter(isOwned);
    return names.length === 0 ? [] : [{ layer, created_by, secrets: names }];
  });
}

function readNews(text: string): string[] {
  const { config_of } = parseObject(text) ?? {};
  return Array.isArray(config_of) ? config_of.filter((each) => typeof each === 'string') : [];
}
