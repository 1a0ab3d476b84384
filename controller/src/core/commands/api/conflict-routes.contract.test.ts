// Two callers who want different things, over HTTP: every policy, every verdict, who is told what; the rules, and the
// list of conflicts.
import type { ConflictRules } from '@weft/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

let weft: TestWeft;
let admin: string;
let ann: string;
let bob: string;
let boss: string;
let defaults: ConflictRules;
let agents = 0;

const group = (name: string, more: object) => ({
  name,
  technology: null,
  parameters: [name, `${name}_too`],
  scope: 'agent',
  policy: 'priority',
  loser: 'reject',
  hold_s: 30,
  min_interval_ms: 0,
  ...more,
});
const putRules = (json: unknown, token = admin) => weft.request('PUT', '/api/v1/conflicts/rules', { token, json });

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  ann = await weft.app('ann');
  bob = await weft.app('bob');
  boss = await weft.app('boss', { priority: 90 });
  defaults = (await weft.request('GET', '/api/v1/conflicts/rules', { token: ann })).body;
  const groups = [
    group('ranked', {}),
    group('first', { policy: 'first_wins' }),
    group('last', { policy: 'last_wins' }),
    group('least', { policy: 'merge', merge: 'min' }),
    group('mean', { policy: 'merge', merge: 'mean' }),
    group('patient', { policy: 'first_wins', loser: 'queue', hold_s: 1 }),
    group('slow', { min_interval_ms: 60_000 }),
    ...defaults.groups,
  ];
  const { status, body } = await putRules({ ...defaults, groups });
  expect([status, body.groups?.length]).toEqual([200, groups.length]);
});
afterAll(() => weft.stop());

/** A fresh agent, on a site of its own unless told. */
async function newAgent(configuration: Record<string, unknown> = {}, site?: string): Promise<string> {
  const ap_id = `ap-${++agents}`;
  const json = { ap_id, password, configuration };
  expect((await weft.request('POST', '/api/v1/agents/', { token: admin, json })).status).toBe(200);
  await weft.request('POST', '/api/v1/sites', { token: admin, json: { path: site ?? ap_id } });
  const labels = { token: admin, json: { site: site ?? ap_id } };
  expect((await weft.request('PATCH', `/api/v1/agents/${ap_id}/labels`, labels)).status).toBe(200);
  return ap_id;
}
const send = (token: string, agent_id: string, name: string, args: object = {}, query: Record<string, string> = {}) =>
  weft.request(
    'POST',
    `/api/v1/send_command?${new URLSearchParams({ agent_id, command: JSON.stringify({ name, ...args }), ...query })}`,
    { token },
  );
const read = async (command_id: string) =>
  (await weft.request('GET', `/api/v1/commands/${command_id}`, { token: admin })).body;
const messagesOf = async (job_number: string) =>
  (await weft.request('GET', `/api/v1/jobs/${job_number}`, { token: admin })).body.messages;

test('conflicts are found by the name of who asked or held', async () => {
  const ap = await newAgent();
  expect((await send(boss, ap, 'set_ranked', { ranked: 1 })).status).toBe(200);
  expect((await send(bob, ap, 'set_ranked', { ranked: 2 })).status).toBe(409);
  const found = async (caller: string, token = admin) => {
    const query = new URLSearchParams({ agent: ap, caller });
    return (await weft.request('GET', `/api/v1/conflicts?${query}`, { token })).body.conflicts.length;
  };
  expect([await found('bob'), await found('boss'), await found('ann'), await found('boss', ann)]).toEqual([1, 1, 0, 0]);
});

test('what moves the same thing is accepted and told: on one cell, and at one place across technologies', async () => {
  const place = (access_point_type: string, latitude: number) => ({
    access_point_type,
    geolocation: { latitude, longitude: 11.1 },
  });
  const cell = await newAgent(place('5G', 47.1));
  expect((await send(ann, cell, 'set_tilt', { degrees: 4 })).body.reason).toBe('free');
  const told = (await send(bob, cell, 'set_handover_margin', { db: 2 })).body;
  expect(told).toMatchObject({ reason: 'related', rival: { caller_name: 'ann', parameter: 'tilt' } });
  const hall = await newAgent(place('WiFi', 47.102));
  const far = await newAgent(place('WiFi', 47.2));
  for (const ap of [hall, far]) expect((await send(ann, ap, 'sleep')).status).toBe(200);
  const quota = (await send(bob, cell, 'set_prb_quota', { percent: 40 })).body;
  expect(quota).toMatchObject({ reason: 'related', rival: { ap_id: hall, parameter: 'power_state' } });
  expect(quota.detail).toContain('nearby');
  // The other way round.
  const lamp = await newAgent(place('LiFi', 47.101));
  expect((await send(ann, lamp, 'sleep')).body).toMatchObject({ reason: 'related', rival: { ap_id: cell } });
});

