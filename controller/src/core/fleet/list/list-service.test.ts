// Lists of agents in memory against what they mean: orders, pages while others come and go, snapshots, and their bounds.
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { agentNamed } from '../../../../../test/pure/stored-records.ts';
import { rounds } from '../../../../../test/rounds.ts';
import type { AgentRecord } from '../../accounts/agents/agent-record.ts';
import type { Caller } from '../../base/caller.ts';
import { ListSnapshots } from '../../base/lists/list-snapshots.ts';
import { Shares } from '../../base/shares/shares.ts';
import { readFacts } from '../../network/agent-facts.ts';
import type { AgentRowStore, StoredAgent } from '../../network/agent-row-store.ts';
import { Network } from '../../network/network.ts';

import { MetricColumns } from '../../telemetry/query/metric-columns.ts';
import type { ListSnapshot } from './find-agents.ts';
import { type ListRequest, ListService } from './list-service.ts';

const admin: Caller = { kind: 'user', id: 'u', name: 'ada@x', roles: ['admin'], isAdmin: true };

/** A fleet whose changes are made by hand; its store keeps the promises of fleet-store.ts. */
class HandMadeFleet implements Pick<AgentRowStore, keyof AgentRowStore> {
  readonly rows = new Map<string, StoredAgent & { revision: number }>();
  readonly #removed: { ap_id: string; revision: number }[] = [];
  readonly values = new Map<string, number>();
  #revision = 1;

