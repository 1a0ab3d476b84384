// What the store of rows promises, one test a sentence, on both databases.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { agentNamed, siteAt } from '../../../../test/pure/stored-records.ts';
import { AgentStore } from '../accounts/agents/agent-store.ts';
import { SiteStore } from '../accounts/sites/site-store.ts';
import { revokedHash } from '../base/storage/ended-agents.ts';
import type { SqlDatabase } from '../base/storage/sql-database.ts';
import { readFacts } from './agent-facts.ts';
import { AgentRowStore } from './agent-row-store.ts';

interface AgentRowStoreFixture {
  store: AgentRowStore;
  agents: AgentStore;
  sites: SiteStore;
  db: SqlDatabase;
  /** Takes the database away from `store`. */
  cutOff(): Promise<void>;
  remove(): Promise<void>;
}

function describeAgentRowStore(open: () => Promise<AgentRowStoreFixture>): void {
  let fixture: AgentRowStoreFixture;
  let store: AgentRowStore;
  let agents: AgentStore;

  beforeEach(async () => {
    fixture = await open();
    ({ store, agents } = fixture);
  });
  afterEach(() => fixture.remove());

  const namesOf = (list: readonly { ap_id: string }[]) => list.map(({ ap_id }) => ap_id);
  async function changedSince(revision: number, limit = 100): Promise<string[]> {
    const names: string[] = [];
    let at: { revision: number; ap_id: string } | undefined = { revision: revision + 1, ap_id: '' };
    while (at) {
      const { agents: page, next } = await store.changed(at, limit);
      names.push(...namesOf(page));
      at = next;
    }
    return names;
  }

  test('an agent is what of its record and its configuration is asked of all of them', async () => {
    const site = siteAt('uk/hall');
    await fixture.sites.create(site);
    const configuration = { access_point_type: 'WiFi', report_interval_seconds: 5, other: 1 };
    const record = agentNamed('a', {
      configuration,
      onboard: true,
      display_name: 'A',
      site: 'uk/hall',
      tags: ['x', 'y'],
    });
    await agents.create(record);
    await agents.create(
      agentNamed('b', { emulated_for: 'ada', password_hash: revokedHash, configuration: { access_point_type: 7 } }),
    );
    const [a, b] = await store.page('', 10);
    const { id, created_at } = record;
    expect(a).toStrictEqual({
      id,
      ap_id: 'a',
      display_name: 'A',
      site_id: site.id,
      tags: ['x', 'y'],
      ...readFacts(configuration),
      onboard: true,
      emulated_for: null,
      isEnded: false,
      created_at,
    });
    expect(b).toMatchObject({
      isEnded: true,
      access_point_type: null,
      configuredMs: undefined,
      site_id: null,
      tags: [],
    });
    expect(await store.sites()).toStrictEqual(new Map([[site.id, 'uk/hall']]));
  });

  test('page walks through all agents, whatever the limit', async () => {
    for (const name of ['b', 'C', 'a-1', 'a', '1']) await agents.create(agentNamed(name));
    for (const limit of [1, 2, 5, 6]) {
      const seen: string[] = [];
      for (;;) {
        const page = await store.page(seen.at(-1) ?? '', limit);
        if (page.length === 0) break;
        seen.push(...namesOf(page));
      }
      expect(seen).toStrictEqual(['1', 'C', 'a', 'a-1', 'b']);
    }
  });

  test('every change of agents raises the revision, and changed gives those that changed since', async () => {
    const changes: [string, () => Promise<unknown>, string[]][] = [
      ['create', () => agents.create(agentNamed('a')), ['a']],
      ['update', () => agents.update('a', { onboard: true }), ['a']],
      ['changeConfiguration', () => agents.changeConfiguration('a', () => ({ x: 1 })), ['a']],
      ['changeLabels', () => agents.changeLabels('a', () => ({ display_name: 'x', site: null, tags: [] })), ['a']],
      [
        'createAll',
        () =>
          fixture.db.transaction((tx) =>
            agents.createAll(
              tx,
              ['c', 'b', 'd'].map((n) => agentNamed(n)),
            ),
          ),
        ['b', 'c', 'd'],
      ],
      ['revokeAll', () => fixture.db.transaction((tx) => agents.revokeAll(tx, ['b', 'd'], 'v')), ['b', 'd']],
    ];
    for (const [what, change, changed] of changes) {
      const before = await store.revision();
      await change();
      expect((await store.revision()).revision, what).toBeGreaterThan(before.revision);
      for (const limit of [1, 2, 100]) expect(await changedSince(before.revision, limit), what).toStrictEqual(changed);
    }
    expect(await changedSince((await store.revision()).revision)).toStrictEqual([]);
    expect(await changedSince(0)).toStrictEqual(['a', 'c', 'b', 'd']);
  });

  test('removed gives the names of agents that were removed since', async () => {
    for (const name of ['a', 'b', 'c']) await agents.create(agentNamed(name));
    const before = await store.revision();
    await agents.remove('a');
    const between = await store.revision();
    await agents.remove('c');
    await agents.create(agentNamed('c'));
    expect((await store.removed(before.revision)).sort()).toStrictEqual(['a', 'c']);
    expect(await store.removed(between.revision)).toStrictEqual(['c']);
    expect(await changedSince(between.revision)).toStrictEqual(['c']);
  });

  test('removals of long ago are forgotten, and the revision says so', async () => {
    await agents.create(agentNamed('a'));
    await agents.create(agentNamed('b'));
    await agents.remove('a');
    await fixture.db.query('UPDATE fleet_revision SET revision = 59999 WHERE id = 1');
    await agents.remove('b');
    expect(await store.revision()).toMatchObject({ revision: 60_000, forgotten: 10_000 });
    expect(await store.removed(0)).toStrictEqual(['b']);
  });

  test('changes of sites have a revision of their own', async () => {
    const site = siteAt('uk');
    const { sites: before } = await store.revision();
    await fixture.sites.create(site);
    const { sites: created } = await store.revision();
    await agents.create(agentNamed('a'));
    expect((await store.revision()).sites).toBe(created);
    await fixture.sites.update(site.id, { ...site, path: 'gb' }, () => {});
    const { sites: moved } = await store.revision();
    await fixture.sites.remove(site.id);
    const { sites: removed } = await store.revision();
    expect(new Set([before, created, moved, removed]).size).toBe(4);
  });

  test('revisions become visible in their order, however long a transaction takes', async () => {
    const { revision } = await store.revision();
    const seen: number[] = [];
    let fast: Promise<unknown> = Promise.resolve();
    const slow = fixture.db.transaction(async (tx) => {
      await agents.createAll(tx, [agentNamed('slow')]);
      // Not before: whichever is first would win.
      if (fixture.db.dialect !== 'sqlite') fast = agents.create(agentNamed('fast'));
      seen.push((await store.revision().catch(() => ({ revision: -1 }))).revision);
    });
    if (fixture.db.dialect === 'sqlite') return void (await slow.catch(() => {}));
    await slow;
    await fast;
    expect(seen).toEqual([revision]);
    expect(await changedSince(revision)).toHaveLength(2);
  });

  test('configurations gives those of agents that exist, as JSON', async () => {
    await agents.create(agentNamed('a', { configuration: { x: [1] } }));
    expect(await store.configurations(['a', 'b'])).toStrictEqual(new Map([['a', '{"x":[1]}']]));
    expect(await store.configurations([])).toStrictEqual(new Map());
  });

  test('visible gives what decides who may see these agents, in a transaction', async () => {
    const many = Array.from({ length: 600 }, (_, n) =>
      agentNamed(`emu-${n}`, { emulated_for: n % 2 ? 'ada' : 'bob', tags: [`t${n}`], display_name: `Cell ${n}` }),
    );
    await fixture.db.transaction((tx) => agents.createAll(tx, [...many, agentNamed('real')]));
    const expected = many.map(({ ap_id, emulated_for, display_name, site, tags }) => ({
      ...{ ap_id, emulated_for, display_name, site, tags },
    }));
    const byName = (found: readonly { ap_id: string }[]) => new Map(found.map((agent) => [agent.ap_id, agent]));
    await fixture.db.transaction(async (tx) => {
      const found = await store.visible(tx, [...many.map(({ ap_id }) => ap_id), 'unknown']);
      expect(byName(found)).toEqual(byName(expected));
      expect(await store.visible(tx, [])).toEqual([]);
    });
  });

  test('every method throws TryLaterError (503) while the database is out of reach', async () => {
    await fixture.cutOff();
    const calls = [
      store.revision(),
      store.page('', 1),
      store.changed({ revision: 0, ap_id: '' }, 1),
      store.removed(0),
      store.sites(),
      store.configurations(['a']),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ reason: { name: 'TryLaterError', status: 503 } });
    }
  });
}

eachDatabase((kind) => {
  describeAgentRowStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new AgentRowStore(nodes[0]),
      agents: new AgentStore(nodes[1]),
      sites: new SiteStore(nodes[1]),
      db: nodes[1],
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
