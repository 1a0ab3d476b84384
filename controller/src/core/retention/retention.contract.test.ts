// One of every kind of thing that is removed with time, in a whole server whose clock is set ahead and back at random.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { draw } from '../../../../test/draw.ts';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { adminUsername, startWeft, type TestWeft } from '../../../../test/weft.ts';

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.now();
/** Far beyond everything that is kept. */
const far = 900 * day;

let weft: TestWeft;
/** The keys of what was stored, by table. */
const stored = new Map<string, string[]>();

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  weft = await startWeft();
  await weft.admin();
  await storeOneOfEach();
  await untilSo(async () => {
    await weft.parts.retention.rounds.once();
    expect(weft.platform.retention.clock.isPaused).toBe(false);
  });
});
afterAll(async () => {
  await weft.stop();
  vi.useRealTimers();
});

test('what was stored is there after any jumps of the clock, is removed once an operator says that the clock is right', async () => {
  const { retention, database } = weft.platform;
  const random = draw('jumps');
  for (let n = 0; n < 12; n++) {
    vi.setSystemTime(start + random.below(2 * far) - 0.8 * far);
    await weft.parts.retention.rounds.once();
    // A steady clock would be waited for longer than the test; what is stored has to last without that too.
    retention.clock.state!.jumpedMs = null;
    await weft.parts.retention.rounds.once();
  }
  vi.setSystemTime(start);
  await weft.parts.retention.rounds.once();
  expect(await missing()).toEqual([]);
  const kinds = await database.query<{ kind: string }>("SELECT kind FROM event_log WHERE kind LIKE 'clock.%'");
  expect(kinds.length).toBeGreaterThan(10);

  vi.setSystemTime(start + far);
  await weft.parts.retention.rounds.once();
  const now = await weft.login('user', adminUsername);
  const report = await weft.request('GET', '/api/v1/retention', { token: now });
  expect(report.body).toMatchObject({ state: 'paused', steady_seconds: 0 });
  await untilSo(async () => {
    const { body } = await weft.request('GET', '/api/v1/alarms?state=firing', { token: now });
    expect(body.items.map(({ rule }: { rule: { name: string } | string }) => JSON.stringify(rule))).toContainEqual(
      expect.stringContaining('Clock jumped'),
    );
  });
  expect((await weft.request('POST', '/api/v1/retention/resume', { token: now })).status).toBe(200);
  expect((await weft.request('GET', '/api/v1/retention', { token: now })).body.state).toBe('running');
  const all = [...stored].flatMap(([table, keys]) => keys.map((key) => `${table} ${key}`)).sort();
  await untilSo(async () => {
    await weft.parts.retention.rounds.once();
    expect(await missing()).toEqual(all);
  });
});

test('everything that is kept for a time is kept by the one clock', () => {
  expect(weft.platform.retention.kinds.map(({ name }) => name)).toEqual([
    'events',
    'events of devices',
    'reset tokens',
    'enrolment tokens',
    'sessions',
    'devices',
    'notes on devices',
    'samples',
    'roll-ups',
    'jobs',
    'dead letters',
    'commands',
    'leases and parameters',
    'emulated networks',
    'questions to emulated networks',
    'alarms',
    'incidents',
  ]);
});

test('samples of the time before a jump are taken while the clock cannot be trusted', async () => {
  await weft.agent('late');
  vi.setSystemTime(start);
  await weft.request('POST', '/api/v1/retention/resume', { token: await weft.admin() });
  vi.setSystemTime(start + 31 * day);
  await weft.parts.retention.rounds.once();
  const report = (at: number, as: string) =>
    weft.request('POST', '/api/v1/agent_update/update', {
      token: as,
      json: { ts: new Date(at).toISOString(), value: 1 },
    });
  const now = await weft.login('agent', 'late');
  expect((await report(start, now)).status).toBe(200);
  expect((await report(start - 31 * day, now)).status).toBe(422);
});

test('what was reported while the clock was ahead is not the newest value once it is right', async () => {
  vi.setSystemTime(start + 400 * day);
  const admin = await weft.admin();
  await weft.agent('fast');
  const report = async (value: number) => {
    const token = await weft.login('agent', 'fast');
    await weft.request('POST', '/api/v1/agent_update/update', { token, json: { value } });
  };
  const text = async (as: string) => (await weft.request('GET', '/metrics/agents?metrics=value', { token: as })).text;
  const values = async (as: string) =>
    (await text(as)).split('\n').filter((line) => line.includes('ap_id="fast"') && line.startsWith('weft_agent_value'));
  await report(1);
  expect(await values(admin)).toEqual([expect.stringMatching(/ 1$/)]);
  vi.setSystemTime(start);
  const now = await weft.admin();
  expect(await values(now)).toEqual([]);
  await report(2);
  expect(await values(now)).toEqual([expect.stringMatching(/ 2$/)]);
});

