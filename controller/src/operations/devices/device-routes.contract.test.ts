import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

const address = (n: number) => `02:5e:ed:00:00:${n.toString(16).padStart(2, '0')}`;
let weft: TestWeft;
let admin: string;
let agents: Record<'a' | 'b' | 'c', string>;

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  agents = {
    a: await weft.agent('ap-a', { access_point_type: 'WiFi' }),
    b: await weft.agent('ap-b', { access_point_type: 'LiFi' }),
    c: await weft.agent('roof-c', { access_point_type: '5G' }),
  };
});
afterAll(() => weft.stop());

async function report(agent: keyof typeof agents, devices: unknown, more: object = {}) {
  const answer = await weft.request('POST', '/api/v1/agent_update/update', {
    token: agents[agent],
    json: { load: 1, devices, ...more },
  });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function get(path: string, token = admin) {
  const answer = await weft.request('GET', path, { token });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

async function nameOf(n: number): Promise<string> {
  return weft.parts.devices.names.read(await pseudonymOf(n), []);
}

/** The only device of a list. */
async function pseudonymOf(n: number): Promise<string> {
  const { registry } = weft.parts.devices;
  for (const agent of registry.agents()) {
    const link = agent.identities.get(address(n));
    if (link !== undefined) return registry.table.idOf(registry.table.links.device[link]!);
  }
  throw new Error('it is not attached');
}

describe('devices', () => {
  test('are listed with links on all technologies, what they hear, and their moves', async () => {
    const heard = [
      { ap_id: 'roof-c', rssi_dbm: -80 },
      { bssid: '02:00:00:00:0a:00', rssi_dbm: -70 },
    ];
    await report('a', [{ device: address(1), rssi_dbm: -51, snr_db: 30, rx_mbps: 86.7, tx_mbps: 120, heard }]);
    await report('b', [{ device: address(1), rssi_dbm: -40 }]);
    const device = await nameOf(1);
    const { items, next } = await get('/api/v1/devices');
    expect(next).toBeNull();
    expect(items).toEqual([
      {
        device,
        technologies: ['LiFi', 'WiFi'],
        links: [
          expect.objectContaining({ ap_id: 'ap-b', access_point_type: 'LiFi', rssi_dbm: -40, rx_mbps: null }),
          expect.objectContaining({ ap_id: 'ap-a', rssi_dbm: -51, snr_db: 30, rx_mbps: 86.7, tx_mbps: 120 }),
        ],
        heard: [
          { bssid: '02:00:00:00:0a:00', rssi_dbm: -70, by: 'ap-a' },
          { ap_id: 'roof-c', rssi_dbm: -80, by: 'ap-a' },
        ],
        randomised: true,
        last_seen: expect.any(String),
        last_ap_id: 'ap-b',
      },
    ]);
    await report('a', []);
    const one = await get(`/api/v1/devices/${device}`);
    expect(one.links).toHaveLength(1);
    expect(one.moves).toMatchObject([
      { kind: 'moved', ap_id: 'ap-b', from: 'ap-a' },
      { kind: 'joined', ap_id: 'ap-b' },
      { kind: 'joined', ap_id: 'ap-a' },
    ]);
  });

  test('of an access point that never named any are unknown; of one that named none there are none', async () => {
    await report('b', []);
    expect(await get('/api/v1/agents/ap-b/devices')).toEqual({
      items: [],
      next: null,
      reported_at: expect.any(String),
    });
    await weft.agent('ap-silent');
    expect(await get('/api/v1/agents/ap-silent/devices')).toEqual({ items: [], next: null, reported_at: null });
  });

  test('come in any order, page by page, as they were when the first page was read', async () => {
    const levels = [-70, -40, -60, -50];
    const list = (from: readonly number[]) =>
      from.map((rssi_dbm, n) => ({ device: address(n + 1), rssi_dbm, tx_mbps: n }));
    await report('a', [...list(levels), { device: address(5) }]);
    await report('b', []);
    await report('c', []);
    const strongest = async (query: string) =>
      (await get(`/api/v1/devices?selector=name:ap-a${query}`)).items.map(
        ({ links }: { links: { rssi_dbm: number }[] }) => links[0]!.rssi_dbm,
      );
    expect(await strongest('&sort=rssi_dbm')).toEqual([-70, -60, -50, -40, null]);
    expect(await strongest('&sort=-rssi_dbm')).toEqual([-40, -50, -60, -70, null]);
    expect(await strongest('&sort=-tx_mbps')).toEqual([-50, -60, -40, -70, null]);
    const first = await get('/api/v1/devices?selector=name:ap-a&sort=rssi_dbm&limit=2&count=true');
    expect(first.count).toBe(5);
    // Whoever changes places meanwhile is neither skipped nor repeated.
    await report('a', [...list([...levels].reverse()), { device: address(5) }]);
    const rest = await get(`/api/v1/devices?selector=name:ap-a&sort=rssi_dbm&limit=9&cursor=${first.next}`);
    const names = [...first.items, ...rest.items].map(({ device }: { device: string }) => device);
    expect([names.length, new Set(names).size, rest.next]).toEqual([5, 5, null]);
    for (const query of ['sort=nothing', `sort=-rssi_dbm&cursor=${first.next}`, 'sort=rssi_dbm&cursor=x']) {
      expect((await weft.request('GET', `/api/v1/devices?${query}`, { token: admin })).status).toBe(422);
    }
  });

  test('come in pages, by selector and search', async () => {
    await report(
      'a',
      [1, 2, 3, 4, 5].map((n) => ({ device: address(n) })),
    );
    await report('c', [{ device: address(6) }]);
    const first = await get('/api/v1/devices?limit=4&count=true');
    const second = await get(`/api/v1/devices?limit=4&cursor=${first.next}`);
    const names = [...first.items, ...second.items].map(({ device }: { device: string }) => device);
    expect(names).toHaveLength(6);
    expect(names).toEqual([...names].sort());
    expect([first.count, second.next]).toEqual([6, null]);
    const of = async (query: string) => (await get(`/api/v1/devices?${query}`)).items.length;
    expect(await of('selector=type:5G')).toBe(1);
    expect(await of('search=ROOF')).toBe(1);
    expect(await of(`search=${names[0]!.slice(4, 14)}`)).toBe(1);
    expect(await of('search=nothing')).toBe(0);
    expect(await of('search=wifi')).toBe(5);
    await weft.request('PATCH', '/api/v1/agents/ap-a/labels', {
      token: admin,
      json: { display_name: 'Bristol-WiFi-3' },
    });
    expect(await of('search=bristol-wifi')).toBe(5);
    const page = await get('/api/v1/agents/ap-a/devices?limit=3');
    const rest = await get(`/api/v1/agents/ap-a/devices?limit=3&cursor=${page.next}`);
    expect([page.items.length, rest.items.length, rest.next]).toEqual([3, 2, null]);
  });

  test('are seen by whoever sees an access point of theirs, without the other ones', async () => {
    const app = await weft.app('lights', { agents: ['ap-b'] });
    const heard = [
      { ap_id: 'ap-b', rssi_dbm: -60 },
      { ap_id: 'ap-a', rssi_dbm: -61 },
    ];
    await report('a', [{ device: address(7) }, { device: address(8) }]);
    await report('b', [{ device: address(7), heard }]);
    const [seen, hidden] = [await nameOf(7), await nameOf(8)];
    const { items } = await get('/api/v1/devices', app);
    expect(items).toMatchObject([{ device: seen, links: [{ ap_id: 'ap-b' }], heard: [{ ap_id: 'ap-b' }] }]);
    expect((await get(`/api/v1/devices/${seen}`, app)).moves).toMatchObject([{ kind: 'joined', ap_id: 'ap-b' }]);
    for (const path of [`/api/v1/devices/${hidden}`, '/api/v1/agents/ap-a/devices']) {
      expect((await weft.request('GET', path, { token: app })).status).toBe(404);
    }
    await report('a', []);
    const { items: events } = await get('/api/v1/events?kinds=device.moved&limit=1', app);
    expect(events).toMatchObject([
      { kind: 'device.moved', subject: seen, ap_id: 'ap-b', text: `${seen} moved to ap-b` },
    ]);
    expect(JSON.stringify(events)).not.toContain('ap-a');
  });

  test('are asked for by their names; an address is refused without being repeated', async () => {
    for (const path of [`/api/v1/devices/${address(1)}`, `/api/v1/devices?search=${address(1)}`]) {
      const { status, text, body } = await weft.request('GET', path, { token: admin });
      expect([status, body.code]).toEqual([422, 'device_address']);
      expect(text).not.toContain(address(1));
    }
    expect((await weft.request('GET', '/api/v1/devices?cursor=x', { token: admin })).status).toBe(422);
    expect((await weft.request('GET', '/api/v1/devices/dev-aaaaaaaaaaaaaaaa', { token: admin })).status).toBe(404);
  });

  test('of a late list are not taken over', async () => {
    await report('a', [{ device: address(9) }]);
    const samples = [{ ts: Date.now() - 60_000, load: 1, devices: [{ device: address(10) }] }];
    await weft.request('POST', '/api/v1/agent_update/update', { token: agents.a, json: { samples } });
    const { items } = await get('/api/v1/agents/ap-a/devices');
    expect(items).toMatchObject([{ device: await nameOf(9) }]);
  });

  test('leave with their access point', async () => {
    const token = await weft.agent('ap-gone');
    await weft.request('POST', '/api/v1/agent_update/update', { token, json: { devices: [{ device: 'someone' }] } });
    const { items } = await get('/api/v1/agents/ap-gone/devices');
    const path = `/api/v1/devices/${items[0].device}`;
    expect((await get(path)).links).toHaveLength(1);
    weft.events.presenceChanged.emit([{ ap_id: 'ap-gone', from: 'online', to: 'offline', atMs: Date.now() }]);
    expect((await get(path)).links).toEqual([]);
    await weft.request('DELETE', '/api/v1/agents/ap-gone', { token: admin });
    expect((await get(path)).last_ap_id).toBeNull();
  });

  test('come at the rate at which one access point may have new ones; the rest is named, and others lose nothing', async () => {
    const token = await weft.agent('ap-flood');
    const flood = (from: number, length: number) =>
      weft.request('POST', '/api/v1/agent_update/update', {
        token,
        json: { devices: Array.from({ length }, (_, n) => ({ device: `flood-${from + n}` })) },
      });
    expect((await flood(0, 1_500)).body.ignored).toBeUndefined();
    // Nobody is new in it.
    expect((await flood(0, 1_500)).body.ignored).toBeUndefined();
    // 16,000: a minute and more of what may come, on the slowest machine.
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => flood(10_000 + n * 2_000, 2_000)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const named = answers.flatMap(({ body }) => body.ignored ?? []);
    expect(named).toContainEqual({ field: 'devices', reason: 'too_many_new_devices' });
    expect((await report('b', [{ device: address(20) }])).ignored).toBeUndefined();
  });

  test('have no pseudonyms for agents, which could report any address and read its own', async () => {
    await report('a', [{ device: address(21) }, { device: address(22) }]);
    const path = '/api/v1/agents/ap-a/devices?limit=1';
    const first = await get(path, agents.a);
    expect(first.items).toMatchObject([{ links: [{ ap_id: 'ap-a' }] }]);
    const second = await get(`${path}&cursor=${encodeURIComponent(first.next)}`, agents.a);
    expect([second.items.length, second.next]).toEqual([1, null]);
    const events = await get('/api/v1/events?kinds=device.*', agents.a);
    const texts = [first, second, events].map((each) => JSON.stringify(each)).join();
    expect(texts + Buffer.from(first.next, 'base64url').toString()).not.toMatch(/dev-[a-z2-7]{16}/);
    for (const hidden of ['/api/v1/devices', `/api/v1/devices/dev-aaaaaaaaaaaaaaaa`, '/api/v1/devices/x/history']) {
      expect((await weft.request('GET', hidden, { token: agents.a })).status).toBe(403);
    }
  });
});
