// Steering end to end inside of one process: what an access point gets, and how each attempt ends.
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { databaseKinds } from '../../../../test/databases.ts';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { shareRabbit } from '../../../../test/rabbitmq.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';
import { generateSecret } from '../../core/base/secrets.ts';

let weft: TestWeft;
let admin: string;
let names = 0;

const [a, b] = ['here', 'there'];
let tokens: Record<string, string>;
const here = () => ({ weft, admin, tokens });

beforeAll(async () => {
  weft = await startWeft();
  ({ admin, tokens } = await signIn(weft));
});
afterAll(() => weft.stop());

const commands = [{ name: 'steer_device', params: { device: { type: 'string' }, target: { type: 'string' } } }];
const declared = [
  { ...commands[0], params: { ...commands[0]!.params, timeout_seconds: { type: 'integer', optional: true } } },
];
const radio = {
  interface: 'wlan0',
  bssid: '02:00:00:00:0b:00',
  frequency_mhz: 5180,
  channel: 36,
  width_mhz: 20,
  secret: 1,
};

async function signIn(weft: TestWeft) {
  const admin = await weft.admin();
  const tokens: Record<string, string> = {
    [a]: await weft.agent(a, { access_point_type: 'WiFi', commands: declared }),
    [b]: await weft.agent(b, { access_point_type: 'WiFi', commands: declared, radios: [radio] }),
    plain: await weft.agent('plain'),
  };
  return { weft, admin, tokens };
}

/** A device that is attached to the first of the two access points, alone. */
async function setUp({ weft, admin, tokens } = here()) {
  const n = ++names;
  const address = `02:5e:ed:00:01:${n.toString(16).padStart(2, '0')}`;
  const report = (ap_id: string, ...devices: string[]) =>
    weft.request('POST', '/api/v1/agent_update/update', {
      token: tokens[ap_id],
      json: { load: 1, devices: devices.map((device) => ({ device })) },
    });
  await report(b);
  await report(a, address);
  const { items } = (await weft.request('GET', `/api/v1/agents/${a}/devices`, { token: admin })).body;
  const device: string = items[0].device;
  const send = (token = admin, ap_id = a, target = b, more: object = {}, query: Record<string, string> = {}) => {
    const command = JSON.stringify({ name: 'steer_device', device, target, ...more });
    const asked = new URLSearchParams({ agent_id: ap_id, command, ...query });
    return weft.request('POST', `/api/v1/send_command?${asked}`, { token });
  };
  const take = async (ap_id = a) => {
    const answer = await weft.request('GET', `/api/v1/agents/${ap_id}/commands?wait=5`, { token: tokens[ap_id] });
    return answer.body[0] ?? answer.body.commands?.[0];
  };
  const answer = (command_id: string, json: object) =>
    weft.request('POST', `/api/v1/agents/${a}/commands/${command_id}`, { token: tokens[a], json });
  const stateOf = async (command_id: string) =>
    (await weft.request('GET', `/api/v1/commands/${command_id}`, { token: admin })).body;
  const ended = (command_id: string) =>
    untilSo(async () => {
      await weft.parts.steering.watch.once();
      const command = await stateOf(command_id);
      expect(['succeeded', 'failed', 'expired']).toContain(command.state);
      return command;
    });
  const show = async () => (await weft.request('GET', `/api/v1/devices/${device}`, { token: admin })).body;
  return { address, device, report, send, take, answer, stateOf, ended, show };
}

