// Two controllers and two workers on PostgreSQL and RabbitMQ behind a proxy: they behave as one.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { Agent } from '../sdk/src/index.ts';
import { isLong } from '../test/rounds.ts';
import { startTcpProxy } from '../test/tcp-proxy.ts';
import { startCluster } from './cluster.ts';
import { JobLedger } from './job-ledger.ts';
import { adminUsername, eventually, password, root, type Weft } from './weft-process.ts';

const isMissing = [inject('postgresUrl'), inject('amqpUrl')].includes(undefined);
const details = '/api/v1/agent_details/request_all_agents_details';

test.skipIf(isMissing)(
  'result before socket, socket before result, socket on the other node; revocation reaches everybody',
  async () => {
    const cluster = await startCluster({ controllers: 1, here: 1, workers: isLong ? 2 : 0 });
    const [b, a] = [cluster.controllers[0]!, cluster.here[0]!];
    // Its workers are ended in order, which needs no process.
    const worker = isLong ? undefined : await cluster.startHere('worker');
    const token = (await a.login(adminUsername, password)).body.access_token as string;
    const json = { ap_id: 'ap-1', password, configuration: {} };
    expect((await a.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
    const agent = (await b.login('ap-1', password, 'agent')).body.access_token as string;

    // Everything through the proxy, so that requests, callbacks and sockets meet different nodes.
    const ledger = new JobLedger(() => cluster.url, token);
    for (let round = 0; round < (isLong ? 20 : 6); round++) {
      const job = (await ledger.ask(details))!;
      if (round % 2 === 0) {
        await eventually(
          () => b.request('GET', `/api/v1/jobs/${job.job_number}`, { token }),
          ({ body }) => body.state === 'succeeded',
        );
      }
      await ledger.follow(job);
      expect(job.data).toMatchObject([{ ap_id: 'ap-1' }]);
    }
    expect(ledger.violations).toEqual([]);

    // A live job: the socket hangs on B, and hears what is called back to either node.
    const own = await a.request('POST', '/api/v1/callback/agent_data?job_number=by-hand-1', { token, json: [1] });
    expect(own.status).toBe(200);
    const socket = new WebSocket(`${b.url.replace('http', 'ws')}/api/v1/ws/by-hand-1?token=${token}`);
    const seen: number[] = [];
    socket.on('message', (bytes) => seen.push(...JSON.parse(String(bytes)).data));
    await eventually(
      async () => seen.length,
      (length) => length === 1,
    );
    for (const node of [a, b]) {
      const before = seen.length;
      await node.request('POST', '/api/v1/callback/agent_data?job_number=by-hand-1', { token, json: [before + 1] });
      await eventually(
        async () => seen.length,
        (length) => length === before + 1,
      );
    }
    expect(seen).toEqual([1, 2, 3]);

    // A live subscription follows what is posted to either node.
    const query = new URLSearchParams({
      agent_id: 'ap-1',
      start_time: new Date(Date.now() - 1000).toISOString(),
      end_time: new Date(Date.now() + 600_000).toISOString(),
    });
    const live = (await ledger.ask(`/api/v1/agent_data/request_agent_data?${query}`))!;
    const following = ledger.follow(live);
    for (const [index, node] of [a, b, a, b].entries()) {
      const { status } = await node.request('POST', '/api/v1/agent_update/update', {
        token: agent,
        json: { load: index },
      });
      expect(status).toBe(200);
    }
    await eventually(
      async () => live.data.length,
      (length) => length === 4,
    );
    expect((await a.request('DELETE', `/api/v1/jobs/${live.job_number}`, { token })).status).toBe(200);
    await following;
    expect([live.end, live.data.map(({ value }) => value).sort()]).toEqual(['cancelled', [0, 1, 2, 3]]);

    // Revoked on A, refused on B, and cut off there.
    const username = 'bob@example.org';
    await a.request('POST', '/api/v1/users/', { token, json: { username, password, roles: ['admin'] } });
    const revoked = (await b.login(username, password)).body.access_token as string;
    const watching = new WebSocket(`${b.url.replace('http', 'ws')}/api/v1/ws/by-hand-1?token=${revoked}`);
    await new Promise((resolve) => watching.on('open', resolve));
    const closed = new Promise<number>((resolve) => watching.on('close', resolve));
    await a.request('PUT', `/api/v1/users/${username}`, { token, json: { password: 'another password' } });
    const revokedAt = performance.now();
    await eventually(
      () => b.request('GET', '/api/v1/users/me', { token: revoked }),
      ({ status }) => status === 401,
    );
    expect(await closed).toBe(4401);
    // A node that is not told asks again after a minute.
    expect(performance.now() - revokedAt).toBeLessThan(50_000);

    // The agent's channel hangs on B, the command goes to A, and what became of it comes over a socket on any node.
    const applied: unknown[] = [];
    const onBoard = new Agent({ url: b.url, ap_id: 'ap-1', password }).command('set_tx_power', (args) => {
      applied.push(args.dbm);
      return { applied: { dbm: 17 } };
    });
    onTestFinished(() => onBoard.stop());
    await onBoard.start();
    const command = new URLSearchParams({ agent_id: 'ap-1', command: '{"name":"set_tx_power","dbm":20}' });
    const sent = await a.request('POST', `/api/v1/send_command?${command}`, { token });
    expect(sent.body).toMatchObject({ verdict: 'accepted' });
    const commanded = await eventually(
      () => b.request('GET', `/api/v1/commands/${sent.body.command_id}`, { token }),
      ({ body }) => body.state === 'succeeded',
    );
    expect([applied, commanded.body.applied]).toEqual([[20], { dbm: 17 }]);

    // Somebody else's worker, the one of the documentation, stands in for ours.
    await Promise.all([worker?.stop(), ...cluster.workers.map((each) => each.end('SIGTERM'))]);
    const theirs = spawn(process.execPath, [join(root, 'examples/worker/worker.mjs')], {
      env: { ...process.env, AMQP_URL: cluster.rabbit.url, WEFT_URL: cluster.url },
      stdio: 'ignore',
    });
    onTestFinished(() => void theirs.kill());
    const foreign = (await ledger.ask(details))!;
    await ledger.follow(foreign);
    expect([foreign.end, foreign.data.map(({ ap_id }) => ap_id)]).toEqual(['succeeded', ['ap-cellar-1', 'ap-roof-1']]);

    // A node that holds the socket dies: a reconnect, and nothing else.
    const last = (await ledger.ask(details))!;
    await b.end('SIGKILL');
    await ledger.follow(last);
    expect([last.end, ...ledger.violations]).toEqual(['succeeded']);
  },
);

test.skipIf(isMissing)(
  'a node that is frozen inside a transaction does not keep the other one from working',
  async () => {
    const name = 'frozen';
    const proxy = await startTcpProxy(Number(new URL(inject('postgresUrl')!).port));
    onTestFinished(() => proxy.close());
    const through = (url: string) => {
      const address = new URL(url);
      address.port = String(proxy.port);
      address.searchParams.set('application_name', name);
      return address.href;
    };
    const cluster = await startCluster({
      controllers: 1,
      here: 1,
      workers: 0,
      envOf: (_index, env) => ({ WEFT_DATABASE_URL: through(env.WEFT_DATABASE_URL!) }),
    });
    const [a, b] = [cluster.controllers[0]!, cluster.here[0]!];
    const token = (await b.login(adminUsername, password)).body.access_token as string;
    const create = (weft: Weft) => {
      const json = { username: `${randomUUID()}@example.org`, password, roles: ['user'] };
      return weft.request('POST', '/api/v1/users/', { token, json }).then(({ status }) => status);
    };
    const client = new Client({ connectionString: cluster.env.WEFT_DATABASE_URL });
    await client.connect();
    onTestFinished(() => client.end());
    /** How long each transaction of the frozen node has been waiting for it, by the database's clock. */
    const heldSeconds = async () => {
      const age = `extract(epoch FROM clock_timestamp() - state_change)::float AS seconds`;
      const sql = `SELECT ${age} FROM pg_stat_activity WHERE application_name = $1 AND state = 'idle in transaction'`;
      return (await client.query<{ seconds: number }>(sql, [name])).rows.map(({ seconds }) => seconds);
    };
    // Frozen with the row in its hands at which all take turns, that of the audit log: what would give it back is not sent.
    const pending = create(a);
    proxy.onClientBytes = (bytes) => {
      if (!bytes.toString('latin1').endsWith('COMMIT\0')) return undefined;
      a.child.kill('SIGSTOP');
      return 'kept';
    };
    await eventually(heldSeconds, (held) => held.length > 0);
    const written = create(b);
    let longest = 0;
    for (let held = await heldSeconds(); held.length > 0; held = await heldSeconds()) {
      longest = Math.max(longest, ...held);
    }
    expect(await written).toBe(200);
    // Three, and time for a busy machine.
    expect(longest).toBeLessThan(6);
    proxy.onClientBytes = undefined;
    a.child.kill('SIGCONT');
    // It stood still, and does again what was not done; or a busy machine took longer than a request may, and it says so.
    expect([200, 503]).toContain(await pending);
    await eventually(
      () => create(a),
      (status) => status === 200,
    );
  },
);
