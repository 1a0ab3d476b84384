// Names of query parameters: what Weft's own operations do with one that nothing reads, and the names of an access point.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';
import type { Part } from '../../part.ts';
import { refusesUnknown } from './route-statuses.ts';

let weft: TestWeft;
let admin: string;
let agent: string;
let app: string;
beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  agent = await weft.agent('ap-1');
  await weft.agent('ap-2');
  app = await weft.app('watcher', { alarms: true });
  await weft.request('POST', '/api/v1/agent_update/update', { token: agent, json: { load: 1 } });
});
afterAll(() => weft.stop());

interface Problem {
  loc: string[];
  msg: string;
  type: string;
}

const ask = (path: string, method = 'GET', token = admin) => weft.request(method, `/api/v1/${path}`, { token });

const unknownIn = (body: { detail?: unknown }): Problem[] =>
  Array.isArray(body.detail) ? body.detail.filter(({ type }) => type === 'extra_forbidden') : [];

describe('a parameter that nothing reads', () => {
  it('is refused by the list of events with the name that was meant', async () => {
    const { status, body } = await ask('events?agnet=ap-1');
    expect([status, body.code]).toEqual([422, 'validation_error']);
    const msg = 'There is no parameter of this name. Did you mean agent?';
    expect(body.detail).toEqual([{ loc: ['query', 'agnet'], msg, type: 'extra_forbidden' }]);
  });

  it('is refused beside all other problems, and with what is known where nothing is near', async () => {
    const { status, body } = await ask('incidents?limit=0&somewhere=else');
    expect(status).toBe(422);
    expect(unknownIn(body)[0]!.msg).toContain('Known here: state, selector, window, cursor, limit.');
    expect(body.detail.map(({ loc }: Problem) => loc[1]).sort()).toEqual(['limit', 'somewhere']);
    expect(unknownIn((await ask('retention?days=3')).body)[0]!.msg).toContain('There are none here.');
  });

  it('tells nothing to who may not call the operation', async () => {
    expect((await weft.request('GET', '/api/v1/events?agnet=ap-1')).status).toBe(401);
    expect((await ask('audit?agnet=ap-1', 'GET', agent)).status).toBe(403);
  });

  it('changes nothing where something would have been changed', async () => {
    const json = { tags: ['mistyped'] };
    const path = '/api/v1/agents/ap-1/labels';
    expect((await weft.request('PATCH', `${path}?dry_run=true`, { token: admin, json })).status).toBe(422);
    expect((await ask('agents/ap-1/labels')).body.tags).toEqual([]);
  });

  it('is refused by every operation of Weft’s own, and by none of the specification', async () => {
    const routes = Object.values<Part>(weft.parts).flatMap(({ routes = [] }) => routes);
    const unlike: string[] = [];
    for (const route of routes.filter(({ url }) => url.startsWith('/api/v1/'))) {
      // What is for agents is asked as one. Operations of the specification do what they are asked, to nobody.
      const { admin: ofAdmins, agent: ofAgents, third_party_app: ofApps } = route.permission;
      if (ofAdmins === 'no' && ofAgents === 'no' && ofApps === 'no') continue;
      const isOfAgents = ofAdmins === 'no' && ofAgents !== 'no';
      const [token, name] = isOfAgents ? [agent, 'ap-1'] : [ofAdmins === 'no' ? app : admin, 'nobody-9'];
      const path = route.url.slice('/api/v1/'.length).replaceAll(/:\w+/g, name);
      const { status, body, headers } = await ask(`${path}?zzqqxx=1`, route.method, token);
      const named = unknownIn(body ?? {}).some(({ loc }) => loc[1] === 'zzqqxx');
      const isOwn = route.spec === undefined && route.rawBody === undefined;
      expect(refusesUnknown(route)).toBe(isOwn);
      if (named !== isOwn || (named && status !== 422)) unlike.push(`${route.method} ${path}: ${status}`);
      if (!isOwn && status === 200) expect(headers.get('x-weft-ignored')).toBe('zzqqxx');
    }
    expect(unlike).toEqual([]);
  });
});

