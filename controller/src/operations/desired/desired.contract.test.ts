// From a change set to settings that an access point has confirmed, over the real server; agents poll.
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { eachDatabase } from '../../../../test/databases.ts';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { isLong } from '../../../../test/rounds.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

const settings = {
  channel: { type: 'integer', enum: [36, 40, 100], parameter: 'channel', restart: 'radio' },
  tx_power_dbm: { type: 'number', minimum: 0, maximum: 20, parameter: 'tx_power' },
  passphrase: { type: 'string' },
};

/** People ask one node, agents are connected to the other; on SQLite both are one. */
let weft: TestWeft;
let ofAgents: TestWeft;
let admin: string;
/** Of an app that may do everything but with settings. */
let noApp: string;

type Body = Record<string, unknown>;

async function ok(method: string, path: string, json?: Body, token = admin, node = weft) {
  const answer = await node.request(method, `/api/v1${path}`, { token, ...(json && { json }) });
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

async function refusal(method: string, path: string, json?: Body, token = admin) {
  const { status, body } = await weft.request(method, `/api/v1${path}`, { token, ...(json && { json }) });
  return { status, code: body.code, detail: body.detail };
}

async function draft(layers: Body[], remove: string[] = []) {
  return ok('POST', '/config/change_sets', { title: 'a change', layers, remove });
}

async function rollOut(layers: Body[], plan: Body = {}, remove: string[] = []) {
  const { id } = await draft(layers, remove);
  return ok('POST', `/config/change_sets/${id}/rollout`, plan);
}

async function selected(selector: string, token = admin) {
  const { items } = await ok('GET', `/agents?selector=${encodeURIComponent(selector)}`, undefined, token);
  return items.map(({ ap_id }: Body) => ap_id);
}

/** An access point as simple as can be. */
class Ap {
  readonly ap_id: string;
  token = '';
  hash: string | null = null;
  settings: Body = { channel: 36 };
  old: { hash: string | null; settings: Body } = { hash: null, settings: {} };
  trial: string | undefined;

  constructor(ap_id: string) {
    this.ap_id = ap_id;
  }

  async start(tag: string, access_point_type = 'WiFi') {
    this.token = await weft.agent(this.ap_id, { settings, access_point_type });
    await ok('PATCH', `/agents/${this.ap_id}/labels`, { tags: [tag] });
    return this;
  }

  say(reverted?: { id: string; reason: string }, trial?: string) {
    const more = { ...(reverted && { reverted }), ...(trial && { trial }) };
    const json = { hash: this.hash, settings: hidden(this.settings), ...more };
    return ok('POST', `/agents/${this.ap_id}/config/running`, json, this.token, ofAgents);
  }

  report(json: Body, node = ofAgents) {
    return ok('POST', '/agent_update/update', json, this.token, node);
  }

  async next() {
    return (await ok('GET', `/agents/${this.ap_id}/config/next?wait=0`, undefined, this.token, ofAgents)).next;
  }

  /** The next settings, once there are some. */
  received() {
    return untilSo(async () => {
      const next = await this.next();
      if (next?.type !== 'config') throw new Error('nothing yet');
      return next;
    });
  }

  async apply({ id, hash, settings: given }: { id: string; hash: string; settings: Body }) {
    this.old = { hash: this.hash, settings: this.settings };
    Object.assign(this, { hash, settings: { ...this.settings, ...given }, trial: id });
    await ok('POST', `/agents/${this.ap_id}/config/${id}/result`, { hash, state: 'applied' }, this.token, ofAgents);
  }

  /** All the way: apply, come back, be confirmed, say so. */
  async obey() {
    const config = await this.received();
    await this.apply(config);
    const { next } = await this.say();
    expect(next).toEqual({ type: 'config_confirm', id: config.id, hash: config.hash });
    await this.say();
    return config;
  }

  view(view: string) {
    return ok('GET', `/agents/${this.ap_id}/config?view=${view}`);
  }

  async state() {
    return (await this.view('diff')).state;
  }
}

function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'value' || !('secret' in value))
      .map(([key, item]) => [key, hidden(item)]),
  );
}

const over = (id: string) =>
  untilSo(async () => {
    const rollout = await ok('GET', `/rollouts/${id}`);
    if (rollout.state === 'running' || rollout.state === 'reverting') throw new Error(rollout.sentence);
    return rollout;
  });

