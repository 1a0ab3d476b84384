// The law of ending a caller, for any sequence of requests and changes, also at the same time: after the answer nothing of an
// ended caller is open in the database, nothing of a narrowed one that it could not ask for, and nothing of others was touched.

import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eachDatabase } from '../../../test/databases.ts';
import { rounds } from '../../../test/rounds.ts';
import { bearer, connect } from '../../../test/socket-client.ts';
import { password, startWeft, type TestWeft } from '../../../test/weft.ts';

type Value<Source> = Source extends fc.Arbitrary<infer Made> ? Made : never;
type Row = Record<string, string | number | null>;
type Permissions = { agents?: string[]; read?: boolean; commands?: boolean | string[]; emulator?: boolean };

interface Member {
  kind: 'user' | 'app';
  path: string;
  name: string;
  id: string;
  who: number;
  token: string;
  permissions: Permissions;
  isEnded: boolean;
}

/** Each member has agents of its own, so that none supersedes what another has queued. */
const agents = ['1', '2', '3'];
const agentOf = (who: number, agent: string) => `ap-${who}-${agent}`;
const asked = fc.record({
  who: fc.nat(3),
  what: fc.constantFrom('data', 'details', 'command', 'network', 'roll-out', 'own command'),
  about: fc.constantFrom(...agents),
  command: fc.constantFrom('sleep', 'wake'),
});
const granted: fc.Arbitrary<Permissions> = fc.record(
  {
    agents: fc.subarray(agents),
    read: fc.boolean(),
    commands: fc.oneof(fc.boolean(), fc.subarray(['sleep', 'wake'])),
    emulator: fc.boolean(),
  },
  { requiredKeys: [] },
);
const changed = fc.record({
  who: fc.nat(3),
  what: fc.constantFrom('remove', 'disable', 'narrow', 'revoke'),
  granted,
  /** Requests of the same caller that are under way when it happens. */
  meanwhile: fc.array(asked, { maxLength: 3 }),
});
const story = fc.array(fc.oneof({ weight: 3, arbitrary: asked }, { weight: 1, arbitrary: changed }), {
  minLength: 4,
  maxLength: 14,
});

