// One test per operation that the running server documents: mutated requests, and what must hold for every answer.

import { Agent } from 'node:http';
import { byTechnology } from '@weft/contract/technologies';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { Route } from '../controller/src/core/http/request/route.ts';
import type { Part } from '../controller/src/core/part.ts';
import { type KnownValues, listOperations, type OpenApi, requestsOf } from './mutated-requests.ts';
import { type RawRequest, type RawResponse, sendRaw } from './raw-request.ts';
import { password, startWeft, type TestWeft } from './weft.ts';

export const known = {
  username: ['victim@weft.test', 'nobody@weft.test'],
  password: [password],
  new_password: [password],
  api_key: ['a longer key'],
  roles: [['user'], ['admin', 'user']],
  ap_id: ['victim-ap', 'nowhere'],
  app_name: ['victim-app', 'nothing'],
  ap_id_pattern: ['victim-*', '*'],
  token: ['not-a-token'],
  agent: ['victim-ap', 'nowhere'],
  metrics: [['rssi'], ['rssi', 'snr']],
  window: ['5', '1h'],
  start: ['2026-11-14T00:00:00Z'],
  end: ['2026-11-15T00:00:00Z'],
  format: ['csv', 'ndjson'],
  aggregate: ['mean', 'last'],
  max_points: [100],
  agent_id: ['victim-ap', 'nowhere'],
  start_time: ['2026-01-01T00:00:00Z'],
  end_time: ['2026-01-02T00:00:00Z'],
  job_number: ['victim-job', 'nothing'],
  agents: [['victim-ap'], 'victim-*'],
  command: ['sleep', '{"name":"set_tx_power","dbm":3}'],
  guard: ['rssi>-90'],
  groups: [[], [{ name: 'power', parameters: ['tx_power'], policy: 'priority' }]],
  interference_range_m: [byTechnology(() => 60)],
  oscillation: [{ reversals: 3, window_s: 600, freeze_s: 600 }],
  blast_radius: [{ fraction: 0.1, minimum: 10, window_s: 60 }],
  access_point_type: ['WiFi', 'LiFi'],
  num_access_points: [1, 3],
  locations: [['51.45,-2.58'], ['Bristol']],
  mix: [{ web: 3, video: 1 }],
  link_policy: [{ mode: 'redundant' }],
  num_devices: [1, 5],
  duration: [60],
  bounds: ['51.4,-2.7,51.5,-2.5'],
  path: ['uk/bristol', 'uk'],
  site: ['uk/bristol', null],
  selector: ['tag:lobby', 'site:uk/**'],
  time_zone: ['Europe/London'],
  tags: [['lobby']],
  add_tags: [['a', 'b']],
  remove_tags: [['a']],
  display_name: ['Hall'],
  id: ['nothing'],
  url: ['http://127.0.0.1:9/hook'],
  email: ['victim@weft.test'],
  events: [['alarm.*']],
  after: [0],
  cursor: ['a0'],
  command_id: ['00000000-0000-4000-8000-000000000000', 'nothing'],
  name: ['a name', 'another-name'],
  alarm_id: ['nothing'],
  device: ['dev-aaaaaaaaaaaaaaaa'],
  identity: ['dev-bbbbbbbbbbbbbbbb', 'emu-0-device-1'],
  clear_addresses: [false],
  expires_in: [60],
  weights: [{ WiFi: 1 }],
  rule_id: ['nothing'],
  silence_id: ['nothing'],
  condition: [{ state: 'offline' }, { metric: 'rssi', op: '<', value: -80 }],
  severity: ['major', 'minor'],
  clear: [{ for_seconds: 5 }],
  labels: [{ team: 'radio' }],
  seconds: [60],
  until: ['2030-01-01T00:00:00Z'],
  from: ['2026-01-01T00:00:00Z'],
  weekly: [{ days: ['sun'], from: '02:00', until: '05:00' }],
};

/** An agent that none of the others works on, for what an agent does under its own name. */
const itself = 'answering-ap';
/** These end the token that all the others use; they have tests of their own. */
const endsToken = /^(end_token|change_password)$/;

export interface Runs {
  /** For most operations. */
  usual: number;
  /** For those where a request that is still valid costs a password hash. */
  costly: number;
}

/** Requests that are tried until one of them gets past validation, or fails it: either is common. */
const maxDraws = 20;
const drawnAtOnce = 20;
const costly = /^(create_token|reset_password|sign_up|(create|update)_(user|agent)(_public)?)$/;

/** Other requests than those that are almost right. */
export interface Variant {
  title: string;
  known: KnownValues;
  change: (requests: fc.Arbitrary<RawRequest>) => fc.Arbitrary<RawRequest>;
  /** What else must hold after each request. */
  check: (request: RawRequest, answer: RawResponse, weft: TestWeft) => Promise<void>;
}