eachDatabase((kind) => {
  beforeAll(async () => {
    const namespace = await kind.createNamespace();
    const shared = { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: randomBytes(48).toString('base64') };
    weft = await startWeft(kind.dialect === 'postgres' ? shared : {});
    ofAgents = kind.dialect === 'postgres' ? await startWeft(shared) : weft;
    admin = await weft.admin();
    noApp = await weft.app('none');
    return async () => {
      if (ofAgents !== weft) await ofAgents.stop();
      await weft.stop();
      await namespace.remove();
    };
  });

  test('a change is previewed, rolled out, applied, proved and confirmed', async () => {
    const ap = await new Ap('way-1').start('way');
    const { id } = await draft([
      { name: 'radio', selector: 'tag:way', weight: 10, settings: { channel: 100, tx_power_dbm: 12 } },
    ]);
    const preview = await ok('POST', `/config/change_sets/${id}/preview`);
    expect(preview).toMatchObject({ changed: 1, refused: 0, restarts: { radio: 1, device: 0 }, not_yours: false });
    expect(preview.groups).toMatchObject([
      {
        count: 1,
        ap_ids: ['way-1'],
        restart: 'radio',
        changes: [
          { leaf: 'channel', before: null, after: 100 },
          { leaf: 'tx_power_dbm', before: null, after: 12 },
        ],
      },
    ]);
    const rollout = await ok('POST', `/config/change_sets/${id}/rollout`, {});
    expect(rollout).toMatchObject({ state: 'running', total: 1, may_change: true });
    const away = '0 of 1 confirmed, 1 offline: they get it when they return';
    await untilSo(async () => expect((await ok('GET', `/rollouts/${rollout.id}`)).sentence).toBe(away));
    const config = await ap.received();
    expect(config.settings).toEqual({ channel: 100, tx_power_dbm: 12 });
    expect(await ap.state()).toBe('sent');
    await ap.apply(config);
    expect(await ap.state()).toBe('on_trial');
    const { next } = await ap.say();
    const confirmation = { type: 'config_confirm', id: config.id, hash: config.hash };
    expect(next).toEqual(confirmation);
    // It was lost, and the agent comes back still on trial.
    expect((await ap.say(undefined, config.id)).next).toEqual(confirmation);
    expect(await ap.state()).toBe('confirmed');
    await ap.say();
    expect(await ap.state()).toBe('in_sync');
    expect(await over(rollout.id)).toMatchObject({ state: 'completed', sentence: '1 of 1 confirmed' });
    const [layer] = (await ok('GET', '/config/layers')).items.filter(({ name }: Body) => name === 'radio');
    expect(layer).toMatchObject({ version: 1, weight: 10, access_points: 1 });
    expect((await ap.view('why')).leaves).toContainEqual({
      leaf: 'channel',
      value: 100,
      layer: layer.id,
      name: 'radio',
      version: 1,
      running: 100,
      command_id: null,
    });
  });

  test('an access point that goes back by itself stops the roll-out, which can be taken back', async () => {
    const aps = await Promise.all(['back-1', 'back-2', 'back-3'].map((name) => new Ap(name).start('back')));
    const waves = [{ select: 'name:back-1' }, { percent: 100 }];
    const rollout = await rollOut([{ name: 'back', selector: 'tag:back', weight: 10, settings: { channel: 40 } }], {
      waves,
    });
    const [first, ...others] = aps as [Ap, Ap, Ap];
    const config = await first.received();
    for (const other of others) expect(await other.next()).toBeNull();
    await first.apply(config);
    Object.assign(first, first.old);
    await first.say({ id: config.id, reason: 'no connection after the change' });
    expect(await first.view('diff')).toMatchObject({ state: 'reverted', detail: 'no connection after the change' });
    const stopped = await over(rollout.id);
    expect(stopped).toMatchObject({ state: 'stopped', wave: 1, states: { reverted: 1, pending: 2 } });
    expect(stopped.reason).toContain('back-1 reverted (no connection after the change)');
    const why = '1 reverted (no connection after the change)';
    expect(stopped.sentence).toBe(`0 of 3 confirmed, ${why}, 2 waiting for their turn`);
    await ok('POST', `/rollouts/${rollout.id}/revert`);
    const back = await first.received();
    expect(back.settings).toEqual({});
    await first.apply(back);
    await first.say();
    await first.say();
    const sentence = '1 of 1 back at what they were, 2 never touched';
    expect(await over(rollout.id)).toMatchObject({ state: 'reverted', sentence });
    for (const other of others) expect(await other.next()).toBeNull();
    expect((await ok('GET', '/config/layers')).items.filter(({ name }: Body) => name === 'back')).toEqual([]);
  });

  test('a roll-out that is given up leaves everybody as they are, until one of its layers changes', async () => {
    const [first, second] = await Promise.all(['given-1', 'given-2'].map((name) => new Ap(name).start('given')));
    const layer = { name: 'given', selector: 'tag:given', weight: 10, settings: { channel: 40 } };
    const waves = [{ select: 'name:given-1' }, { percent: 100 }];
    const rollout = await rollOut([layer], { waves, gates: [{ metric: 'load', worse_by: 1, over_seconds: 86_400 }] });
    await first!.obey();
    for (const [ap, load] of [[first!, 5] as const, [second!, 9] as const])
      await ok('POST', '/agent_update/update', { load }, ap.token, ofAgents);
    const { treated, untreated } = await ok(
      'GET',
      `/rollouts/${rollout.id}/series?metric=load`,
      undefined,
      admin,
      ofAgents,
    );
    expect(treated).toMatchObject({ access_points: 1, points: [{ mean: 5, low: 5, high: 5 }] });
    expect(untreated.points).toMatchObject([{ mean: 9, low: 9, high: 9 }]);
    await ok('POST', `/rollouts/${rollout.id}/abort`);
    await ok('PUT', '/config/variables', { ap_id: 'given-1', name: 'unused', value: 1 });
    await untilSo(async () => expect((await ok('GET', '/config/variables')).items).not.toEqual([]));
    expect([await first!.next(), await second!.next()]).toEqual([null, null]);
    expect(await first!.state()).toBe('in_sync');
    await rollOut([{ ...layer, name: 'given again', settings: { channel: 100 } }]);
    expect((await second!.obey()).settings).toEqual({ channel: 100 });
  });

  test('a roll-out that is paused while a step is under way treats nobody by it', async () => {
    const ap = await new Ap('paused-1').start('paused');
    const nodes = [...new Set([weft, ofAgents])].map((node) => node.parts.desired.desired.lease);
    let steps = 0;
    const real = nodes.map((lease) => lease.require);
    for (const [at, lease] of nodes.entries()) {
      lease.require = async (tx) => {
        await real[at]!.call(lease, tx);
        // As if somebody had been faster: it is paused before the step is durable.
        await tx.query(`UPDATE config_rollouts SET state = 'paused' WHERE title = 'a change' AND state = 'running'`);
        steps++;
      };
    }
    const layer = { name: 'paused', selector: 'tag:paused', weight: 10, settings: { channel: 40 } };
    const rollout = await rollOut([layer]);
    await untilSo(() => expect(steps).toBeGreaterThan(2));
    expect(await ap.next()).toBeNull();
    for (const [at, lease] of nodes.entries()) lease.require = real[at]!;
    // A renewal of the lease may have made the pause durable.
    await weft.request('POST', `/api/v1/rollouts/${rollout.id}/resume`, { token: admin });
    expect((await ap.obey()).settings).toEqual({ channel: 40 });
  });

  test('a metric that becomes worse where the change is stops a wave that is under way, and not where it is worse everywhere', async () => {
    const hourMs = 3_600_000;
    const database = weft.platform.database;
    /** Two get the change, of which one never answers; five do not. All is moved into the past: the time of a gate is over. */
    const story = async (name: string, treatedAfter: number, othersAfter: number) => {
      const names = Array.from({ length: 7 }, (_, at) => `${name}-${at}`);
      const aps = await Promise.all(names.map((each, at) => new Ap(each).start(at < 2 ? name : 'other', name)));
      const gates = [{ metric: 'retries_pct', worse_by: 5, over_seconds: 60 }];
      const layer = { name, selector: `tag:${name}`, weight: 10, settings: { channel: 40 } };
      const { id } = await rollOut([layer], { gates });
      await aps[0]!.obey();
      await untilSo(async () => expect((await ok('GET', `/rollouts/${id}`)).waves[0].treated).toBe(2));
      const nowMs = Date.now();
      const at = (ms: number, retries_pct: number) => ({ ts: ms, retries_pct });
      for (const [index, ap] of aps.entries()) {
        const after = index < 2 ? treatedAfter : othersAfter;
        const samples = Array.from({ length: 12 }, (_, step) => at(nowMs - 55_000 + 5_000 * step, after));
        // Telemetry is not shared here.
        for (const node of new Set([weft, ofAgents]))
          await ap.report({ samples: [at(nowMs - hourMs - 30_000, 1), ...samples] }, node);
      }
      await database.query('UPDATE agent_configs SET trial_at = ? WHERE ap_id = ?', [nowMs - hourMs, names[0]!]);
      await database.query('UPDATE config_rollout_agents SET treated_at = ? WHERE rollout_id = ?', [
        nowMs - hourMs,
        id,
      ]);
      return { id, ap: aps[1]! };
    };
    const everywhere = await story('gate-all', 20, 20);
    const here = await story('gate-here', 20, 1);
    const stopped = await over(here.id);
    expect(stopped).toMatchObject({
      state: 'stopped',
      reason: 'retries_pct is worse by 5 or more where the change is',
    });
    expect(stopped.measured).toMatchObject([{ compared_with: 'untreated', worse_by: 19, passed: false }]);
    expect(await ok('GET', `/rollouts/${everywhere.id}`)).toMatchObject({ state: 'running' });
    // Who lets it go on accepts how it went until then.
    await ok('POST', `/rollouts/${here.id}/resume`);
    await here.ap.obey();
    expect((await over(here.id)).state).toBe('completed');
  });

  test('a gate counts and tells only what the owner of the roll-out sees; whoever sees less is told no figure of the rest', async () => {
    const hourMs = 3_600_000;
    const manager = await weft.user('gates@weft.test');
    await ok('PUT', '/users/gates@weft.test/grants', [{ role: 'manager', selector: 'tag:seen' }] as never);
    /** One gets the change and becomes worse; six do not, and no manager sees them. */
    const story = async (name: string, token: string, othersAfter: number) => {
      const ap = await new Ap(`${name}-own`).start('seen', name);
      const hidden = await Promise.all([1, 2, 3, 4, 5, 6].map((at) => new Ap(`${name}-${at}`).start('hidden', name)));
      const gates = [{ metric: 'retries_pct', worse_by: 5, over_seconds: 60 }];
      const layer = { name, selector: `name:${name}-own tag:seen`, weight: 10, settings: { channel: 40 } };
      const set = await ok('POST', '/config/change_sets', { title: name, layers: [layer] }, token);
      const { id } = await ok('POST', `/config/change_sets/${set.id}/rollout`, { gates }, token);
      await ap.obey();
      await untilSo(async () => expect((await ok('GET', `/rollouts/${id}`)).waves[0].treated).toBe(1));
      const nowMs = Date.now();
      const samples = [nowMs - hourMs - 30_000, ...Array.from({ length: 12 }, (_, at) => nowMs - 55_000 + 5_000 * at)];
      for (const each of [ap, ...hidden]) {
        const values = samples.map((ts, at) => ({ ts, retries_pct: at === 0 ? 1 : each === ap ? 20 : othersAfter }));
        for (const node of new Set([weft, ofAgents])) await each.report({ samples: values }, node);
      }
      const { database } = weft.platform;
      await database.query('UPDATE config_rollout_agents SET treated_at = ? WHERE rollout_id = ?', [
        nowMs - hourMs,
        id,
      ]);
      await database.query('UPDATE agent_configs SET trial_at = ? WHERE ap_id = ?', [nowMs - hourMs, ap.ap_id]);
      return over(id);
    };
    // It is worse everywhere, but in its sight there is nobody to compare with: it is than in the hour before.
    const own = await story('gate-own', manager, 20);
    const reason = 'retries_pct is worse by 5 or more where the change is';
    expect(own).toMatchObject({ state: 'stopped', reason });
    const figures = { compared_with: 'own_hour_before', untreated_before: null, untreated_after: null, worse_by: 19 };
    expect(own.measured).toMatchObject([figures]);
    expect((await ok('GET', `/rollouts/${own.id}`, undefined, manager)).measured).toEqual(own.measured);
    const ofAdmin = await story('gate-of-admin', admin, 2);
    expect(ofAdmin).toMatchObject({ reason, measured: [{ untreated_before: 1, untreated_after: 2, worse_by: 18 }] });
    const shown = await ok('GET', `/rollouts/${ofAdmin.id}`, undefined, manager);
    const { untreated_before: _b, untreated_after: _a, worse_by: _w, ...told } = ofAdmin.measured[0];
    expect(shown.measured).toEqual([{ ...told, untreated_before: null, untreated_after: null, worse_by: null }]);
    // What it may not see any more is in no list and no figure of its own roll-out.
    await ok('PUT', '/users/gates@weft.test/grants', [{ role: 'manager', selector: 'tag:none' }] as never);
    expect(await ok('GET', `/rollouts/${own.id}`, undefined, manager)).toMatchObject({ states: {}, may_change: false });
    expect((await ok('GET', `/rollouts/${own.id}/agents`, undefined, manager)).items).toEqual([]);
  });

  test('one that has never been heard of holds nobody up, and gets it when it comes', async () => {
    const ap = await new Ap('unborn-1').start('unborn');
    const { id } = await rollOut([{ name: 'unborn', selector: 'tag:unborn', weight: 10, settings: { channel: 40 } }]);
    const database = weft.platform.database;
    const longAgo = Date.now() - 3_600_000;
    const end = await untilSo(async () => {
      // As if it had had an hour to ask.
      await database.query('UPDATE config_rollout_agents SET treated_at = ? WHERE rollout_id = ?', [longAgo, id]);
      const rollout = await ok('GET', `/rollouts/${id}`);
      expect(rollout.state).toBe('completed');
      return rollout;
    });
    expect(end.sentence).toBe('0 of 1 confirmed, 1 offline: they get it when they return');
    expect((await ap.obey()).settings).toEqual({ channel: 40 });
  });

  test('devices that were there before must be back, not only as many', async () => {
    const ap = await new Ap('devices-1').start('devices');
    const list = (...devices: string[]) => ap.report({ devices: devices.map((device) => ({ device })) });
    await list('dev-a', 'dev-b', 'dev-c', 'dev-d');
    // Other nodes hear of them a moment later.
    for (const node of [weft, ofAgents])
      await untilSo(() => expect(node.parts.devices.registry.agent('devices-1')?.linkCount).toBe(4));
    const gates = [{ devices_back: 0.5 }];
    const layer = { name: 'devices', selector: 'tag:devices', weight: 10, settings: { channel: 40 } };
    const { id } = await rollOut([layer], { gates });
    await ap.apply(await ap.received());
    // The list from before the change is no proof.
    expect((await ap.say()).next).toBeNull();
    await list('dev-a', 'dev-w', 'dev-x', 'dev-y', 'dev-z');
    await untilSo(() => expect(ofAgents.parts.devices.registry.agent('devices-1')?.linkCount).toBe(5));
    expect((await ap.say()).next).toBeNull();
    await list('dev-a', 'dev-c');
    await untilSo(() => expect(ofAgents.parts.devices.registry.agent('devices-1')?.linkCount).toBe(2));
    // Still on trial: the roll-out may have let it pass before it says so.
    expect((await ap.say(undefined, ap.trial)).next).toMatchObject({ type: 'config_confirm' });
    await ap.say();
    expect((await over(id)).state).toBe('completed');
    const database = weft.platform.database;
    expect(await database.query('SELECT devices FROM config_rollout_agents WHERE rollout_id = ?', [id])).toEqual([
      { devices: null },
    ]);
  });

  test('a secret reaches the access point and nobody else', async () => {
    const ap = await new Ap('secret-1').start('secret');
    await ok('PUT', '/config/secrets', { name: 'guest-psk', value: 'correct horse' });
    const rollout = await rollOut([
      { name: 'guest', selector: 'tag:secret', weight: 10, settings: { passphrase: { secret: 'guest-psk' } } },
    ]);
    const isInUse = { status: 409, code: 'secret_in_use' };
    expect(await refusal('DELETE', '/config/secrets/guest-psk')).toMatchObject(isInUse);
    const config = await ap.obey();
    expect(config.settings).toEqual({ passphrase: { secret: 'guest-psk', version: 1, value: 'correct horse' } });
    expect(await ap.state()).toBe('in_sync');
    for (const path of [
      '/agents/secret-1/config?view=running',
      '/agents/secret-1/config',
      '/config/secrets',
      '/config/layers',
      '/audit',
      '/events?limit=500',
    ]) {
      expect(JSON.stringify(await ok('GET', path))).not.toContain('correct horse');
    }
    await ok('PUT', '/config/secrets', { name: 'guest-psk', value: 'battery staple' });
    expect((await ap.obey()).settings).toEqual({
      passphrase: { secret: 'guest-psk', version: 2, value: 'battery staple' },
    });
    // Its layer is in force once it is over.
    await over(rollout.id);
    expect(await refusal('DELETE', '/config/secrets/guest-psk')).toMatchObject(isInUse);
  });

  test('what drifts is seen, applied again, or adopted', async () => {
    const ap = await new Ap('drift-1').start('drift');
    const layer = { name: 'drift', selector: 'tag:drift', weight: 10, settings: { channel: 40 } };
    const rollout = await rollOut([layer]);
    await ap.obey();
    ap.settings = { channel: 36 };
    await ap.say();
    expect(await ap.view('diff')).toMatchObject({
      state: 'drifted',
      differences: [{ leaf: 'channel', desired: 40, running: 36, command_id: null }],
    });
    expect(await selected('config:drifted tag:drift')).toEqual(['drift-1']);
    expect(await selected('config:in_sync tag:drift')).toEqual([]);
    // It comes after seconds; rounds of alarms have tests of their own on both databases.
    const rings = async (state: string) => {
      if (kind.dialect === 'postgres' && !isLong) return;
      const alarm = { rule: 'Settings drifted', severity: 'minor', ap_id: 'drift-1', state };
      await untilSo(async () => expect((await ok('GET', '/alarms?selector=tag:drift')).items).toMatchObject([alarm]));
    };
    await rings('firing');
    await ok('POST', '/agents/drift-1/config/apply');
    expect((await ap.obey()).settings).toEqual({ channel: 40 });
    expect(await ap.state()).toBe('in_sync');
    await rings('cleared');
    ap.settings = { channel: 100 };
    await ap.say();
    await over(rollout.id);
    await ok('POST', '/agents/drift-1/config/adopt', { why: 'radar on 40' });
    await untilSo(async () => expect(await ap.view('desired')).toMatchObject({ settings: { channel: 100 } }));
  });

  test('what a command has set is no drift, and is left alone until it is applied again', async () => {
    const ap = await new Ap('held-1').start('held');
    await rollOut([{ name: 'held', selector: 'tag:held', weight: 10, settings: { channel: 40, tx_power_dbm: 5 } }]);
    await ap.obey();
    const overrides = { settings: ['channel'], until: expect.stringContaining('another command') };
    expect(await ok('POST', '/send_command?agent_id=held-1&command=set_channel&dry_run=true')).toMatchObject({
      overrides,
    });
    expect(await ok('POST', '/send_command?agent_id=held-1&command=reboot')).not.toHaveProperty('overrides');
    const blind = await ok('POST', '/send_command?agent_id=held-1&command=set_channel&dry_run=true', undefined, noApp);
    expect(blind).not.toHaveProperty('overrides');
    const sent = await ok('POST', '/send_command?agent_id=held-1&command=set_channel');
    expect(sent).toMatchObject({ overrides });
    const result = { state: 'succeeded' };
    await ok('POST', `/agents/held-1/commands/${sent.command_id}`, result, ap.token, ofAgents);
    ap.settings = { ...ap.settings, channel: 36 };
    await ap.say();
    await untilSo(async () => expect(await ap.state()).toBe('overridden'));
    expect((await ap.view('diff')).differences).toMatchObject([{ leaf: 'channel', command_id: sent.command_id }]);
    await ok('PUT', '/config/variables', { ap_id: 'held-1', name: 'p', value: 6 });
    await untilSo(async () => {
      await rollOut([{ name: 'held 2', selector: 'tag:held', weight: 20, settings: { tx_power_dbm: '${p}' } }]);
    });
    expect((await ap.obey()).settings).toEqual({ tx_power_dbm: 6 });
    expect(await ap.state()).toBe('overridden');
    const [newest] = (await ok('GET', '/rollouts?limit=1')).items;
    expect(newest).toMatchObject({ sentence: '1 of 1 confirmed (1 held by a command)', waves: [{ succeeded: 1 }] });
    await ok('POST', '/agents/held-1/config/apply');
    expect((await ap.obey()).settings).toEqual({ channel: 40, tx_power_dbm: 6 });
    expect(await ap.state()).toBe('in_sync');
  });

  test('what a command has set is overridden at once, and what runs is not known until the agent says it', async () => {
    const ap = await new Ap('held-3').start('held-3');
    await rollOut([{ name: 'held 3', selector: 'tag:held-3', weight: 10, settings: { channel: 40, tx_power_dbm: 5 } }]);
    await ap.obey();
    expect(await ap.state()).toBe('in_sync');
    const { command_id } = await ok('POST', '/send_command?agent_id=held-3&command=set_channel');
    const result = { state: 'succeeded', applied: { channel: 100 } };
    await ok('POST', `/agents/held-3/commands/${command_id}`, result, ap.token, ofAgents);
    // Nodes without the lease of the settings hear of it within a second.
    const why = async () => {
      const { state, detail, leaves } = await ap.view('why');
      const by = Object.fromEntries(leaves.map(({ leaf, running, command_id }: Body) => [leaf, [running, command_id]]));
      return { state, detail, by };
    };
    const atOnce = { channel: [null, command_id], tx_power_dbm: [5, null] };
    const expected = { state: 'overridden', detail: 'channel', by: atOnce };
    if (weft === ofAgents) expect(await why()).toEqual(expected);
    else await expect.poll(why).toEqual(expected);
    // Its next word decides: another value is held by the command, the old one is what it shall be.
    ap.settings.channel = 100;
    await ap.say();
    expect(await why()).toEqual({ ...expected, by: { ...atOnce, channel: [100, command_id] } });
    ap.settings.channel = 40;
    await ap.say();
    expect(await ap.state()).toBe('in_sync');
  });

  test('whoever comes to match a layer gets what it shall be', async () => {
    await ok('POST', '/sites', { path: 'uk/york' });
    const york = { name: 'york', selector: 'site:uk/**', weight: 10, settings: { tx_power_dbm: '${power}' } };
    await over((await rollOut([york])).id);
    // One that nobody asks anything of says what it runs, and is left alone.
    const free = await new Ap('free-1').start('free');
    await free.say();
    const ap = await new Ap('york-1').start('york');
    await ok('PUT', '/config/variables', { site: 'uk/york', name: 'power', value: 7 });
    const labels = { selector: 'tag:york', action: { labels: { site: 'uk/york' } } };
    expect(await ok('POST', '/bulk', { ...labels, preview: true })).toMatchObject({ count: 1, reconfigured: 1 });
    const moved = await ok('PATCH', '/agents/york-1/labels', { site: 'uk/york' });
    expect(moved).toMatchObject({ site: 'uk/york', reconfigured: 1 });
    expect(await ok('PATCH', '/agents/york-1/labels', { add_tags: ['y'] })).toMatchObject({ reconfigured: 0 });
    expect(await ok('POST', '/bulk', { ...labels, preview: true })).toMatchObject({ count: 1, reconfigured: 0 });
    expect((await ap.obey()).settings).toEqual({ tx_power_dbm: 7 });
    expect(await ok('PUT', '/config/variables', { ap_id: 'york-1', name: 'power', value: 9 })).toEqual({
      reconfigured: 1,
    });
    expect((await ap.obey()).settings).toEqual({ tx_power_dbm: 9 });
    expect([await free.next(), await free.state()]).toEqual([null, null]);
  });

  describe('refused, and nothing is stored or sent', () => {
    const layer = { name: 'no', selector: 'tag:no', weight: 10, settings: { channel: 40 } };
    let ap: Ap;
    beforeAll(async () => {
      ap = await new Ap('no-1').start('no');
    });

    test.each<[string, Body, string]>([
      ['above the bounds', { tx_power_dbm: 21 }, 'not_allowed'],
      ['what it does not declare', { colour: 'red' }, 'not_declared'],
      ['a variable that is missing', { channel: '${nowhere}' }, 'missing_variable'],
      ['a secret that does not exist', { passphrase: { secret: 'nobody' } }, 'unknown_secret'],
    ])('%s, by the preview and the roll-out', async (_, given, code) => {
      const { id } = await draft([{ ...layer, settings: given }]);
      const preview = await ok('POST', `/config/change_sets/${id}/preview`);
      expect(preview).toMatchObject({
        changed: 0,
        refused: 1,
        refusals: [{ ap_id: 'no-1', leaf: Object.keys(given)[0], layer: 'no', code }],
      });
      expect(await refusal('POST', `/config/change_sets/${id}/rollout`, {})).toMatchObject({
        status: 409,
        code: 'change_refused',
      });
      expect(await ap.next()).toBeNull();
    });

    test('layers of equal weight that disagree', async () => {
      const { id } = await draft([layer, { ...layer, name: 'other', settings: { channel: 36 } }]);
      const { refusals } = await ok('POST', `/config/change_sets/${id}/preview`);
      expect(refusals).toMatchObject([{ ap_id: 'no-1', leaf: 'channel', code: 'layers_disagree' }]);
    });

    test.each<[string, Body]>([
      ['a selector with terms that agents own', { ...layer, selector: 'type:WiFi' }],
      ['a selector that is none', { ...layer, selector: 'tag:' }],
      ['no settings', { ...layer, settings: {} }],
      ['names that are none', { ...layer, settings: { 'a b': 1 } }],
    ])('%s', async (_, given) => {
      expect(await refusal('POST', '/config/change_sets', { title: 'x', layers: [given] })).toMatchObject({
        status: 422,
      });
    });

    test('a draft that is based on an old version, until it is replaced', async () => {
      const first = await draft([{ ...layer, name: 'based', selector: 'tag:based' }]);
      const rolled = await ok('POST', `/config/change_sets/${first.id}/rollout`, {});
      await over(rolled.id);
      const { id } = first.layers[0];
      const change = { id, name: 'based', selector: 'tag:based', weight: 10, settings: { channel: 36 } };
      const [one, two] = [await draft([change]), await draft([change])];
      await over((await ok('POST', `/config/change_sets/${one.id}/rollout`, {})).id);
      expect(await refusal('POST', `/config/change_sets/${two.id}/rollout`, {})).toMatchObject({
        status: 409,
        code: 'change_set_outdated',
      });
      expect(await ok('GET', `/config/change_sets/${two.id}`)).toMatchObject({ is_outdated: true });
      await ok('PUT', `/config/change_sets/${two.id}`, { title: 'again', layers: [change] });
      await over((await ok('POST', `/config/change_sets/${two.id}/rollout`, {})).id);
      expect((await ok('GET', `/config/layers/${id}/versions`)).items.map(({ version }: Body) => version)).toEqual([
        3, 2, 1,
      ]);
    });
  });

  test.runIf(kind.dialect === 'postgres')('another node goes on where the leading one was', async () => {
    const [first, second] = await Promise.all([1, 2].map((at) => new Ap(`lead-${at}`).start('lead')));
    const layer = { name: 'lead', selector: 'tag:lead', weight: 10, settings: { channel: 40 } };
    const { id } = await rollOut([layer], { waves: [{ select: 'name:lead-1' }, { percent: 100 }] });
    const config = await first!.received();
    const leads = ({ parts }: TestWeft) => parts.desired.desired.lease.isHeld;
    const leader = await untilSo(() => {
      const found = [weft, ofAgents].find(leads);
      if (!found) throw new Error('nobody leads');
      return found;
    });
    await leader.parts.desired.drain();
    await leader.parts.desired.stop();
    await first!.apply(config);
    await first!.say();
    await first!.say();
    expect((await second!.obey()).settings).toEqual({ channel: 40 });
    expect(await over(id)).toMatchObject({ state: 'completed', sentence: '2 of 2 confirmed' });
    expect(await first!.next()).toBeNull();
    expect([weft, ofAgents].filter(leads)).not.toContain(leader);
  });

  test('who loses the right in the middle of a roll-out, or is gone, changes nobody any more', async () => {
    const layerOf = (name: string) => ({ name, selector: `tag:${name}`, weight: 10, settings: { channel: 40 } });
    const story = async (name: string, token: string) => {
      const aps = await Promise.all([1, 2].map((at) => new Ap(`${name}-${at}`).start(name)));
      const { id: set } = await ok('POST', '/config/change_sets', { title: name, layers: [layerOf(name)] }, token);
      const waves = [{ select: `name:${name}-1` }, { percent: 100 }];
      const { id } = await ok('POST', `/config/change_sets/${set}/rollout`, { waves }, token);
      return { id, first: aps[0]!, second: aps[1]! };
    };
    const manager = await weft.user('half@weft.test');
    await ok('PUT', '/users/half@weft.test/grants', [{ role: 'manager', selector: 'tag:half' }] as never);
    const app = await weft.app('leaver', { config: 'roll_out' });
    const draftOfApp = await ok('POST', '/config/change_sets', { title: 'left', layers: [layerOf('left')] }, app);
    const half = await story('half', manager);
    const left = await story('left', app);
    await ok('PUT', '/users/half@weft.test/grants', [{ role: 'manager', selector: 'name:half-1' }] as never);
    await ok('DELETE', '/third_party_apps/leaver');
    await half.first.obey();
    expect(await over(half.id)).toMatchObject({ reason: 'whoever started it may not do this any more' });
    expect(await over(left.id)).toMatchObject({ state: 'stopped', reason: 'whoever started it is gone' });
    const { items } = await ok('GET', '/events?kinds=rollout.stopped&limit=2');
    expect(items.map(({ subject }: Body) => subject).sort()).toEqual([half.id, left.id].sort());
    expect([await half.second.next(), await left.second.next()]).toEqual([null, null]);
    expect(await refusal('GET', `/config/change_sets/${draftOfApp.id}`)).toMatchObject({ status: 404 });
    // Whoever lets it go on does so in its own name.
    await ok('POST', `/rollouts/${half.id}/resume`);
    expect((await half.second.obey()).settings).toEqual({ channel: 40 });
    expect((await over(half.id)).state).toBe('completed');
  });

  test('a manager of one site neither sees nor changes what the layers of another say; an app needs the permission', async () => {
    await Promise.all(['rights-a', 'rights-b'].map((name) => new Ap(name).start(name)));
    const manager = await weft.user('site@weft.test');
    await ok('PUT', '/users/site@weft.test/grants', [{ role: 'manager', selector: 'tag:rights-a' }] as never);
    const both = await rollOut([
      { name: 'of a', selector: 'tag:rights-a', weight: 10, settings: { channel: 36 } },
      { name: 'of b', selector: 'tag:rights-b', weight: 10, settings: { channel: 40 } },
    ]);
    const pending = 'config:pending or config:sent';
    await untilSo(async () => expect(await selected(pending)).toEqual(expect.arrayContaining(['rights-a'])));
    await ok('POST', `/rollouts/${both.id}/pause`);
    const names = (await ok('GET', '/config/layers', undefined, manager)).items.map(({ name }: Body) => name);
    expect(names).not.toContain('of b');
    const plain = await ok('GET', `/rollouts/${both.id}`, undefined, await weft.user('plain@weft.test'));
    expect(plain).toMatchObject({ may_change: false });
    const own = await ok(
      'POST',
      '/config/change_sets',
      { title: 'b', layers: [{ name: 'x', selector: 'tag:rights-b', weight: 99, settings: { channel: 36 } }] },
      manager,
    );
    const preview = await ok('POST', `/config/change_sets/${own.id}/preview`, undefined, manager);
    expect(preview).toMatchObject({ changed: 0, groups: [], not_yours: true });
    expect(await refusal('POST', `/config/change_sets/${own.id}/rollout`, {}, manager)).toMatchObject({ status: 403 });
    // Nobody else is changed now, and whoever comes would be.
    const wide = {
      name: 'all',
      selector: 'tag:rights-a or tag:rights-later',
      weight: 99,
      settings: { tx_power_dbm: 5 },
    };
    const later = await ok('POST', '/config/change_sets', { title: 'wide', layers: [wide] }, manager);
    expect(await ok('POST', `/config/change_sets/${later.id}/preview`, undefined, manager)).toMatchObject({
      changed: 1,
      not_yours: true,
    });
    expect(await refusal('POST', `/config/change_sets/${later.id}/rollout`, {}, manager)).toMatchObject({
      status: 403,
    });
    expect(await refusal('GET', `/rollouts/${both.id}`, undefined, manager)).toMatchObject({ status: 404 });
    expect(await refusal('PUT', '/config/secrets', { name: 'x', value: 'y' }, manager)).toMatchObject({ status: 403 });
    const [none, reader] = [noApp, await weft.app('reader', { config: 'read' })];
    expect(await refusal('GET', '/config/layers', undefined, none)).toMatchObject({ status: 403 });
    // Neither by what it may read otherwise.
    const of = '/events?kinds=rollout.started,config.confirmed&limit=1';
    expect([await ok('GET', of, undefined, none), await ok('GET', of, undefined, reader)]).toMatchObject([
      { items: [] },
      { items: [{}] },
    ]);
    expect(await selected(pending, none)).toEqual([]);
    expect(await selected(pending, reader)).not.toEqual([]);
    expect((await ok('GET', '/config/layers', undefined, reader)).items).toEqual(expect.any(Array));
    expect(await refusal('POST', '/config/change_sets', { title: 'x', remove: ['y'] }, reader)).toMatchObject({
      status: 403,
    });
  });
});
