// What the agent store promises, one test a sentence, on both databases.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { agentNamed, siteAt } from '../../../../../test/pure/stored-records.ts';
import { revokedHash } from '../../base/storage/ended-agents.ts';
import { type SqlDatabase, UniqueViolation } from '../../base/storage/sql-database.ts';
import { SiteStore } from '../sites/site-store.ts';
import type { AgentRecord } from './agent-record.ts';
import { AgentStore, UnknownSite } from './agent-store.ts';

interface AgentStoreFixture {
  store: AgentStore;
  /** The same agents, seen from another node. */
  otherNode: AgentStore;
  /** Where `store` keeps them. */
  db: SqlDatabase;
  createSite(path: string): Promise<unknown>;
  /** Takes the database away from `store`. */
  cutOff(): Promise<void>;
  remove(): Promise<void>;
}

function describeAgentStore(open: () => Promise<AgentStoreFixture>): void {
  let fixture: AgentStoreFixture;
  let store: AgentStore;

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  test('get resolves the record as it was created, real or emulated', async () => {
    const odd = JSON.parse('{"__proto__":{"a":1},"z":[1,{"b":null}],"text":"\\u0000\\ud800 ü","big":1e300}');
    const real = agentNamed('ap-1', { configuration: odd });
    const emulated = agentNamed('ap-2', { onboard: true, emulated_for: 'user-7' });
    await store.create(real);
    await store.create(emulated);
    expect(await store.get('ap-1')).toStrictEqual(real);
    expect(await fixture.otherNode.get('ap-2')).toStrictEqual(emulated);
  });

  test('revision rises with every change, on any node, and with nothing else', async () => {
    const seen = [await store.revision()];
    const rose = async (change: () => Promise<unknown>) => {
      await change();
      seen.push(await fixture.otherNode.revision());
      expect(seen.at(-1)).toBeGreaterThan(seen.at(-2)!);
    };
    await rose(() => store.create(agentNamed('ap-1')));
    await rose(() => fixture.otherNode.update('ap-1', { ver: 'ver-2' }));
    await rose(() => store.changeConfiguration('ap-1', () => ({ a: 1 })));
    await rose(() => fixture.db.transaction((tx) => store.revokeAll(tx, ['ap-1'], 'ver-3')));
    await rose(() => store.remove('ap-1'));
    await rose(() => fixture.db.transaction((tx) => store.createAll(tx, [agentNamed('ap-1'), agentNamed('ap-2')])));
    await store.get('ap-1');
    expect(await store.revision()).toBe(seen.at(-1));
  });

  test('createAll makes many at once, and none if one of the names is taken', async () => {
    const many = Array.from({ length: 600 }, (_, n) => agentNamed(`many-${n}`, { emulated_for: 'user-7' }));
    await fixture.db.transaction((tx) => store.createAll(tx, many));
    expect(await fixture.otherNode.get('many-599')).toStrictEqual(many[599]);
    const clash = [agentNamed('new-1'), agentNamed('many-3'), agentNamed('new-2')];
    const failing = fixture.db.transaction((tx) => store.createAll(tx, clash));
    await expect(failing).rejects.toThrow(UniqueViolation);
    expect(await store.get('new-1')).toBeUndefined();
    expect(await store.count()).toBe(600);
  });

  test('createNamed gives each a display name that no other has, also of two nodes at once', async () => {
    await store.create(agentNamed('old', { display_name: 'bristol-5g-4' }));
    const create = (node: AgentStore, prefix: string) =>
      fixture.db.transaction((tx) => {
        const records = ['a', 'b', 'c'].map((name) => agentNamed(prefix + name));
        return node.createNamed(tx, records, ['bristol-5g', 'bath-wifi', 'bristol-5g']);
      });
    await Promise.all([create(store, 'x-'), create(store, 'y-')]);
    const names = (await store.page('', 1_000)).map(({ display_name }) => display_name);
    expect([...names].sort()).toStrictEqual([
      'bath-wifi-1',
      'bath-wifi-2',
      ...[4, 5, 6, 7, 8].map((n) => `bristol-5g-${n}`),
    ]);
    await fixture.db.transaction((tx) => store.createNamed(tx, [], []));
  });

  test('revokeAll leaves no password and no token, and others alone', async () => {
    for (const ap_id of ['ap-1', 'ap-2', 'ap-3']) await store.create(agentNamed(ap_id));
    await fixture.db.transaction((tx) => store.revokeAll(tx, ['ap-1', 'ap-3', 'ap-9'], 'ver-2'));
    expect(await fixture.otherNode.get('ap-1')).toMatchObject({ password_hash: revokedHash, ver: 'ver-2' });
    expect(await store.get('ap-2')).toMatchObject({ password_hash: 'hash-1', ver: 'ver-1' });
    expect(await store.get('ap-3')).toMatchObject({ password_hash: revokedHash, ver: 'ver-2' });
  });

  test.each(['ap-9', '', 'AP-1', 'ap-1\0'])('get resolves undefined for %j, which is unknown', async (ap_id) => {
    await store.create(agentNamed('ap-1'));
    expect(await store.get(ap_id)).toBeUndefined();
  });

  test('list orders by ap_id, byte by byte', async () => {
    const names = ['b', 'C', 'a_1', 'a-1', 'a:1', 'a.1', 'a1', 'a', 'D', 'é', '屋', '1'];
    for (const name of names) await store.create(agentNamed(name));
    expect((await store.page('', 1_000)).map((agent) => agent.ap_id)).toStrictEqual(names.sort());
  });

  test('page walks through all agents in the order of list, whatever the limit', async () => {
    const names = ['b', 'C', 'a_1', 'a-1', 'a:1', 'a.1', 'a1', 'a', 'D', 'é', '屋', '1'];
    for (const name of names) await store.create(agentNamed(name));
    for (const limit of [1, 3, 12, 13]) {
      const seen: AgentRecord[] = [];
      for (;;) {
        const page = await store.page(seen.at(-1)?.ap_id ?? '', limit);
        expect(page.length).toBeLessThanOrEqual(limit);
        if (page.length === 0) break;
        seen.push(...page);
      }
      expect(seen).toStrictEqual(await store.page('', 1_000));
    }
  });

  test('page goes on after an agent that is gone', async () => {
    for (const name of ['a', 'c']) await store.create(agentNamed(name));
    expect((await store.page('b', 10)).map(({ ap_id }) => ap_id)).toStrictEqual(['c']);
  });

  test('count counts', async () => {
    expect(await store.count()).toBe(0);
    await store.create(agentNamed('ap-1'));
    await store.create(agentNamed('ap-2'));
    expect(await store.count()).toBe(2);
  });

  test('create throws agent_exists if the ap_id is taken, and leaves the first as it was', async () => {
    const first = agentNamed('ap-1');
    await store.create(first);
    await expect(fixture.otherNode.create(agentNamed('ap-1'))).rejects.toMatchObject({
      name: 'ConflictError',
      code: 'agent_exists',
    });
    expect(await store.get('ap-1')).toStrictEqual(first);
  });

  test('update resolves the record as it is now, with what was not named left alone', async () => {
    const agent = agentNamed('ap-1', { configuration: { site: 'roof' }, emulated_for: 'user-7' });
    await store.create(agent);
    await store.create(agentNamed('ap-2'));
    expect(await store.update('ap-1', { onboard: true })).toStrictEqual({ ...agent, onboard: true });
    const change = { password_hash: 'hash-2', configuration: { tags: ['a'] }, onboard: false, ver: 'ver-2' };
    expect(await store.update('ap-1', change)).toStrictEqual({ ...agent, ...change });
    expect(await store.update('ap-1', {})).toStrictEqual(await fixture.otherNode.get('ap-1'));
    expect(await store.get('ap-2')).toMatchObject({ password_hash: 'hash-1', ver: 'ver-1' });
  });

  test('update resolves undefined if there is none', async () => {
    expect(await store.update('ap-1', { onboard: true })).toBeUndefined();
    expect(await store.count()).toBe(0);
  });

  test('changeConfiguration replaces the configuration by what comes out, and nothing else', async () => {
    const agent = agentNamed('ap-1', { configuration: { a: 1 }, onboard: true });
    await store.create(agent);
    const after = { ...agent, configuration: { a: 1, b: 2 } };
    const change = (record: AgentRecord) => ({ ...record.configuration, b: 2 });
    expect(await store.changeConfiguration('ap-1', change)).toStrictEqual(after);
    expect(await fixture.otherNode.get('ap-1')).toStrictEqual(after);
    expect(await store.changeConfiguration('ap-2', change)).toBeUndefined();
  });

  test('changeConfiguration throws what the change throws, and then nothing was changed', async () => {
    const agent = agentNamed('ap-1', { configuration: { a: 1 } });
    await store.create(agent);
    const change = () => {
      throw new RangeError('too large');
    };
    await expect(store.changeConfiguration('ap-1', change)).rejects.toThrow(RangeError);
    expect(await store.get('ap-1')).toStrictEqual(agent);
  });

  test('changeConfiguration lets nothing get in between, on any node', async () => {
    await store.create(agentNamed('ap-1'));
    const add = (node: AgentStore, n: number) =>
      node.changeConfiguration('ap-1', ({ configuration }) => ({ ...configuration, [`k${n}`]: n }));
    await Promise.all(Array.from({ length: 20 }, (_, n) => add(n % 2 === 0 ? store : fixture.otherNode, n)));
    expect(Object.keys((await store.get('ap-1'))!.configuration)).toHaveLength(20);
  });

  test('changeLabels replaces the labels by what comes out, and nothing else', async () => {
    await fixture.createSite('uk/hall');
    const agent = agentNamed('ap-1', { configuration: { a: 1 }, onboard: true });
    await store.create(agent);
    const labels = { display_name: 'Große Halle \u{1f600}', site: 'uk/hall', tags: ['a', 'ü'] };
    const after = { ...agent, ...labels };
    expect(await store.changeLabels('ap-1', () => labels)).toStrictEqual(after);
    expect(await fixture.otherNode.get('ap-1')).toStrictEqual(after);
    expect(await store.page('', 1_000)).toStrictEqual([after]);
    expect(await store.update('ap-1', { onboard: false })).toStrictEqual({ ...after, onboard: false });
    expect(await store.changeLabels('ap-2', () => labels)).toBeUndefined();
    const none = { display_name: null, site: null, tags: [] };
    expect(await store.changeLabels('ap-1', () => none)).toStrictEqual({ ...agent, onboard: false });
  });

  test('changeLabels runs `also` only if they differ', async () => {
    await store.create(agentNamed('ap-1', { tags: ['a'] }));
    const changed: unknown[] = [];
    const also = async (_tx: unknown, { before, after }: { before?: AgentRecord; after?: AgentRecord }) => {
      changed.push([before!.tags, after!.tags]);
    };
    const to = (tags: string[]) => store.changeLabels('ap-1', () => ({ display_name: null, site: null, tags }), also);
    await to(['a']);
    await to(['b']);
    expect(changed).toStrictEqual([[['a'], ['b']]]);
  });

  test('changeLabels throws UnknownSite, and what the change throws; then nothing was changed', async () => {
    const agent = agentNamed('ap-1');
    await store.create(agent);
    const labels = { display_name: 'x', site: 'nowhere', tags: [] };
    await expect(store.changeLabels('ap-1', () => labels)).rejects.toThrow(UnknownSite);
    const fail = () => {
      throw new RangeError('no');
    };
    await expect(store.changeLabels('ap-1', fail)).rejects.toThrow(RangeError);
    expect(await store.get('ap-1')).toStrictEqual(agent);
  });

  test('changeLabels lets nothing get in between, on any node', async () => {
    await store.create(agentNamed('ap-1'));
    const add = (node: AgentStore, tag: string) =>
      node.changeLabels('ap-1', ({ display_name, site, tags }) => ({ display_name, site, tags: [...tags, tag] }));
    await Promise.all(Array.from({ length: 20 }, (_, n) => add(n % 2 === 0 ? store : fixture.otherNode, `t${n}`)));
    expect((await store.get('ap-1'))!.tags).toHaveLength(20);
  });

  test('remove resolves whether there was one to remove', async () => {
    await store.create(agentNamed('ap-1'));
    await store.create(agentNamed('ap-2'));
    expect(await store.remove('ap-1')).toBe(true);
    expect(await store.remove('ap-1')).toBe(false);
    expect((await store.page('', 1_000)).map((agent) => agent.ap_id)).toStrictEqual(['ap-2']);
  });

  test('every method throws TryLaterError (503) while the database is out of reach', async () => {
    await fixture.cutOff();
    const calls = [
      store.get('ap-1'),
      store.page('', 1_000),
      store.page('', 10),
      store.count(),
      store.create(agentNamed('ap-1')),
      store.update('ap-1', {}),
      store.changeConfiguration('ap-1', () => ({})),
      store.changeLabels('ap-1', (record) => record),
      store.remove('ap-1'),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ reason: { name: 'TryLaterError', status: 503, code: 'database_unavailable' } });
    }
    expect(await fixture.otherNode.count()).toBe(0);
  });
}

eachDatabase((kind) => {
  describeAgentStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new AgentStore(nodes[0]),
      otherNode: new AgentStore(nodes[1]),
      db: nodes[0],
      createSite: (path) => new SiteStore(nodes[1]).create(siteAt(path)),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
