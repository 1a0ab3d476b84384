// What #21 takes of a body that is free-form: what is usable is stored, what is not is named, and a credential costs the
// whole report before anything of it is written anywhere.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { type Answer, startWeft, type TestWeft } from '../../../../../test/weft.ts';

const url = '/api/v1/agent_update/update';
const written: string[] = [];
let server: TestWeft;

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => written.push(line) });
  server = await startWeft({}, { log });
});
afterAll(() => server.stop());

let count = 0;
async function newAgent() {
  const ap_id = `ap-${++count}`;
  const token = await server.agent(ap_id);
  const post = (json: unknown): Promise<Answer> => server.request('POST', url, { token, json });
  const write = (lines: string): Promise<Answer> => {
    return server.post('/api/v1/write', { authorization: `Bearer ${token}`, 'content-type': 'text/plain' }, lines);
  };
  return { ap_id, post, write };
}

const rowsWithoutTime = async (ap_id: string) => (await server.rowsOf(ap_id)).map(({ ts: _, ...row }) => row);
const metric = async (name: string) => {
  const { text } = await server.request('GET', '/metrics');
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
};

describe('what cannot be stored', () => {
  it('is named, and the rest of the report is stored', async () => {
    const { ap_id, post } = await newAgent();
    expect((await post({ rssi: -60 })).body.ignored).toBeUndefined();
    const before = await metric('weft_telemetry_fields_ignored');
    const { status, body } = await post({ rssi: 'strong', load: 0.5, neighbours: ['a', 'b'] });
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'success',
      detail: expect.any(String),
      accepted: 1,
      ignored: [{ field: 'neighbours', reason: 'array' }],
      ignored_count: 1,
    });
    expect(await rowsWithoutTime(ap_id)).toEqual([{ rssi: -60 }, { load: 0.5, rssi: 'strong' }]);
    expect(await metric('weft_telemetry_fields_ignored')).toBe(before + 1);
  });

  it.each([{}, { a: null }, { payload: {} }, { samples: [{}, { a: null }] }, { a: [] }, { payload: '[1]' }])(
    'leaves nothing of %j, which is no mistake',
    async (body) => {
      const { ap_id, post } = await newAgent();
      const answer = await post(body);
      expect([answer.status, answer.body.accepted]).toEqual([200, 0]);
      expect(await server.rowsOf(ap_id)).toEqual([]);
    },
  );

  it('is named the same when the report is known by its shape', async () => {
    const { post } = await newAgent();
    const answers = [1, 2, 3].map(async (load) => post({ load, neighbours: ['a'] }));
    for (const { body } of await Promise.all(answers)) expect(body).toMatchObject({ accepted: 1, ignored_count: 1 });
  });

  test('nothing is dropped in silence: what is stored and what is named are what was given', async () => {
    const { ap_id, post } = await newAgent();
    await post({ metric: 1, text: 'x' });
    const value = fc.oneof(fc.integer(), fc.constantFrom('a', 'b'), fc.constant([1, 2]));
    const fields = fc.dictionary(fc.constantFrom('metric', 'text', 'more', 'bad,name', 'x'), value);
    await fc.assert(
      fc.asyncProperty(fc.array(fields, { maxLength: 5 }), async (samples) => {
        const stored = async () =>
          (await rowsWithoutTime(ap_id)).reduce((sum, row) => sum + Object.keys(row).length, 0);
        const before = await stored();
        const { status, body } = await post({ samples });
        expect(status).toBe(200);
        const given = samples.reduce((sum, sample) => sum + Object.keys(sample).length, 0);
        expect((await stored()) - before + (body.ignored_count ?? 0)).toBe(given);
      }),
      { numRuns: rounds(25) },
    );
  });
});

it('a time under any of its names is the time of the sample, and two that disagree are refused', async () => {
  const { ap_id, post } = await newAgent();
  const ts = Date.now() - 60_000;
  expect((await post({ time: new Date(ts).toISOString(), rssi: 1 })).status).toBe(200);
  expect(await server.rowsOf(ap_id)).toEqual([{ ts, rssi: 1 }]);
  const { status, body } = await post({ time: ts, ts: ts + 1, rssi: 2 });
  expect([status, body.detail[0].loc]).toEqual([422, ['body', 'time']]);
  expect(await server.rowsOf(ap_id)).toHaveLength(1);
});

