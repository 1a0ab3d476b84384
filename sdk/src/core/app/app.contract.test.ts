// The App against a real server, over connections that break.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startTcpProxy, type TcpProxy } from '../../../../test/tcp-proxy.ts';
import { adminUsername, password, startWeft, type TestWeft } from '../../../../test/weft.ts';
import { Agent, App, type AppOptions, CommandConflict, WeftRefusal, WeftUnreachable } from '../../index.ts';

const quick = { firstMs: 10, longestMs: 50 };
let weft: TestWeft;
let agent: Agent;
const handled: string[] = [];
const cleanUp: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  weft = await startWeft();
  for (const app_name of ['saver', 'coverer']) await weft.app(app_name);
  await weft.agent('ap-1', { site: 'roof' });
  await weft.agent('ap-2');
  agent = new Agent({ url: weft.url, ap_id: 'ap-1', password, backOff: quick })
    .command('set_tx_power', (args) => ({ applied: { dbm: Math.min(20, Number(args.dbm)) } }))
    .command('set_tilt', (args) => {
      handled.push(JSON.stringify(args));
      return undefined;
    });
  await agent.start();
});
afterAll(async () => {
  await agent.stop();
  await weft.stop();
});
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

const as = (name: string, more: Partial<AppOptions> = {}) =>
  new App({ url: weft.url, name, key: password, backOff: quick, ...more });

async function behindProxy(): Promise<{ proxy: TcpProxy; app: App }> {
  const proxy = await startTcpProxy(Number(new URL(weft.url).port));
  cleanUp.push(() => proxy.close());
  return { proxy, app: as('saver', { url: `http://127.0.0.1:${proxy.port}` }) };
}

