// The code of earlier releases, taken from the history of this repository, beside this version on one PostgreSQL and one RabbitMQ:
// which versions run together (docs/operations.md), and what is there after the upgrade.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startPostgres } from '../test/postgres.ts';
import { shareRabbit } from '../test/rabbitmq.ts';
import { runHere } from './weft-here.ts';
import { adminUsername, eventually, password, root, runWeft, serve, type WeftServer } from './weft-process.ts';

/** What the sections of the changelog were written for. The last one is the newest; a release adds itself. */
const releases = [
  { version: '0.2.0', commit: '32342f2f32442e7b6741f97304db7e958b507d51' },
  { version: '0.3.0', commit: '1727f97441c66696c81c3f137b66c1f5564704d0' },
];

const git = (...args: string[]) => spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' });
const isMissing = [inject('postgresUrl'), inject('amqpUrl')].includes(undefined);

function whyNot(commit: string): string | undefined {
  if (isMissing) return 'there is no PostgreSQL or no RabbitMQ';
  if (git('cat-file', '-e', `${commit}^{commit}`).status === 0) return undefined;
  const isShallow = git('rev-parse', '--is-shallow-repository').stdout.trim() === 'true';
  return isShallow ? 'this clone is shallow (git fetch --unshallow)' : `there is no commit ${commit} here`;
}

/** Its sources with its packages, as in a checkout of that time. */
function checkOut(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // Not `npm ci`: the lock file of 0.2.0 is without the packages of other platforms, which that command refuses.
  const script = `git -C "$1" archive "$2" | tar -x && npm install --no-save --omit=dev --no-audit --no-fund`;
  const args = ['-c', script, 'sh', root, commit];
  const { status, stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', ...args], { cwd: folder, encoding: 'utf8' });
  expect(status, `the release could not be installed: ${stdout}${stderr}`).toBe(0);
  return folder;
}

/** What was acknowledged, in the order of time. */
class Ledger {
  readonly users: string[] = [];
  readonly values: number[] = [];
  readonly commands: string[] = [];
  readonly jobs: string[] = [];
  readonly #weft: WeftServer;
  readonly #admin: string;
  readonly #agent: string;

  constructor(weft: WeftServer, admin: string, agent: string) {
    this.#weft = weft;
    this.#admin = admin;
    this.#agent = agent;
  }

  async write(): Promise<void> {
    const n = this.values.length;
    const username = `user-${n}@example.org`;
    await this.#post('/api/v1/users/', this.#admin, { username, password, roles: ['user'] });
    this.users.push(username);
    await this.#post('/api/v1/agent_update/update', this.#agent, { load: n, note: 'as it was' });
    this.values.push(n);
    // Each about something else: 0.2.0 wants a second between two commands about the same.
    const command = new URLSearchParams({ agent_id: 'roof-1', command: `note-${n}`, expires_in: '3600' });
    this.commands.push((await this.#post(`/api/v1/send_command?${command}`, this.#admin)).command_id);
    this.jobs.push((await this.#post('/api/v1/agent_details/request_all_agents_details', this.#admin)).job_number);
  }

  async #post(path: string, token: string, json?: unknown) {
    const { status, body } = await this.#weft.request('POST', path, { token, json });
    expect([path, status, JSON.stringify(body)]).toEqual([path, 200, expect.anything()]);
    return body;
  }
}

test('the newest release of the changelog is tried', () => {
  const [, newest] = /^## (\d+\.\d+\.\d+)/m.exec(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))!;
  expect(releases.at(-1)!.version).toBe(newest);
});

const refusal =
  /another version of Weft runs on this database \(from 127\.0\.0\.1\).*stop all nodes.*then start this one\n/;
/** A node looks at its database more often than this, whether it is asked for something or not. */
const idleMs = 20_000;

for (const { version, commit } of releases) {
  const why = whyNot(commit);
  if (why) process.stderr.write(`\n*** ${why}: THE UPGRADE FROM ${version} IS NOT TESTED WITH ITS CODE.\n\n`);

  test.skipIf(why !== undefined)(
    `beside ${version} this version does not start, and disturbs nothing; after it everything acknowledged is there, and ${version} does not start again`,
    async () => {
      const weftOfRelease = join(checkOut(commit), 'controller', 'src', 'bin', 'weft.ts');
      const launcher = [process.execPath, weftOfRelease];
      const [postgres, rabbit] = await Promise.all([startPostgres({ isAlone: true }), shareRabbit()]);
      onTestFinished(async () => {
        await Promise.all([postgres.stop(), rabbit.stop()]);
      });
      const env = {
        WEFT_DATABASE_URL: postgres.url,
        WEFT_TELEMETRY_URL: postgres.url,
        WEFT_AMQP_URL: rabbit.url,
        WEFT_SECRET: randomBytes(48).toString('base64'),
        WEFT_ADMIN_USERNAME: adminUsername,
        WEFT_ADMIN_PASSWORD: password,
      };
      // Without workers: what is asked of it waits in RabbitMQ.
      const old = await serve({ env: { ...env, WEFT_ROLES: 'api' }, launcher });
      await old.untilStarted();
      const tokenOf = async (weft: WeftServer, name: string, kind = 'user') =>
        (await weft.login(name, password, kind)).body.access_token as string;
      const token = await tokenOf(old, adminUsername);
      const roof = { ap_id: 'roof-1', password, configuration: { site: 'Bristol' } };
      expect((await old.request('POST', '/api/v1/agents/', { token, json: roof })).status).toBe(200);
      const ledger = new Ledger(old, token, await tokenOf(old, 'roof-1', 'agent'));
      await ledger.write();

      const refused = async () => {
        const { code, err } = await runWeft(['serve'], { env });
        expect([code, err]).toEqual([1, expect.stringMatching(refusal)]);
      };
      await Promise.all([refused(), ledger.write()]);
      const lastAsked = Date.now();
      while (Date.now() < lastAsked + idleMs) await refused();
      await ledger.write();
      expect(await old.end()).toBe(0);

      const node = await serve({ env });
      await node.untilStarted();
      const admin = await tokenOf(node, adminUsername);
      const get = async (path: string, as = admin) =>
        (await node.request('GET', `/api/v1/${path}`, { token: as })).body;
      for (const username of ledger.users) expect((await node.login(username, password)).status).toBe(200);
      expect(await get('agents/roof-1')).toMatchObject({ ap_id: 'roof-1', configuration: { site: 'Bristol' } });
      const { points } = await get('metrics/agent_data?agent=roof-1&window=60');
      expect(points.map(({ load, note }: Record<string, unknown>) => [load, note])).toEqual(
        ledger.values.map((n) => [n, 'as it was']),
      );
      const due = await get('agents/roof-1/commands?wait=0', await tokenOf(node, 'roof-1', 'agent'));
      expect(due.map(({ command_id }: { command_id: string }) => command_id)).toEqual(ledger.commands);
      for (const job_number of ledger.jobs) {
        const done = await eventually(
          () => get(`jobs/${job_number}`),
          ({ state }) => state === 'succeeded',
        );
        expect(JSON.stringify(done.messages)).toContain('"ap_id":"roof-1"');
      }
      expect((await runHere(['audit', 'verify'], { ...env, WEFT_DATA_DIR: join(node.folder, 'data') })).out).toContain(
        'intact',
      );

      const again = await runWeft(['serve'], { env, launcher });
      expect([again.code, again.err]).toEqual([1, expect.stringContaining('written by a newer version')]);
      expect((await node.login(adminUsername, password)).status).toBe(200);
      await node.end();
    },
  );
}
