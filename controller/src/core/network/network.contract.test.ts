// The view of the network, on both databases and with two nodes: who sees what, however it was changed, and what #26
// says of it.
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { agentNamed, siteAt } from '../../../../test/pure/stored-records.ts';
import { rounds } from '../../../../test/rounds.ts';
import { AgentStore } from '../accounts/agents/agent-store.ts';
import { SiteStore } from '../accounts/sites/site-store.ts';
import type { Caller } from '../base/caller.ts';
import { rightsOf } from '../base/rights/rights.ts';
import type { SqlDatabase } from '../base/storage/sql-database.ts';
import { defaultConflictRules } from '../commands/arbitration/parameter-groups.ts';
import { Surroundings } from '../commands/arbitration/surroundings.ts';
import { AgentDetailTexts } from './agent-details.ts';
import { AgentRowStore } from './agent-row-store.ts';
import { Network } from './network.ts';

const rules = defaultConflictRules;
const admin: Caller = { kind: 'user', id: 'ada', name: 'ada@x', roles: ['admin'], isAdmin: true };
const names = ['ap-1', 'ap-2', 'hall-1', 'emu-wifi-run-1'];
const sites = ['uk', 'uk/hall', null];
const selector = fc.constantFrom('site:uk', 'site:uk/**', 'tag:lab', 'name:ap-*', '');
const caller: fc.Arbitrary<Caller> = fc.oneof(
  fc.constant(admin),
  fc.record({
    kind: fc.constant('user' as const),
    id: fc.constantFrom('eve', 'bob'),
    name: fc.constant('eve@x'),
    roles: fc.constant(['user']),
    isAdmin: fc.constant(false),
    grants: fc.array(
      fc.record({ role: fc.constantFrom('viewer', 'operator', 'manager', 'auditor', 'none'), selector }),
      { maxLength: 2 },
    ),
  }) as fc.Arbitrary<Caller>,
  fc.record({
    kind: fc.constant('third_party_app' as const),
    id: fc.constantFrom('app', 'bob'),
    name: fc.constant('app'),
    permissions: fc.record(
      { agents: fc.constantFrom('ap-*', 'hall-1', '*').map((name) => [name]), selector },
      { requiredKeys: [] },
    ),
  }),
  fc.constantFrom(...names).map((name) => ({ kind: 'agent' as const, id: name, name })),
);
const place = fc.constantFrom(51, 51.0002, 51.0004, undefined);
const change = fc.record({
  node: fc.constantFrom(0, 1),
  ap_id: fc.constantFrom(...names),
  what: fc.constantFrom('create', 'label', 'move', 'remove', 'site'),
  site: fc.constantFrom(...sites),
  tags: fc.subarray(['lab', 'roof']),
  latitude: place,
});
type Change = typeof change extends fc.Arbitrary<infer Each> ? Each : never;