describe('steer_device', () => {
  test('to an access point that is not there, or not for the caller to see, is refused before it is sent', async () => {
    const { send, device } = await setUp();
    const narrow = await weft.app('narrow', { agents: [a] });
    for (const [token, target] of [
      [admin, 'nowhere'],
      [narrow, b],
    ] as const) {
      const { status, body } = await send(token, a, target);
      expect([status, body.detail[0].loc]).toEqual([422, ['query', 'command', 'target']]);
    }
    const json = { agents: [a], command: { name: 'steer_device', device, target: 'nowhere' } };
    const { body } = await weft.request('POST', '/api/v1/commands/batch', { token: admin, json });
    expect(body.targets[0]).toMatchObject({ reason: 'invalid_command', command_id: null });
  });

  test('with a guard that is broken is taken back: the target sends the device to where it was', async () => {
    const { send, take, answer, report, ended, stateOf, device, address } = await setUp();
    const guard = 'load<5';
    // Somebody has sent it somewhere once; that is not where it goes back to.
    const once = (await send(admin, a, 'plain')).body;
    await take();
    await answer(once.command_id, { state: 'succeeded' });
    await report('plain', address);
    expect((await ended(once.command_id)).state).toBe('succeeded');
    await report('plain');
    await report(a, address);
    const { command_id } = (await send(admin, a, b, {}, { guard })).body;
    await take();
    await answer(command_id, { state: 'succeeded' });
    await report(b, address);
    expect(await ended(command_id)).toMatchObject({ state: 'succeeded', guard_state: 'watching' });
    const inverse = await untilSo(async () => {
      await weft.request('POST', '/api/v1/agent_update/update', { token: tokens[a], json: { load: 9, devices: [] } });
      const { body } = await weft.request('GET', '/api/v1/commands', { token: admin });
      const found = body.find(({ inverse_of }: { inverse_of: string | null }) => inverse_of === command_id);
      expect(found).toMatchObject({ ap_id: b, name: 'steer_device', args: { device, target: a } });
      return found;
    });
    expect((await take(b)).command_id).toBe(inverse.command_id);
    await weft.request('POST', `/api/v1/agents/${b}/commands/${inverse.command_id}`, {
      token: tokens[b],
      json: { state: 'succeeded' },
    });
    await report(b);
    await report(a, address);
    expect((await ended(inverse.command_id)).state).toBe('succeeded');
    expect(await stateOf(command_id)).toMatchObject({ state: 'rolled_back', rolled_back_by: inverse.command_id });
  });

  test('with a guard is refused where the target could not send the device back, or the caller not ask it to', async () => {
    const { send } = await setUp();
    await weft.agent('deaf', { commands: ['sleep'] });
    const user = await weft.user('half@example.org');
    const grants = [{ role: 'operator', selector: `name:${a}` }, { role: 'viewer' }];
    await weft.request('PUT', '/api/v1/users/half@example.org/grants', { token: admin, json: grants });
    for (const [token, target] of [
      [admin, 'deaf'],
      [admin, a],
      [user, b],
    ] as const) {
      expect((await send(token, a, target, {}, { guard: 'load<5' })).body.code).toBe('guard_cannot_roll_back');
    }
  });

  test('every spelling of an address is one device in results, before and after it is erased', async () => {
    const { send, take, answer, device, stateOf, address } = await setUp();
    const { command_id } = (await send()).body;
    await take();
    const digits = address.replaceAll(':', '');
    const other = '02:5e:ed:99:99:99';
    const spellings = [address, address.toUpperCase(), address.replaceAll(':', '-'), digits, digits.toUpperCase()];
    const dotted = digits.replace(/(.{4})(.{4})(.{4})/, '$1.$2.$3');
    const result = {
      text: `sta-list: ${[...spellings, dotted].join(' ')} mac=${digits}.`,
      [digits]: spellings,
      nested: { bssid: '02:00:00:00:0b:00', version: '0123456789ab', gone: other.replaceAll(':', '-') },
    };
    await answer(command_id, { state: 'succeeded', result, applied: { device: spellings[2] } });
    const holds = async () => {
      const { database } = weft.platform;
      const rows = await database.query('SELECT args, text, result, applied FROM commands');
      const messages = await database.query('SELECT data FROM job_messages');
      return JSON.stringify([rows, messages]).toLowerCase();
    };
    const before = await holds();
    for (const spelled of [...spellings, dotted, other.replaceAll(':', '-')])
      expect(before).not.toContain(spelled.toLowerCase());
    expect(before).toContain(device);
    expect((await stateOf(command_id)).result.nested).toMatchObject({
      bssid: '02:00:00:00:0b:00',
      version: '0123456789ab',
    });
    // Also under a key of the caller's own.
    const hidden = JSON.stringify({ name: 'note', arguments: { device } });
    const noted = await weft.request(
      'POST',
      `/api/v1/send_command?agent_id=plain&command=${encodeURIComponent(hidden)}`,
      { token: admin },
    );
    const plain = `/api/v1/agents/plain/commands/${noted.body.command_id}`;
    await weft.request('POST', plain, { token: tokens.plain, json: { state: 'succeeded' } });
    const states = () => weft.platform.database.query('SELECT * FROM parameter_states');
    expect(JSON.stringify(await states())).toContain(device);
    expect((await weft.request('DELETE', `/api/v1/devices/${device}`, { token: admin })).status).toBe(200);
    expect(await holds()).not.toContain(device);
    expect(JSON.stringify(await states())).not.toContain(device);
    expect(JSON.stringify(await weft.platform.database.query('SELECT * FROM leases'))).not.toContain(device);
  });

  test('reaches the access point with the identity that it reported and the radios of the target', async () => {
    const { address, device, send, take } = await setUp();
    const { command_id } = (await send()).body;
    const taken = await take();
    const { interface: _interface, secret: _secret, ...known } = radio;
    expect(taken).toMatchObject({ command_id, args: { device: address, target: b, target_radios: [known] } });
    expect(JSON.parse(taken.command)).toMatchObject({ device: address });
    const stored = (await weft.request('GET', `/api/v1/commands/${command_id}`, { token: admin })).text;
    expect(stored).toContain(device);
    expect(stored).not.toContain(address);
  });

  const isMissing = inject('postgresUrl') === undefined || inject('amqpUrl') === undefined;
  test.skipIf(isMissing)('succeeds on a node whose clock is behind that of the database', async () => {
    const namespace = await databaseKinds.postgres.createNamespace();
    onTestFinished(() => namespace.remove());
    const rabbit = await shareRabbit();
    onTestFinished(() => rabbit.stop());
    const now = Date.now.bind(Date);
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 20_000);
    onTestFinished(() => clock.mockRestore());
    const behind = await startWeft({
      WEFT_DATABASE_URL: namespace.address,
      WEFT_AMQP_URL: rabbit.url,
      WEFT_SECRET: generateSecret(),
    });
    onTestFinished(() => behind.stop());
    await untilSo(() => expect(behind.platform.now() - Date.now()).toBeGreaterThan(15_000));
    const { address, report, send, take, answer, ended } = await setUp(await signIn(behind));
    const { command_id } = (await send()).body;
    await take();
    await answer(command_id, { state: 'succeeded', result: { answer: 'accepted' } });
    await report(b, address);
    expect(await ended(command_id)).toMatchObject({ state: 'succeeded', result: { outcome: 'moved' } });
  });

  test('succeeds when the target reports the device, and not before', async () => {
    const { address, report, send, take, answer, stateOf, ended, show } = await setUp();
    const { command_id } = (await send()).body;
    await take();
    await answer(command_id, { state: 'succeeded', result: { answer: 'accepted', detail: `${address} said yes` } });
    await weft.parts.steering.watch.once();
    expect((await stateOf(command_id)).state).toBe('received');
    await report(b, address);
    const command = await ended(command_id);
    expect(command).toMatchObject({ state: 'succeeded', result: { answer: 'accepted', outcome: 'moved' } });
    expect(JSON.stringify(command)).not.toContain(address);
    await report(a);
    const shown = await untilSo(async () => {
      const device = await show();
      expect(device.steering).toHaveLength(1);
      return device;
    });
    expect(shown).toMatchObject({ steering: [{ ap_id: a, target: b, outcome: 'moved', command_id }] });
    expect(shown.sticky).toBeUndefined();
  });

  test('has not moved while the target only lists it from before and the source serves it', async () => {
    const { address, report, send, take, answer, stateOf, ended } = await setUp();
    await report(a);
    await report(b, address);
    await untilSo(async () => {
      await report(a, address);
      const { items } = (await weft.request('GET', `/api/v1/agents/${a}/devices`, { token: admin })).body;
      expect(items).toHaveLength(1);
    });
    const { command_id } = (await send()).body;
    await take();
    await answer(command_id, { state: 'succeeded', result: { answer: 'accepted' } });
    await report(b, address);
    await weft.parts.steering.watch.once();
    expect((await stateOf(command_id)).state).toBe('received');
    await report(a);
    await report(b, address);
    expect(await ended(command_id)).toMatchObject({ state: 'succeeded', result: { outcome: 'moved' } });
  });

  test('is refused when the device says no, which is remembered', async () => {
    const { send, take, answer, ended, show } = await setUp();
    const { command_id } = (await send()).body;
    await take();
    await answer(command_id, { state: 'failed', result: { answer: 'refused', status_code: 6 } });
    expect(await ended(command_id)).toMatchObject({ state: 'failed', result: { outcome: 'refused', status_code: 6 } });
    await untilSo(async () => expect((await show()).sticky).toMatchObject({ reason: 'refused', target: b }));
  });

  test('is ignored when the target serves others and not this device', async () => {
    const { report, send, take, answer, ended } = await setUp();
    const { command_id } = (await send(admin, undefined, undefined, { timeout_seconds: 1 })).body;
    await take();
    await answer(command_id, { state: 'succeeded' });
    await report(b, 'somebody-else');
    expect(await ended(command_id)).toMatchObject({ state: 'failed', result: { outcome: 'ignored' } });
  });

  test('does not reach a device whose target is gone', async () => {
    const { send, take, answer, ended } = await setUp();
    await weft.agent('leaving');
    const { command_id } = (await send(admin, undefined, 'leaving', { timeout_seconds: 1 })).body;
    await weft.request('DELETE', '/api/v1/agents/leaving', { token: admin });
    await take();
    await answer(command_id, { state: 'succeeded', result: { answer: 'sent' } });
    expect(await ended(command_id)).toMatchObject({ state: 'failed', result: { outcome: 'unreachable' } });
  });

  test('does not reach a device that the access point does not serve', async () => {
    const { report, send, ended } = await setUp();
    await report(a);
    const { command_id } = (await send()).body;
    expect(await ended(command_id)).toMatchObject({ state: 'failed', result: { outcome: 'unreachable' } });
  });

  test('that comes back at once has moved, and is remembered', async () => {
    const { address, report, send, take, answer, ended, show } = await setUp();
    const { command_id } = (await send()).body;
    await take();
    await answer(command_id, { state: 'succeeded', result: { answer: 'accepted' } });
    await report(a);
    await report(b, address);
    expect((await ended(command_id)).result.outcome).toBe('moved');
    await report(b);
    await report(a, address);
    await untilSo(async () => expect((await show()).sticky).toMatchObject({ reason: 'moved_back', target: b }));
  });

  test('is decided between two programs that want the device in two places, wherever they send it', async () => {
    const { address, device, report, send } = await setUp();
    await report(b, address);
    const [one, two] = [await weft.app('one'), await weft.app('two')];
    expect((await send(one, a, b)).status).toBe(200);
    const lost = await send(two, b, a);
    expect([lost.status, lost.body.code]).toEqual([409, 'command_conflict']);
    expect(lost.body.detail).toContain(`app one holds steering of ${device}`);
  });

  test('takes a pseudonym and no address, in any form', async () => {
    const { address } = await setUp();
    for (const command of [
      JSON.stringify({ name: 'steer_device', device: address, target: b }),
      JSON.stringify({ name: 'steer_device', target: b, note: address }),
      `steer_device ${address}`,
    ]) {
      const path = `/api/v1/send_command?agent_id=${a}&command=${encodeURIComponent(command)}`;
      const { status, body, text } = await weft.request('POST', path, { token: admin });
      expect([status, body.code]).toEqual([422, 'device_address']);
      expect(text).not.toContain(address);
    }
  });

  test('an erased device is named by the audit log alone', async () => {
    const { address, device, send, take, answer, ended, stateOf } = await setUp();
    const { command_id } = (await send()).body;
    await take();
    await answer(command_id, { state: 'failed', result: { answer: 'refused', detail: `${address} refused` } });
    await ended(command_id);
    await erase(device);
    expect(await stateOf(command_id)).toMatchObject({
      state: 'failed',
      args: { device: 'erased', target: b },
      result: { outcome: 'refused', detail: 'erased refused' },
    });
    expect(await tablesWith(device)).toEqual(['audit_log', 'device_erasures']);
  });

  test('what is open about an erased device ends, and so does the conflict about it', async () => {
    const { address, device, report, send, stateOf } = await setUp();
    await report(b, address);
    const [one, two] = [await weft.app('three'), await weft.app('four')];
    const { command_id } = (await send(one)).body;
    expect((await send(two, b, a)).status).toBe(409);
    await erase(device);
    expect(await stateOf(command_id)).toMatchObject({ state: 'cancelled', detail: 'The device was erased' });
    expect(await tablesWith(device)).toEqual(['audit_log', 'device_erasures']);
  });
});

async function erase(device: string): Promise<void> {
  expect((await weft.request('DELETE', `/api/v1/devices/${device}`, { token: admin })).status).toBe(200);
}

/** The tables in which a text is found. */
async function tablesWith(text: string): Promise<string[]> {
  const { database } = weft.platform;
  const tables = await database.query<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    if (JSON.stringify(await database.query(`SELECT * FROM "${name}"`)).includes(text)) found.push(name);
  }
  return found;
}
