// Everything that a caller owns ends with it, in the transaction of the change; what it may no longer do, when it is narrowed.
// Looked at in the database itself, on both databases.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eachDatabaseOfServers } from '../../../test/databases.ts';
import { untilSo } from '../../../test/pure/until-so.ts';
import { bearer, connect } from '../../../test/socket-client.ts';
import { password, startWeft, type TestWeft } from '../../../test/weft.ts';
import { openAccounts } from '../offline.ts';

type Row = Record<string, string | number | null>;

const wifi = (num_access_points = 1) => ({
  access_point_type: 'WiFi',
  num_access_points,
  locations: ['Bristol'],
  num_devices: 1,
  duration: 600,
});

eachDatabaseOfServers((kind) => {
  let weft: TestWeft;
  let remove = async () => {};
  let round = 0;
  let admin: string;

  beforeAll(async () => {
    const namespace = kind.dialect === 'postgres' ? await kind.createNamespace() : undefined;
    if (namespace) remove = () => namespace.remove();
    weft = await startWeft({
      WEFT_EMULATOR_MAX_RUNS: '0',
      ...(namespace && {
        WEFT_DATABASE_URL: namespace.address,
        WEFT_SECRET: randomBytes(32).toString('hex'),
      }),
    });
    admin = await weft.admin();
  });
  afterAll(async () => {
    await weft.stop();
    await remove();
  });
  /** New ones for each test: two commands to one agent may be too close to each other. */
  let ap1: string;
  let ap2: string;
  let ap3: string;
  beforeEach(async () => {
    round++;
    [ap1, ap2, ap3] = [`ap-${round}-1`, `ap-${round}-2`, `ap-${round}-3`];
    for (const ap_id of [ap1, ap2, ap3]) {
      await call('POST', '/api/v1/agents/', admin, { ap_id, password, configuration: {} });
    }
  });

  const rows = (sql: string, ...params: string[]) => weft.platform.database.query<Row>(sql, params);
  const call = (method: string, path: string, token: string, json?: unknown) =>
    weft.request(method, path, { token, ...(json !== undefined && { json }) });

  async function accepted(path: string, token: string, json?: unknown) {
    const answer = await call('POST', path, token, json);
    expect(answer.status, `${path}: ${answer.text}`).toBe(200);
    return answer.body;
  }

  const subscribe = (token: string, ap_id: string) => {
    const [start, end] = [new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000)].map((at) =>
      at.toISOString(),
    );
    return accepted(
      `/api/v1/agent_data/request_agent_data?agent_id=${ap_id}&start_time=${start}&end_time=${end}`,
      token,
    );
  };
  const command = (token: string, ap_id: string, name = 'sleep') =>
    accepted(`/api/v1/send_command?agent_id=${ap_id}&command=${name}`, token);
  const spinUp = (token: string, count = 1) => accepted('/api/v1/emulator/spinup', token, { emulators: [wifi(count)] });
  const rollOut = (token: string, pause_s = 600) =>
    accepted('/api/v1/commands/batch', token, {
      agents: [ap1, ap2, ap3],
      command: 'wake',
      stages: [{ percent: 30, pause_s }],
    });

  /** What of this caller has not ended. */
  async function open(id: string) {
    const state = {
      jobs: await rows('SELECT job_number FROM jobs WHERE owner_id = ? AND ended_at IS NULL', id),
      commands: await rows('SELECT command_id FROM commands WHERE owner_id = ? AND ended_at IS NULL', id),
      runs: await rows('SELECT job_number FROM emulator_runs WHERE owner_id = ? AND state IS NULL', id),
      leases: await rows('SELECT command_id FROM leases WHERE caller_id = ?', id),
      batches: await rows('SELECT batch_id FROM command_batches WHERE owner_id = ?', id),
    };
    return Object.fromEntries(Object.entries(state).map(([name, found]) => [name, found.length]));
  }
  const nothing = { jobs: 0, commands: 0, runs: 0, leases: 0, batches: 0 };

  async function app(permissions: Record<string, unknown> = {}) {
    const name = `app-${kind.dialect}-${round}-${randomUUID()}`;
    const token = await weft.app(name, permissions);
    const [{ id }] = (await rows('SELECT id FROM third_party_apps WHERE app_name = ?', name)) as [{ id: string }];
    const path = `/api/v1/third_party_apps/${name}`;
    return { kind: 'third_party_app', name, token, id, path };
  }
  async function user(roles = ['user']) {
    const name = `user-${round}-${randomUUID()}@weft.test`;
    const token = await weft.user(name, roles);
    const [{ id }] = (await rows('SELECT id FROM users WHERE username = ?', name)) as [{ id: string }];
    return { kind: 'user', name, token, id, path: `/api/v1/users/${name}` };
  }

  /** One of everything. */
  async function ask(token: string) {
    const subscription = await subscribe(token, ap1);
    const run = await spinUp(token);
    const sent = await command(token, run.agents[0].ap_id);
    return { subscription, run, sent };
  }

  describe('an end', () => {
    it.each(['removed', 'disabled'])(
      'of a user who is %s takes everything with it, and nothing of others',
      async (what) => {
        const [ada, bob] = [await user(['admin']), await user()];
        const asked = await ask(ada.token);
        await rollOut(ada.token);
        await ask(bob.token);
        const before = await open(bob.id);
        expect(await open(ada.id)).toEqual({ jobs: 4, commands: 2, runs: 1, leases: 2, batches: 1 });
        const socket = await connect(weft.url, asked.subscription.websocket, bearer(ada.token));
        const answer =
          what === 'removed'
            ? await call('DELETE', ada.path, admin)
            : await call('PUT', `/api/v1/disabled_users/${ada.name}`, admin);
        expect(answer.status, answer.text).toBe(200);
        expect(await open(ada.id)).toEqual(nothing);
        expect(await open(bob.id)).toEqual(before);
        const states = await rows('SELECT DISTINCT state FROM jobs WHERE owner_id = ?', ada.id);
        expect(states).toEqual([{ state: 'cancelled' }]);
        expect((await socket.closed).code).toBe(1000);
        expect(socket.messages.at(-1)).toMatchObject({
          type: 'status',
          final: true,
          data: [{ state: 'cancelled', detail: `The account of its owner was ${what}` }],
        });
        expect((await call('GET', '/api/v1/jobs', ada.token)).status).toBe(401);
        // The emulated agents are callers that end with their network.
        const [agent] = await rows('SELECT password_hash FROM agents WHERE ap_id = ?', asked.run.agents[0].ap_id);
        expect(agent).toEqual({ password_hash: 'sha256:revoked' });
      },
    );

    it('of an app takes everything with it; the audit log says so, with the reason and by whom', async () => {
      const lab = await app();
      const asked = await ask(lab.token);
      expect((await call('DELETE', lab.path, admin)).status).toBe(200);
      expect(await open(lab.id)).toEqual(nothing);
      const entries = await rows('SELECT action, actor_name, detail FROM audit_log ORDER BY seq DESC LIMIT 4');
      const detailOf = (action: string) => JSON.parse(String(entries.find((entry) => entry.action === action)!.detail));
      expect(entries.map(({ action }) => action).reverse()).toEqual([
        'app_removed',
        'emulation_ended',
        'commands_cancelled',
        'jobs_ended',
      ]);
      expect(new Set(entries.map(({ actor_name }) => actor_name))).toEqual(new Set(['admin@weft.test']));
      expect(detailOf('commands_cancelled')).toEqual({ reason: 'removed', count: 1, ids: [asked.sent.command_id] });
      expect(detailOf('jobs_ended')).toEqual({ reason: 'removed', count: 1, ids: [asked.subscription.job_number] });
      expect(detailOf('emulation_ended')).toMatchObject({ state: 'cancelled', reason: 'removed' });
    });

    it('of an agent ends its own jobs and those about it', async () => {
      const ap_id = `ap-gone-${round}`;
      const token = await weft.agent(ap_id);
      const own = await subscribe(token, ap_id);
      const about = await subscribe(admin, ap_id);
      const other = await subscribe(admin, ap1);
      expect((await call('DELETE', `/api/v1/agents/${ap_id}`, admin)).status).toBe(200);
      for (const { job_number } of [own, about]) {
        const found = await rows('SELECT state, detail FROM jobs WHERE job_number = ?', job_number);
        expect(found).toEqual([{ state: 'failed', detail: `Agent ${ap_id} has been removed` }]);
      }
      expect(await rows('SELECT ended_at FROM jobs WHERE job_number = ?', other.job_number)).toEqual([
        { ended_at: null },
      ]);
    });

    it('of an emulated network ends the jobs of its agents', async () => {
      const lab = await app();
      const { job_number, agents } = await spinUp(lab.token);
      const [{ id }] = (await rows('SELECT id FROM agents WHERE ap_id = ?', agents[0].ap_id)) as [{ id: string }];
      const of = { owner_kind: 'agent' as const, owner_id: id, owner_name: agents[0].ap_id };
      const own = {
        job_number: `own-${round}-${kind.dialect}`,
        task_type: 'agent_data',
        data: '{}',
        created_at: Date.now(),
      };
      const times = { expires_at: Date.now() + 60_000, published_at: Date.now(), publish_after: 0 };
      await weft.parts.jobs.jobStore.create({ ...of, ...own, ...times });
      expect((await call('POST', `/api/v1/emulator/${job_number}/stop`, lab.token)).status).toBe(200);
      expect(await open(id)).toEqual(nothing);
    });

    it('reaches the worker at once: a live subscription stops, and its slot is free', async () => {
      const ada = await user();
      const { job_number } = await subscribe(ada.token, ap1);
      await untilSo(async () => {
        const [job] = await rows('SELECT state FROM jobs WHERE job_number = ?', job_number);
        expect(job).toEqual({ state: 'running' });
      });
      const running = () => Number(/weft_jobs_running (\d+)/.exec(metrics)![1]);
      let metrics = (await weft.request('GET', '/metrics')).text;
      const before = running();
      await call('DELETE', ada.path, admin);
      await untilSo(async () => {
        metrics = (await weft.request('GET', '/metrics')).text;
        expect(running()).toBe(before - 1);
      });
    });
  });

  describe('a revoked key', () => {
    it('cancels what is queued and roll-outs, and leaves subscriptions and networks', async () => {
      const lab = await app();
      await ask(lab.token);
      await rollOut(lab.token);
      const answer = await call('PUT', lab.path, admin, { api_key: 'another key that is long' });
      expect(answer.status, answer.text).toBe(200);
      expect(await open(lab.id)).toEqual({ jobs: 2, commands: 0, runs: 1, leases: 0, batches: 0 });
      expect((await call('GET', '/api/v1/jobs', lab.token)).status).toBe(401);
    });

    it('or a changed password does the same to a user', async () => {
      const ada = await user();
      await ask(ada.token);
      expect((await call('PUT', ada.path, ada.token, { password: `${password} 2` })).status).toBe(200);
      expect(await open(ada.id)).toEqual({ jobs: 2, commands: 0, runs: 1, leases: 0, batches: 0 });
    });
  });

  describe('narrowing', () => {
    const narrow = async (target: { path: string }, permissions: Record<string, unknown>) => {
      const answer = await call('PUT', target.path, admin, { permissions });
      expect(answer.status, answer.text).toBe(200);
    };

    it('by `agents` ends what is about agents out of sight, and nothing else', async () => {
      const lab = await app();
      const [hidden, seen] = [await subscribe(lab.token, ap1), await subscribe(lab.token, ap2)];
      const [lost, kept] = [await command(lab.token, ap1), await command(lab.token, ap2)];
      const run = await spinUp(lab.token);
      const own = await command(lab.token, run.agents[0].ap_id);
      await narrow(lab, { agents: [ap2] });
      const ended = async ({ job_number }: { job_number: string }) =>
        (await rows('SELECT state FROM jobs WHERE job_number = ?', job_number))[0]!.state === 'cancelled';
      expect([await ended(hidden), await ended(lost)]).toEqual([true, true]);
      expect([await ended(seen), await ended(kept), await ended(run), await ended(own)]).toEqual([
        false,
        false,
        false,
        false,
      ]);
      expect((await open(lab.id)).leases).toBe(2);
      await call('DELETE', lab.path, admin);
    });

    it('by `read: false` ends subscriptions, by `commands` commands, by `emulator` networks', async () => {
      const lab = await app();
      await ask(lab.token);
      await command(lab.token, ap3, 'wake');
      await narrow(lab, { commands: ['wake'] });
      expect(await open(lab.id)).toMatchObject({ jobs: 3, commands: 1, runs: 1 });
      await narrow(lab, { commands: ['wake'], read: false });
      expect(await open(lab.id)).toMatchObject({ jobs: 2, commands: 1, runs: 1 });
      await narrow(lab, { commands: ['wake'], read: false, emulator: false });
      expect(await open(lab.id)).toMatchObject({ jobs: 1, commands: 1, runs: 0 });
      await narrow(lab, { commands: false, read: false, emulator: false });
      expect(await open(lab.id)).toEqual(nothing);
    });

    it('of all commands ends roll-outs; of their command only, their next stage sends nothing and is their last', async () => {
      const [lab, other] = [await app(), await app()];
      await rollOut(other.token, 1);
      await narrow(other, { commands: ['sleep'] });
      expect((await open(other.id)).batches).toBe(1);
      await rollOut(lab.token);
      await narrow(lab, { commands: false });
      expect(await open(lab.id)).toEqual(nothing);
      await untilSo(async () => expect(await open(other.id)).toEqual(nothing));
      expect(await rows('SELECT ap_id FROM commands WHERE owner_id = ?', other.id)).toEqual([{ ap_id: ap1 }]);
    });

    it('by limits on arguments cancels what is beyond them', async () => {
      const lab = await app();
      const set = (dbm: number, ap_id: string) =>
        command(lab.token, ap_id, encodeURIComponent(JSON.stringify({ name: 'set_tx_power', dbm })));
      await set(20, ap1);
      const low = await set(10, ap2);
      await narrow(lab, { commands: { set_tx_power: { dbm: { max: 15 } } } });
      const left = await rows('SELECT command_id FROM commands WHERE owner_id = ? AND ended_at IS NULL', lab.id);
      expect(left).toEqual([{ command_id: low.command_id }]);
      await call('DELETE', lab.path, admin);
    });

    it('by `max_access_points` ends the newest networks', async () => {
      const lab = await app();
      const [first] = [await spinUp(lab.token, 2), await spinUp(lab.token, 2), await spinUp(lab.token, 1)];
      await narrow(lab, { emulator: { max_access_points: 3 } });
      const left = await rows('SELECT job_number FROM emulator_runs WHERE owner_id = ? AND state IS NULL', lab.id);
      expect(left).toEqual([{ job_number: first.job_number }]);
      await call('DELETE', lab.path, admin);
    });

    it('of an administrator to a user cancels commands to agents that are not its own', async () => {
      const root = await user(['admin']);
      const { sent } = await ask(root.token);
      await command(root.token, ap1);
      expect((await call('PUT', root.path, admin, { roles: ['user'] })).status).toBe(200);
      const left = await rows('SELECT command_id FROM commands WHERE owner_id = ? AND ended_at IS NULL', root.id);
      expect(left).toEqual([{ command_id: sent.command_id }]);
      expect(await open(root.id)).toMatchObject({ jobs: 3, runs: 1 });
      await call('DELETE', root.path, admin);
    });

    it('by time: what an expired app has ends within moments, without anybody asking', async () => {
      const lab = await app();
      await ask(lab.token);
      await rollOut(lab.token);
      await weft.platform.database.query('UPDATE third_party_apps SET permissions = ? WHERE id = ?', [
        JSON.stringify({ expires_at: new Date(Date.now() + 300).toISOString() }),
        lab.id,
      ]);
      await untilSo(async () => expect(await open(lab.id)).toEqual(nothing));
      const details = await rows('SELECT detail FROM commands WHERE owner_id = ?', lab.id);
      expect(new Set(details.map(({ detail }) => detail))).toEqual(
        new Set(['The permissions of its owner have expired']),
      );
    });
  });

  it('nothing can be created for somebody who is gone, whoever let the request in', async () => {
    const ada = await user(['admin']);
    const caller = { kind: 'user', id: ada.id, name: ada.name, roles: ['admin'], isAdmin: true } as const;
    await call('DELETE', ada.path, admin);
    const { jobs } = weft.parts.jobs;
    await expect(jobs.create(caller, { task_type: 'agent_details', data: {} })).rejects.toMatchObject({
      code: 'invalid_token',
    });
    expect(await open(ada.id)).toEqual(nothing);
  });

  it('the command line ends what a user owns in the same transaction, beside a running server', async () => {
    const ada = await user();
    const { subscription } = await ask(ada.token);
    const socket = await connect(weft.url, subscription.websocket, bearer(ada.token));
    const accounts = await openAccounts(weft.config, 'operator');
    try {
      await accounts.users.disable(ada.name);
    } finally {
      await accounts.close();
    }
    expect(await open(ada.id)).toEqual(nothing);
    const [entry] = await rows(
      "SELECT actor_name FROM audit_log WHERE action = 'jobs_ended' ORDER BY seq DESC LIMIT 1",
    );
    expect(entry).toEqual({ actor_name: 'operator' });
    await socket.closed;
    expect(socket.messages.at(-1)).toMatchObject({ type: 'status', data: [{ state: 'cancelled' }] });
  });

  it('what was disabled by another program ends as well', async () => {
    const ada = await user();
    await ask(ada.token);
    await weft.platform.database.query('UPDATE users SET disabled_at = 1, disabled_by = ? WHERE id = ?', ['x', ada.id]);
    await untilSo(async () => expect(await open(ada.id)).toEqual(nothing));
  });
});