eachDatabase((kind) => {
  const hall = siteAt('uk/hall');
  let hallPath = 'uk/hall';
  let fixture: Awaited<ReturnType<typeof openTwoNodes>>;
  beforeEach(async () => {
    fixture = await openTwoNodes(kind);
    hallPath = 'uk/hall';
  });
  afterEach(() => fixture.remove());

  const said = (latitude: number | undefined) => ({
    access_point_type: 'WiFi',
    ...(latitude !== undefined && { geolocation: { latitude, longitude: -2 } }),
  });

  async function apply(database: SqlDatabase, { ap_id, what, site, tags, latitude }: Change) {
    const agents = new AgentStore(database);
    if (what === 'create') {
      const emulated_for = ap_id.startsWith('emu') ? 'bob' : null;
      const record = agentNamed(ap_id, { emulated_for, configuration: said(latitude) });
      await agents.create(record).catch((error: Error) => expect(error.name).toBe('ConflictError'));
    } else if (what === 'label')
      await agents.changeLabels(ap_id, () => ({
        display_name: ap_id,
        site: site === 'uk/hall' ? hallPath : site,
        tags,
      }));
    else if (what === 'move') await agents.changeConfiguration(ap_id, () => said(latitude));
    else if (what === 'remove') await agents.remove(ap_id);
    else {
      const stores = new SiteStore(database);
      hallPath = hallPath === 'uk/hall' ? 'hall' : 'uk/hall';
      await stores.update(hall.id, { ...hall, path: hallPath }, () => {});
    }
  }

  test('whatever was answered on one node decides on the other who sees whom, and who is near', async () => {
    const [one, two] = fixture.nodes;
    for (const site of [siteAt('uk'), hall]) await new SiteStore(one).create(site);
    const networks = [one, two].map((database) => new Network(new AgentRowStore(database)));
    const near = networks.map((network) => new Surroundings(network, rules));
    const truth = new AgentStore(one);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), caller, async (changes, asking) => {
        for (const each of changes) {
          await apply(fixture.nodes[each.node]!, each);
        }
        const records = await truth.page('', 100);
        const rights = rightsOf(asking);
        for (const [n, network] of networks.entries()) {
          const sight = await network.visibleTo(asking);
          for (const ap_id of names) {
            const record = records.find((agent) => agent.ap_id === ap_id);
            expect(sight.has(ap_id), ap_id).toBe(record !== undefined && rights.sees(record));
            expect(sight.sees(ap_id), ap_id).toBe(record ? rights.sees(record) : rights.seesName(ap_id));
            expect(sight.operates(ap_id), ap_id).toBe(record !== undefined && rights.operates(record));
          }
          const ap_ids = (await Readable.from(sight.pages(undefined, true)).toArray()).flat().map((row) => row.ap_id);
          expect(ap_ids).toEqual(records.filter((record) => rights.sees(record)).map((record) => record.ap_id));
          const inside = await one.transaction((tx) => network.visibleIn(tx, asking, names));
          expect(names.map((ap_id) => inside.has(ap_id))).toEqual(names.map((ap_id) => sight.has(ap_id)));
          for (const { ap_id, configuration } of records) {
            const at = (of: typeof configuration) => (of.geolocation as { latitude: number } | undefined)?.latitude;
            const isNear = (other: typeof configuration) =>
              Math.abs((at(other) ?? Number.NaN) - (at(configuration) ?? Number.NaN)) * 111_195 <=
              rules.interference_range_m.WiFi;
            const others = records.filter((other) => other.ap_id !== ap_id && isNear(other.configuration));
            expect(near[n]!.neighboursOf(rules, ap_id, 'WiFi').sort()).toEqual(others.map((other) => other.ap_id));
          }
          for (const site of ['uk', hallPath, null]) {
            const there = records.filter(
              (record) => record.emulated_for === null && (site === null || record.site === site),
            );
            expect(near[n]!.siteSize({ site }), String(site)).toBe(there.length);
          }
        }
      }),
      { numRuns: rounds(60) },
    );
  });

  test('what #26 says is true after every change, and a change of one label reads one configuration', async () => {
    const [one, two] = fixture.nodes;
    const store = new AgentRowStore(one);
    const read: string[] = [];
    const configurations = async (ap_ids: readonly string[]) => {
      read.push(...ap_ids);
      return store.configurations(ap_ids);
    };
    const network = new Network(store);
    const details = new AgentDetailTexts(network, { configurations });
    const agents = new AgentStore(two);
    for (const name of names) await agents.create(agentNamed(name, { configuration: { of: name, odd: '\u2028"' } }));
    await agents.create(agentNamed('mine', { emulated_for: 'bob', configuration: {} }));
    const list = async () => {
      await network.fresh();
      return (await details.read(network.agents)).map((text) => JSON.parse(text));
    };
    const expected = async () =>
      (await agents.page('', 100)).map(({ id, ap_id, configuration, onboard, emulated_for }) => ({
        ...{ id, ap_id, onboard },
        configuration: emulated_for === null ? configuration : { ...configuration, emulated: true },
      }));
    expect(await list()).toEqual(await expected());
    expect(read.splice(0)).toHaveLength(names.length + 1);
    await agents.changeLabels('ap-2', () => ({ display_name: 'Two', site: null, tags: [] }));
    expect(await list()).toEqual(await expected());
    await agents.changeConfiguration('hall-1', () => ({ new: true }));
    await agents.remove('ap-1');
    expect(await list()).toEqual(await expected());
    expect(read).toEqual(['ap-2', 'hall-1']);
  });
});
