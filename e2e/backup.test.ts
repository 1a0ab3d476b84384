// Backups of a Weft under full load: whatever was answered before one began is in it, and what it is restored to is sound.
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { canMount, smallDisk } from '../test/mounts.ts';
import { isLong } from '../test/rounds.ts';
import { type Answered, BusyWeft } from './busy-weft.ts';
import { linesOf } from './power-cut.ts';
import { runHere, serve as serveHere } from './weft-here.ts';
import { adminUsername, command, eventually, runWeft, serve, type Weft, WeftProcess } from './weft-process.ts';

/** The settings of who works on the folder of a Weft, and the path of a file beside it. */
const inFolder = (folder: string) => ({
  env: { WEFT_DATA_DIR: join(folder, 'data') },
  file: join(folder, 'file'),
});

async function backUp(busy: BusyWeft, name: string): Promise<void> {
  const { code, err } = await runWeft(['backup', name], { folder: busy.folder, env: { WEFT_DATA_DIR: busy.dataDir } });
  expect([code, err]).toEqual([0, '']);
}

/** A Weft on what the backup holds, with the secret of the other; as a process if asked for. */
async function restoreAndServe(busy: BusyWeft, name: string, isProcess: boolean) {
  const { folder, dataDir } = busy;
  const env = { WEFT_DATA_DIR: join(folder, `of-${name}`), WEFT_LOG_LEVEL: 'warn' };
  const { code, out, err } = await runHere(['restore', join(folder, name)], env);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('NOT in the backup: the secret');
  copyFileSync(join(dataDir, 'secret'), join(env.WEFT_DATA_DIR, 'secret'));
  const verified = await runHere(['audit', 'verify'], env);
  expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('The audit log is intact')]);
  return isProcess ? await serve({ folder, env }) : await serveHere({ env });
}

async function expectSound(busy: BusyWeft, name: string, answered: Answered, isProcess = false): Promise<void> {
  const restored = await restoreAndServe(busy, name, isProcess);
  expect(await busy.differences(restored, answered)).toEqual([]);
  expect(linesOf(restored.err, 'error')).toEqual([]);
}

const leastOf = ({ users, commands, round }: Answered) => Math.min(users.length, commands.length, round);
const leftovers = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('.'));

test('R12 backups under full load hold all that was answered before; neither the death of the server nor that of the backup makes a bad one', async () => {
  const busy = await BusyWeft.start();
  const backups: { name: string; answered: Answered }[] = [];
  for (const name of isLong ? ['one', 'two'] : ['one']) {
    // A Weft that nobody uses would prove nothing.
    do await busy.busyFor(50);
    while (leastOf(busy.answered()) <= 2);
    const answered = busy.answered();
    await backUp(busy, name);
    backups.push({ name, answered });
  }
  expect(statSync(join(busy.folder, 'one')).mode & 0o777).toBe(0o600);

  const env = { WEFT_DATA_DIR: busy.dataDir };
  const begun = async (name: string) => {
    const backup = new WeftProcess(['backup', name], { folder: busy.folder, env });
    while (leftovers(busy.folder).length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    return backup;
  };
  const abandoned = await begun('abandoned');
  expect(await abandoned.end('SIGHUP')).toBe(129);
  expect([existsSync(join(busy.folder, 'abandoned')), leftovers(busy.folder)]).toEqual([false, []]);

  const answered = busy.answered();
  const orphaned = await begun('orphaned');
  await busy.kill();
  expect([await orphaned.ended(), orphaned.err]).toEqual([0, '']);
  const afterwards = await runHere(['backup', join(busy.folder, 'of-the-dead')], env);
  expect([afterwards.code, afterwards.err]).toEqual([0, '']);
  for (const each of backups) await expectSound(busy, each.name, each.answered);
  await expectSound(busy, 'orphaned', answered, true);
  await expectSound(busy, 'of-the-dead', busy.answered());
  expect(leftovers(busy.folder)).toEqual([]);

  const killed = await begun('killed');
  await killed.end('SIGKILL');
  expect(existsSync(join(busy.folder, 'killed'))).toBe(false);
});

test('a folder in use is not replaced, one in the way is moved aside, and without the secret apps need new keys', async () => {
  const weft = await serveHere();
  const token = await weft.createAdmin();
  const app = { app_name: 'saver', api_key: 'a key of an app', permissions: {} };
  await weft.request('POST', '/api/v1/third_party_apps/', { token, json: app });
  const { folder } = weft;
  const { env, file } = inFolder(folder);
  expect((await runHere(['backup', file], env)).code).toBe(0);
  expect(await runHere(['restore', file], env)).toMatchObject({
    code: 1,
    err: expect.stringContaining('not empty'),
  });
  expect(await runHere(['restore', file, '--force'], env)).toMatchObject({
    code: 1,
    err: expect.stringContaining('in use by another Weft'),
  });
  await weft.stop();
  const { code, out } = await runHere(['restore', file, '--force'], env);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/The previous folder was moved to(.|\n)*does not start, because of the keys of saver\./),
  ]);
  expect(out).toContain(`weft restore ${file} --force --forget-app-keys --data-dir ${env.WEFT_DATA_DIR}\n`);
  expect(readdirSync(folder).filter((name) => name.startsWith('data')).length).toBe(2);
  expect(await runHere(['restore', file, '--force', '--forget-app-keys'], env)).toMatchObject({
    code: 0,
    out: expect.stringContaining('These apps need new keys: saver. Give each a new one: weft apps rotate NAME'),
  });
  const again = await serveHere({ env });
  expect((await again.request('GET', '/healthz')).status).toBe(200);
});

