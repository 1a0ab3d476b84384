// What the document says of an operation beside its answers: every bound on input, and every status.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

interface Schema {
  $ref?: string;
  type?: string;
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxLength?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
  description?: string;
}

interface Operation {
  operationId: string;
  description: string;
  parameters?: { name: string; in: string; schema: Schema; description: string }[];
  responses: Record<string, { description: string }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

let weft: TestWeft;
let token: string;
let document: Document;

beforeAll(async () => {
  weft = await startWeft({ WEFT_EMULATOR_MAX_HOURS: '2' });
  token = await weft.admin();
  await weft.agent('ap');
  document = (await weft.request('GET', '/openapi.json')).body;
});
afterAll(() => weft.stop());

const operationAt = (method: string, path: string) => document.paths[path]![method]!;
const parameter = (path: string, name: string) =>
  operationAt('get', path).parameters!.find((candidate) => candidate.name === name)!;

describe('bounds', () => {
  it('of numbers and lists in a query are those that the validator applies', async () => {
    let checked = 0;
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { parameters = [] }] of Object.entries(methods)) {
        for (const { name, schema, in: place } of parameters) {
          const beyond = place === 'query' ? valuesBeyond(schema) : [];
          for (const query of beyond.map((value) => new URLSearchParams({ [name]: value }))) {
            const url = `${path.replaceAll(/\{\w+\}/g, 'x')}?${query}`;
            const { status, body } = await weft.request(method.toUpperCase(), url, { token });
            if (status === 403) continue;
            expect([method, path, name, status]).toEqual([method, path, name, 422]);
            expect(body.detail).toContainEqual(
              expect.objectContaining({ loc: expect.arrayContaining(['query', name]) }),
            );
            checked += 1;
          }
        }
      }
    }
    expect(checked).toBeGreaterThan(20);
  });

  it('of a window: minutes as a number, or text', async () => {
    const { schema } = parameter('/api/v1/metrics/agent_data', 'window');
    expect(schema.anyOf).toEqual([
      { type: 'integer', minimum: 1 },
      { type: 'string', maxLength: 40 },
    ]);
    expect(schema.type).toBeUndefined();
    for (const window of ['5', '1h']) {
      const { status } = await weft.request('GET', `/api/v1/metrics/agent_data?agent=ap&window=${window}`, { token });
      expect(status).toBe(200);
    }
  });

  it('of an emulated network follow the settings, and one more is refused', async () => {
    const { num_devices, duration, locations } = document.components.schemas.EmulatorSpec!.properties!;
    expect([num_devices!.maximum, duration!.maximum, locations!.minItems]).toEqual([200_000, 7200, 1]);
    const spec = {
      access_point_type: 'WiFi',
      num_access_points: 1,
      locations: ['Bristol'],
      num_devices: num_devices!.maximum! + 1,
      duration: duration!.maximum! + 1,
    };
    const ask = (more: object) =>
      weft.request('POST', '/api/v1/emulator/spinup', { token, json: { emulators: [{ ...spec, ...more }] } });
    for (const [field, good] of [
      ['num_devices', { duration: 60 }],
      ['duration', { num_devices: 1 }],
    ] as const) {
      const { status, body } = await ask(good);
      expect([status, body.detail[0].loc]).toEqual([422, ['body', 'emulators', 0, field]]);
    }
  });

  it('of a command are those of an address; in a body it may be longer', async () => {
    const { schema } = operationAt('post', '/api/v1/send_command').parameters!.find(({ name }) => name === 'command')!;
    const { maxLength } = document.components.schemas.BatchRequest!.properties!.command!.anyOf![0]!;
    expect([schema.maxLength, maxLength]).toEqual([16_384, 65_536]);
    const text = (length: number) => `set ${'x'.repeat(length - 4)}`;
    const send = (length: number) =>
      weft.request(
        'POST',
        `/api/v1/send_command?agent_id=ap&dry_run=true&command=${encodeURIComponent(text(length))}`,
        {
          token,
        },
      );
    expect([(await send(15_000)).status, (await send(schema.maxLength!)).status]).toEqual([200, 431]);
    const batch = (length: number) =>
      weft.request('POST', '/api/v1/commands/batch', {
        token,
        json: { agents: ['ap'], command: text(length), dry_run: true },
      });
    expect([(await batch(maxLength!)).status, (await batch(maxLength! + 1)).status]).toEqual([200, 422]);
  });

  it('that no schema can express are in the descriptions', () => {
    const request = operationAt('post', '/api/v1/agent_data/request_agent_data');
    expect(request.parameters!.find(({ name }) => name === 'end_time')!.description).toContain('24 hours ahead');
    expect(operationAt('post', '/api/v1/emulator/spinup').description).toContain('200000 devices a request');
    expect(operationAt('post', '/api/v1/agent_update/update').description).toMatch(/10000 samples.*1024 fields/);
    expect(parameter('/api/v1/metrics/agent_multi_metric_data', 'metrics').schema).toMatchObject({ maxItems: 100 });
  });
});

/** Values that break one bound each; what is written in a query is text. */
function valuesBeyond({ type, minimum, maximum, maxItems }: Schema): string[] {
  if (type === 'array') {
    return maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, (_, index) => `n${index}`).join()];
  }
  if (type !== 'integer' && type !== 'number') return [];
  return [...(minimum === undefined ? [] : [`${minimum - 1}`]), ...(maximum === undefined ? [] : [`${maximum + 1}`])];
}

describe('statuses', () => {
  it.each([
    ['post', '/api/v1/token/', ['401', '422', '429']],
    ['post', '/api/v1/users/signup', ['403', '409', '422']],
    ['post', '/api/v1/users/reset-password', ['400', '422']],
    ['post', '/api/v1/agent_data/request_agent_data', ['401', '403', '404', '422', '429', '503']],
    ['post', '/api/v1/send_command', ['401', '403', '404', '409', '422']],
    ['get', '/api/v1/metrics/agent_data', ['401', '403', '404', '422']],
    ['get', '/api/v1/metrics/agent_multi_metric_data', ['404']],
    ['get', '/api/v1/metrics/agent_metrics', ['404']],
    ['post', '/api/v1/callback/agent_data', ['404', '409', '413', '415']],
    ['post', '/api/v1/callback/agent_details', ['404', '409']],
    ['post', '/api/v1/callback/emulator', ['404', '409']],
  ])('%s %s can answer %j', (method, path, statuses) => {
    expect(Object.keys(operationAt(method, path).responses)).toEqual(expect.arrayContaining(statuses));
  });

  it('that cannot be are not named', () => {
    expect(Object.keys(operationAt('get', '/api/v1/users/').responses)).not.toEqual(expect.arrayContaining(['409']));
    expect(Object.keys(operationAt('get', '/api/v1/users/').responses)).not.toEqual(expect.arrayContaining(['422']));
    expect(Object.keys(operationAt('post', '/api/v1/token/').responses)).not.toEqual(expect.arrayContaining(['404']));
  });
});
