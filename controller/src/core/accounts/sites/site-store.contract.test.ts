// What the site store promises, one test a sentence, on both databases.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { agentNamed, siteAt } from '../../../../../test/pure/stored-records.ts';
import { AgentStore } from '../agents/agent-store.ts';
import { type SiteRecord, SiteStore } from './site-store.ts';

interface SiteStoreFixture {
  store: SiteStore;
  /** The same sites, seen from another node. */
  otherNode: SiteStore;
  agents: Pick<AgentStore, 'get' | 'changeLabels'>;
  /** Creates an agent in this site. */
  addAgent(ap_id: string, site: string): Promise<void>;
  /** Takes the database away from `store`. */
  cutOff(): Promise<void>;
  remove(): Promise<void>;
}

function describeSiteStore(open: () => Promise<SiteStoreFixture>): void {
  let fixture: SiteStoreFixture;
  let store: SiteStore;
  const fine = (_path: string) => {};

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  async function create(...paths: string[]): Promise<SiteRecord[]> {
    const sites = paths.map((path) => siteAt(path));
    for (const site of sites) await store.create(site);
    return sites;
  }
  const paths = async () => (await store.page('', 1000)).map(({ path }) => path);
  const moveTo = (site: SiteRecord, path: string, check = fine) => store.update(site.id, { ...site, path }, check);

  test('get and find resolve the record as it was created, with the number of its access points', async () => {
    const hall = siteAt('uk/bristol/hall', {
      name: 'Große Halle \ud83d\ude00',
      geolocation: { latitude: 51.45, longitude: -2.58 },
      time_zone: 'Europe/London',
      notes: 'two\nlines',
    });
    await store.create(hall);
    expect(await store.get(hall.id)).toStrictEqual({ ...hall, access_points: 0 });
    await fixture.addAgent('ap-1', 'uk/bristol/hall');
    expect(await fixture.otherNode.find('uk/bristol/hall')).toStrictEqual({ ...hall, access_points: 1 });
    expect(await store.get('none')).toBeUndefined();
    expect(await store.find('uk/bristol')).toBeUndefined();
  });

  test('page walks through all sites in byte order, whatever the limit', async () => {
    const names = ['b', 'B', 'a/x', 'a-b', 'a', 'ä', 'a/x/y', 'a0'];
    await create(...names);
    for (const limit of [1, 3, 8, 9]) {
      const seen: string[] = [];
      for (;;) {
        const page = await store.page(seen.at(-1) ?? '', limit);
        if (page.length === 0) break;
        seen.push(...page.map(({ path }) => path));
      }
      expect(seen).toStrictEqual(names.sort());
    }
    expect(await store.count()).toBe(8);
  });

  test('namesOf resolves the names of sites and of those above them, and of no others', async () => {
    for (const path of ['uk', 'uk/bristol', 'uk/bath', 'ukraine'])
      await store.create(siteAt(path, { name: `Our ${path}` }));
    expect(await fixture.otherNode.namesOf(['uk/bristol/hall', 'uk/bristol', 'de'])).toStrictEqual(
      new Map([
        ['uk', 'Our uk'],
        ['uk/bristol', 'Our uk/bristol'],
      ]),
    );
    expect((await store.namesOf([])).size).toBe(0);
  });

  test('create throws site_exists if the path is taken, and leaves the first as it was', async () => {
    const [first] = await create('uk');
    const conflict = { name: 'ConflictError', code: 'site_exists' };
    await expect(fixture.otherNode.create(siteAt('uk', { name: 'other' }))).rejects.toMatchObject(conflict);
    expect(await store.find('uk')).toMatchObject(first!);
  });

  test('update replaces what the site says, and nothing else', async () => {
    const [uk] = await create('uk', 'de');
    const change = { path: 'uk', name: 'Kingdom', geolocation: null, time_zone: 'Europe/London', notes: 'n' };
    expect(await store.update(uk!.id, change, fine)).toStrictEqual({ ...uk, ...change, access_points: 0 });
    expect(await fixture.otherNode.get(uk!.id)).toStrictEqual({ ...uk, ...change, access_points: 0 });
    expect(await store.find('de')).toMatchObject({ name: 'de' });
    expect(await store.update('none', change, fine)).toBeUndefined();
  });

  test('another path moves all that is below, and the access points in it', async () => {
    const [uk] = await create('uk', 'uk/ä', 'uk/ä/hall', 'uk-2', 'uk0', 'ukraine/kyiv');
    await fixture.addAgent('ap-1', 'uk/ä/hall');
    await moveTo(uk!, 'eu/gb');
    expect(await paths()).toStrictEqual(['eu/gb', 'eu/gb/ä', 'eu/gb/ä/hall', 'uk-2', 'uk0', 'ukraine/kyiv']);
    expect(await fixture.agents.get('ap-1')).toMatchObject({ site: 'eu/gb/ä/hall' });
  });

  test('a site moves up over itself', async () => {
    const [site] = await create('a/b', 'a/b/b', 'a/b/b/b', 'a/b/c');
    await moveTo(site!, 'a');
    expect(await paths()).toStrictEqual(['a', 'a/b', 'a/b/b', 'a/c']);
  });

  test('update throws site_exists if one of the new paths is taken, and what check throws; then nothing was changed', async () => {
    const [uk] = await create('uk', 'uk/hall', 'gb/hall');
    await expect(moveTo(uk!, 'gb')).rejects.toMatchObject({ code: 'site_exists' });
    const check = (path: string) => {
      if (path === 'de/hall') throw new RangeError(path);
    };
    await expect(moveTo(uk!, 'de', check)).rejects.toThrow(RangeError);
    expect(await paths()).toStrictEqual(['gb/hall', 'uk', 'uk/hall']);
  });

  test('remove resolves whether there was one to remove', async () => {
    const [uk] = await create('uk', 'uk-2');
    expect(await store.remove(uk!.id)).toBe(true);
    expect(await fixture.otherNode.remove(uk!.id)).toBe(false);
    expect(await paths()).toStrictEqual(['uk-2']);
  });

  test('remove throws site_not_empty while there are sites below or access points in it', async () => {
    const [uk, hall] = await create('uk', 'uk/bristol/hall');
    await fixture.addAgent('ap-1', 'uk/bristol/hall');
    await expect(store.remove(uk!.id)).rejects.toMatchObject({
      code: 'site_not_empty',
      more: { children: 1, access_points: 0 },
    });
    await expect(store.remove(hall!.id)).rejects.toMatchObject({ more: { children: 0, access_points: 1 } });
    expect(await store.count()).toBe(2);
  });

  test('no access point is in a site that was removed, whoever is first', async () => {
    for (let round = 0; round < 10; round++) {
      const [site] = await create(`race-${round}`);
      await fixture.addAgent(`ap-${round}`, 'none');
      const labels = { display_name: null, site: `race-${round}`, tags: [] };
      const [labelled, removed] = await Promise.allSettled([
        fixture.agents.changeLabels(`ap-${round}`, () => labels),
        fixture.otherNode.remove(site!.id),
      ]);
      expect([labelled.status, removed.status].sort()).toStrictEqual(['fulfilled', 'rejected']);
      const exists = (await store.get(site!.id)) !== undefined;
      expect((await fixture.agents.get(`ap-${round}`))!.site).toBe(exists ? `race-${round}` : null);
    }
  });

  test('every method throws TryLaterError (503) while the database is out of reach', async () => {
    await fixture.cutOff();
    const calls = [
      store.get('a'),
      store.find('a'),
      store.page('', 1),
      store.count(),
      store.create(siteAt('a')),
      store.update('a', siteAt('a'), fine),
      store.remove('a'),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ reason: { name: 'TryLaterError', status: 503, code: 'database_unavailable' } });
    }
    expect(await fixture.otherNode.count()).toBe(0);
  });
}

eachDatabase((kind) => {
  describeSiteStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    // What the first node has may be cut off.
    const agents = new AgentStore(nodes[1]);
    return {
      store: new SiteStore(nodes[0]),
      otherNode: new SiteStore(nodes[1]),
      agents: new AgentStore(nodes[0]),
      addAgent: (ap_id, site) => agents.create(agentNamed(ap_id, { site })),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