test('a backup goes through a pipe, and with the secret in it tokens stay good', async () => {
  const first = await serveHere();
  const token = await first.createAdmin();
  const { folder } = first;
  const weft = `"${process.execPath}" "${command}"`;
  const script = `${weft} backup - --with-secret | ${weft} restore - --data-dir copy`;
  const { code, err, out } = await runWeft([], { folder, launcher: ['sh', '-c', script] });
  expect([code, err]).toEqual([0, expect.stringContaining('It contains the secret')]);
  expect(out).not.toContain('NOT in the backup');
  const second = await serveHere({ env: { WEFT_DATA_DIR: join(folder, 'copy') } });
  const { status, body } = await second.request('GET', '/api/v1/users/me', { token });
  expect([status, body.username]).toEqual([200, adminUsername]);

  // A reader that has gone is no success, and the copy that was made for it goes too.
  mkdirSync(join(folder, 'tmp'));
  const cut = `set -o pipefail; ${weft} backup - | true`;
  const env = { TMPDIR: join(folder, 'tmp') };
  expect((await runWeft([], { folder, env, launcher: ['bash', '-c', cut] })).code).toBe(1);
  expect(readdirSync(env.TMPDIR)).toEqual([]);
});

test.skipIf(!canMount)('a disk that is full costs a sentence, and nothing is left on it', async () => {
  const weft = await serveHere();
  await weft.createAdmin();
  const { folder } = weft;
  const { env, file } = inFolder(folder);
  const disk = smallDisk(join(folder, 'disk'), 1);
  writeFileSync(join(disk, 'ballast'), Buffer.alloc(700 * 1024));
  const full = await runHere(['backup', join(disk, 'file')], env);
  expect([full.code, full.out, full.err]).toEqual([
    1,
    '',
    expect.stringMatching(/^weft: the backup cannot.*disk is full\n$/),
  ]);
  expect(readdirSync(disk)).toEqual(['ballast']);
  expect((await runHere(['backup', file], env)).code).toBe(0);
  const restored = await runHere(['restore', file, '--data-dir', join(disk, 'data')], env);
  expect([restored.code, restored.err]).toEqual([
    1,
    expect.stringMatching(/^weft: .*disk\/data cannot.*disk is full\n$/),
  ]);
  expect(readdirSync(disk)).toEqual(['ballast']);
});