describe.each(['agent', 'agents', 'agent_id', 'ap_id'])('an access point under the name %s', (name) => {
  it.each([
    'events?kinds=agent.*',
    'alarms?limit=5',
    'commands?limit=5',
    'conflicts?limit=5',
    'metrics/latest?metrics=load',
    'metrics/presence?',
    'metrics/export?format=csv',
    'metrics/agent_data?window=5',
    'metrics/agent_metrics?window=5',
    'metrics/agent_multi_metric_data?metrics=load',
    'metrics/series?metrics=load',
  ])('is taken by %s', async (path) => {
    const { status, headers } = await ask(`${path}&${name}=ap-1`);
    expect([status, headers.get('x-weft-ignored')]).toEqual([200, null]);
  });

  it('narrows answers, and what an agent may ask for', async () => {
    expect(Object.keys((await ask(`metrics/presence?${name}=ap-2`)).body.agents)).toHaveLength(1);
    const events = (await ask(`events?kinds=agent.*&${name}=ap-2`)).body.items;
    expect(events.every(({ ap_id }: { ap_id: string }) => ap_id === 'ap-2')).toBe(true);
    expect((await ask(`metrics/agent_data?${name}=ap-2`, 'GET', agent)).status).toBe(403);
    expect((await ask(`metrics/agent_data?${name}=ap-1`, 'GET', agent)).status).toBe(200);
    expect((await ask(`send_command?${name}=ap-9&command=sleep`, 'POST')).status).toBe(404);
  });
});

test('two names of an access point in one query are a problem', async () => {
  const { status, body } = await ask('events?agent=ap-1&ap_id=ap-2');
  expect([status, body.detail[0].loc]).toEqual([422, ['query', 'ap_id']]);
  expect(body.detail[0].msg).toContain('Send agent alone.');
  // The specification says what its operations read.
  const { headers } = await ask('metrics/agent_data?agent=ap-1&ap_id=ap-2');
  expect(headers.get('x-weft-ignored')).toBe('ap_id');
});

/** What the SDK, the command line and the dashboard of 0.3.0 send, of everything that is not in the specification. */
const sent: Record<string, string> = {
  agents: 'selector search sort fields limit cursor count',
  'agents/ap-1/config': 'view',
  'agents/ap-1/config/next': 'wait',
  'agents/ap-1/commands': 'wait',
  'agents/ap-1/devices': 'limit cursor',
  alarms: 'state severity selector agent sort limit cursor since until rule_id shelved caused',
  audit: 'actor action target since until limit cursor before',
  'bulk/x': 'limit cursor',
  commands: 'agent state batch_id before limit',
  'config/change_sets': 'limit cursor',
  'config/layers': 'limit cursor',
  'config/layers/x/versions': 'limit cursor',
  'config/secrets': 'limit cursor',
  'config/variables': 'limit cursor',
  conflicts: 'agent reason caller since until before limit cursor',
  devices: 'selector search sort cursor limit count',
  'devices/x/history': 'since limit',
  emulator: 'all before limit',
  'emulator/x/coverage': 'layer technology height bounds columns rows encoding',
  energy: 'window end selector',
  'energy/export': 'window end selector',
  events: 'kinds ap_id selector search subject site from until after order cursor limit',
  'events/stream': 'kinds ap_id selector after token',
  'health/figures': 'selector',
  incidents: 'state selector window cursor limit',
  jobs: 'state all before limit',
  'jobs/x': 'after',
  'metrics/export': 'agent start end format metrics',
  'metrics/latest': 'agents metrics',
  'metrics/presence': 'agents',
  'metrics/series': 'agents metrics window max_points aggregate end band',
  'metrics/stream': 'agents metrics after token',
  rollouts: 'limit cursor',
  'rollouts/x/agents': 'limit cursor',
  'rollouts/x/series': 'metric',
  sites: 'path cursor limit',
  'webhooks/x/deliveries': 'limit cursor',
};

test.each(Object.entries(sent))('what clients of 0.3.0 send to %s is known', async (path, names) => {
  const token = /^agents\/ap-1\/(commands|config\/next)/.test(path) ? agent : admin;
  // Wrong values: a right one might open a stream.
  const query = names.split(' ').map((name) => `${name}=${name === 'token' ? token : '%00'}`);
  const { status, body } = await ask(`${path}?${query.join('&')}`, 'GET', token);
  expect([401, 403]).not.toContain(status);
  expect(unknownIn(body)).toEqual([]);
});