eachDatabase((kind) => {
  let weft: TestWeft;
  let admin: string;
  let shared: Record<string, string> = {};
  let remove = async () => {};

  beforeAll(async () => {
    if (kind.dialect === 'postgres') {
      const namespace = await kind.createNamespace();
      remove = () => namespace.remove();
      shared = { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: randomBytes(32).toString('hex') };
    }
    weft = await startWeft({ WEFT_EMULATOR_MAX_RUNS: '0', WEFT_LIMIT_COMMANDS_PER_APP: '100000', ...shared });
    admin = await weft.admin();
    for (const who of [0, 1, 2, 3]) for (const agent of agents) await weft.agent(agentOf(who, agent));
  });
  afterAll(async () => {
    await weft.stop();
    await remove();
  });

  const rows = (sql: string, ...params: string[]) => weft.platform.database.query<Row>(sql, params);
  const call = (method: string, path: string, token: string, json?: unknown) =>
    weft.request(method, path, { token, ...(json !== undefined && { json }) });

  async function join(memberKind: Member['kind'], who: number): Promise<Member> {
    const name = `m-${randomUUID()}${memberKind === 'user' ? '@weft.test' : ''}`;
    const token = memberKind === 'user' ? await weft.user(name, ['admin']) : await weft.app(name);
    const table = memberKind === 'user' ? 'users WHERE username' : 'third_party_apps WHERE app_name';
    const [{ id }] = (await rows(`SELECT id FROM ${table} = ?`, name)) as [{ id: string }];
    const path = `/api/v1/${memberKind === 'user' ? 'users' : 'third_party_apps'}/${name}`;
    return { kind: memberKind, path, name, id, who, token, permissions: {}, isEnded: false };
  }

  /** What comes of it is not looked at: refusals, conflicts and ends are all part of the story. */
  async function ask({ who, token }: Member, { what, about, command }: Value<typeof asked>): Promise<void> {
    const ap_id = agentOf(who, about);
    const [start, end] = [-60_000, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const post = async (path: string, json?: unknown) => {
      const answer = await call('POST', path, token, json);
      expect(answer.status, answer.text).toBeLessThan(500);
      return answer;
    };
    if (what === 'data') {
      await post(`/api/v1/agent_data/request_agent_data?agent_id=${ap_id}&start_time=${start}&end_time=${end}`);
    } else if (what === 'details') await post('/api/v1/agent_details/request_all_agents_details');
    else if (what === 'command') await post(`/api/v1/send_command?agent_id=${ap_id}&command=${command}&hold_seconds=0`);
    else if (what === 'roll-out') {
      const stages = [{ percent: 40, pause_s: 600 }];
      await post('/api/v1/commands/batch', { agents: agents.map((agent) => agentOf(who, agent)), command, stages });
    } else {
      const wifi = {
        access_point_type: 'WiFi',
        num_access_points: 1,
        locations: ['Bristol'],
        num_devices: 1,
        duration: 60,
      };
      const { body } = await post('/api/v1/emulator/spinup', { emulators: [wifi] });
      const own = what === 'own command' ? body.agents?.[0]?.ap_id : undefined;
      if (own) await post(`/api/v1/send_command?agent_id=${own}&command=${command}`);
    }
  }

  const toPermissions = ({ who }: Member, { agents: own, ...rest }: Permissions): Permissions => ({
    ...rest,
    ...(own && { agents: own.map((agent) => agentOf(who, agent)) }),
  });

  async function change(member: Member, { what, granted: permissions }: Value<typeof changed>) {
    const isUser = member.kind === 'user';
    if (what === 'remove' || (what === 'disable' && !isUser)) return call('DELETE', member.path, admin);
    if (what === 'disable') return call('PUT', `/api/v1/disabled_users/${member.name}`, admin);
    if (what === 'revoke') {
      return call('PUT', member.path, admin, isUser ? { password: `${password} 2` } : { api_key: randomUUID() });
    }
    return call(
      'PUT',
      member.path,
      admin,
      isUser ? { roles: ['user'] } : { permissions: toPermissions(member, permissions) },
    );
  }

  /** What of a member has not ended, with all that decides whether it may go on. */
  async function open(id: string) {
    return {
      jobs: await rows(
        'SELECT job_number, task_type, subject FROM jobs WHERE owner_id = ? AND ended_at IS NULL ORDER BY 1',
        id,
      ),
      commands: await rows(
        `SELECT c.ap_id, c.name, a.emulated_for FROM commands c LEFT JOIN agents a ON a.ap_id = c.ap_id
         WHERE c.owner_id = ? AND c.ended_at IS NULL ORDER BY c.command_id`,
        id,
      ),
      runs: await rows('SELECT job_number FROM emulator_runs WHERE owner_id = ? AND state IS NULL ORDER BY 1', id),
      leases: await rows('SELECT ap_id FROM leases WHERE caller_id = ? ORDER BY ap_id', id),
      batches: await rows('SELECT batch_id FROM command_batches WHERE owner_id = ? ORDER BY 1', id),
    };
  }
  /** The same without what comes to its own end. */
  async function lasting({ id }: Member) {
    const all = await open(id);
    return { ...all, leases: [], jobs: all.jobs.filter(({ task_type }) => task_type !== 'agent_details') };
  }
  const nothing = { jobs: [], commands: [], runs: [], leases: [], batches: [] };

  /** By the rules as they are written down, not as the code has them. */
  function expectPermitted(member: Member, left: Awaited<ReturnType<typeof open>>): void {
    const { agents: globs, read, commands, emulator } = member.permissions;
    const isDemoted = member.kind === 'user';
    const sees = (ap_id: unknown) => globs === undefined || globs.includes(String(ap_id));
    for (const { task_type, subject } of left.jobs) {
      if (task_type !== 'agent_data' && task_type !== 'agent_details') continue;
      expect(read).not.toBe(false);
      if (subject !== null) expect(sees(subject), String(subject)).toBe(true);
    }
    for (const { ap_id, name, emulated_for } of left.commands) {
      expect(sees(ap_id) || emulated_for === member.id).toBe(true);
      if (isDemoted) expect(emulated_for).toBe(member.id);
      expect(commands).not.toBe(false);
      if (Array.isArray(commands)) expect(commands).toContain(name);
    }
    if (emulator === false) expect(left.runs).toEqual([]);
  }

  it('holds for every story', () =>
    fc.assert(
      fc.asyncProperty(story, async (steps) => {
        const members = [await join('app', 0), await join('app', 1), await join('user', 2), await join('user', 3)];
        for (const step of steps) {
          const member = members[step.who]!;
          if (!('granted' in step)) {
            await ask(member, step);
            continue;
          }
          if (member.isEnded) continue;
          const others = members.filter((other) => other !== member);
          const before = await Promise.all(others.map(lasting));
          const [answer] = await Promise.all([
            change(member, step),
            ...step.meanwhile.map((each) => ask(member, each)),
          ]);
          expect(answer.status, answer.text).toBe(200);
          const left = await open(member.id);
          member.isEnded = step.what === 'remove' || step.what === 'disable';
          if (step.what === 'narrow')
            member.permissions = member.kind === 'user' ? {} : toPermissions(member, step.granted);
          if (member.isEnded) expect(left).toEqual(nothing);
          else if (step.what === 'narrow') expectPermitted(member, left);
          else {
            // A new key: the old token lets nobody in, so that nothing can be queued after it.
            expect([left.commands, left.batches]).toEqual([[], []]);
            member.isEnded = true;
          }
          expect(await Promise.all(others.map(lasting))).toEqual(before);
        }
        for (const { path } of members) await call('DELETE', path, admin);
        for (const { id } of members) expect(await open(id)).toEqual(nothing);
      }),
      { numRuns: kind.dialect === 'sqlite' ? rounds(20, 5) : rounds(10, 2) },
    ));

  it('a change that fails after its steps leaves everything as it was', async () => {
    const member = await join('app', 0);
    for (const what of ['data', 'own command', 'roll-out'] as const) {
      await ask(member, { who: 0, what, about: '1', command: 'wake' });
    }
    const before = await open(member.id);
    const entries = await rows('SELECT COUNT(*) AS count FROM audit_log');
    const event = weft.events.callerChanged as { -readonly [Key in 'run']: TestWeft['events']['callerChanged'][Key] };
    const { run } = event;
    event.run = async (...args) => {
      await run(...args);
      throw new Error('the process dies here');
    };
    try {
      expect((await call('DELETE', member.path, admin)).status).toBe(500);
    } finally {
      event.run = run;
    }
    expect(await open(member.id)).toEqual(before);
    expect(await rows('SELECT COUNT(*) AS count FROM audit_log')).toEqual(entries);
    expect((await call('GET', '/api/v1/jobs', member.token)).status).toBe(200);
    expect((await call('DELETE', member.path, admin)).status).toBe(200);
    expect(await open(member.id)).toEqual(nothing);
  });

  describe.skipIf(kind.dialect !== 'postgres')('on two nodes', () => {
    it('the worker and the sockets of the other node end, whether or not they are notified', async () => {
      const other = await startWeft({ WEFT_EMULATOR_MAX_RUNS: '0', ...shared });
      try {
        const member = await join('user', 2);
        const [start, end] = [-60_000, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString());
        const path = `/api/v1/agent_data/request_agent_data?agent_id=${agentOf(2, '1')}&start_time=${start}&end_time=${end}`;
        const { body } = await other.request('POST', path, { token: member.token });
        const running = async () =>
          Number(/weft_jobs_running (\d+)/.exec((await other.request('GET', '/metrics')).text)![1]);
        await expect.poll(running).toBe(1);
        const socket = await connect(other.url, body.websocket, bearer(member.token));
        expect((await call('DELETE', member.path, admin)).status).toBe(200);
        await socket.closed;
        await expect.poll(running).toBe(0);
        expect(await open(member.id)).toEqual(nothing);
      } finally {
        await other.stop();
      }
    });
  });
});
