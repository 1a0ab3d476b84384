// What Prometheus reads: /metrics and /metrics/agents, as promtool and a real client see them.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

let weft: TestWeft;
let token: string;
beforeAll(async () => {
  weft = await startWeft();
  token = await weft.admin();
  await weft.agent('ap-1', { access_point_type: 'WiFi' });
  await weft.agent('ap-2', { access_point_type: '5G' });
  await weft.agent('ap-3', { access_point_type: 'a "quoted"\n\\type' });
  const report = (ap_id: string, ts: number, values: Record<string, number>) =>
    weft.record(ap_id, [{ ts, names: Object.keys(values), values: Object.values(values), texts: [] }]);
  await report('ap-1', Date.now(), { latency_ms: 3.5, 'odd "name"': -1e-7 });
  await report('ap-2', Date.now() - 600_000, { latency_ms: 9 });
  await report('ap-3', Date.now(), { latency_ms: 1 });
  const json = { display_name: 'Lobby' };
  await weft.request('PATCH', '/api/v1/agents/ap-1/labels', { token, json });
});
afterAll(() => weft.stop());

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
const read = (query = '', headers: Record<string, string> = { authorization: `Bearer ${token}` }) =>
  weft.request('GET', `/metrics/agents${query}`, { headers });

/** Of Debian's package `prometheus`, which `npm test` installs; without it CI has failed before, and a laptop was told so. */
const promtool = '/usr/bin/promtool';

describe.skipIf(!existsSync(promtool) && process.env.CI !== 'true')('promtool', () => {
  it.each(['/metrics', '/metrics/agents'])('finds nothing wrong with %s', async (path) => {
    const { text } = await weft.request('GET', path, { token });
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect(`${stdout}${stderr}`).toBe('');
    expect(status).toBe(0);
  });
});

it('what only grows is a counter, and nothing else is called a total', async () => {
  const { text } = await weft.request('GET', '/metrics');
  const types = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name, type]) => ({ name: name!, type: type! }));
  expect(types.length).toBeGreaterThan(30);
  for (const { name, type } of types) expect(name.endsWith('_total'), name).toBe(type === 'counter');
});

it('agents are counted by state and technology, also those that nobody has', async () => {
  const { text } = await weft.request('GET', '/metrics');
  const lines = text.split('\n').filter((line) => line.startsWith('weft_agents{'));
  expect(lines).toHaveLength(20);
  expect(lines).toContain('weft_agents{state="online",technology="WiFi"} 1');
  expect(lines).toContain('weft_agents{state="online",technology="other"} 1');
  expect(lines).toContain('weft_agents{state="ended",technology="LiFi"} 0');
});

describe('/metrics/agents', () => {
  it('has the newest values that are not old, with labels', async () => {
    const { status, text, headers } = await read();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const labels = 'ap_id="ap-1",name="Lobby",site="",technology="WiFi"';
    const lines = text.split('\n');
    expect(lines).toContain(`weft_agent_up{${labels}} 1`);
    expect(lines).toContain(`weft_agent_value{${labels},metric="latency_ms"} 3.5`);
    expect(lines).toContain(`weft_agent_value{${labels},metric="odd \\"name\\""} -1e-7`);
    expect(text).toContain('technology="a \\"quoted\\"\\n\\\\type"');
    expect(lines.filter((line) => line.startsWith('weft_agent_value{ap_id="ap-2"'))).toEqual([]);
    expect(lines).toContain('weft_agents_left_out 0');
  });

  it('is narrowed down by selector and metrics', async () => {
    const { text } = await read('?selector=name:Lobby&metrics=latency_ms');
    expect(text.match(/^weft_agent_value/gm)).toHaveLength(1);
    expect((await read('?selector=tag:')).status).toBe(422);
  });

  it('takes the name and the key of an app, within its rights', async () => {
    await weft.app('prom:1', { agents: ['ap-1'] });
    const good = await read('', basic(`prom:1:${password}`));
    expect(good.status).toBe(200);
    expect(good.text).toContain('ap_id="ap-1"');
    expect(good.text).not.toContain('ap_id="ap-3"');
    expect((await read('', basic('prom:1:wrong'))).status).toBe(401);
    expect((await read('', basic(`ap-1:${password}`))).status).toBe(401);
    expect((await read('', {})).status).toBe(401);
    await weft.app('blind', { read: false });
    expect((await read('', basic(`blind:${password}`))).status).toBe(403);
    await weft.request('DELETE', '/api/v1/third_party_apps/prom:1', { token });
    expect((await read('', basic(`prom:1:${password}`))).status).toBe(401);
  });
});