test('jobs that had not ended go on in what was restored, emulated networks among them', async () => {
  const first = await serveHere();
  const token = await first.createAdmin();
  const { folder } = first;
  const { env, file } = inFolder(folder);
  const town = {
    access_point_type: 'WiFi',
    num_access_points: 2,
    locations: ['Bristol'],
    num_devices: 2,
    duration: 900,
  };
  const run = await first.request('POST', '/api/v1/emulator/spinup', { token, json: { emulators: [town] } });
  const { job_number, agents } = run.body;
  const agent_id = agents[0].ap_id;
  const end_time = new Date(Date.now() + 600_000).toISOString();
  const range = `start_time=${new Date().toISOString()}&end_time=${end_time}`;
  const path = `/api/v1/agent_data/request_agent_data?agent_id=${agent_id}&${range}`;
  const subscription = (await first.request('POST', path, { token })).body.job_number;
  const details = '/api/v1/agent_details/request_all_agents_details';
  const waiting = (await first.request('POST', details, { token })).body.job_number;
  const jobOf = async (weft: Weft, name: string) =>
    (await weft.request('GET', `/api/v1/jobs/${name}`, { token })).body as { state: string; last_seq: number };
  const ended = await eventually(
    () => jobOf(first, waiting),
    ({ state }) => state === 'succeeded',
  );
  expect(ended.state).toBe('succeeded');
  const { last_seq } = await eventually(
    () => jobOf(first, subscription),
    (job) => job.last_seq > 0,
  );
  // The state of a network is on disk when its server has ended.
  await first.stop();
  const { code, out } = await runHere(['backup', file, '--with-secret', '--json'], env);
  expect([code, out]).toEqual([0, expect.stringContaining(`emulator/${job_number}.world`)]);
  expect((await runHere(['restore', file, '--data-dir', join(folder, 'copy')], env)).code).toBe(0);
  // As a backup catches it between the broker and the worker.
  const database = new DatabaseSync(join(folder, 'copy', 'weft.db'));
  database
    .prepare(
      `UPDATE jobs SET state = 'queued', ended_at = NULL, lease_holder = NULL, lease_until = 0, attempts = 0, last_seq = 0,
         bytes = 0 WHERE job_number = ? AND published_at IS NOT NULL RETURNING 1`,
    )
    .run(waiting);
  database.prepare('DELETE FROM job_messages WHERE job_number = ?').run(waiting);
  database.close();
  const second = await serveHere({ env: { WEFT_DATA_DIR: join(folder, 'copy') } });
  const again = await eventually(
    () => jobOf(second, waiting),
    ({ state }) => state === 'succeeded',
  );
  expect(again.state).toBe('succeeded');
  const onwards = await eventually(
    () => jobOf(second, subscription),
    (job) => job.last_seq > last_seq,
  );
  expect(onwards.last_seq).toBeGreaterThan(last_seq);
  expect(await jobOf(second, job_number)).toMatchObject({ state: 'running' });
});

test('what is in other servers is not in the backup, and it says so', async () => {
  const weft = await serveHere();
  await weft.createAdmin();
  const { folder } = weft;
  const { env: local, file } = inFolder(folder);
  const env = { ...local, WEFT_TELEMETRY_URL: 'clickhouse://127.0.0.1:9/weft' };
  const { code, out, err } = await runHere(['backup', file, '--json'], env);
  const manifest = JSON.parse(out);
  expect([code, manifest.parts.map(({ path }: { path: string }) => path)]).toEqual([0, ['weft.db']]);
  expect(manifest.left_out).toEqual([{ what: 'telemetry, in ClickHouse', command: 'BACKUP DATABASE of ClickHouse' }]);
  expect(err).toContain('Not included: telemetry, in ClickHouse. Back it up with BACKUP DATABASE of ClickHouse.');
  const both = {
    ...env,
    WEFT_DATABASE_URL: 'postgres://me:geheim@127.0.0.1:9/weft',
    WEFT_SECRET: randomBytes(48).toString('base64'),
  };
  const nothing = await runHere(['backup', join(folder, 'other')], both);
  expect([nothing.code, nothing.err]).toEqual([1, expect.stringMatching(/pg_dump.*BACKUP DATABASE/s)]);
  expect(nothing.err).not.toContain('geheim');
});
