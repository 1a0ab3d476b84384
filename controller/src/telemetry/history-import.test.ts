// History that an administrator brings in through the line-protocol door, with the door for history open.
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IngestServer, startIngestServer } from '../../../test/ingest-server.ts';
import { type Answer, password } from '../../../test/weft.ts';
import { type Caller, system } from '../caller.ts';
import { AuthenticationError } from '../errors.ts';
import { createFormats } from '../http/formats.ts';
import { createLogger } from '../http/log.ts';
import { createServer } from '../http/server.ts';
import { ServiceMetrics } from '../http/service-metrics.ts';
import { Validator } from '../http/validator.ts';
import { lineProtocolRoutes } from './line-protocol-routes.ts';
import { TelemetryService } from './telemetry-service.ts';

const paths = ['/api/v1/write', '/write', '/api/v2/write'];
const bearerOf = (token: string) => ({ 'content-type': 'text/plain', authorization: `Bearer ${token}` });
const admin = bearerOf('admin');

let behind: IngestServer;
let door: ReturnType<typeof createServer>;
let url: string;
const callers = new Map<string, Caller>([
  ['admin', { kind: 'user', id: '1', name: 'admin@weft.test', roles: ['admin'], isAdmin: true }],
  ['user', { kind: 'user', id: '2', name: 'eve@weft.test', roles: ['user'], isAdmin: false }],
]);
/** Agents whose history has come, in order. */
const imported: string[] = [];

beforeAll(async () => {
  behind = await startIngestServer();
  const { store, agents, telemetry } = behind;
  const onRecorded = (ap_id: string) => imported.push(ap_id);
  const history = { telemetry: new TelemetryService({ store, agents, retentionDays: 30, onRecorded }), agents };
  door = createServer({
    routes: lineProtocolRoutes(telemetry, history),
    pages: [],
    doorkeeper: {
      authenticate: (token) => {
        const caller = callers.get(token);
        if (!caller) throw new AuthenticationError();
        return caller;
      },
      remembered: () => undefined,
      authenticateAgent: () => {
        throw new AuthenticationError();
      },
      hasAdmin: async () => true,
      isEnrolmentToken: () => false,
      requireEnrolment: async () => {},
      mayReadServiceMetrics: () => false,
    },
    validator: new Validator(createFormats({ passwordLength: { min: 8, max: 128 } })),
    metrics: new ServiceMetrics({}),
    log: createLogger('silent'),
    isReady: () => true,
    host: '127.0.0.1',
    publicUrl: undefined,
    allowedHosts: [],
    corsOrigins: [],
    trustedProxies: [],
    tls: undefined,
    maxConnections: 100,
  });
  await door.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(door.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await door.close();
  await behind.stop();
});

async function post(path: string, headers: Record<string, string>, body: string): Promise<Answer> {
  const response = await fetch(url + path, { method: 'POST', headers, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? '' : JSON.parse(text) };
}

let count = 0;
async function newAgent(): Promise<{ ap_id: string; bearer: Record<string, string> }> {
  count += 1;
  const ap_id = `ap-${count}`;
  const { id } = await behind.agents.create({ ap_id, password, configuration: {} }, system);
  callers.set(ap_id, { kind: 'agent', id, name: ap_id });
  return { ap_id, bearer: bearerOf(ap_id) };
}

describe('history that an administrator brings in', () => {
  const ts = Date.now() - 3_600_000;

  it.each(paths)('at %s is stored for the agent he names, as if that had posted it', async (path) => {
    const { ap_id, bearer } = await newAgent();
    const lines = (value: number, at: number) => `cpu,host=gw load=${value} ${at}\nagent/${ap_id}/data x="a" ${at}`;
    const query = `?agent=${ap_id}&precision=ms`;
    expect((await post(path + query, admin, lines(1, ts))).status).toBe(204);
    expect((await post(`${path}?precision=ms`, bearer, lines(2, ts + 1))).status).toBe(204);
    // Once more changes nothing.
    expect((await post(path + query, admin, lines(1, ts))).status).toBe(204);
    expect(await behind.rowsOf(ap_id)).toEqual([
      { ts, cpu_load: 1, x: 'a' },
      { ts: ts + 1, cpu_load: 2, x: 'a' },
    ]);
  });

  it('is no sign of life and no news', async () => {
    const { ap_id } = await newAgent();
    const before = behind.recorded.length;
    expect((await post(`/write?agent=${ap_id}&precision=ms`, admin, `cpu x=1 ${ts}`)).status).toBe(204);
    expect(behind.recorded.length).toBe(before);
    expect(imported.at(-1)).toBe(ap_id);
  });

  it('needs a name, of an agent that is there; good lines come first', async () => {
    const nameless = await post('/write', admin, 'cpu x=1');
    expect([nameless.status, nameless.body.detail[0].loc]).toEqual([422, ['query', 'agent']]);
    expect((await post('/write?agent=nobody', admin, 'cpu x=')).status).toBe(422);
    const unknown = await post('/write?agent=nobody', admin, 'cpu x=1');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'agent_not_found']);
    await newAgent();
    expect(await behind.rowsOf('nobody')).toEqual([]);
  });

  it('passes the same gate: no line of others, nothing beyond the retention, no text for a metric', async () => {
    const { ap_id } = await newAgent();
    const write = (line: string) => post(`/write?agent=${ap_id}&precision=ms`, admin, line);
    expect((await write('agent/somebody/data x=1')).status).toBe(403);
    const old = await write(`cpu x=1 ${ts}\ncpu x=1 ${Date.now() - 31 * 86_400_000}`);
    expect([old.status, old.body.detail[0].loc]).toEqual([422, ['body', 1]]);
    expect(old.body.detail[0].msg).toContain('older than the retention of 30 days');
    expect((await write(`cpu x=1 ${ts}`)).status).toBe(204);
    const text = await write(`cpu y=1 ${ts}\ncpu x="a" ${ts + 1}`);
    expect([text.status, text.body.detail[0].loc]).toEqual([422, ['body', 1]]);
    expect(await behind.rowsOf(ap_id)).toEqual([{ ts, cpu_x: 1 }]);
  });

  it('is for administrators only; an agent may name itself and nobody else', async () => {
    const [mine, other] = [await newAgent(), await newAgent()];
    expect((await post(`/write?agent=${mine.ap_id}`, mine.bearer, 'cpu x=1')).status).toBe(204);
    const foreign = await post(`/write?agent=${other.ap_id}`, mine.bearer, 'cpu x=1');
    expect([foreign.status, foreign.body.code]).toEqual([403, 'not_permitted']);
    expect((await post(`/write?agent=${other.ap_id}`, bearerOf('user'), 'cpu x=1')).status).toBe(403);
    expect(await behind.rowsOf(other.ap_id)).toEqual([]);
  });
});
