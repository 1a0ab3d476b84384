// Streams, presence, newest values, lists, devices and alarms are the same whichever node is asked, with and without the broker.
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { databaseKinds } from '../../../../../test/databases.ts';
import { shareRabbit } from '../../../../../test/rabbitmq.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { generateSecret } from '../../base/secrets.ts';

const isMissing = inject('postgresUrl') === undefined || inject('amqpUrl') === undefined;

async function startNodes(amqpUrl: string): Promise<[TestWeft, TestWeft]> {
  const namespace = await databaseKinds.postgres.createNamespace();
  const shared = {
    WEFT_DATABASE_URL: namespace.address,
    WEFT_TELEMETRY_URL: namespace.address,
    WEFT_SECRET: generateSecret(),
    WEFT_AMQP_URL: amqpUrl,
  };
  const nodes: [TestWeft, TestWeft] = [await startWeft(shared), await startWeft(shared)];
  onTestFinished(async () => {
    for (const node of nodes) await node.stop();
    await namespace.remove();
  });
  return nodes;
}

/** The values of the events of a stream, as they come. */
async function follow(weft: TestWeft, token: string, query = ''): Promise<string[]> {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const response = await fetch(`${weft.url}/api/v1/metrics/stream${query}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: gone.signal,
  });
  expect(response.status).toBe(200);
  const seen: string[] = [];
  void (async () => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const events = (text + chunk).split('\n\n');
      text = events.pop()!;
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event.includes('event: sample') ? event : '')?.[1];
        if (data === undefined) continue;
        const { ap_id, metrics } = JSON.parse(data);
        seen.push(...Object.entries(metrics).map(([name, value]) => `${ap_id} ${name} ${value}`));
      }
    }
  })().catch((error) => seen.push(...(gone.signal.aborted ? [] : [String(error)])));
  return seen;
}

const report = (weft: TestWeft, token: string, json: object) =>
  weft.request('POST', '/api/v1/agent_update/update', { token, json });
const sentBy = async (weft: TestWeft) =>
  Number(/^weft_live_samples_sent_total (\d+)$/m.exec((await weft.request('GET', '/metrics')).text)?.[1]);

describe.skipIf(isMissing)('a stream', () => {
  test('shows agents of other nodes, just what it asks for, each sample once; without one nothing is sent', async () => {
    const rabbit = await shareRabbit();
    onTestFinished(() => rabbit.stop());
    const [here, there] = await startNodes(rabbit.url);
    const admin = await here.admin();
    const [near, far] = [await here.agent('near'), await here.agent('far')];
    for (const node of [here, there]) await expect.poll(() => node.platform.broker.tells).toBe(true);
    expect((await report(there, far, { load: 0 })).status).toBe(200);
    expect(await sentBy(there)).toBe(0);
    const all = await follow(here, admin);
    const some = await follow(here, admin, '?agents=far&metrics=power');
    // Until the other node knows of the streams.
    let count = 0;
    const isHeard = async () => {
      await report(there, far, { load: ++count, power: -count });
      return all.some((event) => event.startsWith('far'));
    };
    await expect.poll(isHeard).toBe(true);
    const first = count + 1;
    for (let n = 0; n < 20; n++) await report(there, far, { load: ++count, power: -count });
    await report(here, near, { load: 7 });
    const expected = Array.from({ length: 20 }, (_, n) => first + n);
    await expect.poll(() => all.filter((event) => event === `far load ${count}`).length).toBe(1);
    await expect.poll(() => all.includes('near load 7')).toBe(true);
    for (const value of expected) expect(all.filter((event) => event === `far load ${value}`)).toHaveLength(1);
    expect(new Set(all).size).toBe(all.length);
    await expect.poll(() => some.includes(`far power ${-count}`)).toBe(true);
    expect(some.filter((event) => !event.startsWith('far power'))).toEqual([]);
  });

  test('shows the newest values of other nodes while the broker is away', async () => {
    const [here, there] = await startNodes('amqp://guest:guest@127.0.0.1:1');
    const admin = await here.admin();
    const far = await here.agent('far');
    await report(there, far, { load: 1 });
    const seen = await follow(here, admin);
    let count = 1;
    const isHeard = async () => {
      await report(there, far, { load: ++count });
      return seen.length >= 2;
    };
    await expect.poll(isHeard).toBe(true);
    expect(new Set(seen).size).toBe(seen.length);
  });
});

test.skipIf(isMissing)('presence, newest values, lists, devices and alarms are the same on both nodes', async () => {
  const [here, there] = await startNodes('amqp://guest:guest@127.0.0.1:1');
  const admin = await here.admin();
  const near = await here.agent('near');
  const far = await here.agent('far');
  const answers = async (weft: TestWeft) => {
    const read = async (path: string) => (await weft.request('GET', path, { token: admin })).body;
    const [presence, latest, online, byLoad, devices, alarms] = await Promise.all([
      read('/api/v1/metrics/presence?agents=near,far'),
      read('/api/v1/metrics/latest?agents=near,far'),
      read('/api/v1/agents?selector=state:online'),
      read('/api/v1/agents?sort=-load&fields=latest'),
      read('/api/v1/devices'),
      read('/api/v1/alarms'),
    ]);
    return { presence, latest, online, byLoad, devices, alarms };
  };
  const app = await there.app('watcher', { alarms: true });
  for (const [load, rssi_dbm] of [
    [9, -50],
    [3, -60],
  ] as const) {
    await report(there, far, { load, devices: [{ device: 'phone', rssi_dbm }] });
    await report(here, near, { load: 5, devices: [{ device: 'tablet', rssi_dbm }] });
    const alarm = { ap_id: 'far', key: `load ${load}`, severity: 'minor', text: 'hot' };
    expect((await there.request('POST', '/api/v1/alarms/raise', { token: app, json: alarm })).status).toBe(200);
    // What was just said, and the same whoever is asked.
    const said = {
      presence: { agents: [{ presence: 'online' }, { presence: 'online' }] },
      latest: { agents: [{ metrics: { load: { value: load } } }, { metrics: { load: { value: 5 } } }] },
      online: { items: [{ state: 'online' }, { state: 'online' }] },
      byLoad: { items: load > 5 ? [{ ap_id: 'far' }, { ap_id: 'near' }] : [{ ap_id: 'near' }, { ap_id: 'far' }] },
      devices: { items: [{ links: [{ rssi_dbm }] }, { links: [{ rssi_dbm }] }] },
      alarms: { items: [{ subject: `load ${load}` }, ...(load > 5 ? [] : [{ subject: 'load 9' }])] },
    };
    await expect
      .poll(async () => {
        const [one, other] = await Promise.all([answers(here), answers(there)]);
        expect(one).toEqual(other);
        return one;
      })
      .toMatchObject(said);
  }
});
