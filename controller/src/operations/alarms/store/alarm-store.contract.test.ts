// What the store of alarms, rules and silences promises, one test a sentence, on both databases.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { system } from '../../../core/base/caller.ts';
import type { SqlDatabase, SqlQueries } from '../../../core/base/storage/sql-database.ts';
import { type AlarmRecord, AlarmStore } from './alarm-store.ts';
import { type RuleRecord, RuleStore, type SilenceRecord, SilenceStore } from './rule-store.ts';

interface AlarmStoreFixture {
  db: SqlDatabase;
  /** The same database, seen from another node. */
  otherDb: SqlDatabase;
  alarms: AlarmStore;
  rules: RuleStore;
  silences: SilenceStore;
  remove(): Promise<void>;
}

const NOW = 1_790_000_000_000;

function alarmOf(id: string, more: Partial<AlarmRecord> = {}): AlarmRecord {
  return {
    id,
    rule_id: 'rule',
    rule: 'Offline',
    subject_kind: 'agent',
    subject: `ap-${id}`,
    ap_id: `ap-${id}`,
    site: 'uk/bristol',
    severity: 'major',
    state: 'firing',
    since: NOW - 1000,
    fired_at: NOW,
    value: 1.5,
    message: 'It is away',
    labels: { team: 'radio' },
    acknowledged_by: null,
    acknowledged_at: null,
    note: null,
    shelved_until: null,
    shelved_by: null,
    silenced_by: null,
    inhibited_by: null,
    is_announced: true,
    cleared_at: null,
    cleared_by: null,
    version: 1,
    ...more,
  };
}

const ruleOf = (name: string, more: Partial<RuleRecord> = {}): RuleRecord => ({
  id: `id of ${name}`,
  rule: {
    name,
    selector: 'site:uk/**',
    condition: { state: 'offline' },
    for_seconds: 30,
    clear: { for_seconds: 5 },
    severity: 'major',
    message: '{name}',
    labels: {},
    when_asleep: 'ignore',
    enabled: true,
  },
  product: null,
  is_adjusted: false,
  created_at: NOW,
  updated_at: NOW,
  ...more,
});

const silenceOf = (id: string, more: Partial<SilenceRecord> = {}): SilenceRecord => ({
  id,
  silence: { selector: 'tag:lab', rules: ['*'], weekly: { days: ['sun'], from: '02:00', until: '05:00' } },
  created_by: 'ada@x',
  created_at: NOW,
  ends_at: null,
  ...more,
});

