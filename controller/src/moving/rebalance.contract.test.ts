// `weft rebalance` inside: what is moved is the same on the other server, whatever step it ended at, while nodes post.
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { midnight, ReferenceTelemetry, sample, toRows } from '../../../test/pure/telemetry-reference.ts';
import { untilSo } from '../../../test/pure/until-so.ts';
import { createSpreadServers, type SpreadServers } from '../../../test/spread-servers.ts';
import { PostgresPool } from '../storage/postgres-pool.ts';
import { placeOf } from '../storage/postgres-servers.ts';
import { beginLeaving, leave, stay } from '../telemetry/store/postgres/leaving-agent.ts';
import { AgentLeaving, copyName, type Move } from '../telemetry/store/postgres/moved-agents.ts';
import type { Frame, TelemetryStore } from '../telemetry/store/telemetry-store.ts';
import { copyAgent, isEqual } from './agent-copy.ts';
import { rebalance } from './rebalance.ts';

const names = Array.from({ length: 8 }, (_, n) => `ap-${n}`);
const hour = 3_600_000;
const always = { startMs: midnight - 48 * hour, endMs: midnight + 48 * hour };
/** Behind all others. */
const latest = midnight + 40 * hour;
const silent = { onStage: () => {}, onProgress: () => {} };

async function fill(store: TelemetryStore): Promise<void> {
  for (const [agent, ap_id] of names.entries()) {
    const samples = Array.from({ length: 300 }, (_, n) =>
      sample(
        midnight - 30 * hour + n * 400_000,
        { a: n * agent, [`b${agent}`]: n / 7 },
        n % 9 === 0 ? { t: `${n}` } : {},
      ),
    );
    await store.append(ap_id, samples);
  }
}

const rowsOf = (store: TelemetryStore, ap_ids = names): Promise<Frame[]> =>
  Promise.all(ap_ids.map((ap_id) => store.rows(ap_id, always, 10_000)));

/** Agents on the first server, and a node that knows both. */
async function begin(count = 2): Promise<SpreadServers & { store: ReturnType<SpreadServers['open']> }> {
  const servers = await createSpreadServers(count);
  const alone = servers.open([servers.urls[0]!]);
  await alone.prepare();
  await fill(alone);
  const store = servers.open();
  await store.prepare();
  return { ...servers, store };
}

