// The process of Weft killed again and again in the middle of a roll-out: every access point ends with the new settings, and none was
// told to apply them twice.
import { expect, onTestFinished, test } from 'vitest';
import { Agent } from '../sdk/src/index.ts';
import { untilSo } from '../test/pure/until-so.ts';
import { password, serve, temporaryFolder } from './weft-process.ts';

const count = 40;
const kills = 8;

test('killed 8 times during a roll-out to 40 access points, it goes on where it was', {
  timeout: 900_000,
}, async () => {
  const folder = temporaryFolder();
  let weft = await serve({ folder });
  // Its access points come back to where it was.
  const env = { WEFT_PORT: new URL(weft.url).port };
  const token = await weft.createAdmin();
  const ask = async (method: string, path: string, json?: unknown) => {
    const { status, body } = await weft.request(method, `/api/v1${path}`, { token, json });
    expect(status, `${method} ${path}: ${JSON.stringify(body)}`).toBe(200);
    return body;
  };
  const applied: string[] = [];
  for (let n = 0; n < count; n++) {
    const ap_id = `ap-${n}`;
    await ask('POST', '/agents/', { ap_id, password, configuration: { access_point_type: 'WiFi' } });
    await ask('PATCH', `/agents/${ap_id}/labels`, { tags: ['hall'] });
    let radio: Record<string, unknown> = { channel: 36 };
    const agent = new Agent({ url: weft.url, ap_id, password, spoolDir: temporaryFolder(), onError: () => {} });
    agent.settings({
      declare: { channel: { type: 'integer', minimum: 1, maximum: 196 } },
      running: () => radio,
      apply: (settings) => {
        if (settings.channel === 100) applied.push(ap_id);
        radio = { ...radio, ...settings };
      },
    });
    await agent.start();
    onTestFinished(() => agent.stop({ graceMs: 0 }));
  }
  const layers = [{ name: 'hall', selector: 'tag:hall', weight: 1, settings: { channel: 100 } }];
  const set = await ask('POST', '/config/change_sets', { title: 'hall', layers });
  const waves = Array.from({ length: 10 }, (_, n) => ({ percent: 10 * (n + 1) }));
  const { id } = await ask('POST', `/config/change_sets/${set.id}/rollout`, { waves });
  for (let kill = 1; kill <= kills; kill++) {
    // A few more each time, so that every kill falls into another wave.
    await untilSo(() => expect(applied.length).toBeGreaterThanOrEqual((kill * count) / (kills + 2)));
    await weft.end('SIGKILL');
    weft = await serve({ folder, env });
  }
  await untilSo(async () => expect(await ask('GET', `/rollouts/${id}`)).toMatchObject({ state: 'completed' }));
  const { items } = await ask('GET', `/agents?limit=100&selector=${encodeURIComponent('config:in_sync')}`);
  expect(items).toHaveLength(count);
  expect(applied.toSorted()).toEqual(Array.from({ length: count }, (_, n) => `ap-${n}`).toSorted());
});
