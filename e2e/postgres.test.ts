// Several nodes on one PostgreSQL, and what they do while it is away.
import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { findPostgres, startPostgres } from '../test/postgres.ts';
import { isLong } from '../test/rounds.ts';
import { adminUsername, eventually, password, serve, type WeftServer } from './weft-process.ts';

const server = inject('postgresUrl');
const WEFT_SECRET = randomBytes(48).toString('base64');

async function run(sql: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

/** The settings of a node on a schema that starts empty and goes with the test. */
async function emptySchema(): Promise<Record<string, string>> {
  const schema = `e2e_${randomUUID().replaceAll('-', '')}`;
  await run(`CREATE SCHEMA ${schema}`);
  onTestFinished(() => run(`DROP SCHEMA ${schema} CASCADE`));
  const url = new URL(server ?? '');
  url.searchParams.set('options', `-c search_path=${schema}`);
  return { WEFT_DATABASE_URL: url.href, WEFT_SECRET };
}

const readiness = (weft: WeftServer) => weft.request('GET', '/readyz').then(({ status }) => status);

describe.skipIf(server === undefined)('with a database that is there', () => {
  test('nodes that start at once on an empty database are all ready and share everything; a password changed on one ends its tokens on another', async () => {
    const env = await emptySchema();
    const nodes = await Promise.all(Array.from({ length: isLong ? 4 : 2 }, () => serve({ env })));
    // Each listens at once, and is ready when whoever migrates has finished.
    for (const node of nodes) {
      await eventually(
        () => readiness(node),
        (status) => status === 200,
      );
    }
    const [first, ...others] = nodes as [WeftServer, ...WeftServer[]];
    const token = await first.createAdmin();
    for (const node of others) {
      expect((await node.request('GET', '/api/v1/users/me', { token })).body.username).toBe(adminUsername);
    }
    const [other] = others as [WeftServer];
    const elsewhere = () => other.request('GET', '/api/v1/users/me', { token }).then(({ status }) => status);
    const json = { password: 'another password' };
    expect((await first.request('PUT', `/api/v1/users/${adminUsername}`, { token, json })).status).toBe(200);
    const changedAt = performance.now();
    expect((await first.request('GET', '/api/v1/users/me', { token })).status).toBe(401);
    await eventually(elsewhere, (status) => status === 401);
    // A second, and patience for a busy machine; what is remembered for a minute would not pass.
    expect(performance.now() - changedAt).toBeLessThan(45_000);
    expect((await other.login(adminUsername, password)).status).toBe(401);
    expect((await other.login(adminUsername, 'another password')).status).toBe(200);
    for (const node of nodes) expect(await node.end()).toBe(0);
  });
});

test.skipIf(server === undefined)(
  'a database that does not exist is one line with the statement that creates it',
  async () => {
    const name = `weft_missing_${process.pid}`;
    const url = new URL(server!);
    url.pathname = `/${name}`;
    const env = { WEFT_DATABASE_URL: url.href, WEFT_SECRET };
    const weft = await serve({ env });
    await weft.until('advice', () => weft.err.includes(`CREATE DATABASE \\"${name}\\";`));
    expect(await readiness(weft)).toBe(503);
    onTestFinished(() => run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    await run(`CREATE DATABASE ${name}`);
    await eventually(
      () => readiness(weft),
      (status) => status === 200,
    );
    expect(weft.err).not.toContain('"stack"');
    expect(await weft.end()).toBe(0);
  },
);

test.skipIf(findPostgres() === undefined)(
  'without its database it runs, says so, and is ready by itself later',
  async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    await postgres.pause();
    const weft = await serve({
      env: { WEFT_HOST: '0.0.0.0', WEFT_INSECURE_HTTP: 'allow', WEFT_DATABASE_URL: postgres.url, WEFT_SECRET },
    });
    expect(weft.out).toContain('Weft is not ready yet');
    expect(weft.out).not.toContain('create the administrator');
    expect((await weft.request('GET', '/healthz')).status).toBe(200);
    expect(await readiness(weft)).toBe(503);
    const refused = await weft.login(adminUsername, password);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true]);
    expect((await weft.request('GET', '/setup.json')).body).toMatchObject({ has_admin: null, code_needed: true });

    await postgres.start();
    await eventually(
      () => readiness(weft),
      (status) => status === 200,
    );
    // Nobody could create the administrator, had the code not been printed while the database was away.
    const code = /Code +(\S+) \(/.exec(weft.out)?.[1];
    const token = await weft.createAdmin(`?code=${code}`);

    await postgres.pause();
    expect(
      await eventually(
        () => readiness(weft),
        (status) => status === 503,
      ),
    ).toBe(503);
    const lost = await weft.request('GET', '/api/v1/users/', { token });
    expect([lost.status, Number(lost.headers.get('retry-after')) > 0]).toEqual([503, true]);
    await postgres.start();
    await eventually(
      () => readiness(weft),
      (status) => status === 200,
    );
    expect((await weft.request('GET', '/api/v1/users/', { token })).status).toBe(200);
    // Without its database it can be stopped, too.
    await postgres.pause();
    expect(await weft.end()).toBe(0);
  },
);
