// What time alone brings, on both databases and two nodes: states, sites, storms, silences, shelves, leases.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { agentNamed } from '../../../../../test/pure/stored-records.ts';
import { AgentStore } from '../../../core/accounts/agents/agent-store.ts';
import { AuditLog } from '../../../core/accounts/audit/audit-store.ts';
import { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import { SiteStore } from '../../../core/accounts/sites/site-store.ts';
import { NodeLease } from '../../../core/base/storage/node-lease.ts';
import type { SqlDatabase } from '../../../core/base/storage/sql-database.ts';
import { AgentRowStore } from '../../../core/network/agent-row-store.ts';
import { Network } from '../../../core/network/network.ts';
import { AlarmRuleService } from '../api/alarm-rule-service.ts';
import { AlarmService } from '../api/alarm-service.ts';
import { SilenceService } from '../api/silence-service.ts';
import type { Standing } from '../engine/timed-condition.ts';
import { AlarmStore } from '../store/alarm-store.ts';
import { RuleStore, SilenceStore } from '../store/rule-store.ts';
import { ActiveAlarms } from './active-alarms.ts';
import { AlarmRounds } from './alarm-rounds.ts';
import { AlarmWriter } from './alarm-writer.ts';
import { saysSiteIsAway } from './muting.ts';
import { ReadingWatch } from './reading-watch.ts';
import { WeftReadings } from './weft-readings.ts';

const ada = { kind: 'user', id: 'u', name: 'ada@x', roles: ['admin'], isAdmin: true } as const;
const hourMs = 3_600_000;

eachDatabase((kind) => {
  describe('rounds', () => {
    let databases: [SqlDatabase, SqlDatabase];
    let remove: () => Promise<void>;
    let now: number;
    let log: EventLog;
    let agentStates: Map<string, Omit<Standing, 'site'>>;
    let reading: { subject_kind: string; subject: string; value: number }[];
    const leases: NodeLease[] = [];

    beforeEach(async () => {
      ({ nodes: databases, remove } = await openTwoNodes(kind));
      // A Sunday, 12:00 in London.
      now = Date.parse('2026-11-15T12:00:00Z');
      log = new EventLog(databases[0], { auditLog: new AuditLog(databases[0]) });
      agentStates = new Map();
      reading = [];
    });
    afterEach(async () => {
      for (const lease of leases.splice(0)) await lease.stop();
      await remove();
    });

    const added: ReturnType<typeof agentNamed>[] = [];
    function add(ap_id: string, site: string | null = null, tags: string[] = []): void {
      added.push(agentNamed(ap_id, { site, tags }));
      set(ap_id, 'online');
    }
    /** Their records, and those of their sites. */
    async function store(agents: AgentStore, sites: SiteStore): Promise<void> {
      const news = added.splice(0);
      for (const path of new Set(news.map(({ site }) => site))) {
        if (path === null) continue;
        await sites.create({
          id: path,
          path,
          name: path,
          geolocation: null,
          time_zone: null,
          notes: '',
          created_at: now,
        });
      }
      await databases[0].transaction((tx) => agents.createAll(tx, news));
    }
    function set(ap_id: string, state: Standing['state'], agoMs = 0): void {
      agentStates.set(ap_id, {
        ap_id,
        state,
        sinceMs: now - agoMs,
        lastSeenMs: now - agoMs,
        isAsleep: false,
        isUncertain: false,
        changesMs: [],
      });
    }

    async function openNode(database = databases[0]) {
      const onError = (error: unknown) => expect.unreachable(String(error));
      const lease = new NodeLease({ database, name: 'alarms', onError });
      leases.push(lease);
      await lease.once();
      const stores = {
        alarms: new AlarmStore(database),
        rules: new RuleStore(database),
        silences: new SilenceStore(database),
      };
      const eventLog = new EventLog(database, { auditLog: new AuditLog(database) });
      const auditLog = new AuditLog(database);
      const agents = new AgentStore(database);
      const network = new Network(new AgentRowStore(database));
      const activeAlarms = new ActiveAlarms(stores);
      const muting = () => ({
        rule: (id: string) => activeAlarms.rule(id),
        silences: activeAlarms.silences,
        agent: (ap_id: string) => network.get(ap_id),
        find: (...key: [string, string, string]) => activeAlarms.find(...key),
        siteRules: activeAlarms.rules.filter(saysSiteIsAway),
        siteZone: () => 'Europe/London',
      });
      const clock = () => now;
      const { alarms } = stores;
      const writer = new AlarmWriter({ database, alarms, eventLog, activeAlarms, muting, now: clock });
      const readings = new WeftReadings();
      readings.add('full', () => reading);
      const rules = new AlarmRuleService({
        database,
        ...stores,
        eventLog,
        auditLog,
        activeAlarms,
        network,
        readings: () => readings.names,
        products: () => new Map([['away', { name: 'Away', condition: { state: 'offline' }, severity: 'major' }]]),
        now: clock,
      });
      const rounds = new AlarmRounds({
        lease,
        activeAlarms,
        network,
        writer,
        muting,
        agentStates: async () => ({
          of: (ap_id) => agentStates.get(ap_id),
          away: [...agentStates].filter(([, { state }]) => state !== 'online').map(([ap_id]) => ap_id),
          unsteady: (count: number) =>
            [...agentStates].filter(([, { changesMs }]) => changesMs.length >= count).map(([ap_id]) => ap_id),
        }),
        readings: new ReadingWatch({ readings, activeAlarms, network }),
        clearLeft: async () => {},
        onChange: (_, error) => expect.unreachable(String(error)),
        now: clock,
      });
      return {
        lease,
        activeAlarms,
        rules,
        silences: new SilenceService({
          database,
          ...stores,
          eventLog,
          auditLog,
          activeAlarms,
          network,
          retention: { now: clock },
          now: clock,
        }),
        service: new AlarmService({ database, alarms, eventLog, auditLog, activeAlarms, network, now: clock }),
        async round(passedMs = 3_000) {
          now += passedMs;
          await store(agents, new SiteStore(database));
          await network.fresh();
          await rounds.once();
        },
      };
    }

    const told = async () =>
      (await log.read({ limit: 500 })).events.map(({ kind: each, text }) => `${each.slice(6)}: ${text}`);
    const offline = { name: 'Offline', condition: { state: 'offline' }, for_seconds: 30, severity: 'major' } as const;
    const site = {
      name: 'Site',
      condition: { share_of_site: { state: 'offline', at_least: 3 }, op: '>', value: 0.5 },
      for_seconds: 10,
      severity: 'critical',
    } as const;

    test('an alarm fires once, is told once, clears by itself, and its history stays', async () => {
      const node = await openNode();
      await node.rules.create(offline, ada);
      add('a');
      await node.round();
      set('a', 'offline');
      await node.round(29_999);
      expect(await told()).toEqual([]);
      await node.round(1);
      await node.round();
      expect(await told()).toEqual(['fired: a is offline']);
      set('a', 'online');
      await node.round(10_000);
      await node.round(20_000);
      expect(await told()).toEqual(['fired: a is offline', 'cleared: Cleared: a is offline']);
      const { items } = await node.service.list(ada, { limit: 10 });
      expect(items).toMatchObject([{ state: 'cleared', ap_id: 'a', cleared_by: null, rule: 'Offline' }]);
      const { events } = await log.read({ limit: 1 });
      expect(events[0]).toMatchObject({
        kind: 'alarm.fired',
        subject_kind: 'alarm',
        ap_id: 'a',
        severity: 'major',
        data: { alarm_id: items[0]!.id, rule: 'Offline', ap_id: 'a', site: null, state: 'firing', labels: {} },
      });
    });

    test('of two nodes one does it; when it is gone the other goes on, and nothing is told twice', async () => {
      const [one, two] = [await openNode(), await openNode(databases[1])];
      expect([one.lease.isHeld, two.lease.isHeld]).toEqual([true, kind.dialect === 'sqlite']);
      await one.rules.create(offline, ada);
      add('a');
      add('b');
      set('a', 'offline', 60_000);
      await Promise.all([one.round(), two.round()]);
      await one.lease.stop();
      await two.lease.once();
      set('b', 'offline', 60_000);
      await two.round();
      set('a', 'online', 60_000);
      await two.round();
      await one.round();
      expect(await told()).toEqual(['fired: a is offline', 'fired: b is offline', 'cleared: Cleared: a is offline']);
      expect([...one.activeAlarms.active].map(({ ap_id }) => ap_id)).toEqual(['b']);
    });

    test('a site that is away is the cause of what is below it; one alarm is told', async () => {
      const node = await openNode();
      await node.rules.create(offline, ada);
      await node.rules.create(site, ada);
      for (const n of [1, 2, 3, 4]) add(`a${n}`, 'uk/bristol');
      for (const n of [1, 2, 3, 4, 5, 6, 7]) add(`b${n}`, 'uk/bath');
      await node.round();
      for (const n of [1, 2, 3, 4]) set(`a${n}`, 'offline');
      await node.round(40_000);
      expect(await told()).toEqual(['fired: uk/bristol: 4 of 4 access points are offline']);
      const { items } = await node.service.list(ada, { limit: 10 });
      const cause = items.find(({ subject_kind }) => subject_kind === 'site')!;
      expect(cause).toMatchObject({ subject: 'uk/bristol', inhibits: 4, inhibited_by: null });
      expect(items.filter(({ inhibited_by }) => inhibited_by === cause.id)).toHaveLength(4);
      // Who sees less of what follows is told of no more.
      const grants = [{ role: 'viewer', selector: 'site:uk/bristol -name:a1' } as const];
      const viewer = { ...ada, id: 'v', isAdmin: false, grants } as const;
      expect(await node.service.get(cause.id, viewer)).toMatchObject({ inhibits: 3 });
      // Three are back; the one that is not is told now.
      for (const n of [1, 2, 3]) set(`a${n}`, 'online');
      await node.round(40_000);
      await node.round();
      expect((await told()).slice(1)).toEqual([
        'cleared: Cleared: uk/bristol: 4 of 4 access points are offline',
        'fired: a4 is offline',
      ]);
    });

    test('very many at once are told as one', async () => {
      const node = await openNode();
      await node.rules.create(offline, ada);
      for (let n = 0; n < 300; n++) add(`ap-${n}`);
      await node.round();
      for (let n = 0; n < 250; n++) set(`ap-${n}`, 'offline');
      await node.round(40_000);
      expect(await told()).toEqual(['fired: Offline: more than 20 access points within a minute']);
      expect(node.activeAlarms.activeCount).toBe(251);
      const [storm] = [...node.activeAlarms.active].filter(({ subject_kind }) => subject_kind === 'storm');
      expect(await node.service.get(storm!.id, ada)).toMatchObject({ inhibits: 250 });
      for (let n = 0; n < 250; n++) set(`ap-${n}`, 'online');
      await node.round(40_000);
      await node.round();
      expect(node.activeAlarms.activeCount).toBe(0);
      expect((await told()).slice(1)).toEqual([
        'cleared: Cleared: Offline: more than 20 access points within a minute',
      ]);
    });

    test('what follows from a site that is away is no storm beside it, however it comes', async () => {
      const node = await openNode();
      await node.rules.create(offline, ada);
      await node.rules.create(site, ada);
      for (let n = 0; n < 100; n++) add(`ap-${n}`, 'uk/bath');
      await node.round();
      for (let n = 0; n < 90; n++) set(`ap-${n}`, 'offline', -1_000 * Math.floor(n / 30));
      for (let round = 0; round < 20; round++) await node.round();
      expect(await told()).toEqual(['fired: uk/bath: 90 of 100 access points are offline']);
      expect([...node.activeAlarms.active].filter(({ subject_kind }) => subject_kind === 'storm')).toEqual([]);
      expect(node.activeAlarms.activeCount).toBe(91);
      const { items } = await node.service.listBySeverity(ada, { limit: 2 });
      expect(items.map(({ subject_kind }) => subject_kind)).toEqual(['site', 'agent']);
      expect((await node.service.list(ada, { caused: false, limit: 10 })).items).toHaveLength(1);
    });

    test('by severity, page by page, each alarm comes once, the worst first', async () => {
      const node = await openNode();
      for (const severity of ['warning', 'critical', 'minor', 'major'] as const) {
        await node.rules.create({ ...offline, name: severity, severity }, ada);
      }
      for (let n = 0; n < 7; n++) add(`ap-${n}`);
      await node.round();
      for (let n = 0; n < 7; n++) set(`ap-${n}`, 'offline');
      await node.round(40_000);
      const found: string[] = [];
      for (let cursor: string | undefined = undefined; ; ) {
        const page: Awaited<ReturnType<typeof node.service.list>> = await node.service.listBySeverity(ada, {
          ...(cursor !== undefined && { cursor }),
          limit: 4,
        });
        expect(page.items.length).toBeLessThanOrEqual(4);
        found.push(...page.items.map(({ severity, subject }) => `${severity} ${subject}`));
        if (page.next === null) break;
        cursor = page.next;
      }
      expect(new Set(found).size).toBe(28);
      expect(found.map((each) => each.split(' ')[0])).toEqual(
        ['critical', 'major', 'minor', 'warning'].flatMap((severity) => Array(7).fill(severity)),
      );
    });

    test('while a silence applies alarms are listed and not told; afterwards they are', async () => {
      const node = await openNode();
      await node.rules.create(offline, ada);
      add('lab', null, ['lab']);
      add('hall', null, ['hall']);
      const weekly = { days: ['sun' as const], from: '11:00', until: '12:30' };
      const silence = await node.silences.create({ selector: 'tag:lab', weekly, time_zone: 'site' }, ada);
      expect(silence).toMatchObject({ active: true, rules: ['*'], created_by: 'ada@x' });
      set('lab', 'offline', 60_000);
      set('hall', 'offline', 60_000);
      await node.round();
      expect(await told()).toEqual(['fired: hall is offline']);
      const { items } = await node.service.list(ada, { limit: 10, selector: 'tag:lab' });
      expect(items).toMatchObject([{ ap_id: 'lab', silenced_by: silence.id, state: 'firing' }]);
      now = Date.parse('2026-11-15T12:29:50Z');
      await node.round();
      expect(await told()).toHaveLength(1);
      now = Date.parse('2026-11-15T12:30:00Z');
      await node.round();
      await node.round();
      expect(await told()).toEqual(['fired: hall is offline', 'fired: lab is offline']);
    });

    test('what ends while it is silenced was never told, and its end is not either', async () => {
      const node = await openNode();
      await node.rules.create(offline, ada);
      const { id } = await node.silences.create({ rules: ['Off*'], until: new Date(now + hourMs).toISOString() }, ada);
      add('a');
      set('a', 'offline', 60_000);
      await node.round();
      set('a', 'online', 60_000);
      await node.round();
      await node.silences.remove(id, ada);
      await node.round();
      expect(await told()).toEqual([]);
      expect(node.activeAlarms.activeCount).toBe(0);
    });

    test('a shelf ends by itself', async () => {
      const node = await openNode();
      await node.rules.create(offline, ada);
      add('a');
      set('a', 'offline', 60_000);
      await node.round();
      const [alarm] = [...node.activeAlarms.active];
      const shelved = await node.service.shelve(alarm!.id, { seconds: 60, note: 'known' }, ada);
      expect(shelved).toMatchObject({ shelved_by: 'ada@x', note: 'known' });
      await node.round(30_000);
      await node.round(30_000);
      await node.round();
      expect((await told()).map((text) => text.split(':')[0])).toEqual(['fired', 'shelved', 'unshelved']);
      expect(await node.service.get(alarm!.id, ada)).toMatchObject({ shelved_until: null, state: 'firing' });
    });

    test('a rule that is disabled or removed, and one that means others now, clears its alarms', async () => {
      const node = await openNode();
      const { id } = await node.rules.create(offline, ada);
      add('a');
      add('b');
      set('a', 'offline', 60_000);
      set('b', 'offline', 60_000);
      await node.round();
      expect(node.activeAlarms.activeCount).toBe(2);
      await node.rules.update(id, { ...offline, selector: 'name:a' }, ada);
      await node.round();
      expect([...node.activeAlarms.active].map(({ ap_id }) => ap_id)).toEqual(['a']);
      await node.rules.update(id, { ...offline, enabled: false }, ada);
      expect(node.activeAlarms.activeCount).toBe(0);
      await node.rules.update(id, offline, ada);
      await node.round();
      expect(node.activeAlarms.activeCount).toBe(2);
      await node.rules.remove(id, ada);
      expect(node.activeAlarms.activeCount).toBe(0);
      const events = (await told()).map((text) => text.split(':')[0]);
      expect(events.filter((each) => each === 'fired')).toHaveLength(4);
      expect(events.filter((each) => each === 'cleared')).toHaveLength(4);
    });

    test('readings of Weft fire and clear, also when there is nothing to read any more', async () => {
      const node = await openNode();
      const condition = { weft: 'full', op: '>', value: 5 } as const;
      await node.rules.create({ name: 'Full', condition, for_seconds: 5, severity: 'critical' }, ada);
      reading = [{ subject_kind: 'node', subject: 'n1', value: 9 }];
      await node.round();
      expect(node.activeAlarms.activeCount).toBe(0);
      await node.round(5_000);
      expect([...node.activeAlarms.active]).toMatchObject([
        { subject_kind: 'node', subject: 'n1', value: 9, ap_id: null },
      ]);
      reading = [];
      await node.round();
      expect(node.activeAlarms.activeCount).toBe(0);
    });

    test('rules that come with Weft are given out once', async () => {
      const node = await openNode();
      await node.rules.seed();
      await node.rules.seed();
      const { items } = await node.rules.list(ada);
      expect(items).toMatchObject([{ name: 'Away', product: 'away', adjusted: false }]);
      const { id } = items[0]!;
      const changed = await node.rules.update(id, { ...items[0]!, for_seconds: 99 }, ada);
      expect(changed).toMatchObject({ product: 'away', adjusted: true, for_seconds: 99 });
      expect(await node.rules.reset(id, ada)).toMatchObject({ adjusted: false, for_seconds: 0 });
      await node.rules.remove(id, ada);
      await node.rules.seed();
      expect((await node.rules.list(ada)).items).toEqual([]);
    });
  });
});
