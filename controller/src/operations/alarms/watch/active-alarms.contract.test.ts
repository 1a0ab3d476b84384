// What every node knows of alarms, rules and silences, whichever node has changed them and in whichever way.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { draw } from '../../../../../test/draw.ts';
import { rounds } from '../../../../../test/rounds.ts';
import type { SqlDatabase, SqlQueries } from '../../../core/base/storage/sql-database.ts';
import { type AlarmRecord, AlarmStore } from '../store/alarm-store.ts';
import { RuleStore, SilenceStore } from '../store/rule-store.ts';
import { ActiveAlarms } from './active-alarms.ts';

const NOW = 1_790_000_000_000;
const agents = ['ap-1', 'ap-2', 'ap-3'];
const admin = { kind: 'user', id: 'u', name: 'ada@weft.test', roles: ['admin'], isAdmin: true } as const;

function alarmOf(rule_id: string, ap_id: string, version: number): AlarmRecord {
  return {
    ...{ id: randomUUID(), rule_id, rule: 'Offline', subject_kind: 'agent', subject: ap_id, ap_id, site: null },
    ...{
      severity: 'major',
      state: 'firing',
      since: NOW,
      fired_at: NOW,
      value: null,
      message: 'It is away',
      labels: {},
    },
    ...{ acknowledged_by: null, acknowledged_at: null, note: null, shelved_until: null, shelved_by: null },
    ...{ silenced_by: null, inhibited_by: null, is_announced: true, cleared_at: null, cleared_by: null, version },
  };
}

function nodeOn(database: SqlDatabase) {
  const stores = {
    alarms: new AlarmStore(database),
    rules: new RuleStore(database),
    silences: new SilenceStore(database),
  };
  const active = new ActiveAlarms(stores);
  const turned = new Set<string>();
  active.turned.on(({ id }, isActive) => (isActive ? turned.add(id) : turned.delete(id)));
  return { database, ...stores, active, turned };
}

function describeActiveAlarms(open: () => Promise<{ nodes: [SqlDatabase, SqlDatabase]; remove(): Promise<void> }>) {
  let nodes: [ReturnType<typeof nodeOn>, ReturnType<typeof nodeOn>];
  let remove: () => Promise<void>;
  beforeEach(async () => {
    const opened = await open();
    nodes = [nodeOn(opened.nodes[0]), nodeOn(opened.nodes[1])];
    ({ remove } = opened);
  });
  afterEach(() => remove());

  test('both nodes know what is stored, whichever of them has written it, in every way there is', async () => {
    const random = draw('changes');
    const of = (name: string) => ({ name, selector: '', condition: { state: 'offline' }, severity: 'major' });
    for (let round = 0; round < rounds(200, 40); round++) {
      const { database, alarms, rules, silences } = random.of(nodes);
      const before = await alarms.version();
      const within = (what: 'rules' | undefined, work: (tx: SqlQueries, version: number) => Promise<unknown>) =>
        database.transaction(async (tx) => {
          const version = await alarms.nextVersion(tx, what);
          expect(version).toBe(before.all + 1);
          await work(tx, version);
        });
      const [active, kept, still] = [await alarms.listActive(), await rules.list(), await silences.list()];
      const [alarm, rule, silence] = [active, kept, still].map((list) => random.below(list.length + 1)) as number[];
      const ap_id = random.of(agents);
      await random.of([
        () => within(undefined, (tx, version) => alarms.create(tx, alarmOf('rule', ap_id, version))),
        () =>
          within(undefined, async (tx, version) => {
            const to = { state: 'cleared', cleared_at: NOW } as const;
            if (active[alarm!]) await alarms.updateActive(tx, active[alarm!]!.id, to, version);
            await alarms.create(tx, alarmOf('rule', ap_id, version));
          }),
        () => within(undefined, (tx, version) => alarms.removeOf(tx, ap_id, version)),
        () => {
          const id = randomUUID();
          const text = { ...of(id), enabled: random.below(3) > 0 } as never;
          const record = { id, rule: text, product: null, is_adjusted: false, created_at: NOW, updated_at: round };
          return within('rules', (tx) => rules.create(tx, record));
        },
        () =>
          within('rules', async (tx) => {
            const known = kept[rule!];
            const text = known && { ...known.rule, enabled: !known.rule.enabled };
            if (known) await rules.update(tx, { ...known, rule: text!, updated_at: round });
          }),
        () => within('rules', async (tx) => kept[rule!] && rules.remove(tx, kept[rule!]!.id)),
        () => {
          const silence = { selector: 'tag:lab', until: '2027-01-01T00:00:00Z' } as never;
          const record = { id: randomUUID(), silence, created_by: 'ada', created_at: NOW, ends_at: null };
          return within('rules', (tx) => silences.create(tx, record, admin));
        },
        () => within('rules', async (tx) => still[silence!] && silences.remove(tx, still[silence!]!.id)),
      ])();
      for (const node of nodes) {
        await node.active.fresh();
        const stored = await node.alarms.listActive();
        const byId = <Each extends { id: string }>(list: Iterable<Each>) =>
          [...list].sort((a, b) => (a.id < b.id ? -1 : 1));
        expect(byId(node.active.active)).toEqual(stored);
        expect([...node.turned].sort(), 'told').toEqual(stored.map(({ id }) => id).sort());
        for (const each of stored) expect(node.active.find('rule', 'agent', each.subject)?.id).toBe(each.id);
        const enabled = (await node.rules.list()).filter(({ rule }) => rule.enabled);
        expect(byId(node.active.rules.map(({ record }) => record))).toEqual(byId(enabled));
        expect(node.active.silences.map(({ record }) => record)).toEqual(await node.silences.list());
      }
    }
  });
}

eachDatabase((kind) => describeActiveAlarms(() => openTwoNodes(kind)));