export async function describeMutations(runs: Runs, variant?: Variant): Promise<void> {
  // Networks that are asked for by chance need not run.
  const weft = await startWeft({
    WEFT_WEBHOOK_ALLOW: '127.0.0.1',
    WEFT_EMULATOR_MAX_RUNS: '0',
    WEFT_EMULATOR_MAX_ACCESS_POINTS: '50',
  });
  const agent = new Agent({ keepAlive: true });
  const token = await weft.admin();
  await weft.user('victim@weft.test');
  await weft.agent('victim-ap');
  const agentToken = await weft.agent('reporter-ap');
  const ownToken = await weft.agent(itself);
  await weft.app('victim-app');
  const document: OpenApi = (await weft.request('GET', '/openapi.json')).body;
  afterAll(async () => {
    agent.destroy();
    await weft.stop();
  });

  const routes = new Map(
    Object.values<Part>(weft.parts).flatMap(({ routes = [] }) => routes.map((route) => [route.operation, route])),
  );
  // The second and third address of an operation have a number.
  const routeOf = (id: string): Route => routes.get(id) ?? routes.get(id.replace(/_[0-9]$/, ''))!;
  const isTried = ({ id }: { id: string }) => {
    const { permission, holdsOpen } = routeOf(id);
    // What never ends, and what only the worker of a job may do, have tests of their own.
    return !holdsOpen && !endsToken.test(id) && (permission.admin === 'yes' || permission.agent !== 'no');
  };
  // What removes the records that the others work on comes last.
  const operations = listOperations(document)
    .filter(isTried)
    .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
  const title = variant?.title ?? 'I11: $id answers every mutated request, and never with a 5xx';
  it.each(operations)(title, async (operation) => {
    const seen = new Set<number>();
    const numRuns = costly.test(operation.id) ? runs.costly : runs.usual;
    const { permission, takes } = routeOf(operation.id);
    const isByAgent = permission.admin === 'no' || takes === 'agent_password';
    const isByItself = permission.admin === 'no' && permission.agent === 'itself';
    const all = { ...known, ...variant?.known };
    const values = isByItself
      ? { ...all, ap_id: [itself] }
      : operation.id === 'emulator_spinup'
        ? { ...all, start_time: [new Date(Date.now() - 3_600_000).toISOString()], speed: [1], faults: [[]] }
        : all;
    const by = isByItself ? ownToken : isByAgent ? agentToken : token;
    const send = async (request: RawRequest) => {
      const answer = await sendRaw(weft.url, agent, by, request);
      seen.add(answer.status);
      checkAnswer(request, answer);
      await variant?.check(request, answer, weft);
    };
    const requests = requestsOf(operation, document, values, variant === undefined);
    await fc.assert(fc.asyncProperty(variant ? variant.change(requests) : requests, send), { numRuns });
    expect((await weft.request('GET', '/api/v1/users/me', { token })).status).toBe(200);
    if (variant) return;
    // The requests are almost right: some fail validation, and some get past it. Whichever chance left out is drawn now.
    const drawUntil = async (isSeen: () => boolean, isMutated: boolean) => {
      for (let draws = 0; draws < maxDraws && !isSeen(); draws++) {
        // Every other time some parameters are left out: of some lists no page is asked for by a cursor that anybody knows.
        const requests = requestsOf(operation, document, values, isMutated || draws % 2 === 1);
        for (const request of fc.sample(requests, drawnAtOnce)) {
          if (!isSeen()) await send(request);
        }
      }
      expect(isSeen(), [...seen].join()).toBe(true);
    };
    // Nobody writes lines by chance; their parser has properties of its own.
    if (operation.id.startsWith('write_line_protocol')) return;
    if (operation.body) await drawUntil(() => seen.has(422), true);
    const isPast = (status: number) =>
      [200, 204, 400, 401, 404, 409].includes(status) || operation.id === 'reset_password';
    // A guard is about what an access point reports, which none does here: without it a command gets past.
    await drawUntil(() => [...seen].some(isPast), operation.id === 'send_command');
  });
}

function checkAnswer(request: RawRequest, { status, contentType, text }: RawResponse): void {
  expect(status, text).toBeLessThan(500);
  if (status === 204 || (status === 200 && /\/export|^\/metrics\/agents/.test(request.path))) return;
  expect(contentType).toMatch(/^application\/json/);
  const body = JSON.parse(text);
  if (status === 200) return;
  const more = body.code === 'command_conflict' ? ['lease_until', 'reason', 'rival', 'verdict'] : [];
  expect(Object.keys(body).sort()).toEqual(['code', 'detail', ...more].sort());
  expect(body.code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  if (status !== 422) {
    expect(typeof body.detail).toBe('string');
    return;
  }
  // A report with a password in it, and an address in place of a device's name, are refused as such.
  expect(body.code).toMatch(/^(validation_error|credential_in_report|device_address)$/);
  expect(body.detail.length).toBeGreaterThan(0);
  for (const problem of body.detail) {
    const { loc, msg, type, ctx, ...rest } = problem;
    expect(rest).toEqual({});
    expect(['body', 'query', 'path']).toContain(loc[0]);
    expect(loc.every((step: unknown) => typeof step === 'string' || Number.isInteger(step))).toBe(true);
    expect([typeof msg, typeof type]).toEqual(['string', 'string']);
    expect(ctx === undefined || typeof ctx === 'object').toBe(true);
  }
  if (request.body.length > 20_000) expect(text.length).toBeLessThan(request.body.length + 20_000);
}