it('a geolocation beside the fields is the place of the agent, and no metric', async () => {
  const { ap_id, post } = await newAgent();
  const geolocation = { latitude: 51.45, longitude: -2.58 };
  expect((await post({ rssi: 1, geolocation })).body).toMatchObject({ accepted: 1 });
  expect(await server.configurationOf(ap_id)).toEqual({ geolocation });
  expect(await rowsWithoutTime(ap_id)).toEqual([{ rssi: 1 }]);
});

it('a payload that is a text of JSON is read; any other text is ignored', async () => {
  const { ap_id, post } = await newAgent();
  expect((await post({ ap_id, payload: '{"rssi":-60,"radio":{"ch":36}}' })).body).toMatchObject({ accepted: 1 });
  expect(await rowsWithoutTime(ap_id)).toEqual([{ rssi: -60, radio_ch: 36 }]);
  expect((await post({ payload: 'rssi=-60' })).body).toMatchObject({
    accepted: 0,
    ignored: [{ field: 'payload', reason: 'text' }],
  });
});

describe('a credential', () => {
  const key = fc.constantFrom('password', 'Passwd', 'API_KEY', 'access_token', 'Secret', 'wifi_password', 'apiKey');
  const number = { x: 1 };
  const wrappers: ((inner: object) => object)[] = [
    (inner) => inner,
    (inner) => ({ ...inner, configuration: { site: 'roof' } }),
    (inner) => ({ configuration: { wifi: inner } }),
    (inner) => ({ wifi: inner, ...number }),
    (inner) => ({ configuration: Object.fromEntries(Object.entries(inner).map(([name, value]) => [name, [value]])) }),
    (inner) => ({ users: [inner], ...number }),
    (inner) => ({ payload: inner }),
    (inner) => ({ ...inner, payload: number }),
    (inner) => ({ samples: [number, inner] }),
    (inner) => ({ samples: [number], meta: inner }),
    (inner) => ({ devices: [inner], ...number }),
  ];

  /** A text that is JSON is read in this one place alone. */
  const outermost = [...wrappers, (inner: object) => ({ payload: JSON.stringify(inner) })];

  async function filesWith(secrets: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const entry of await readdir(server.config.dataDir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = await readFile(join(entry.parentPath, entry.name));
      if (secrets.some((secret) => bytes.includes(secret))) found.push(entry.name);
    }
    return found;
  }

  test('is refused wherever it stands, and is in no answer, log or file; nothing of the report is stored', async () => {
    const { ap_id, post, write } = await newAgent();
    const secrets: string[] = [];
    const secretOf = () => {
      secrets.push(`hunter-${crypto.randomUUID()}`);
      return secrets.at(-1)!;
    };
    const expectRefusal = (answer: Answer, secret: string) => {
      expect([answer.status, answer.body.code]).toEqual([422, 'credential_in_report']);
      expect(answer.text).not.toContain(secret);
    };
    await fc.assert(
      fc.asyncProperty(key, fc.constantFrom(...outermost), fc.constantFrom(...wrappers), async (name, outer, inner) => {
        const secret = secretOf();
        const body = outer(inner({ [name]: secret }));
        // One may have replaced what the other had put there.
        fc.pre(JSON.stringify(body).includes(secret));
        expectRefusal(await post(body), secret);
        expectRefusal(await write(`wifi ssid="x",${name}="${secret}"`), secret);
        expectRefusal(await write(`${name} value="${secret}"`), secret);
        expectRefusal(await write(`agent/${ap_id}/data rssi=1\nwifi,${name}=${secret} rssi=1`), secret);
      }),
      { numRuns: rounds(100) },
    );
    expect(await server.rowsOf(ap_id)).toEqual([]);
    expect(await server.configurationOf(ap_id)).toEqual({});
    expect(await filesWith(secrets)).toEqual([]);
    expect(secrets.filter((secret) => written.some((line) => line.includes(secret)))).toEqual([]);
    const kept = secretOf();
    expect((await post({ note: kept, password: 7 })).body).toMatchObject({ accepted: 1 });
    expect(await filesWith([kept])).not.toEqual([]);
  });
});
