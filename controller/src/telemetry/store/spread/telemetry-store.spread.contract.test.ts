// What only several servers can get wrong: where agents lie when the list of servers changes, and servers that are away.
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { midnight, sample, toRows } from '../../../../../test/pure/telemetry-reference.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { createSpreadServers } from '../../../../../test/spread-servers.ts';
import { startTcpProxy } from '../../../../../test/tcp-proxy.ts';
import { startWeft } from '../../../../../test/weft.ts';
import { TryLaterError } from '../../../errors.ts';
import type { TelemetryStore } from '../telemetry-store.ts';
import { chooseServer } from './rendezvous.ts';
import type { SpreadTelemetryStore } from './telemetry-store.spread.ts';

const names = Array.from({ length: 24 }, (_, n) => `ap-${n}`);
const always = { startMs: midnight - 1000, endMs: midnight + 1000 };
const valuesOf = async (store: TelemetryStore, ap_ids = names) =>
  Promise.all(ap_ids.map(async (ap_id) => toRows(await store.rows(ap_id, always, 100)).map((row) => row.a)));
const post = (store: TelemetryStore, ap_ids: readonly string[], a: number) =>
  Promise.all(ap_ids.map((ap_id) => store.append(ap_id, [sample(midnight + a, { a })])));

/** So many agents for each server, in the order of servers. */
function namesFor({ servers }: SpreadTelemetryStore, count: number): string[][] {
  const ids = servers.map(({ id }) => id!);
  return ids.map((id) => {
    const found: string[] = [];
    for (let n = 0; found.length < count; n++) if (chooseServer(`new-${n}`, ids) === id) found.push(`new-${n}`);
    return found;
  });
}