describe('the loser', () => {
  test('gets 409 with who holds it and until when, and nothing of it stays', async () => {
    const ap = await newAgent();
    const first = await send(ann, ap, 'set_ranked', { v: 1 });
    const { status, body, headers } = await send(bob, ap, 'set_ranked', { v: 2 });
    const rival = {
      command_id: first.body.command_id,
      caller_kind: 'third_party_app',
      caller_name: 'ann',
      ap_id: ap,
      parameter: 'ranked',
      until: first.body.hold_until,
    };
    expect([status, body]).toEqual([
      409,
      {
        code: 'command_conflict',
        detail: expect.stringContaining('app ann holds ranked'),
        verdict: 'rejected',
        reason: 'held_by_other',
        rival,
        lease_until: first.body.hold_until,
      },
    ]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(20);
    expect((await weft.request('GET', `/api/v1/commands?agent=${ap}`, { token: bob })).body).toEqual([]);
  });

  test('of another parameter of the group is told so', async () => {
    const ap = await newAgent();
    await send(ann, ap, 'set_ranked', { v: 1 });
    expect((await send(bob, ap, 'set_ranked_too', { v: 2 })).body.reason).toBe('held_in_group');
  });

  test('next door is told so where radios disturb each other', async () => {
    const [near, next, far] = await Promise.all(
      [0, 0.0003, 0.1].map((step) =>
        newAgent({ access_point_type: 'WiFi', geolocation: { lat: 60, long: 24 + step } }),
      ),
    );
    expect((await send(ann, near!, 'set_channel', { channel: 1 })).status).toBe(200);
    const { status, body } = await send(bob, next!, 'set_channel', { channel: 6 });
    expect([status, body.reason, body.rival.ap_id]).toEqual([409, 'held_in_group', near]);
    expect((await send(bob, far!, 'set_channel', { channel: 6 })).status).toBe(200);
  });

  test('that comes too soon is told when to come back', async () => {
    const ap = await newAgent();
    await send(ann, ap, 'set_slow', { v: 1 });
    const { status, body, headers } = await send(bob, ap, 'set_slow', { v: 1 });
    expect([status, body.reason]).toEqual([409, 'too_soon']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(50);
  });

  test('waits where the group says so, and gets it when the lease ends', async () => {
    const ap = await newAgent();
    await send(ann, ap, 'set_patient', { v: 1 });
    const { status, body } = await send(bob, ap, 'set_patient', { v: 2 });
    expect([status, body]).toMatchObject([200, { verdict: 'queued', reason: 'waits_for_lease', hold_until: null }]);
    expect(Date.parse(body.deliver_after)).toBeGreaterThan(Date.now());
    const word = await weft.request('POST', `/api/v1/agents/${ap}/commands/${body.command_id}`, {
      token: await weft.login('agent', ap),
      json: { state: 'received' },
    });
    expect(word.status).toBe(404);
    await expect.poll(() => read(body.command_id).then(({ verdict }) => verdict)).toBe('accepted');
    expect(await read(body.command_id)).toMatchObject({ state: 'queued', deliver_after: null, reason: 'free' });
    expect((await messagesOf(body.job_number))[0].data[0]).toMatchObject({ state: 'queued', verdict: 'accepted' });
  });
});

describe('the winner', () => {
  test.each([
    ['a person over an app', () => ann, () => admin, 'ranked', 'higher_rank'],
    ['the higher priority', () => ann, () => boss, 'ranked', 'higher_priority'],
    ['the last one, where the last wins', () => ann, () => bob, 'last', 'last_wins'],
  ])('is %s, and the other is told', async (_, loser, winner, parameter, reason) => {
    const ap = await newAgent();
    const lost = (await send(loser(), ap, `set_${parameter}`, { v: 1 })).body;
    const won = await send(winner(), ap, `set_${parameter}`, { v: 2 });
    expect([won.status, won.body]).toMatchObject([200, { verdict: 'accepted', reason, rival: { caller_name: 'ann' } }]);
    expect((await read(lost.command_id)).state).toBe('superseded');
    const messages = await messagesOf(lost.job_number);
    expect(messages.map(({ type, final }: never) => [type, final])).toEqual([
      ['command', false],
      ['status', true],
    ]);
    expect(messages[0].data[0]).toMatchObject({ command_id: lost.command_id, state: 'superseded' });
    // The loser holds nothing any more.
    expect((await send(winner(), ap, `set_${parameter}`, { v: 3 })).body.reason).toBe('own_lease');
  });

  test('is the first where the first wins, but never over a person', async () => {
    const ap = await newAgent();
    await send(ann, ap, 'set_first', { v: 1 });
    expect((await send(boss, ap, 'set_first', { v: 2 })).status).toBe(409);
    expect((await send(admin, ap, 'set_first', { v: 3 })).status).toBe(200);
  });

  test('is nobody where both want the same', async () => {
    const ap = await newAgent();
    await send(ann, ap, 'set_ranked', { v: 1 });
    expect((await send(bob, ap, 'set_ranked', { v: 1 })).body).toMatchObject({
      verdict: 'accepted',
      reason: 'same_value',
    });
  });

  test.each([
    ['least', 10],
    ['mean', 15],
  ])('is a merge by %s, and what was merged is sent', async (parameter, dbm) => {
    const ap = await newAgent();
    await send(ann, ap, `set_${parameter}`, { dbm: 10 });
    const { body } = await send(bob, ap, `set_${parameter}`, { dbm: 20 });
    expect(body).toMatchObject({ verdict: 'accepted_modified', reason: 'merged', sent_args: { dbm } });
    expect(await read(body.command_id)).toMatchObject({ args: { dbm: 20 }, sent_args: { dbm } });
  });

  test('keeps what it holds for as long as it said', async () => {
    const ap = await newAgent();
    const { body } = await send(ann, ap, 'set_ranked', { v: 1 }, { hold_seconds: '0' });
    expect(body.hold_until).toBeNull();
    expect((await send(bob, ap, 'set_ranked', { v: 2 })).status).toBe(200);
  });
});

test('S3: of a hundred commands of two callers at once to one parameter those of one are taken', async () => {
  const ap = await newAgent();
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, v) => send(v % 2 ? ann : bob, ap, 'set_slow', { v })),
  );
  const statusesOf = (who: number) => new Set(answers.filter((_, v) => v % 2 === who).map(({ status }) => status));
  expect([statusesOf(0), statusesOf(1)].toSorted((a, b) => [...a][0]! - [...b][0]!)).toEqual([
    new Set([200]),
    new Set([409]),
  ]);
});