/** Those of the keys that are gone. */
async function missing(): Promise<string[]> {
  const found: string[] = [];
  for (const [table, keys] of stored) {
    const present = new Set(await keysOf(table));
    for (const key of keys) if (!present.has(key)) found.push(`${table} ${key}`);
  }
  return found.sort();
}

async function keysOf(table: string): Promise<string[]> {
  const key = keyColumns[table]!;
  const rows = await weft.platform.database.query<{ key: string | number }>(`SELECT ${key} AS key FROM ${table}`);
  return rows.map((row) => String(row.key));
}

const keyColumns: Record<string, string> = {
  event_log: 'id',
  grouped_devices: 'device',
  jobs: 'job_number',
  job_messages: 'job_number',
  dead_letters: 'id',
  commands: 'command_id',
  leases: 'parameter',
  parameter_states: 'parameter',
  alarms: 'id',
  sessions: 'id',
  ended_sessions: 'id',
  reset_tokens: 'token_hash',
  enrolment_tokens: 'id',
  device_links: 'device',
  device_watches: 'device',
  device_sticky: 'device',
  device_erasures: 'device',
  emulator_runs: 'job_number',
  emulator_agents: 'ap_id',
  emulator_requests: 'id',
};

async function storeOneOfEach(): Promise<void> {
  const { database } = weft.platform;
  const { eventLog } = weft.parts.eventLog;
  const [user] = await database.query<{ id: string; ver: string }>('SELECT id, ver FROM users');
  await database.transaction((tx) =>
    eventLog.append(tx, [
      { kind: 'device.joined', subject_kind: 'device', subject: 'd1', text: 'one' },
      { kind: 'devices.left', subject_kind: 'devices', subject: 'ap', text: 'many', devices: ['d1', 'd2'] },
    ]),
  );
  await insert('jobs', {
    job_number: 'j',
    task_type: 'agent_data',
    state: 'succeeded',
    ended_at: start,
    expires_at: start + day,
    owner_kind: 'user',
    owner_id: user!.id,
  });
  await insert('job_messages', { job_number: 'j', seq: 1, data: '[]' });
  await insert('dead_letters', { id: 'l', received_at: start });
  await insert('commands', {
    command_id: 'c',
    state: 'succeeded',
    created_at: start,
    ended_at: start,
    expires_at: start,
  });
  await insert('leases', { ap_id: 'ap', parameter: 'p', caller_id: 'x', until: start + hour, value: '1' });
  await insert('parameter_states', { ap_id: 'ap', parameter: 'p', changed_at: start, recent: '[]' });
  await insert('alarms', { id: 'a', rule_id: 'r', state: 'cleared', cleared_at: start, labels: '{}' });
  await insert('sessions', {
    id: 's',
    user_id: user!.id,
    ver: user!.ver,
    created_at: start,
    renewed_at: start,
    expires_at: start + hour,
    ends_at: start + hour,
  });
  await insert('ended_sessions', { id: 'e', ended_at: start, expires_at: start + hour });
  await insert('reset_tokens', { token_hash: 't', user_id: user!.id, created_at: start, expires_at: start + hour });
  await insert('enrolment_tokens', { id: 'n', token_hash: 'n', created_at: start, expires_at: start + day });
  await insert('device_links', {
    device: 'd9',
    ap_id: 'ap',
    since: start,
    seen: start,
    left_at: start,
    updated_at: start,
  });
  await insert('device_watches', { device: 'd9', until_ms: start + day });
  await insert('device_sticky', { device: 'd9', until_ms: start + hour });
  await insert('device_erasures', { device: 'd8', at_ms: start });
  await insert('emulator_runs', {
    job_number: 'j',
    state: 'succeeded',
    remove_at: start + day,
    by_type: '{}',
    ends_at: start,
  });
  await weft.agent('emu-ap');
  await insert('emulator_agents', { job_number: 'j', ap_id: 'emu-ap' });
  await insert('emulator_requests', { id: 'q', job_number: 'j', body: '{}', expires_at: start + hour });
  for (const table of Object.keys(keyColumns)) {
    stored.set(table, await keysOf(table));
    expect([table, stored.get(table)!.length]).not.toEqual([table, 0]);
  }
}

/** What else a row must have is empty. */
async function insert(table: string, values: Record<string, string | number>): Promise<void> {
  const { database } = weft.platform;
  const columns = await database.query<{ name: string; type: string; notnull: number; dflt_value: string | null }>(
    `SELECT name, type, "notnull", dflt_value FROM pragma_table_info('${table}')`,
  );
  const row = columns
    .filter(({ name, notnull, dflt_value }) => name in values || (notnull === 1 && dflt_value === null))
    .map(({ name, type }) => [name, values[name] ?? (type.startsWith('TEXT') ? '' : 0)] as const);
  const names = row.map(([name]) => name).join(', ');
  const marks = row.map(() => '?').join(', ');
  await database.query(
    `INSERT INTO ${table} (${names}) VALUES (${marks})`,
    row.map(([, value]) => value),
  );
}