describe.skipIf(inject('postgresUrl') === undefined)('telemetry on several servers', () => {
  test('agents stay where they are when a server is added; new ones go where the hash says, on all nodes', async () => {
    const { urls, open, openAlone, places } = await createSpreadServers(2);
    // Before places were recorded.
    const old = openAlone(urls[0]!);
    await post(old, names, 1);
    const [one, two] = [open(), open(urls.toReversed())];
    await Promise.all([one.prepare(), two.prepare()]);
    await Promise.all([post(one, names, 2), post(two, names, 3)]);
    const expected = names.map(() => [1, 2, 3]);
    expect(await valuesOf(two)).toEqual(expected);
    expect((await old.latest(names)).length).toBe(names.length);
    const fresh = namesFor(one, 6).flat();
    await Promise.all([post(one, fresh, 1), post(two, fresh, 2)]);
    expect(await valuesOf(one, fresh)).toEqual(fresh.map(() => [1, 2]));
    expect((await one.latest([...fresh, ...names])).map(({ ap_id }) => ap_id)).toEqual([...fresh, ...names]);
    const counts = [...(await places.counts()).values()];
    expect(counts).toHaveLength(2);
    expect(counts.toSorted((a, b) => a - b)).toEqual([6, 30]);
    await one.remove(fresh[0]!);
    expect((await places.get([fresh[0]!])).size).toBe(0);
    expect(await valuesOf(two, [fresh[0]!])).toEqual([[]]);
  });

  test('it does not start without a server that agents lie on, nor with one twice', async () => {
    const { urls, open } = await createSpreadServers(2);
    const store = open();
    await store.prepare();
    await post(store, namesFor(store, 2).flat(), 1);
    await expect(open([urls[0]!]).prepare()).rejects.toThrow(/the telemetry of 2 access points lies on .* --drain/);
    await expect(open([urls[0]!, urls[1]!, urls[0]!]).prepare()).rejects.toThrow('names the same database twice');
  });

  test('one server away: its agents are refused, all others go on, and the node says which one it is', async () => {
    const { urls } = await createSpreadServers(2);
    const proxy = await startTcpProxy(Number(new URL(urls[1]!).port));
    onTestFinished(() => proxy.close());
    const cut = new URL(urls[1]!);
    cut.port = String(proxy.port);
    const weft = await startWeft({ WEFT_TELEMETRY_URL: `${urls[0]} ${cut.href}` });
    onTestFinished(() => weft.stop());
    const store = weft.platform.telemetryStore as SpreadTelemetryStore;
    const [onFirst, onSecond] = namesFor(store, 3);
    const tokens = await Promise.all([...onFirst!, ...onSecond!].map((ap_id) => weft.agent(ap_id)));
    const report = async () =>
      Promise.all(
        tokens.map(async (token) => {
          const answer = await weft.request('POST', '/api/v1/agent_update/update', { token, json: { power_w: 1 } });
          return answer.status;
        }),
      );
    expect(new Set(await report())).toEqual(new Set([200]));
    const [one, two] = store.servers;
    const ready = async () => (await weft.request('GET', '/readyz')) as { status: number; body: ReadyBody };
    interface ReadyBody {
      parts: Record<string, string>;
      reasons?: Record<string, string>;
    }
    expect((await ready()).body.parts).toMatchObject({ telemetry: 'ok', telemetry_1: 'ok', telemetry_2: 'ok' });

    proxy.onClientBytes = (_bytes, end) => end();
    proxy.cutAll();
    await expect(two!.check()).rejects.toBeInstanceOf(TryLaterError);
    await one!.check();
    expect(await report()).toEqual([200, 200, 200, 503, 503, 503]);
    const { status, body } = await ready();
    expect([status, body.parts.telemetry, body.parts.telemetry_1, body.parts.telemetry_2]).toEqual([
      200,
      'ok',
      'ok',
      'failing',
    ]);
    expect(body.reasons).toEqual({ telemetry_2: 'database_unavailable' });
    // Lists show what there is.
    const latest = await store.latest([...onSecond!, ...onFirst!]);
    expect(latest.map(({ ap_id }) => ap_id)).toEqual(onFirst);
    await expect(store.latest(onSecond!)).rejects.toBeInstanceOf(TryLaterError);

    proxy.onClientBytes = undefined;
    await untilSo(async () => expect(new Set(await report())).toEqual(new Set([200])));
  });

  test('a new server that is away: agents that have a place go on, new ones wait until it was there once', async () => {
    const { urls, open } = await createSpreadServers(2);
    const alone = open([urls[0]!]);
    await alone.prepare();
    await post(alone, names, 1);
    const proxy = await startTcpProxy(Number(new URL(urls[1]!).port));
    onTestFinished(() => proxy.close());
    const added = new URL(urls[1]!);
    added.port = String(proxy.port);
    proxy.onClientBytes = (_bytes, end) => end();
    const store = open([urls[0]!, added.href]);
    await store.prepare();
    await post(store, names, 2);
    expect(await valuesOf(store)).toEqual(names.map(() => [1, 2]));
    expect((await store.latest(['nobody', ...names])).length).toBe(names.length);
    expect(await store.latest(['nobody'])).toEqual([]);
    await expect(post(store, ['fresh'], 1)).rejects.toBeInstanceOf(TryLaterError);
    proxy.onClientBytes = undefined;
    await post(store, ['fresh'], 1);
    expect(await valuesOf(store, ['fresh'])).toEqual([[1]]);
  });

  test('a server that is away at the start is the one that was at its address; another one is not taken for it', async () => {
    const { urls, open } = await createSpreadServers(3);
    const proxy = await startTcpProxy(Number(new URL(urls[1]!).port));
    onTestFinished(() => proxy.close());
    const through = (url: string) => {
      const address = new URL(url);
      address.port = String(proxy.port);
      return address.href;
    };
    const list = [urls[0]!, through(urls[1]!)];
    const first = open(list);
    await first.prepare();
    const [onFirst, onSecond] = namesFor(first, 3);
    const all = [...onFirst!, ...onSecond!];
    await post(first, all, 1);
    proxy.onClientBytes = (_bytes, end) => end();
    proxy.cutAll();
    const later = open(list);
    await later.prepare();
    await post(later, onFirst!, 2);
    for (const name of onSecond!) await expect(post(later, [name], 2)).rejects.toBeInstanceOf(TryLaterError);
    proxy.onClientBytes = undefined;
    await post(later, onSecond!, 2);
    expect(await valuesOf(later, all)).toEqual(all.map(() => [1, 2]));
    // Without the database that agents lie on, it does not start; nor does it take another one for it.
    await expect(open([urls[0]!, urls[2]!]).prepare()).rejects.toThrow('which WEFT_TELEMETRY_URL does not name');
  });
});
