// Every example in the comments of the SDK and in docs/sdk.md, run against a real server; and every public function has one.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { password, startWeft, type TestWeft } from '../../test/weft.ts';
import {
  Agent,
  App,
  CommandConflict,
  CommandHeld,
  EmulatedNetwork,
  SentCommand,
  Stream,
  verifyWebhook,
} from './index.ts';
import { FakeWeft } from './testing.ts';

const root = resolve(import.meta.dirname, '../..');

interface Example {
  title: string;
  code: string;
}

function examplesIn(path: string): Example[] {
  const text = readFileSync(join(root, path), 'utf8');
  const isDocument = path.endsWith('.md');
  const blocks = text.matchAll(isDocument ? /```js \S+\n(.*?)```/gs : /```ts\n(.*?)\n +\* ```/gs);
  return [...blocks].map(([, block = ''], index) => ({
    title: `${path} ${index + 1}`,
    code: isDocument ? block : block.replaceAll(/^ +\* ?/gm, ''),
  }));
}

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => `sdk/src/${name}`);
const examples = [...sources, 'docs/sdk.md'].flatMap(examplesIn);

let weft: TestWeft;
let busy: Agent;
let reporting: NodeJS.Timeout;

beforeAll(async () => {
  weft = await startWeft();
  const token = await weft.admin();
  await weft.app('saver', { alarms: true, config: 'roll_out' });
  await weft.app('coverer');
  for (const ap_id of ['ap-1', 'asleep']) await weft.agent(ap_id);
  // Examples follow each other faster than sensible programs do.
  const { body: rules } = await weft.request('GET', '/api/v1/conflicts/rules', { token });
  rules.groups.push({ name: 'ours', parameters: ['tx_power'], policy: 'priority', min_interval_ms: 0 });
  rules.oscillation.freeze_s = 0;
  expect((await weft.request('PUT', '/api/v1/conflicts/rules', { token, json: rules })).status).toBe(200);
  busy = new Agent({ url: weft.url, ap_id: 'ap-1', password }).command('set_tx_power', () => undefined);
  busy.command('steer_device', () => undefined);
  await busy.start();
  const [saver, coverer] = ['saver', 'coverer'].map((name) => new App({ url: weft.url, name, key: password }));
  await saver!.command('ap-1', 'set_tx_power', { dbm: 11 });
  await expect(coverer!.command('ap-1', 'set_tx_power', { dbm: 12 })).rejects.toBeInstanceOf(CommandConflict);
  reporting = setInterval(
    () =>
      void busy
        .post({ load: 0.9, connected_devices: 3, power_w: 7.5, devices: [{ device: 'phone', rssi_dbm: -50 }] })
        .catch(() => {}),
    200,
  );
});
afterAll(async () => {
  clearInterval(reporting);
  await busy.stop();
  await weft.stop();
});

async function run(code: string): Promise<string[]> {
  const { body } = await weft.request('POST', '/api/v1/enrolment_tokens', {
    token: await weft.admin(),
    json: { ap_id_pattern: '*', expires_in: 3600, max_uses: 10 },
  });
  const printed: string[] = [];
  const ap_id = `roof-${randomUUID()}`;
  const made: Agent[] = [];
  class NotedAgent extends Agent {
    constructor(options: ConstructorParameters<typeof Agent>[0]) {
      super({ ...options, ap_id, ...(options.spoolDir && { spoolDir: join(weft.config.dataDir, 'spool') }) });
      made.push(this);
    }
  }
  const app = new App({ url: weft.url, name: 'saver', key: password });
  const network = /\bnetwork\./.test(code) && !code.includes('const network =') ? await startedNetwork(app) : undefined;
  const given = {
    url: weft.url,
    key: password,
    password,
    enrolmentToken: body.token,
    App,
    Agent: NotedAgent,
    CommandConflict,
    CommandHeld,
    FakeWeft,
    verifyWebhook,
    app,
    network,
    agent: new NotedAgent({ url: weft.url, ap_id, password, enrolmentToken: body.token, spoolDir: 'its own' }),
    console: { log: (...words: unknown[]) => printed.push(words.join(' ')) },
  };
  const plain = stripTypeScriptTypes(code.replaceAll(/^import .*\n/gm, ''));
  const own = Object.entries(given).filter(([name]) => !new RegExp(`const ${name} =`).test(plain));
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  try {
    await new AsyncFunction(...own.map(([name]) => name), plain)(...own.map(([, value]) => value));
  } finally {
    await Promise.all(made.map((agent) => agent.stop()));
    await network?.stop();
  }
  return printed;
}

async function startedNetwork(app: App): Promise<EmulatedNetwork> {
  const spec = { num_access_points: 2, locations: ['Bristol'], num_devices: 5, duration: 600 };
  const emulators = (['WiFi', '5G'] as const).map((access_point_type) => ({ access_point_type, ...spec }));
  const network = await app.emulate({ emulators });
  for await (const { event } of network.progress()) if (event === 'started') break;
  return network;
}

describe('examples', () => {
  test.each(examples)('$title', async ({ code }) => {
    const printed = await run(code);
    // What an example shows is there: neither nothing nor a hole.
    if (code.includes('console.log')) expect(printed).not.toEqual([]);
    expect(printed.join('\n')).not.toMatch(/undefined|\[object/);
  });
});

const classes = { App, Agent, SentCommand, EmulatedNetwork, Stream };
const withoutExample = new Set(['constructor', 'next', 'return']);

test.each(Object.entries(classes))('every function of %s has an example', (_name, each) => {
  const text = sources.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
  const names: string[] = [];
  for (let proto = each.prototype; proto !== Object.prototype; proto = Object.getPrototypeOf(proto)) {
    const own = Object.entries(Object.getOwnPropertyDescriptors(proto));
    names.push(...own.flatMap(([name, { value }]) => (typeof value === 'function' ? [name] : [])));
  }
  const missing = names.filter((name) => {
    if (withoutExample.has(name)) return false;
    return !new RegExp(`\`\`\`\\n   \\*/\\n(?:  //.*\\n)?  (async )?${name}[<(]`).test(text);
  });
  expect(names.length).toBeGreaterThan(2);
  expect(missing).toEqual([]);
});