  put(ap_id: string, more: Partial<StoredAgent> = {}): void {
    const { id, created_at } = agentNamed(ap_id) as AgentRecord;
    const fresh = {
      id,
      ap_id,
      display_name: null,
      site_id: null,
      tags: [],
      ...readFacts({}),
      onboard: false,
      emulated_for: null,
      isEnded: false,
      created_at,
    };
    this.rows.set(ap_id, { ...fresh, ...this.rows.get(ap_id), ...more, revision: ++this.#revision });
  }
  delete(ap_id: string): void {
    if (this.rows.delete(ap_id)) this.#removed.push({ ap_id, revision: ++this.#revision });
  }
  async revision() {
    return { revision: this.#revision, sites: 0, forgotten: 0 };
  }
  async page(after: string, limit: number) {
    return this.#sorted()
      .filter(({ ap_id }) => ap_id > after)
      .slice(0, limit);
  }
  async changed(after: { revision: number; ap_id: string }) {
    return { agents: this.#sorted().filter(({ revision }) => revision >= after.revision), next: undefined };
  }
  async removed(after: number) {
    return this.#removed.filter(({ revision }) => revision > after).map(({ ap_id }) => ap_id);
  }
  async visible() {
    return [];
  }
  async sites() {
    return new Map<string, string>();
  }
  async configurations(ap_ids: readonly string[]) {
    return new Map(ap_ids.map((ap_id) => [ap_id, JSON.stringify({ pad: 'x'.repeat(900_000) })]));
  }
  #sorted() {
    return [...this.rows.values()].sort((a, b) => (a.ap_id < b.ap_id ? -1 : 1));
  }
}

let fleet: HandMadeFleet;
let lists: ListService;
let snapshots: ListSnapshots<ListSnapshot>;
let columns: MetricColumns;
let nowMs: number;
function open(): void {
  fleet = new HandMadeFleet();
  nowMs = 0;
  const telemetry = {
    latest: async (ap_ids: readonly string[]) =>
      ap_ids.flatMap((ap_id) => {
        const value = fleet.values.get(ap_id);
        return value === undefined ? [] : [{ ap_id, metrics: [{ name: 'load', ts: 1, value }] }];
      }),
  };
  const network = new Network(fleet);
  columns = new MetricColumns({ telemetry, network, freshMs: Number.POSITIVE_INFINITY });
  network.columns.metrics = columns;
  snapshots = new ListSnapshots({}, () => nowMs);
  lists = new ListService({ network, agentRows: fleet, telemetry, shares: new Shares(), snapshots });
}
beforeEach(() => {
  lists?.stop();
  open();
});
afterAll(() => lists.stop());

const ask = (request: Partial<ListRequest> = {}, caller: Caller = admin) =>
  lists.list(caller, {
    selector: '',
    search: undefined,
    sort: undefined,
    cursor: undefined,
    limit: 100,
    fields: [],
    count: false,
    ...request,
  });
const names = (page: { items: { ap_id: string }[] }) => page.items.map(({ ap_id }) => ap_id);

/** All pages; `between` runs after each of them. */
async function walk(request: Partial<ListRequest>, between: () => void = () => {}): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await ask({ ...request, cursor });
    seen.push(...names(page));
    if (page.next === null) return seen;
    cursor = page.next;
    between();
  }
}

const name = fc.stringMatching(/^[A-Za-z0-9][a-c0-2-]{0,2}$/);
const sorts = ['ap_id', '-ap_id', 'created_at', '-created_at', 'id', '-id'];

it('has agents of devices only for whoever asks for a type', async () => {
  fleet.put('hall-1', { access_point_type: 'WiFi' });
  fleet.put('phone-1', { access_point_type: 'device' });
  fleet.put('lamp-1');
  expect(names(await ask())).toEqual(['hall-1', 'lamp-1']);
  expect(names(await ask({ selector: 'name:*-1', sort: '-created_at' }))).not.toContain('phone-1');
  expect(names(await ask({ selector: 'type:device' }))).toEqual(['phone-1']);
  expect(names(await ask({ selector: '-type:WiFi' }))).toEqual(['lamp-1', 'phone-1']);
  expect(await lists.explain(admin, '')).toMatchObject({ matches: 2 });
});

it('sorts names as people look for them, and by them where a state says nothing', async () => {
  for (const ap_id of ['ap-10', 'ap-9', 'AP-1', 'ap-010b', 'x']) fleet.put(ap_id);
  fleet.put('emu-2', { display_name: 'ap-3' });
  const wanted = ['AP-1', 'emu-2', 'ap-9', 'ap-10', 'ap-010b', 'x'];
  expect(names(await ask({ sort: 'name' }))).toEqual(wanted);
  expect(await walk({ sort: '-state', limit: 2 })).toEqual(wanted);
});

describe('pages', () => {
  it('have everything once and in order, whatever the order and the limit', async () => {
    const person = fc.record({
      display_name: fc.option(fc.constantFrom('a', 'b', 'c')),
      created_at: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, person, { maxKeys: 30 }),
        fc.constantFrom(...sorts, 'name', 'display_name', '-display_name', 'load', '-load', '-state', 'onboard'),
        fc.integer({ min: 1, max: 7 }),
        async (people, sort, limit) => {
          open();
          for (const [ap_id, more] of Object.entries(people)) {
            fleet.put(ap_id, more);
            if (more.created_at > 0) fleet.values.set(ap_id, more.created_at);
          }
          const seen = await walk({ sort, limit });
          expect([...seen].sort()).toEqual(Object.keys(people).sort());
          expect(seen).toEqual(names(await ask({ sort, limit: 1000 })));
          const field = sort.replace('-', '');
          const key = (ap_id: string) =>
            field === 'load'
              ? (fleet.values.get(ap_id) ?? null)
              : field === 'display_name'
                ? fleet.rows.get(ap_id)!.display_name
                : field === 'created_at'
                  ? fleet.rows.get(ap_id)!.created_at
                  : 0;
          const keys = seen.map(key);
          const present = keys.filter((each) => each !== null);
          expect(keys.slice(present.length).every((each) => each === null)).toBe(true);
          if (field === 'ap_id') expect(seen).toEqual(sort === field ? [...seen].sort() : [...seen].sort().reverse());
          const sorted = [...present].sort();
          expect(present).toEqual(sort.startsWith('-') ? sorted.reverse() : sorted);
          expect((await ask({ sort, count: true, limit: 1 })).count).toBe(seen.length);
        },
      ),
      { numRuns: rounds(300) },
    );
  });

  it('skip and repeat none that stays, while others are added and removed', async () => {
    const change = fc.record({ ap_id: name, isAdded: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(name, { maxLength: 20 }),
        fc.array(change, { maxLength: 40 }),
        fc.constantFrom(...sorts),
        fc.integer({ min: 1, max: 4 }),
        async (staying, changes, sort, limit) => {
          open();
          for (const [n, ap_id] of staying.entries()) fleet.put(ap_id, { created_at: n % 3 });
          const rest = [...changes];
          const seen = await walk({ sort, limit }, () => {
            for (const { ap_id, isAdded } of rest.splice(0, 2)) {
              if (staying.includes(ap_id)) fleet.put(ap_id, { onboard: isAdded });
              else if (isAdded) fleet.put(ap_id, { created_at: 1 });
              else fleet.delete(ap_id);
            }
          });
          const counted = seen.filter((ap_id) => staying.includes(ap_id));
          expect([...counted].sort()).toEqual([...staying].sort());
        },
      ),
      { numRuns: rounds(300) },
    );
  });

  it('by a metric are of the moment of the first one', async () => {
    for (let n = 0; n < 9; n++) {
      fleet.put(`ap-${n}`);
      fleet.values.set(`ap-${n}`, n);
    }
    const sample = (value: number) => ({ ts: 2, names: ['load'], values: [value], texts: [] });
    const seen = await walk({ sort: '-load', limit: 2 }, () => {
      for (let n = 0; n < 9; n++) columns.recorded(`ap-${n}`, [sample(100 - n) as never]);
      fleet.delete('ap-4');
      fleet.put('ap-new');
    });
    expect(seen).toEqual([8, 7, 6, 5, 3, 2, 1, 0].map((n) => `ap-${n}`));
    expect(names(await ask({ sort: '-load', limit: 2 }))).toEqual(['ap-0', 'ap-1']);
    expect(names(await ask({ selector: 'load>=98' }))).toEqual(['ap-0', 'ap-1', 'ap-2']);
  });

  it('go on where a whole page of their moment is gone', async () => {
    for (let n = 0; n < 9; n++) {
      fleet.put(`ap-${n}`);
      fleet.values.set(`ap-${n}`, n);
    }
    for (const fields of [[], ['configuration']] as ListRequest['fields'][]) {
      let isFirst = true;
      const seen = await walk({ sort: 'load', limit: 3, fields }, () => {
        if (isFirst) for (const n of [3, 4, 5]) fleet.delete(`ap-${n}`);
        isFirst = false;
      });
      expect(seen).toEqual(['ap-0', 'ap-1', 'ap-2', 'ap-6', 'ap-7', 'ap-8']);
      for (const n of [3, 4, 5]) {
        fleet.put(`ap-${n}`);
        fleet.values.set(`ap-${n}`, n);
      }
    }
  });

  it('go on with the values of now when their moment is gone', async () => {
    for (let n = 0; n < 6; n++) {
      fleet.put(`ap-${n}`);
      fleet.values.set(`ap-${n}`, n);
    }
    const first = await ask({ sort: 'load', limit: 2 });
    expect(snapshots.size).toBe(1);
    nowMs = 60_001;
    const second = await ask({ sort: 'load', limit: 2, cursor: first.next! });
    expect(names(second)).toEqual(['ap-2', 'ap-3']);
    expect(snapshots.size).toBe(1);
  });

  it('of a moment are kept for a few lists of each caller', async () => {
    for (let n = 0; n < 6; n++) fleet.put(`ap-${n}`);
    const bob: Caller = { ...admin, id: 'b', name: 'bob@x' };
    await ask({ sort: 'load', limit: 2 }, bob);
    for (let n = 0; n < 20; n++) await ask({ sort: 'load', limit: 2 });
    expect([snapshots.size, snapshots.entries]).toEqual([5, 30]);
    await ask({ sort: 'load', limit: 6 });
    expect(snapshots.size).toBe(5);
  });

  it('with configurations end where these become too large', async () => {
    for (let n = 0; n < 6; n++) fleet.put(`ap-${n}`);
    const first = await ask({ fields: ['configuration'] });
    expect(names(first)).toEqual(['ap-0', 'ap-1', 'ap-2', 'ap-3']);
    expect(names(await ask({ fields: ['configuration'], cursor: first.next! }))).toEqual(['ap-4', 'ap-5']);
  });
});

it('shows to each what it may see, and leaves out ended ones unless a state is asked for', async () => {
  fleet.put('ap-1', { tags: ['x'] });
  fleet.put('ap-2', { isEnded: true, emulated_for: 'app' });
  fleet.put('roof-1', { display_name: 'Große Halle' });
  const app: Caller = { kind: 'third_party_app', id: 'app', name: 'app', permissions: { agents: ['roof-*'] } };
  const agent: Caller = { kind: 'agent', id: 'a', name: 'ap-1' };
  expect(names(await ask())).toEqual(['ap-1', 'roof-1']);
  expect(names(await ask({ selector: '-state:online' }))).toEqual(['ap-1', 'ap-2', 'roof-1']);
  expect(names(await ask({ selector: 'state:ended' }))).toEqual(['ap-2']);
  expect(names(await ask({ selector: '-state:online' }, app))).toEqual(['ap-2', 'roof-1']);
  expect(names(await ask({}, agent))).toEqual(['ap-1']);
  expect(names(await ask({ search: ' große ' }))).toEqual(['roof-1']);
  expect((await ask({ count: true }, app)).count).toBe(1);
});