function describeAlarmStore(open: () => Promise<AlarmStoreFixture>): void {
  let fixture: AlarmStoreFixture;
  let db: SqlDatabase;
  let alarms: AlarmStore;
  let rules: RuleStore;
  let silences: SilenceStore;
  beforeEach(async () => {
    fixture = await open();
    ({ db, alarms, rules, silences } = fixture);
  });
  afterEach(() => fixture.remove());

  const within = <T>(work: (tx: SqlQueries) => Promise<T>) => db.transaction(work);
  const create = (alarm: AlarmRecord) => within((tx) => alarms.create(tx, alarm));
  const clear = (id: string, at = NOW, cleared_by: string | null = null) =>
    within((tx) => alarms.updateActive(tx, id, { state: 'cleared', cleared_at: at, cleared_by }, 2));

  test('get resolves what was created, or undefined', async () => {
    expect(await create(alarmOf('1'))).toBe(true);
    expect(await alarms.get('1')).toStrictEqual(alarmOf('1'));
    expect(await alarms.get('2')).toBeUndefined();
  });

  test('create resolves false while one of the same rule and subject is active', async () => {
    await create(alarmOf('1'));
    expect(await create(alarmOf('2', { subject: 'ap-1' }))).toBe(false);
    expect(await create(alarmOf('3', { subject: 'ap-1', rule_id: 'other' }))).toBe(true);
    await clear('1');
    expect(await create(alarmOf('4', { subject: 'ap-1' }))).toBe(true);
  });

  test('of many nodes that create the same alarm at once one succeeds', async () => {
    const nodes = [db, fixture.otherDb];
    const tries = Array.from({ length: 12 }, (_, n) =>
      nodes[n % 2]!.transaction(async (tx) => {
        await alarms.nextVersion(tx);
        return alarms.create(tx, alarmOf(`n${n}`, { subject: 'ap' }));
      }),
    );
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    expect(await alarms.listActive()).toHaveLength(1);
  });

  test('updateActive changes an active alarm and resolves it; a cleared one stays as it is', async () => {
    await create(alarmOf('1'));
    const change = { state: 'acknowledged', acknowledged_by: 'ada@x', note: 'on it', is_announced: false } as const;
    const after = await within((tx) => alarms.updateActive(tx, '1', change, 7));
    expect(after).toStrictEqual({ ...alarmOf('1'), ...change, version: 7 });
    await clear('1');
    expect(await within((tx) => alarms.updateActive(tx, '1', { note: 'x' }, 8))).toBeUndefined();
    expect(await alarms.get('1')).toMatchObject({ note: 'on it', state: 'cleared', cleared_at: NOW });
  });

  test('nextVersion grows, and versions tell what changed', async () => {
    const versions: number[] = [];
    for (const id of ['1', '2', '3']) {
      await within(async (tx) => {
        const version = await alarms.nextVersion(tx);
        versions.push(version);
        await alarms.create(tx, alarmOf(id, { version }));
      });
    }
    expect(versions).toEqual([1, 2, 3]);
    expect(await alarms.version()).toEqual({ all: 3, rules: 0, forgotten: 0 });
    await within((tx) => alarms.nextVersion(tx, 'rules'));
    await within((tx) => alarms.nextVersion(tx));
    expect(await alarms.version()).toEqual({ all: 5, rules: 4, forgotten: 0 });
    expect((await alarms.changedAfter(1, 10)).map(({ id }) => id)).toEqual(['2', '3']);
    expect((await alarms.changedAfter(0, 2)).map(({ id }) => id)).toEqual(['1', '2']);
    expect(await alarms.changedAfter(3, 10)).toEqual([]);
  });

  test('changedAfter never cuts a version in two', async () => {
    for (const id of ['1', '2', '3', '4']) await create(alarmOf(id, { version: id === '1' ? 1 : 2 }));
    expect(await alarms.changedAfter(0, 2)).toHaveLength(4);
  });

  test('list resolves what matches all filters, newest first, page by page', async () => {
    await create(alarmOf('1', { severity: 'minor' }));
    await create(alarmOf('2'));
    await create(alarmOf('3', { shelved_until: NOW + 10 }));
    await clear('1');
    const ids = async (options: Partial<Parameters<AlarmStore['list']>[0]>) =>
      (await alarms.list({ limit: 10, nowMs: NOW, ...options })).map(({ id }) => id);
    expect(await ids({})).toEqual(['3', '2', '1']);
    expect(await ids({ limit: 2 })).toEqual(['3', '2']);
    expect(await ids({ beforeId: '2' })).toEqual(['1']);
    expect(await ids({ states: ['firing', 'acknowledged'] })).toEqual(['3', '2']);
    expect(await ids({ states: ['cleared'] })).toEqual(['1']);
    expect(await ids({ severities: ['minor'] })).toEqual(['1']);
    expect(await ids({ ap_id: 'ap-2' })).toEqual(['2']);
    expect(await ids({ isShelved: true })).toEqual(['3']);
    expect(await ids({ isShelved: false, states: ['firing'] })).toEqual(['2']);
    expect(await ids({ fromMs: NOW + 1 })).toEqual([]);
    expect(await ids({ untilMs: NOW })).toEqual([]);
  });

  test('clearedByHandAt knows the last time that somebody cleared it', async () => {
    await create(alarmOf('1', { subject: 'ap' }));
    await clear('1', NOW + 5);
    expect(await alarms.clearedByHandAt('rule', 'ap')).toBeUndefined();
    await create(alarmOf('2', { subject: 'ap' }));
    await clear('2', NOW + 9, 'ada@x');
    expect(await alarms.clearedByHandAt('rule', 'ap')).toBe(NOW + 9);
  });

  test('removeOf removes all alarms of an agent and resolves those that were active', async () => {
    await create(alarmOf('1', { ap_id: 'ap' }));
    await create(alarmOf('2', { ap_id: 'ap', subject: 'b' }));
    await create(alarmOf('3'));
    await clear('1');
    expect((await within((tx) => alarms.removeOf(tx, 'ap', 9))).map(({ id }) => id)).toEqual(['2']);
    expect((await alarms.list({ limit: 9, nowMs: NOW })).map(({ id }) => id)).toEqual(['3']);
  });

  test('prune removes what cleared too long ago and what is too much, in steps, and nothing that is active', async () => {
    for (const n of [1, 2, 3, 4, 5]) {
      await create(alarmOf(String(n)));
      if (n < 5) await clear(String(n), NOW + n);
    }
    expect(await alarms.prune({ beforeMs: NOW + 2, keep: 10, limit: 1 })).toBe(true);
    expect(await alarms.prune({ beforeMs: NOW + 2, keep: 10, limit: 1 })).toBe(false);
    expect(await alarms.prune({ beforeMs: 0, keep: 1, limit: 10 })).toBe(false);
    expect((await alarms.list({ limit: 9, nowMs: NOW })).map(({ id }) => id)).toEqual(['5', '4']);
  });

  test('rules are listed by name, and changed and removed by id', async () => {
    await within((tx) => rules.create(tx, ruleOf('b')));
    await within((tx) => rules.create(tx, ruleOf('a', { product: 'offline' })));
    expect(await rules.list()).toStrictEqual([ruleOf('a', { product: 'offline' }), ruleOf('b')]);
    const changed = { ...ruleOf('c', { is_adjusted: true, updated_at: NOW + 1 }), id: 'id of b' };
    await within((tx) => rules.update(tx, changed));
    expect(await rules.get('id of b')).toStrictEqual(changed);
    expect(await within((tx) => rules.remove(tx, 'id of b'))).toStrictEqual(changed);
    expect(await within((tx) => rules.remove(tx, 'id of b'))).toBeUndefined();
    expect(await rules.get('id of b')).toBeUndefined();
  });

  test('a second rule of a name is refused, new or renamed', async () => {
    await within((tx) => rules.create(tx, ruleOf('a')));
    await within((tx) => rules.create(tx, ruleOf('b')));
    const exists = { name: 'ConflictError', code: 'alarm_rule_exists' };
    await expect(within((tx) => rules.create(tx, ruleOf('a', { id: 'x' })))).rejects.toMatchObject(exists);
    await expect(within((tx) => rules.update(tx, { ...ruleOf('a'), id: 'id of b' }))).rejects.toMatchObject(exists);
  });

  test('newProducts resolves each key once', async () => {
    expect(await within((tx) => rules.newProducts(tx, ['a', 'b']))).toEqual(['a', 'b']);
    expect(await within((tx) => rules.newProducts(tx, ['b', 'c']))).toEqual(['c']);
  });

  test('silences are listed oldest first, changed, removed and pruned', async () => {
    await within((tx) => silences.create(tx, silenceOf('b', { ends_at: NOW + 5 }), system));
    await within((tx) => silences.create(tx, silenceOf('a', { created_at: NOW + 1 }), system));
    expect((await silences.list()).map(({ id }) => id)).toEqual(['b', 'a']);
    const changed = silenceOf('b', { silence: { rules: ['Offline'] }, ends_at: NOW + 6 });
    expect(await within((tx) => silences.update(tx, changed))).toStrictEqual(silenceOf('b', { ends_at: NOW + 5 }));
    expect(await silences.get('b')).toStrictEqual(changed);
    expect(await within((tx) => silences.update(tx, silenceOf('none')))).toBeUndefined();
    expect(await within((tx) => silences.prune(tx, NOW + 6))).toBe(0);
    expect(await within((tx) => silences.prune(tx, NOW + 7))).toBe(1);
    expect(await within((tx) => silences.remove(tx, 'a'))).toMatchObject({ id: 'a' });
    expect(await within((tx) => silences.remove(tx, 'a'))).toBeUndefined();
  });
}

eachDatabase((kind) => {
  describeAlarmStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [db, otherDb] = nodes;
    return {
      db,
      otherDb,
      alarms: new AlarmStore(db),
      rules: new RuleStore(db),
      silences: new SilenceStore(db),
      remove,
    };
  });
});
