// Guards of commands: over HTTP, as a program meets them, and as a property on the ledger over commands, guards and states.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLedger } from '../../../../../test/command-ledger-fixture.ts';
import { openTestPlatform } from '../../../../../test/platform.ts';
import { intentOf } from '../../../../../test/pure/conflict-world.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { GuardWatch } from './guard-watch.ts';

describe('over HTTP', () => {
  let weft: TestWeft;
  let admin: string;
  beforeAll(async () => {
    weft = await startWeft();
    admin = await weft.admin();
    const rules = await get('/api/v1/conflicts/rules');
    const parameters = ['tx_power', 'power_state', 'reboot', 'wifi_psk', 'key'];
    const groups = [...rules.groups, { name: 'quick', parameters, policy: 'priority', min_interval_ms: 0 }];
    await weft.request('PUT', '/api/v1/conflicts/rules', { token: admin, json: { ...rules, groups } });
  });
  afterAll(() => weft.stop());

  const send = async (
    agent_id: string,
    command: object | string,
    query: Record<string, string> = {},
    token = admin,
  ) => {
    const text = typeof command === 'string' ? command : JSON.stringify(command);
    const parameters = new URLSearchParams({ agent_id, command: text, ...query });
    return (await weft.request('POST', `/api/v1/send_command?${parameters}`, { token })).body;
  };
  const get = async (path: string, token = admin) => (await weft.request('GET', path, { token })).body;
  const answer = async (token: string, ap_id: string, command_id: string, json: object = { state: 'succeeded' }) =>
    (await weft.request('POST', `/api/v1/agents/${ap_id}/commands/${command_id}`, { token, json })).body;
  const report = (token: string, json: object) => weft.request('POST', '/api/v1/agent_update/update', { token, json });
  const inverseOf = async (command_id: string) =>
    (await get('/api/v1/commands')).find(({ inverse_of }: never) => inverse_of === command_id);
  /** Reports until the guard is broken: it is watched from a moment after the command has succeeded. */
  async function untilBroken(command_id: string, token: string, json: object) {
    await expect
      .poll(async () => {
        await report(token, json);
        return (await get(`/api/v1/commands/${command_id}`)).guard_state;
      })
      .toBe('broken');
    return inverseOf(command_id);
  }

  test('a guard that is broken takes the command back; it ends rolled_back once what was before is set again', async () => {
    const agent = await weft.agent('ap-1');
    const app = await weft.app('careful');
    await report(agent, { rssi: -70 });
    const first = await send('ap-1', { name: 'set_tx_power', dbm: 10 }, {}, app);
    await answer(agent, 'ap-1', first.command_id);
    const { command_id, job_number } = await send('ap-1', { name: 'set_tx_power', dbm: 3 }, { guard: 'rssi>-80' }, app);
    expect(await answer(agent, 'ap-1', command_id)).toMatchObject({ state: 'succeeded', guard_state: 'watching' });
    await report(agent, { rssi: -70 });
    expect((await get(`/api/v1/jobs/${job_number}`)).ended_at).toBeNull();
    const inverse = await untilBroken(command_id, agent, { rssi: -90 });
    expect(inverse).toMatchObject({ name: 'set_tx_power', args: { dbm: 10 }, caller_kind: 'weft', state: 'queued' });
    // Nothing says that it was done before the access point does.
    expect(await get(`/api/v1/commands/${command_id}`)).toMatchObject({
      state: 'succeeded',
      rolled_back_by: inverse.command_id,
    });
    expect((await get(`/api/v1/jobs/${job_number}`)).ended_at).toBeNull();
    await answer(agent, 'ap-1', inverse.command_id);
    expect(await get(`/api/v1/commands/${command_id}`)).toMatchObject({ state: 'rolled_back', guard: 'rssi>-80' });
    const { state, messages } = await get(`/api/v1/jobs/${job_number}`);
    // Whoever follows the job reads up to the final message.
    expect(messages.findIndex(({ final }: { final: boolean }) => final)).toBe(messages.length - 1);
    const last = messages.filter(({ type }: { type: string }) => type === 'command').at(-1).data[0];
    expect([state, last.state, last.guard_state, last.rolled_back_by]).toEqual([
      ...['failed', 'rolled_back', 'broken', inverse.command_id],
    ]);
    const kinds = (await get('/api/v1/conflicts?agent=ap-1')).conflicts.map(({ kind }: { kind: string }) => kind);
    expect(kinds.filter((kind: string) => kind === 'rolled_back')).toHaveLength(1);
    const events = (await get('/api/v1/events?kinds=command.rolled_back')).items;
    expect(events.map(({ subject }: { subject: string }) => subject)).toEqual([command_id]);
  });

  test('one that could not be taken back ends guard_broken', async () => {
    const agent = await weft.agent('stuck');
    await report(agent, { rssi: -70 });
    await answer(agent, 'stuck', (await send('stuck', { name: 'set_tx_power', dbm: 10 })).command_id);
    const { command_id } = await send('stuck', { name: 'set_tx_power', dbm: 3 }, { guard: 'rssi>-80' });
    await answer(agent, 'stuck', command_id);
    const inverse = await untilBroken(command_id, agent, { rssi: -90 });
    await answer(agent, 'stuck', inverse.command_id, { state: 'failed', result: 'jammed' });
    expect(await get(`/api/v1/commands/${command_id}`)).toMatchObject({ state: 'guard_broken', guard_state: 'broken' });
  });

  const settings = {
    tx_power_dbm: { type: 'number', parameter: 'tx_power' },
    'radio.channel': { type: 'integer', parameter: 'radio' },
    'radio.width': { type: 'integer', parameter: 'radio' },
    passphrase: { type: 'string', parameter: 'passphrase' },
    ssid: { type: 'string', parameter: 'ssid' },
  };
  const said = { tx_power_dbm: 17, radio: { channel: 36, width: 80 }, passphrase: { secret: 'x', version: 1 } };

  test.each([
    ['says that it runs', { name: 'set_tx_power', dbm: 3 }, { dbm: 17 }],
    ['says that it runs, of two', { name: 'set_radio', width: 20, channel: 40 }, { channel: 36, width: 80 }],
    ['says that it runs, of two that one is', { name: 'set_radio', channel: 40 }, { channel: 36 }],
  ])('a guard on the first command goes back to what the access point %s', async (_what, command, args) => {
    const ap_id = `first-${Object.keys(command).join('-')}`;
    const agent = await weft.agent(ap_id, { settings });
    await report(agent, { rssi: -70, tx_power_dbm: 9 });
    const json = { hash: null, settings: said };
    expect((await weft.request('POST', `/api/v1/agents/${ap_id}/config/running`, { token: agent, json })).status).toBe(
      200,
    );
    const { command_id } = await send(ap_id, command, { guard: 'rssi>-80' });
    await answer(agent, ap_id, command_id);
    expect(await untilBroken(command_id, agent, { rssi: -90 })).toMatchObject({ name: command.name, args });
  });

  test('a guard on the first command goes back to the metric of a declared setting that is told in no other way', async () => {
    const agent = await weft.agent('measured', { settings });
    await report(agent, { rssi: -70, tx_power_dbm: 12.5 });
    const { command_id } = await send('measured', { name: 'set_tx_power', dbm: 3 }, { guard: 'rssi>-80' });
    await answer(agent, 'measured', command_id);
    expect(await untilBroken(command_id, agent, { rssi: -90 })).toMatchObject({ args: { dbm: 12.5 } });
  });

  test('a guard on the first command is refused where what is reported says nothing of the value', async () => {
    const agent = await weft.agent('mute', { settings });
    await report(agent, { rssi: -70, tx_power: 4, channel: 36 });
    const json = { hash: null, settings: { ...said, tx_power_dbm: undefined } };
    await weft.request('POST', '/api/v1/agents/mute/config/running', { token: agent, json });
    for (const command of [
      { name: 'set_tx_power', dbm: 3 },
      { name: 'set_radio', band: 5, channel: 36 },
      { name: 'set_passphrase', passphrase: 'a new one' },
      { name: 'set_ssid', ssid: 'guests' },
      { name: 'set_tilt', degrees: 3 },
    ]) {
      expect(await send('mute', command, { guard: 'rssi>-80' })).toMatchObject({ code: 'guard_cannot_roll_back' });
    }
  });

  test('a guard that could not roll back is refused, before anything is sent, unless an inverse is declared', async () => {
    const agent = await weft.agent('cell');
    await report(agent, { served: 3 });
    const guard = { guard: 'served>0' };
    const before = (await get('/api/v1/commands')).length;
    for (const [command, more] of [
      ['sleep', {}],
      ['sleep', { dry_run: 'true' }],
      [{ name: 'set_tx_power', dbm: 3 }, {}],
      ['set channel 36', {}],
      [{ name: 'steer_device', device: 'dev-aaaaaaaaaaaaaaaa', target: 'cell' }, {}],
    ] as const) {
      expect(await send('cell', command, { ...guard, ...more })).toMatchObject({ code: 'guard_cannot_roll_back' });
    }
    const { detail } = await send('cell', { name: 'set_tx_power', dbm: 3 }, guard);
    expect(detail).toMatch(
      /not set through Weft before, .*does not report a setting .*\. Set its present value once without a guard/,
    );
    // What is done and not set: to do it again restores nothing.
    await answer(agent, 'cell', (await send('cell', 'reboot')).command_id);
    expect((await send('cell', 'reboot', guard)).code).toBe('guard_cannot_roll_back');
    // What was set is a secret, which is not kept.
    await answer(agent, 'cell', (await send('cell', { name: 'set_wifi_psk', psk: 'first secret' })).command_id);
    const secret = await send('cell', { name: 'set_wifi_psk', psk: 'second' }, guard);
    expect(secret).toMatchObject({
      code: 'guard_cannot_roll_back',
      detail: expect.not.stringContaining('present value'),
    });
    expect(await get('/api/v1/commands')).toHaveLength(before + 2);
    const other = await weft.agent('cell-2', {
      commands: [
        'sleep',
        'wake',
        { name: 'open', parameter: 'door', inverse: 'shut' },
        { name: 'shut', parameter: 'door' },
      ],
    });
    await report(other, { served: 3 });
    expect((await send('cell-2', 'open', guard)).verdict).toBe('accepted');
    const { command_id } = await send('cell-2', 'sleep', guard);
    await answer(other, 'cell-2', command_id);
    expect(await untilBroken(command_id, other, { served: 0 })).toMatchObject({ name: 'wake', args: {} });
  });

  test('a metric that was never reported is refused with what is near, and not shown to whom may not read', async () => {
    const agent = await weft.agent('ap-2', { commands: ['sleep', 'wake'] });
    expect((await send('ap-2', 'sleep', { guard: 'potato<3' })).detail[0].msg).toContain('Nothing was reported yet');
    await report(agent, { connected_devices: 3, mode: 'fast' });
    const { detail } = await send('ap-2', 'sleep', { guard: 'conected_devices>0' });
    expect(detail[0]).toMatchObject({
      loc: ['query', 'guard'],
      msg: expect.stringContaining('Did you mean connected_devices?'),
    });
    expect((await send('ap-2', 'sleep', { guard: 'mode>0' })).code).toBe('validation_error');
    const blind = await weft.app('blind', { read: false });
    expect((await send('ap-2', 'sleep', { guard: 'connected_devices>0' }, blind)).code).toBe('not_permitted');
  });

  test('a guard over a site or the neighbours is broken by any of those that the caller may see', async () => {
    const at = (longitude: number) => ({ access_point_type: 'WiFi', geolocation: { latitude: 51, longitude } });
    const tokens: Record<string, string> = {};
    for (const [n, name] of ['hall-1', 'hall-2', 'hall-3', 'far-1'].entries()) {
      tokens[name] = await weft.agent(name, { ...at(n === 3 ? 9 : n * 0.0001), commands: ['sleep', 'wake'] });
      await report(tokens[name]!, { load: 0.1 });
    }
    const json = { path: 'hall' };
    await weft.request('POST', '/api/v1/sites', { token: admin, json });
    for (const name of ['hall-1', 'hall-2', 'hall-3'])
      await weft.request('PATCH', `/api/v1/agents/${name}/labels`, { token: admin, json: { site: 'hall' } });
    const wide = (selector: string, more: object = {}) => ({
      guard: JSON.stringify({ selector, metric: 'load', op: '<=', value: 0.9, ...more }),
    });
    const app = await weft.app('narrow', { agents: ['hall-1', 'hall-2'] });
    expect((await send('hall-1', 'sleep', wide('name:far-1'), app)).detail[0].msg).toContain(
      'no access point that you may see',
    );
    for (const bad of [
      wide('sit:x'),
      wide('site:hall', { op: '==' }),
      wide('site:hall', { ap_ids: [] }),
      { guard: '{' },
    ])
      expect((await send('hall-1', 'sleep', bad, app)).code).toBe('validation_error');
    const { command_id } = await send('hall-1', 'sleep', wide('site:hall'), app);
    expect((await get(`/api/v1/commands/${command_id}`, app)).guard).toBe(wide('site:hall').guard);
    await answer(tokens['hall-1']!, 'hall-1', command_id);
    // The third is of the site, but nothing that this app may see.
    await report(tokens['hall-3']!, { load: 1 });
    expect((await get(`/api/v1/commands/${command_id}`)).guard_state).toBe('watching');
    expect(await untilBroken(command_id, tokens['hall-2']!, { load: 1 })).toMatchObject({
      ap_id: 'hall-1',
      name: 'wake',
    });
    const near = await send('hall-3', 'sleep', wide('neighbours'));
    await answer(tokens['hall-3']!, 'hall-3', near.command_id);
    // Its own value is not that of a neighbour, and one far away is none.
    await report(tokens['hall-3']!, { load: 1 });
    await report(tokens['far-1']!, { load: 1 });
    expect((await get(`/api/v1/commands/${near.command_id}`)).guard_state).toBe('watching');
    expect(await untilBroken(near.command_id, tokens['hall-1']!, { load: 1 })).toMatchObject({ name: 'wake' });
  });
});