/** A server that answers as it is told, in turn, and remembers what it was asked. */
async function startAnswering(answers: { status: number; body?: string; headers?: Record<string, string> }[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => {
      const { status, body = '{}', headers = {} } = answers.shift() ?? { status: 500 };
      if (status === 0) return request.socket.destroy();
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe('reading', () => {
  test('agents, presence, newest values, metrics and series', async () => {
    await agent.post([
      { ts: Date.now() - 2000, load: 1 },
      { ts: Date.now() - 1000, load: 3, name: 'text' },
    ]);
    const app = as('saver');
    expect((await app.agents()).map(({ ap_id, onboard }) => [ap_id, onboard])).toEqual([
      ['ap-1', true],
      ['ap-2', true],
    ]);
    expect((await app.agent('ap-1')).configuration).toMatchObject({ site: 'roof' });
    await expect(app.agent('nobody')).rejects.toMatchObject({ name: 'WeftRefusal', status: 404 });
    expect(await app.presence({ agents: ['ap-1'] })).toMatchObject([{ ap_id: 'ap-1', presence: 'online' }]);
    const [latest] = await app.latest({ agents: ['ap-1'], metrics: ['load'] });
    expect(latest?.metrics.load).toMatchObject({ value: 3 });
    expect((await app.metrics('ap-1')).map(({ name }) => name)).toContain('load');
    const { series } = await app.series('ap-1', ['load'], { window: '1h', maxPoints: 1, aggregate: 'max' });
    expect(series.map(({ points }) => points.map(({ value }) => value))).toEqual([[3]]);
    const asUser = new App({ url: weft.url, username: adminUsername, password });
    expect(await asUser.agents()).toHaveLength(2);
    const withToken = new App({ url: `${weft.url}/`, token: await weft.login('user', adminUsername) });
    expect(await withToken.agents()).toHaveLength(2);
    await expect(new App({ url: weft.url, token: 'bad' }).agents()).rejects.toMatchObject({ status: 401 });
  });

  test('history and details come as jobs, and a job that is left early is cancelled', async () => {
    const app = as('saver');
    const startMs = Date.now() - 60_000;
    await agent.post(Array.from({ length: 200 }, (_, n) => ({ ts: startMs + n, n })));
    const records = await app.history('ap-1', { from: startMs, to: startMs + 1000 }).toArray();
    expect(records.map(({ value }) => value)).toEqual(Array.from({ length: 200 }, (_, n) => n));
    expect((await app.agentDetails().toArray()).map(({ ap_id }) => ap_id)).toEqual(['ap-1', 'ap-2']);
    await expect(app.history('nobody', { from: startMs }).next()).rejects.toBeInstanceOf(WeftRefusal);

    for await (const { field } of app.subscribe('ap-1', { from: startMs, until: Date.now() + 600_000 })) {
      expect(field).toBe('n');
      break;
    }
    const token = await weft.login('third_party_app', 'saver');
    const jobs = await weft.request('GET', '/api/v1/jobs?limit=1', { token });
    expect(jobs.body[0]).toMatchObject({ task_type: 'agent_data', state: 'cancelled' });
  });

  test('a subscription goes on after every lost connection, with each record once', async () => {
    const { proxy, app } = await behindProxy();
    const startMs = Date.now();
    const seen: number[] = [];
    let posted = 0;
    await agent.post({ step: posted++ });
    for await (const { field, value } of app.subscribe('ap-1', { from: startMs, until: startMs + 120_000 })) {
      if (field !== 'step') continue;
      seen.push(Number(value));
      if (seen.length === 5) break;
      proxy.cutAll();
      await agent.post({ step: posted++ });
    }
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });

  test('where no socket can be had, messages are asked for', async () => {
    class NoSocket {
      readyState = 3;
      onopen = null;
      onmessage = null;
      onerror = null;
      onclose: ((event: { code: number }) => void) | null = null;
      constructor() {
        setTimeout(() => this.onclose?.({ code: 1006 }), 0);
      }
      close() {}
    }
    const app = as('saver', { WebSocket: NoSocket });
    expect((await app.agentDetails().toArray()).map(({ ap_id }) => ap_id)).toEqual(['ap-1', 'ap-2']);
  });

  test('live samples go on after a lost connection, and end when nobody wants more', async () => {
    const { proxy, app } = await behindProxy();
    let opened = 0;
    let gaps = 0;
    const live = app.live({
      agents: ['ap-1'],
      metrics: ['pulse'],
      onOpen: () => opened++,
      onGap: () => gaps++,
    });
    const first = live.next();
    await untilSo(() => expect(opened).toBe(1));
    await agent.post({ ts: Date.now(), pulse: 1, other: 1 });
    expect((await first).value).toMatchObject({ ap_id: 'ap-1', metrics: { pulse: 1 } });
    proxy.cutAll();
    await agent.post({ pulse: 2 });
    expect((await live.next()).value).toMatchObject({ metrics: { pulse: 2 } });
    expect([opened, gaps]).toEqual([2, 0]);
    const waiting = live.next();
    await live.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await live.next()).toEqual({ done: true, value: undefined });
  });

  test('events go on where they were after a break, also before the first of them', async () => {
    const { proxy, app } = await behindProxy();
    const token = await weft.admin();
    const tag = async (add_tags: string[]) =>
      expect((await weft.request('PATCH', '/api/v1/agents/ap-2/labels', { token, json: { add_tags } })).status).toBe(
        200,
      );
    let opened = 0;
    const events = app.events({ kinds: ['config.changed'], agent: 'ap-2', onOpen: () => opened++ });
    const first = events.next();
    await untilSo(() => expect(opened).toBe(1));
    proxy.cutAll();
    await tag(['one']);
    const { value } = await first;
    expect(value).toMatchObject({ kind: 'config.changed', ap_id: 'ap-2' });
    proxy.cutAll();
    await tag(['two']);
    const next = (await events.next()).value!;
    expect(next.id).toBeGreaterThan(value!.id);
    await events.return();
    const past = await app.pastEvents({ kinds: ['config.*'], agent: 'ap-2' }).toArray();
    expect(past.map(({ id }) => id).slice(0, 2)).toEqual([next.id, value!.id]);
    const again = app.events({ kinds: ['config.changed'], agent: 'ap-2', after: value!.id });
    expect((await again.next()).value?.id).toBe(next.id);
    await again.return();
  });

  test('access points by selector, in order', async () => {
    const app = as('saver');
    const names = async (selector?: string, sort?: string) =>
      (await app.select(selector, sort === undefined ? {} : { sort }).toArray()).map(({ ap_id }) => ap_id);
    expect(await names()).toEqual(['ap-1', 'ap-2']);
    expect(await names('name:ap-* -name:ap-1')).toEqual(['ap-2']);
    expect(await names('', '-ap_id')).toEqual(['ap-2', 'ap-1']);
    await expect(names('name:')).rejects.toMatchObject({ status: 422 });
  });

  test('an aborted signal ends requests with its reason, and streams quietly', async () => {
    const app = as('saver');
    const reason = new Error('enough');
    await expect(app.agents({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    for (const start of [
      (signal: AbortSignal) => app.live({ signal }),
      (signal: AbortSignal) => app.subscribe('ap-2', { until: Date.now() + 60_000, signal }),
    ]) {
      const controller = new AbortController();
      const waiting = start(controller.signal).next();
      controller.abort(reason);
      expect(await waiting).toEqual({ done: true, value: undefined });
      // What was read until then is not all.
      await expect(start(AbortSignal.abort(reason)).toArray()).rejects.toBe(reason);
    }
  });
});

describe('commands', () => {
  test('have a verdict, states and a result', async () => {
    const app = as('saver');
    const command = await app.command('ap-1', 'set_tx_power', { dbm: 23 }, { holdSeconds: 0 });
    expect(command).toMatchObject({ verdict: 'accepted', rival: null });
    expect(await command.result()).toMatchObject({ state: 'succeeded', applied: { dbm: 20 } });
    expect((await command.states().toArray()).at(-1)?.state).toBe('succeeded');
    await expect(command.cancel()).rejects.toMatchObject({ code: 'command_ended' });
    const waiting = await app.command('ap-2', 'sleep', {}, { expiresIn: 60 });
    expect((await waiting.cancel()).state).toBe('cancelled');
    expect((await waiting.result()).state).toBe('cancelled');
    // @ts-expect-error A command that is not known is seen before it is sent.
    await expect(app.command('ap-1', 'dance')).rejects.toMatchObject({ name: 'WeftRefusal', status: 422 });
  });

  test('that lose a conflict are told against whom, and what is decided can be asked before', async () => {
    await as('coverer').command('ap-2', 'set_channel', { channel: 36 }, { holdSeconds: 300 });
    const app = as('saver');
    const preview = await app.command('ap-2', 'set_channel', { channel: 40 }, { dryRun: true });
    expect(preview).toMatchObject({ dry_run: true, verdict: 'rejected' });
    const refused = await app.command('ap-2', 'set_channel', { channel: 40 }).catch((error) => error);
    expect(refused).toBeInstanceOf(CommandConflict);
    expect(refused).toBeInstanceOf(WeftRefusal);
    expect(refused).toMatchObject({ status: 409, reason: 'held_by_other', rival: { caller_name: 'coverer' } });
    expect(refused.leaseUntil.getTime()).toBeGreaterThan(Date.now() + 200_000);
    expect(refused.retryAt).toBeInstanceOf(Date);
    const [conflict] = await app.conflicts({ agent: 'ap-2' }).toArray();
    expect(conflict).toMatchObject({ ap_id: 'ap-2', verdict: 'rejected', caller_name: 'saver' });
    const { totals } = await app.batch('ap-*', 'set_channel', { channel: 44 }, { dryRun: true });
    expect(totals).toMatchObject({ rejected: 2 });
  });

  test('are repeated under the same key when the answer is lost, and done once', async () => {
    const sent: string[] = [];
    // The request arrives; its answer does not.
    const losing: typeof fetch = async (address, request) => {
      const response = await fetch(address, request);
      if (!String(address).includes('send_command')) return response;
      sent.push(String(address));
      if (sent.length > 1) return response;
      await response.text();
      throw new TypeError('the connection was lost');
    };
    const app = as('saver', { fetch: losing });
    const command = await app.command('ap-1', 'set_tilt', { degrees: 7 });
    expect((await command.result()).state).toBe('succeeded');
    expect(sent).toEqual([sent[0], sent[0]]);
    expect(handled.filter((args) => args === '{"degrees":7}')).toHaveLength(1);
  });
});

describe('patience', () => {
  const busy = { status: 503, body: '{"code":"outbox_full","detail":"later"}', headers: { 'retry-after': '0' } };

  test('what Weft refuses for now is asked again, whatever it is, and not for ever', async () => {
    const { url, asked } = await startAnswering([busy, { ...busy, status: 429 }, { status: 200, body: '[]' }]);
    const app = new App({ url, token: 'mine', backOff: quick });
    expect(await app.agents()).toEqual([]);
    expect(asked).toHaveLength(3);
    const never = await startAnswering(Array.from({ length: 100 }, () => busy));
    const impatient = new App({ url: never.url, token: 'mine', backOff: quick, patienceMs: 1_500 });
    await expect(impatient.emulate({ emulators: [] })).rejects.toMatchObject({ status: 503 });
    expect(never.asked.length).toBeGreaterThan(2);
    const late = await startAnswering([{ ...busy, headers: { 'retry-after': '3600' } }]);
    const app3 = new App({ url: late.url, token: 'mine', backOff: quick });
    await expect(app3.agents()).rejects.toMatchObject({ retryAfterSeconds: 3600 });
    expect(late.asked).toHaveLength(1);
  });

  test('what may have been done is not asked twice, unless that is the same as once', async () => {
    const lost = { status: 0 };
    const proxyPage = { status: 503, body: '<html>' };
    const batch = await startAnswering([lost]);
    const app = new App({ url: batch.url, token: 'mine', backOff: quick });
    await expect(app.batch('*', 'sleep')).rejects.toBeInstanceOf(WeftUnreachable);
    expect(batch.asked).toHaveLength(1);
    const spinup = await startAnswering([proxyPage]);
    await expect(
      new App({ url: spinup.url, token: 'mine', backOff: quick }).emulate({ emulators: [] }),
    ).rejects.toMatchObject({ status: 503 });
    expect(spinup.asked).toHaveLength(1);
    const command = await startAnswering([lost, proxyPage, { status: 200, body: '{"command_id":"1"}' }]);
    await new App({ url: command.url, token: 'mine', backOff: quick }).command('ap-1', 'sleep');
    expect(command.asked).toHaveLength(3);
    expect(new Set(command.asked).size).toBe(1);
  });

  test('the token is renewed before it ends, and when it has become bad', async () => {
    const token = (access_token: string) => ({
      status: 200,
      body: JSON.stringify({ access_token, token_type: 'bearer', expires_in: 0 }),
    });
    const list = { status: 200, body: '[]' };
    const refused = { status: 401, body: '{"code":"not_authenticated","detail":"no"}' };
    const { url, asked } = await startAnswering([token('a'), list, token('b'), refused, token('c'), list]);
    const app = new App({ url, name: 'saver', key: password, backOff: quick });
    await app.agents();
    await app.agents();
    const login = 'POST /api/v1/token/?login_type=third_party_app';
    const read = 'GET /api/v1/metrics/agent_details';
    expect(asked).toEqual([login, read, login, read, login, read]);
  });
});

test('an emulated network tells of itself, can be asked what if, and is stopped', async () => {
  const app = as('saver');
  const network = await app.emulate({
    emulators: [
      { access_point_type: '5G', num_access_points: 2, locations: ['Bristol'], num_devices: 4, duration: 900 },
    ],
  });
  const progress = network.progress();
  expect((await progress.next()).value).toMatchObject({ event: 'started', access_points: 2 });
  const { totals } = await network.whatIf([{ ap_id: network.agents[0]!.ap_id, name: 'sleep' }], { minutes: 1 });
  expect(totals.power_w.with).toBeLessThan(totals.power_w.without);
  const map = await network.coverage({ layer: 'signal', technology: '5G', columns: 20, rows: 10 });
  expect([map.values.length, map.unit, map.access_points.length]).toEqual([200, 'dBm', 2]);
  expect(Math.max(...map.values.filter((value) => !Number.isNaN(value)))).toBeCloseTo(map.max!, 2);
  const { difference, after_seconds } = await network.coverageDifference(
    [{ ap_id: network.agents[0]!.ap_id, name: 'sleep' }],
    { layer: 'signal', technology: '5G', columns: 20, rows: 10, bounds: map.bounds, afterSeconds: 8 },
  );
  expect([after_seconds, difference.values.length]).toEqual([8, 200]);
  expect(difference.min).toBeLessThan(0);
  expect((await network.state()).state).toBe('running');
  expect((await network.stop()).is_over).toBe(true);
  await expect(progress.toArray()).rejects.toMatchObject({ name: 'JobFailure', state: 'cancelled' });
});

test('logOut ends the token, and the next request logs in again', async () => {
  const mine = new App({ url: weft.url, username: adminUsername, password, backOff: quick });
  const { token } = await mine.logIn();
  await mine.logOut();
  expect((await weft.request('GET', '/api/v1/users/me', { token })).status).toBe(401);
  expect((await mine.agent('ap-1')).ap_id).toBe('ap-1');
  expect((await mine.logIn()).token).not.toBe(token);
});

describe('a page', () => {
  /** As a page has it: somebody else's token, and nothing repeated behind its back. */
  const asPage = (more: Partial<AppOptions> & { token: () => string | undefined }) =>
    new App({ url: weft.url, backOff: quick, patienceMs: 0, ...more });

  test('has the token of whoever is signed in, or none, and hears when it is refused', async () => {
    let token: string | undefined;
    const refused: string[] = [];
    const app = asPage({ token: () => token, onTokenRefused: (bad) => refused.push(bad) });
    await expect(app.agent('ap-1')).rejects.toMatchObject({ status: 401 });
    await expect(app.logIn()).rejects.toMatchObject({ code: 'no_token' });
    const form = { username: adminUsername, password };
    const answer = await app.open('POST', '/api/v1/token/', { query: { login_type: 'user' }, form });
    token = ((await answer.json()) as { access_token: string }).access_token;
    expect((await app.agent('ap-1')).ap_id).toBe('ap-1');
    expect(refused).toEqual([]);
    token = 'bad';
    await expect(app.open('GET', '/api/v1/jobs')).rejects.toMatchObject({ status: 401 });
    expect(refused).toEqual(['bad']);
  });

  test('gets an answer or a failure at the first attempt', async () => {
    const busy = { status: 503, body: '{"code":"internal_error","detail":"later","request_id":"r-1"}' };
    const { url, asked } = await startAnswering([busy, { status: 201, body: '{"id":1}' }, { status: 0 }]);
    const app = asPage({ url, token: () => 'mine' });
    await expect(app.open('PUT', '/a')).rejects.toMatchObject({ status: 503, requestId: 'r-1' });
    expect(await (await app.open('POST', '/b', { json: {} })).json()).toEqual({ id: 1 });
    await expect(app.open('GET', '/c')).rejects.toBeInstanceOf(WeftUnreachable);
    expect(asked).toEqual(['PUT /a', 'POST /b', 'GET /c']);
  });

  test('sees how a job stands: where to begin, socket or not, the end', async () => {
    const { proxy, app: behind } = await behindProxy();
    const { token } = await behind.logIn();
    const app = asPage({ url: `http://127.0.0.1:${proxy.port}`, token: () => token });
    const query = { agent_id: 'ap-1', start_time: new Date().toISOString() };
    await agent.post({ turn: 1 });
    const { job_number } = await app.request('POST', '/api/v1/agent_data/request_agent_data', {
      query: { ...query, end_time: new Date(Date.now() + 600_000).toISOString() },
    });
    const turns = (data: unknown[]) => (data as { field: string; value: number }[]).map(({ value }) => value);
    for await (const { data } of app.job(job_number)) if (turns(data).includes(1)) break;

    const states: string[] = [];
    const jobs: (string | null)[] = [];
    const job = app.job(job_number, {
      after: ({ last_seq }) => last_seq,
      onOpen: () => states.push('open'),
      onBreak: (error) => states.push(error instanceof WeftUnreachable ? 'away' : 'polled'),
      onJob: ({ ended_at }) => jobs.push(ended_at),
    });
    let next = job.next();
    await untilSo(() => expect(states).toEqual(['open']));
    await agent.post({ turn: 2 });
    expect(turns((await next).value!.data)).toEqual([2]);

    next = job.next();
    proxy.onClientBytes = (_bytes, cut) => cut();
    proxy.cutAll();
    await untilSo(() => expect(states).toContain('away'));
    proxy.onClientBytes = (bytes, cut) => bytes.includes('/api/v1/ws/') && cut();
    await untilSo(() => expect(states.at(-1)).toBe('polled'));
    await agent.post({ turn: 3 });
    expect(turns((await next).value!.data)).toEqual([3]);
    proxy.onClientBytes = undefined;
    next = job.next();
    await untilSo(() => expect(states.at(-1)).toBe('open'));

    await app.request('DELETE', `/api/v1/jobs/${job_number}`);
    expect((await next).value).toMatchObject({ type: 'status', final: true });
    expect(await job.toArray()).toEqual([]);
    expect([jobs[0], jobs.at(-1)]).toEqual([null, expect.any(String)]);
    expect(await app.job(job_number, { after: () => 0, onOpen: () => states.push('again') }).toArray()).toHaveLength(4);
    expect(states).not.toContain('again');
  });

  test('sees when live samples break off and come again', async () => {
    const { proxy, app } = await behindProxy();
    const states: string[] = [];
    const live = app.live({
      metrics: ['beat'],
      onOpen: () => states.push('open'),
      onBreak: () => states.push('break'),
    });
    const next = live.next();
    await untilSo(() => expect(states).toEqual(['open']));
    proxy.onClientBytes = (_bytes, cut) => cut();
    proxy.cutAll();
    await untilSo(() => expect(states.slice(0, 3)).toEqual(['open', 'break', 'break']));
    proxy.onClientBytes = undefined;
    await untilSo(() => expect(states.at(-1)).toBe('open'));
    await agent.post({ beat: 1 });
    expect((await next).value).toMatchObject({ metrics: { beat: 1 } });
    await live.return();
  });
});

test('drafts, rolls out and looks after settings by the verbs of the interface, as far as its permission goes', async () => {
  await weft.app('planner', { config: 'roll_out' });
  await weft.app('onlooker', { config: 'read' });
  const settings = { channel: { type: 'integer' }, passphrase: { type: 'string' } };
  const token = await weft.agent('ap-set', { settings });
  const labels = { token: await weft.admin(), json: { tags: ['set'] } };
  await weft.request('PATCH', '/api/v1/agents/ap-set/labels', labels);
  const { config } = as('planner');
  expect(await config.setSecret('psk', 'correct horse')).toMatchObject({ name: 'psk', version: 1 });
  expect(await config.setVariable({ ap_id: 'ap-set', name: 'channel', value: 36 })).toEqual({ reconfigured: 0 });
  const layer = { name: 'set', selector: 'tag:set', weight: 1, settings: { channel: `$` + '{channel}' } };
  const { id } = await config.draft({ title: 'first', layers: [layer] });
  await config.replace(id, {
    title: 'second',
    layers: [{ ...layer, settings: { ...layer.settings, passphrase: { secret: 'psk' } } }],
  });
  expect(await config.changeSet(id)).toMatchObject({ title: 'second', state: 'draft' });
  expect(await config.preview(id)).toMatchObject({ changed: 1, refused: 0 });
  const unwanted = await config.draft({ title: 'unwanted', layers: [layer] });
  await config.discard(unwanted.id);
  expect((await config.changeSets().toArray()).map(({ title }) => title)).toEqual(['second']);

  const rollout = await config.rollOut(id, { waves: [{ percent: 100 }] });
  expect((await config.pause(rollout.id)).state).toBe('paused');
  expect((await config.resume(rollout.id)).state).toBe('running');
  await untilSo(async () =>
    expect(await config.rolloutAgents(rollout.id).toArray()).toMatchObject([{ ap_id: 'ap-set', state: 'pending' }]),
  );
  // Only now: a pause may come before the access point was asked.
  await untilSo(async () => expect((await config.rollout(rollout.id)).waves[0]!.treated).toBe(1));
  const json = { hash: null, settings: { channel: 100 } };
  await weft.request('POST', '/api/v1/agents/ap-set/config/running', { token, json });
  expect(await config.agent('ap-set', 'running')).toMatchObject({ settings: { channel: 100 } });
  expect(await config.agent('ap-set')).toMatchObject({ settings: { channel: 36, passphrase: { secret: 'psk' } } });
  expect(await config.apply('ap-set')).toMatchObject({ ap_id: 'ap-set' });
  expect(await config.series(rollout.id, 'load')).toMatchObject({ metric: 'load' });
  await expect(config.adopt('ap-set', 'as it is')).rejects.toMatchObject({ status: 409, code: 'rollout_under_way' });
  expect((await config.revert(rollout.id)).state).toBe('reverting');
  expect((await config.abort(rollout.id)).state).toBe('aborted');
  expect((await config.rollouts().toArray()).map((each) => each.id)).toEqual([rollout.id]);

  const empty = await config.draft({ title: 'nobody', layers: [{ ...layer, selector: 'tag:nobody' }] });
  const done = await config.rollOut(empty.id);
  await untilSo(async () => expect((await config.rollout(done.id)).state).toBe('completed'));
  const [found] = await config.layers().toArray();
  expect(await config.layer(found!.id)).toMatchObject({ selector: 'tag:nobody' });
  expect(await config.versions(found!.id).toArray()).toMatchObject([{ version: 1, rollout_id: done.id }]);
  expect(await config.variables().toArray()).toMatchObject([{ ap_id: 'ap-set', value: 36 }]);
  await config.removeSecret('psk');
  expect(await config.secrets().toArray()).toEqual([]);

  const onlooker = as('onlooker').config;
  expect(await onlooker.layers().toArray()).toHaveLength(1);
  await expect(onlooker.draft({ title: 'x', remove: [found!.id] })).rejects.toMatchObject({ status: 403 });
  await expect(as('saver').config.layers().toArray()).rejects.toMatchObject({ status: 403 });
});

test('energy: what access points drew in a window that ended then, by selector, of those that it may see', async () => {
  await weft.app('meter');
  await weft.app('half-meter', { agents: ['ap-1'] });
  const end = new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000);
  for (const [ap_id, watts] of [
    ['ap-1', 60],
    ['ap-2', 120],
  ] as const) {
    const samples = Array.from({ length: 60 }, (_, n) => {
      return { ts: end.getTime() - n * 10_000, names: ['power_w'], values: [watts], texts: [] };
    });
    await weft.record(ap_id, samples.reverse(), Date.now());
  }
  const kwhOf = async (app: App, options: Parameters<App['energy']>[0]) => (await app.energy(options)).total.kwh;
  const asked = { window: '10m', end };
  expect(await as('meter').energy(asked)).toMatchObject({
    total: { access_points: 2, kwh: expect.closeTo(0.03, 9), missing_hours: expect.closeTo(0, 9) },
    currency: expect.any(String),
    sites: expect.any(Array),
  });
  expect(await kwhOf(as('meter'), { ...asked, selector: 'name:ap-2' })).toBeCloseTo(0.02, 9);
  expect(await kwhOf(as('meter'), { ...asked, window: '5m' })).toBeCloseTo(0.015, 9);
  expect(await kwhOf(as('meter'), { ...asked, end: end.getTime() - 600_000 })).toBe(0);
  expect(await kwhOf(as('half-meter'), asked)).toBeCloseTo(0.01, 9);
});

test('incidents: all that it may see over pages, newest first, by state, selector and window', async () => {
  await weft.app('watcher', { alarms: true });
  await weft.app('half', { agents: ['ap-1'] });
  const watcher = as('watcher');
  expect(await watcher.incidents().toArray()).toEqual([]);
  const raised: string[] = [];
  for (const ap_id of ['ap-1', 'ap-2']) {
    raised.unshift((await watcher.raise({ ap_id, severity: 'major', key: ap_id, text: 'a hole' })).id);
    await weft.parts.incidents.keeper.once();
  }
  const idsOf = async (app: App, options?: Parameters<App['incidents']>[0]) =>
    (await app.incidents(options).toArray()).map(({ id }) => id);
  expect(await idsOf(watcher)).toEqual(raised);
  expect(await idsOf(watcher, { states: [], window: '1h' })).toEqual(raised);
  expect(await idsOf(watcher, { states: ['open'], selector: 'name:ap-2' })).toEqual([raised[0]]);
  expect(await idsOf(as('half'))).toEqual([raised[1]]);
  await watcher.clear('ap-2');
  await weft.request('POST', `/api/v1/incidents/${raised[1]}/acknowledge`, { token: await weft.admin() });
  expect(await idsOf(watcher, { states: ['acknowledged', 'ended'] })).toEqual([raised[1]]);
  const answers = [raised[0], raised[1]].map((id, n) => ({
    status: 200,
    body: JSON.stringify({ items: [{ id }], next: n === 0 ? 'more' : null }),
  }));
  const token = JSON.stringify({ access_token: 'x', token_type: 'bearer', expires_in: 3600 });
  const paged = await startAnswering([{ status: 200, body: token }, ...answers]);
  expect(await idsOf(as('watcher', { url: paged.url }))).toEqual(raised);
  expect(paged.asked.at(-1)).toContain('cursor=more');
});