test('two callers who undo each other’s work freeze the parameter for apps; a person passes', async () => {
  const ap = await newAgent();
  let status = 200;
  for (let v = 0; v < 12 && status === 200; v += 1) {
    status = (await send(v % 2 ? ann : bob, ap, 'set_last', { v: v % 2 })).status;
  }
  expect(status).toBe(409);
  expect((await send(ann, ap, 'set_last', { v: 5 })).body.reason).toBe('frozen');
  const { body } = await weft.request('GET', `/api/v1/conflicts?agent=${ap}`, { token: admin });
  expect(body.conflicts.map(({ kind }: { kind: string }) => kind)).toContain('parameter_frozen');
  expect((await send(admin, ap, 'set_last', { v: 6 })).status).toBe(200);
});

test('one app takes no more of a site than it may', async () => {
  const site = 'tower';
  const aps = await Promise.all(
    Array.from({ length: 22 }, () => newAgent({ site: 'what it says of itself does not count' }, site)),
  );
  const answers = [];
  for (const ap of aps) answers.push(await send(ann, ap, 'sleep'));
  expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(200), 409, 409]);
  expect(answers.at(-1)!.body).toMatchObject({
    reason: 'blast_radius',
    detail: expect.stringContaining('command 20 access points at this site within 60 s'),
  });
});

describe('the rules', () => {
  test('that make no sense are refused, and those in force stay', async () => {
    const before = (await weft.request('GET', '/api/v1/conflicts/rules', { token: ann })).body;
    const { status, body } = await putRules({ ...defaults, groups: [group('x', { policy: 'merge' })] });
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'groups', 0, 'merge']]);
    expect((await putRules(defaults, ann)).status).toBe(403);
    expect((await weft.request('GET', '/api/v1/conflicts/rules', { token: ann })).body).toEqual(before);
  });
});

test('conflicts are listed: everything to users, to apps what concerns them, in pages', async () => {
  const ap = await newAgent();
  await send(ann, ap, 'set_ranked', { v: 1 });
  await send(bob, ap, 'set_ranked', { v: 2 });
  await send(bob, ap, 'set_ranked', { v: 3 });
  const list = async (token: string, query = '') =>
    (await weft.request('GET', `/api/v1/conflicts?agent=${ap}${query}`, { token })).body;
  const seen = await list(admin);
  expect(seen.conflicts).toHaveLength(2);
  expect(seen.conflicts[0]).toMatchObject({
    kind: 'command_decided',
    ap_id: ap,
    caller_name: 'bob',
    verdict: 'rejected',
    reason: 'held_by_other',
    rival: { caller_name: 'ann' },
    command: '{"v":3,"name":"set_ranked"}',
    sent_command: null,
    priority: 50,
    rival_command: '{"v":1,"name":"set_ranked"}',
    rival_priority: 50,
  });
  // Each side knows what it asked for, and administrators know both.
  const unknown = { command: null, sent_command: null, priority: null };
  const unknownRival = { rival_command: null, rival_priority: null };
  const change = (more: object) => ({
    ...seen,
    conflicts: seen.conflicts.map((conflict: object) => ({ ...conflict, ...more })),
    items: seen.conflicts.map((conflict: object) => ({ ...conflict, ...more })),
  });
  expect(await list(ann)).toEqual(change(unknown));
  expect(await list(bob)).toEqual(change(unknownRival));
  expect(await list(await weft.user('reader@weft.test'))).toEqual(change({ ...unknown, ...unknownRival }));
  expect((await list(boss)).conflicts).toEqual([]);
  const page = await list(admin, '&limit=1');
  expect((await list(admin, `&limit=1&before=${page.next_before}`)).conflicts).toEqual([seen.conflicts[1]]);
  expect((await list(admin, `&limit=1&cursor=${page.next}`)).items).toEqual([seen.conflicts[1]]);
  expect((await list(admin, '&reason=frozen')).conflicts).toEqual([]);
});