describe('whatever is sent, reported and answered', () => {
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
  const settleMs = 5_000;
  const step = fc.oneof(
    fc.record({ kind: fc.constant('send' as const), v: fc.integer({ min: 1, max: 3 }), isGuarded: fc.boolean() }),
    // Not noticed: another node has stored it, or this one was killed before it looked.
    fc.record({ kind: fc.constant('sample' as const), isBad: fc.boolean(), isNoticed: fc.boolean() }),
    fc.record({ kind: fc.constant('time' as const), ms: fc.integer({ min: 1, max: 4_000 }), isTaken: fc.boolean() }),
  );

  test('an accepted guard holds what it promises: it is watched, and what breaks it is rolled back or said', async () => {
    const platform = await openTestPlatform();
    try {
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), (steps) =>
          runSteps(platform, steps, `ap-${round++}`),
        ),
        { numRuns: rounds(40) },
      );
    } finally {
      await platform.close();
    }
  });

  async function runSteps(platform: Awaited<ReturnType<typeof openTestPlatform>>, steps: Step[], ap_id: string) {
    let now = Date.now();
    const { store, ledger, operations, send } = openLedger(platform.database, () => now);
    const agent = { kind: 'agent', id: 'agent-1', name: ap_id } as const;
    const watch = new GuardWatch({
      ...{ store, ledger, operations, telemetry: platform.telemetryStore, now: () => now },
      network: {
        fresh: async () => {},
        get: () => ({ id: 'agent-1', ap_id, emulated_for: null, site: null }) as never,
      },
      onError: (error) => {
        throw error;
      },
    });
    const values: number[] = [];
    const samples: { ts: number; isBad: boolean }[] = [];
    const guarded: { command_id: string; before: number | undefined; from: number; at: number }[] = [];
    const failed = new Set<string>();
    const take = (command_id: string, state: 'succeeded' | 'failed') =>
      ledger.do(operations.answer(agent, command_id, { state, result: null, applied: null, wasSent: true }));
    const takeInverses = async (isTaken: boolean) => {
      for (const { command_id, inverse_of, args, ended_at } of await store.list({ ap_id, limit: 100 })) {
        if (inverse_of === null || ended_at !== null) continue;
        await take(command_id, isTaken ? 'succeeded' : 'failed');
        if (isTaken) values.push(args.v as number);
        else failed.add(inverse_of);
      }
    };
    const idle = async () => {
      await new Promise((done) => setImmediate(done));
      await ledger.idle();
    };
    for (const next of steps) {
      if (next.kind === 'send') {
        now += 2_000;
        const intent = intentOf({
          ap_id,
          name: 'set_x',
          parameter: 'x',
          args: { v: next.v },
          expires_at: now + 600_000,
        });
        try {
          const { command } = await send(
            { ...intent, command_id: crypto.randomUUID() },
            next.isGuarded ? { guard: 'm<1', settle_ms: settleMs } : {},
          );
          if (!command || command.sent_args === null) continue;
          await take(command.command_id, 'succeeded');
          if (next.isGuarded)
            guarded.push({ command_id: command.command_id, before: values.at(-1), from: now, at: values.length });
          values.push(next.v);
          await watch.refresh();
        } catch (error) {
          // Only where nothing was set before, or the same.
          expect(error).toMatchObject({ code: 'guard_cannot_roll_back' });
          expect([undefined, next.v]).toContain(values.at(-1));
        }
      } else if (next.kind === 'sample') {
        const sample = { ts: now, names: ['m'], values: [next.isBad ? 2 : 0], texts: [] };
        await platform.telemetryStore.append(ap_id, [sample]);
        // Of one moment the last one counts.
        if (samples.at(-1)?.ts === now) samples.pop();
        samples.push({ ts: now, isBad: next.isBad });
        if (next.isNoticed) watch.recorded(ap_id, [sample]);
        now += 1;
      } else {
        now += next.ms;
        await watch.refresh();
        await idle();
        await takeInverses(next.isTaken);
      }
      await idle();
    }
    for (let n = 0; n < 3; n++) {
      now += settleMs;
      await watch.refresh();
      await idle();
      await takeInverses(true);
    }
    const inverses = (await store.list({ ap_id, limit: 100 })).filter(({ inverse_of }) => inverse_of !== null);
    for (const { command_id, before, from, at } of guarded) {
      const { state, guard_state, guard_until, rolled_back_by } = (await store.get(command_id))!;
      const seen = samples.filter(({ ts }) => ts >= from && ts < from + settleMs);
      expect(guard_until).toBeNull();
      // Somebody has set another value, or Weft is about to because of another guard.
      const isTaken = inverses.some(({ created_at }) => created_at >= from);
      if (guard_state === 'ended') expect(values.length > at + 1 || isTaken).toBe(true);
      else if (seen.length === 0) expect([guard_state, state]).toEqual(['never_seen', 'succeeded']);
      else if (seen.every(({ isBad }) => !isBad)) expect([guard_state, state]).toEqual(['held', 'succeeded']);
      else {
        // One inverse replaces another that is not sent yet, if a second guard was broken meanwhile.
        const inverse = (await store.get(rolled_back_by!))!;
        const isKnown = inverse.state === 'succeeded' || inverse.state === 'superseded' || failed.has(command_id);
        const ended = inverse.state === 'succeeded' ? 'rolled_back' : 'guard_broken';
        expect([guard_state, state, isKnown]).toEqual(['broken', ended, true]);
        expect(inverse.args).toEqual({ v: before });
      }
    }
  }
});