describe.skipIf(inject('postgresUrl') === undefined)('agents that move between servers', () => {
  test('everything of an agent is there afterwards: samples, newest values, names, roll-ups; nodes that knew its place follow', async () => {
    const { urls, places, store, openAlone, open } = await begin();
    const sealer = openAlone(urls[0]!);
    while (await sealer.seal({ everything: true }));
    await store.append('ap-0', [sample(latest, { a: -1, late: 2 })]);
    const before = [await rowsOf(store), await store.latest(names), await store.fields('ap-3', 0)];
    const buckets = { ap_id: 'ap-2', ...always, maxPoints: 10, aggregate: 'mean' as const };
    const drawn = await store.query(buckets);
    const drained = await rebalance({ urls, places, drain: placeOf(urls[0]!), ...silent });
    expect(drained.moved.agents).toBe(8);
    expect(drained.servers).toEqual([
      { place: placeOf(urls[0]!), agents: 0, is_drained: true },
      { place: placeOf(urls[1]!), agents: 8, is_drained: false },
    ]);
    expect([await rowsOf(store), await store.latest(names), await store.fields('ap-3', 0)]).toEqual(before);
    expect(await store.query(buckets)).toEqual(drawn);
    await store.append('ap-0', [sample(latest, { a: -2 })]);
    const fewer = open([urls[1]!]);
    await fewer.prepare();
    expect((await rowsOf(fewer)).map(({ ts }) => ts.length)).toEqual([301, 300, 300, 300, 300, 300, 300, 300]);
    await fewer.append('never-seen', [sample(latest, { a: 1 })]);
    // And back, where it has been before.
    const back = await rebalance({
      urls: urls.toReversed(),
      places,
      use: placeOf(urls[0]!),
      drain: placeOf(urls[1]!),
      ...silent,
    });
    expect(back.moved.agents).toBe(9);
    expect((await rowsOf(store)).map(({ ts }) => ts.length)).toEqual([301, 300, 300, 300, 300, 300, 300, 300]);
    expect((await store.latest(['ap-0']))[0]!.metrics.find(({ name }) => name === 'a')!.value).toBe(-2);
    expect(await rebalance({ urls, places, ...silent })).toMatchObject({ moved: { agents: 0 } });
  });

  test('an added server takes its share of the agents, and no other moves; a removed agent leaves nothing', async () => {
    const { urls, places, store } = await begin(3);
    const before = await rowsOf(store);
    await rebalance({ urls: urls.slice(0, 2), places, ...silent });
    const two = await places.get(names);
    await rebalance({ urls, places, ...silent });
    const three = await places.get(names);
    const third = store.servers[2]!.id;
    for (const ap_id of names) if (three.get(ap_id) !== third) expect(three.get(ap_id)).toBe(two.get(ap_id));
    expect(await rowsOf(store)).toEqual(before);
    await store.remove('ap-1');
    expect((await rowsOf(store, ['ap-1']))[0]!.ts.length).toBe(0);
    expect(await store.latest(['ap-1'])).toEqual([]);
  });

  test('ended at any step, it is readable all the time, and the next run completes it', async () => {
    const { urls, places, store, open } = await begin();
    const before = await rowsOf(store);
    const pools = urls.map((url) => new PostgresPool(url));
    const [from, to] = pools as [PostgresPool, PostgresPool];
    const to_server = store.servers[1]!.id!;
    const moves = names.map((ap_id) => ({ ap_id, to_server, copy: copyName(ap_id, 'ended') }));
    // Copied and no more; copied, and takes no posts; gone, and not there yet; there, and not recorded.
    await copyAgent(from, to, 'ap-0', moves[0]!.copy);
    for (const move of moves.slice(1, 4)) {
      expect(await beginLeaving(from, move)).toBe(true);
      expect(isEqual(await copyAgent(from, to, move.ap_id, move.copy))).toBe(true);
    }
    for (const move of moves.slice(2, 4)) expect(await leave(from, move)).toBe(true);
    expect(await rowsOf(store)).toEqual(before);
    expect(await rowsOf(open([...urls].reverse()))).toEqual(before);
    await expect(store.servers[0]!.store.append('ap-1', [sample(latest, { a: 5 })])).rejects.toBeInstanceOf(
      AgentLeaving,
    );
    const run = rebalance({ urls, places, drain: placeOf(urls[0]!), ...silent });
    // Waits for the end of the move, and is refused if that takes long.
    await untilSo(() => store.append('ap-1', [sample(midnight - 30 * hour, { a: 5 })]));
    expect((await run).servers.map(({ agents }) => agents)).toEqual([0, 8]);
    const after = await rowsOf(store);
    expect(after.filter((_, n) => n !== 1)).toEqual(before.filter((_, n) => n !== 1));
    expect([after[1]!.ts, after[1]!.columns.get('a')![0]]).toEqual([before[1]!.ts, 5]);
    for (const pool of pools) await pool.close();
  });

  test('an agent whose move was given up takes posts again: at once if that was said, else after a minute', async () => {
    const { urls, store } = await begin();
    const pool = new PostgresPool(urls[0]!);
    const move = { ap_id: 'ap-1', to_server: store.servers[1]!.id!, copy: copyName('ap-1', 'given-up') };
    const first = store.servers[0]!.store;
    await beginLeaving(pool, move);
    await stay(pool, 'ap-1');
    await first.append('ap-1', [sample(latest, { a: 5 })]);
    expect(await leave(pool, move)).toBe(false);
    await beginLeaving(pool, move);
    await expect(first.append('ap-1', [sample(latest, { a: 6 })])).rejects.toBeInstanceOf(AgentLeaving);
    await pool.run((session) =>
      session.query(`UPDATE telemetry_moved SET moved_at = moved_at - interval '61 seconds'`),
    );
    await first.append('ap-1', [sample(latest, { a: 6 })]);
    expect(await leave(pool, move)).toBe(false);
    const [frame] = await rowsOf(store, ['ap-1']);
    expect([frame!.ts.length, frame!.columns.get('a')!.at(-1)]).toEqual([301, 6]);
    await pool.close();
  });

  test('one at a time; and only servers that there are', async () => {
    const { urls, places } = await begin();
    let other: unknown;
    await rebalance({
      urls,
      places,
      drain: placeOf(urls[0]!),
      ...silent,
      onStage: () => {
        other = rebalance({ urls, places, ...silent }).catch((error: Error) => error.message);
      },
    });
    expect(await other).toContain('weft rebalance is running already');
    await expect(rebalance({ urls, places, use: 'nowhere:1/x', ...silent })).rejects.toThrow(
      'there is no server nowhere:1/x',
    );
    await expect(rebalance({ urls, places, drain: placeOf(urls[1]!), ...silent })).rejects.toThrow(
      'all servers are drained',
    );
  });

  test('whatever is posted, sealed, moved, given up or ended in between: every node reads all of it, once', {
    timeout: 600_000,
  }, async () => {
    const { urls, places, open, openAlone } = await createSpreadServers(2);
    const [known, sealers] = [open(), urls.map(openAlone)];
    await known.prepare();
    const ids = known.servers.map(({ id }) => id!);
    const pools = urls.map((url) => new PostgresPool(url));
    const agent = fc.integer({ min: 0, max: 2 });
    const server = fc.integer({ min: 0, max: 1 });
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ does: fc.constant('post' as const), agent, at: fc.integer({ min: 0, max: 9 }) }),
      },
      fc.record({ does: fc.constantFrom('begin' as const, 'leave' as const, 'stay' as const), agent }),
      fc.record({ does: fc.constantFrom('seal' as const, 'rebalance' as const), server }),
    );
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const run = ++runs;
        const agents = [0, 1, 2].map((n) => `run-${run}-${n}`);
        const references = agents.map(() => new ReferenceTelemetry());
        const leaving = new Map<string, { from: number; move: Move }>();
        for (const [index, each] of steps.entries()) {
          const ap_id = 'agent' in each ? agents[each.agent]! : '';
          const place = (await places.get([ap_id])).get(ap_id);
          if (each.does === 'post' && !leaving.has(ap_id)) {
            const posted = [sample(midnight + each.at, { a: index, [`b${index}`]: 1 })];
            await known.append(ap_id, posted);
            references[each.agent]!.append(posted);
          } else if (each.does === 'begin' && place !== undefined && !leaving.has(ap_id)) {
            const from = ids.indexOf(place);
            const move = { ap_id, to_server: ids[1 - from]!, copy: copyName(ap_id, `${run}.${index}`) };
            await copyAgent(pools[from]!, pools[1 - from]!, ap_id, move.copy);
            expect(await beginLeaving(pools[from]!, move)).toBe(true);
            leaving.set(ap_id, { from, move });
          } else if (each.does === 'stay' && leaving.has(ap_id)) {
            await stay(pools[leaving.get(ap_id)!.from]!, ap_id);
            leaving.delete(ap_id);
          } else if (each.does === 'leave' && leaving.has(ap_id)) {
            const { from, move } = leaving.get(ap_id)!;
            expect(isEqual(await copyAgent(pools[from]!, pools[1 - from]!, ap_id, move.copy))).toBe(true);
            expect(await leave(pools[from]!, move)).toBe(true);
            leaving.delete(ap_id);
          } else if (each.does === 'seal') {
            while (await sealers[each.server]!.seal({ everything: true }));
          } else if (each.does === 'rebalance') {
            const [use, drain] = [placeOf(urls[each.server]!), placeOf(urls[1 - each.server]!)];
            await rebalance({ urls, places, use, drain, ...silent });
            leaving.clear();
          }
          for (const [n, name] of agents.entries()) {
            expect(toRows(await known.rows(name, always, 100))).toEqual(references[n]!.rows(always));
          }
        }
        const fresh = open();
        for (const [n, name] of agents.entries()) {
          expect(toRows(await fresh.rows(name, always, 100))).toEqual(references[n]!.rows(always));
        }
        for (const name of agents) await fresh.remove(name);
        expect((await places.get(agents)).size).toBe(0);
        for (const name of agents) expect((await known.rows(name, always, 100)).ts.length).toBe(0);
        await fresh.close();
      }),
      { numRuns: process.env.WEFT_TEST_LONG === '1' ? 40 : 6 },
    );
    for (const pool of pools) await pool.close();
  });
});
