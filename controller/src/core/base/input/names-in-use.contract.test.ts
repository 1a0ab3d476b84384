// A name that every object of JavaScript knows is a name like any other wherever people, programs and access points give names; and
// what older versions have stored under one, or a file brings, gives nobody a right.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommand } from '../../../../../cli/src/commands/import-command.ts';
import { tellFailure } from '../../../../../cli/src/failures.ts';
import { execute } from '../../../../../cli/src/run-weft.ts';
import { addedNames, oddNames, withOddKeys } from '../../../../../test/odd-names.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { bearer, connect } from '../../../../../test/socket-client.ts';
import { type Answer, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { type ConfigError, loadConfig } from '../config.ts';

type Story = Record<string, unknown>;
/** Names of the same form. */
const like = (name: string) =>
  name === '__proto__' ? '__other__' : name === 'hasOwnProperty' ? 'hasAnyProperty' : 'ordinary';

let weft: TestWeft;
let admin: string;
let innocent: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-names-'));
  weft = await startWeft({ WEFT_DATA_DIR: join(folder, 'data'), WEFT_EMULATOR_MAX_RUNS: '0' });
  admin = await weft.admin();
  innocent = await weft.app('innocent');
});
afterAll(async () => {
  await weft.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function expectNobodyGained(): Promise<void> {
  expect(addedNames()).toEqual([]);
  for (const path of ['/config/layers', '/rollouts', '/config/secrets', '/audit', '/users/']) {
    const { status } = await weft.request('GET', `/api/v1${path}`, { token: innocent });
    expect([path, status]).toEqual([path, 403]);
  }
  const raised = { key: 'x', ap_id: null, severity: 'minor', text: 'x' };
  expect((await weft.request('POST', '/api/v1/alarms/raise', { token: innocent, json: raised })).status).toBe(403);
}

/** As a client writes it: a key called __proto__ is one. */
const keyed = (name: string, value: unknown): Record<string, unknown> => Object.fromEntries([[name, value]]);

/** What happens to somebody who calls everything so. */
async function story(name: string): Promise<Story> {
  const found: Story = {};
  const path = encodeURIComponent(name);
  const ask = async (what: string, method: string, address: string, json?: unknown, token = admin): Promise<Answer> => {
    const answer = await weft.request(method, `/api/v1${address}`, { token, ...(json !== undefined && { json }) });
    expect(answer.status, `${what}: ${answer.text}`).toBeLessThan(500);
    expect(answer.text, what).not.toContain('[native code]');
    found[what] = answer.status === 422 ? 422 : `${answer.status} ${answer.body?.code ?? ''}`;
    return answer;
  };
  const declared = {
    metrics: keyed(name, { label: 'Own', unit: 'dB' }),
    commands: [{ name, parameter: name, params: keyed(name, { type: 'integer' }) }],
    settings: { ...keyed(name, { type: 'integer' }), ...keyed(`${name}.${name}`, { type: 'integer' }) },
  };
  await ask('agent', 'POST', '/agents/', {
    ap_id: name,
    password,
    configuration: { ...keyed(name, { a: 1 }), ...declared },
  });
  const own = await weft.login('agent', name);
  const { body: agent } = await ask('agent again', 'GET', `/agents/${path}`);
  found.configuration = JSON.stringify(agent.configuration).replaceAll(name, '§');
  await ask('site', 'POST', '/sites', { path: name, name });
  await ask('site again', 'POST', '/sites', { path: name, name });
  await ask('labels', 'PATCH', `/agents/${path}/labels`, { tags: [name], site: name, display_name: name });
  await ask('listed', 'GET', `/agents?selector=${encodeURIComponent(`tag:"${name}" site:"${name}" name:"${name}"`)}`);
  await ask('sorted', 'GET', `/agents?sort=${path}`);
  await ask('unknown query', 'GET', `/sites?${path}=1`);

  const report = { ...keyed(name, 5), power_state: name, devices: [{ id: name, rssi_dbm: -50 }] };
  await ask('report', 'POST', '/agent_update/update', report, own);
  await ask('report as text', 'POST', '/agent_update/update', keyed(name, name), own);
  const line = {
    token: own,
    body: `${name},${name}=${name} ${name}line=6\n`,
    headers: { 'content-type': 'text/plain' },
  };
  found.line = (await weft.request('POST', `/api/v1/write?agent=${path}`, line)).status;
  const { body: latest } = await ask('newest', 'GET', `/metrics/latest?agents=${path}`);
  found.newest = Object.entries(latest.agents[0].metrics).map(([key, { value }]: [string, any]) => [
    key.replaceAll(name, '§'),
    value,
  ]);
  await ask('data', 'GET', `/metrics/agent_data?agent=${path}&metric=${path}&window=1h`);
  await ask('several', 'GET', `/metrics/agent_multi_metric_data?agent=${path}&metrics=${path}&window=1h`);
  await ask('metrics', 'GET', `/metrics/agent_metrics?agent=${path}`);
  await ask('export', 'GET', `/metrics/export?agent=${path}&format=csv`);
  await ask('devices', 'GET', `/agents/${path}/devices`);
  await ask('device', 'GET', `/devices/${path}`);

  await ask('variable', 'PUT', '/config/variables', { ap_id: name, name, value: 1 });
  await ask('secret', 'PUT', '/config/secrets', { name, value: 'abcd' });
  const layer = { name, selector: `name:"${name}"`, weight: 1, settings: keyed(name, 1) };
  const nested = { ...layer, weight: 2, settings: keyed(name, keyed(name, 2)) };
  for (const [what, settings] of [
    ['a setting', layer],
    ['a nested setting', nested],
  ] as const) {
    const { status, body } = await ask(what, 'POST', '/config/change_sets', { title: name, layers: [settings] });
    if (status !== 200) {
      expect(body.detail[0].loc.slice(0, 5)).toEqual(['body', 'layers', 0, 'settings', name]);
      continue;
    }
    const { body: preview } = await ask(`${what}, previewed`, 'POST', `/config/change_sets/${body.id}/preview`);
    found[`${what}, changes`] = JSON.stringify(preview.groups).replaceAll(name, '§');
    if (what === 'a nested setting') continue;
    const { body: rollout } = await ask(`${what}, rolled out`, 'POST', `/config/change_sets/${body.id}/rollout`, {});
    const { next } = await untilSo(async () => {
      const { body } = await weft.request('GET', `/api/v1/agents/${path}/config/next?wait=1`, { token: own });
      expect(body.next).toMatchObject({ type: 'config' });
      return body;
    });
    found[`${what}, given`] = JSON.stringify(next.settings).replaceAll(name, '§');
    await ask(
      'applied',
      'POST',
      `/agents/${path}/config/${next.id}/result`,
      { hash: next.hash, state: 'applied' },
      own,
    );
    const runs = { hash: next.hash, settings: next.settings };
    for (const n of [1, 2]) await ask(`runs it ${n}`, 'POST', `/agents/${path}/config/running`, runs, own);
    await untilSo(async () =>
      expect((await weft.request('GET', `/api/v1/rollouts/${rollout.id}`, { token: admin })).body.state).toBe(
        'completed',
      ),
    );
    const { body: why } = await ask('why', 'GET', `/agents/${path}/config?view=why`);
    found.why = JSON.stringify(why.leaves.map(({ layer: _, ...leaf }: Story) => leaf)).replaceAll(name, '§');
  }
  const other = { hash: null, settings: { ...keyed(name, 7), a: keyed(name, { weftZzz: 'x' }) } };
  await ask('runs another', 'POST', `/agents/${path}/config/running`, other, own);
  await ask('differs', 'GET', `/agents/${path}/config?view=diff`);
  const { status: adopted } = await ask('adopted', 'POST', `/agents/${path}/config/adopt`, { why: name });
  expect([200, 409]).toContain(adopted);

  const rule = {
    name,
    condition: { metric: name, op: '>', value: 1 },
    severity: 'minor',
    labels: keyed(name, name),
    selector: '',
  };
  await ask('alarm rule', 'POST', '/alarm_rules', rule);
  await ask('alarm rule again', 'POST', '/alarm_rules', rule);
  const permissions = {
    ...keyed(name, { config: 'roll_out', alarms: true, callbacks: true }),
    agents: [name],
    alarms: true,
    commands: keyed(name, keyed(name, { max: 3 })),
  };
  await ask('app', 'POST', '/third_party_apps/', { app_name: name, api_key: password, permissions });
  const app = await weft.login('third_party_app', name);
  for (const address of ['/config/layers', '/rollouts', '/users/'])
    await ask(`app ${address}`, 'GET', address, undefined, app);
  await ask('app raises', 'POST', '/alarms/raise', { key: name, ap_id: name, severity: 'minor', text: name }, app);
  const send = (what: string, command: object, token?: string) =>
    ask(
      what,
      'POST',
      `/send_command?agent_id=${path}&command=${encodeURIComponent(JSON.stringify(command))}`,
      undefined,
      token,
    );
  for (const value of [2, 4]) await send(`command ${value}`, { name, ...keyed(name, value) }, app);
  await send('another argument', { name, ...keyed(`${name}x`, 1) });
  await send('another command', { name: `${name}x`, ...keyed(name, 1) });
  await send('arguments of objects', { name, ...keyed(name, keyed(name, { weftZzz: 1 })) });
  const { body: rules } = await ask('conflict rules', 'GET', '/conflicts/rules');
  await ask('conflict group', 'PUT', '/conflicts/rules', {
    ...rules,
    groups: [...rules.groups, { name, parameters: [name], policy: 'priority' }],
  });
  await weft.user(`${name.toLowerCase()}@weft.test`);
  const grants = [{ role: 'viewer', selector: `tag:"${name}"`, ...keyed(name, { role: 'manager' }) }];
  await ask('grants', 'PUT', `/users/${name.toLowerCase()}@weft.test/grants`, grants);
  for (const address of [
    `/jobs/${path}`,
    `/commands/${path}`,
    `/rollouts/${path}`,
    `/emulator/${path}`,
    `/alarms/${path}`,
  ])
    await ask(address.replace(path, '§'), 'GET', address);
  await ask('health', 'GET', `/health/agents/${path}`);
  await ask('energy', 'GET', `/energy?selector=${encodeURIComponent(`tag:"${name}"`)}&window=1h`);

  const channel = await connect(weft.url, `/api/v1/agents/${path}/channel`, bearer(own));
  const messages = [
    { type: name },
    keyed(name, { type: 'hello' }),
    { type: 'telemetry', id: 1, ...keyed(name, 8) },
    { type: 'telemetry', id: 2, samples: [keyed(name, keyed(name, 1))] },
    { type: 'command_result', command_id: name, state: 'succeeded', applied: keyed(name, 1) },
    { type: 'config_result', id: name, hash: name, state: 'refused', reason: name, ...keyed(name, 1) },
    { type: 'config_running', hash: null, settings: keyed(name, { weftZzz: 'x', config: 'roll_out' }) },
    { type: 'hello', ...keyed(name, 1) },
  ];
  for (const message of messages) channel.socket.send(JSON.stringify(message));
  channel.socket.send(JSON.stringify({ type: 'telemetry', id: 9, last: 1 }));
  const said = await untilSo(async () => {
    expect(channel.messages).toContainEqual(expect.objectContaining({ type: 'telemetry_ack', id: 9 }));
    return channel.messages.filter(({ type }) => type !== 'config' && type !== 'command');
  });
  found.channel = said.map(({ type, id, code }) => [type, id, code].join(' ')).sort();
  expect(JSON.stringify(said)).not.toContain('[native code]');
  channel.socket.close();
  return found;
}

describe('a name that every object knows', () => {
  const ordinary = new Map<string, Promise<Story>>();

  test.each(oddNames)('%s is a name like others', async (name) => {
    const other = like(name);
    if (!ordinary.has(other)) ordinary.set(other, story(other));
    const expected = { ...(await ordinary.get(other)) };
    const found = await story(name);
    if (name === '__proto__') {
      // The one that is no setting; nothing else differs.
      expect([found['a setting'], found['a nested setting']]).toEqual([422, 422]);
      for (const what of Object.keys(expected)) {
        if (/setting|applied|runs it|why|differs|adopted/.test(what))
          for (const each of [found, expected]) delete each[what];
      }
    }
    expect(found).toEqual(expected);
    await expectNobodyGained();
  });
});

test.each(oddNames)('weft import takes a column called %s, and the name of an agent', async (name) => {
  const agent = `import-${name.replaceAll('_', '')}`;
  await weft.agent(agent);
  const file = join(folder, 'history.csv');
  const second = Math.floor(Date.now() / 1000) - 60;
  const said = { out: '', err: '' };
  const around = {
    env: { HOME: folder, WEFT_URL: weft.url, WEFT_TOKEN: admin },
    stdin: new PassThrough().end(),
    stdout: { write: (text: string | Uint8Array) => (said.out += text) },
    stderr: { write: (text: string | Uint8Array) => (said.err += text) },
  };
  const run = async (text: string, args: string[]) => {
    writeFileSync(file, text);
    return execute(importCommand, [file, ...args], around as never).catch((error) =>
      tellFailure(error, around as never),
    );
  };
  expect(await run(`ts,${name}\n${second},7\n`, ['--agent', agent]), said.err).toBe(0);
  const [row] = await weft.rowsOf(agent);
  expect(Object.entries(row!)).toContainEqual([name, 7]);
  expect(await run(`ts,host,a\n${second},${name}-nobody,7\n`, ['--agent-tag', 'host'])).toBe(1);
  expect(said.out + said.err).not.toContain('[native code]');
  await expectNobodyGained();
});

test.each(oddNames)('a settings file with %s says that there is no such setting', (name) => {
  const problemsOf = (key: string) => {
    try {
      loadConfig({ env: {}, file: keyed(key, 'x') as Record<string, string>, flags: {} });
      return [];
    } catch (error) {
      return (error as ConfigError).problems.map((problem) =>
        problem.replaceAll(key, '§').replace(/,? ?did you mean.*$/i, ''),
      );
    }
  };
  expect(problemsOf(name)).toEqual(problemsOf('ordinaryName'));
});

test('what was stored under such a name, at every depth, gives nobody a right, and all of it is listed', async () => {
  const { database } = weft.platform;
  const tables = await database.query<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table'`);
  let changed = 0;
  for (const { name: table } of tables) {
    if (/^sqlite_|migrations|audit/.test(table)) continue;
    for (const row of await database
      .query<Record<string, string | number | null>>(`SELECT rowid AS its_row, * FROM ${table}`)
      .catch(() => [])) {
      for (const [column, value] of Object.entries(row)) {
        if (typeof value !== 'string' || !/^[[{]/.test(value)) continue;
        const text = JSON.stringify(withOddKeys(JSON.parse(value), '__proto__'));
        if (text === value) continue;
        changed++;
        await database.query(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`, [text, Number(row.its_row)]);
      }
    }
  }
  expect(changed).toBeGreaterThan(50);
  await weft.stop();
  weft = await startWeft({ WEFT_DATA_DIR: join(folder, 'data'), WEFT_EMULATOR_MAX_RUNS: '0' });
  admin = await weft.admin();
  innocent = await weft.login('third_party_app', 'innocent');
  const lists = [
    'agents',
    'agents/',
    'config/layers',
    'config/change_sets',
    'rollouts',
    'alarm_rules',
    'alarms',
    'jobs',
    'commands',
  ];
  lists.push(
    'conflicts',
    'conflicts/rules',
    'events',
    'audit',
    'grants',
    'sites',
    'devices',
    'third_party_apps/',
    'emulator',
    'health',
  );
  for (const list of lists) {
    const { status, text } = await weft.request('GET', `/api/v1/${list}`, { token: admin });
    expect([list, status, status === 200 ? '' : text]).toEqual([list, 200, '']);
  }
  for (const name of oddNames) {
    for (const view of ['desired', 'running', 'diff', 'why']) {
      const { status } = await weft.request('GET', `/api/v1/agents/${name}/config?view=${view}`, { token: admin });
      expect(status).toBe(200);
    }
  }
  await expectNobodyGained();
});
