// Bulk changes over HTTP: previews, waves, stopping, a result for each, rights of the present, and going on after a crash.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseKinds, eachDatabaseOfServers } from '../../../../../test/databases.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

interface Target {
  ap_id: string;
  state: string;
  detail: string | null;
  command_id: string | null;
}

eachDatabaseOfServers((kind) => {
  let weft: TestWeft;
  let token: string;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const namespace = await kind.createNamespace();
    remove = () => namespace.remove();
    const isPostgres = kind === databaseKinds.postgres;
    const secret = randomBytes(32).toString('hex');
    weft = await startWeft(isPostgres ? { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: secret } : {});
    token = await weft.admin();
  });
  afterAll(async () => {
    await weft.stop();
    await remove();
  });

  let groups = 0;
  /** Some agents with a tag of their own. */
  async function group(count: number): Promise<{ tag: string; names: string[] }> {
    const tag = `g${++groups}`;
    const names = Array.from({ length: count }, (_, n) => `${tag}-${n + 1}`);
    for (const ap_id of names) {
      await weft.agent(ap_id);
      await weft.request('PATCH', `/api/v1/agents/${ap_id}/labels`, { token, json: { tags: [tag] } });
    }
    return { tag, names };
  }
  const post = (json: object, by = token) => weft.request('POST', '/api/v1/bulk', { token: by, json });
  async function start(json: object, by = token): Promise<string> {
    const { status, body } = await post(json, by);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.job_number;
  }
  const progress = async (job: string, query = '') =>
    (await weft.request('GET', `/api/v1/bulk/${job}${query}`, { token })).body;
  const untilOver = (job: string) => untilSo(async () => expect((await progress(job)).is_over).toBe(true));
  const states = async (job: string) => (await progress(job)).items.map(({ state }: Target) => state);
  const tagsOf = async (ap_id: string) =>
    (await weft.request('GET', `/api/v1/agents/${ap_id}/labels`, { token })).body.tags;

  it('shows in a preview what would happen, and nothing happens', async () => {
    const { tag, names } = await group(3);
    const labels = await post({ selector: `tag:${tag}`, action: { labels: { add_tags: ['new'] } }, preview: true });
    expect(labels.body).toMatchObject({ job_number: null, preview: true, count: 3, waves: 1 });
    expect(labels.body.targets[0]).toEqual({
      ap_id: names[0],
      display_name: null,
      state: 'would',
      detail: `tags: ${tag} → ${tag}, new`,
      command_id: null,
    });
    const some = {
      selector: `tag:${tag}`,
      action: { remove: true },
      preview: true,
      search: ` ${names[1]!.toUpperCase()} `,
    };
    expect((await post(some)).body).toMatchObject({ count: 1, targets: [{ ap_id: names[1] }] });
    const wave = { size: 2 };
    const command = await post({ selector: `tag:${tag}`, action: { command: 'sleep' }, preview: true, wave });
    expect(command.body).toMatchObject({
      waves: 2,
      targets: [{ detail: expect.stringMatching(/^accepted: /) }, {}, {}],
    });
    const removal = await post({ selector: `tag:${tag}`, action: { remove: true }, preview: true });
    expect(removal.body.targets[2].detail).toBe('It is deleted, with its telemetry');
    expect(await tagsOf(names[0]!)).toEqual([tag]);
    expect((await post({ selector: 'tag:nobody', action: { remove: true }, preview: true })).body.count).toBe(0);
  });

  it('counts in a preview who would refuse, and names the commands that they declare', async () => {
    const { tag, names } = await group(3);
    const declares = (commands: unknown) => ({ token, json: { configuration: { commands } } });
    await weft.request('PUT', `/api/v1/agents/${names[0]}`, declares(['sleep', 'reboot']));
    await weft.request('PUT', `/api/v1/agents/${names[1]}`, declares([{ name: 'restart' }, 'sleep']));
    const { body } = await post({ selector: `tag:${tag}`, action: { command: 'reboot' }, preview: true });
    expect(body).toMatchObject({ count: 3, refused: 1, suggestions: ['sleep', 'reboot', 'restart'] });
    expect(body.targets.map(({ state }: Target) => state)).toEqual(['would', 'refused', 'would']);
    const known = await post({ selector: `tag:${tag}`, action: { command: 'sleep' }, preview: true });
    expect(known.body).toMatchObject({ refused: 0, suggestions: [] });
  });

  it('labels, commands and removes each of them, with a result', async () => {
    const { tag, names } = await group(3);
    const labelled = await start({ selector: `tag:${tag}`, action: { labels: { add_tags: ['new'] } } });
    await untilOver(labelled);
    for (const ap_id of names) expect(await tagsOf(ap_id)).toEqual([tag, 'new']);
    const job = (await weft.request('GET', `/api/v1/jobs/${labelled}`, { token })).body;
    expect(job).toMatchObject({ state: 'succeeded', progress: 1, detail: '3 done, 0 refused' });
    const sent = await start({ selector: `tag:${tag}`, action: { command: 'sleep' } });
    await untilOver(sent);
    const { items } = await progress(sent);
    expect(items.every(({ state, command_id }: Target) => state === 'done' && command_id !== null)).toBe(true);
    const removed = await start({ selector: `tag:${tag}`, action: { remove: true }, wave: { size: 1 } });
    await untilOver(removed);
    expect((await progress(removed)).totals).toEqual({ waiting: 0, done: 3, refused: 0, stopped: 0 });
    for (const ap_id of names) {
      expect((await weft.request('GET', `/api/v1/agents/${ap_id}`, { token })).status).toBe(404);
    }
  });

  it('goes in waves, and is stopped between them', async () => {
    const { tag, names } = await group(5);
    const wave = { size: 2, pause_seconds: 3600 };
    const job = await start({ selector: `tag:${tag}`, action: { labels: { add_tags: ['wave'] } }, wave });
    await untilSo(async () => expect(await states(job)).toEqual(['done', 'done', 'waiting', 'waiting', 'waiting']));
    // The job is told after its targets.
    const told = { state: 'running', progress: 0.4 };
    await untilSo(async () =>
      expect((await weft.request('GET', `/api/v1/jobs/${job}`, { token })).body).toMatchObject(told),
    );
    expect((await weft.request('DELETE', `/api/v1/jobs/${job}`, { token })).status).toBe(200);
    await weft.platform.database.query('UPDATE bulk_runs SET next_at = 1 WHERE job_number = ?', [job]);
    await untilOver(job);
    expect(await states(job)).toEqual(['done', 'done', 'stopped', 'stopped', 'stopped']);
    expect(await tagsOf(names[2]!)).toEqual([tag]);
    const { items, next } = await progress(job, '?limit=2');
    expect(items).toHaveLength(2);
    expect((await progress(job, `?limit=2&cursor=${next}`)).items.map(({ ap_id }: Target) => ap_id)).toEqual(
      names.slice(2, 4),
    );
  });

  it('goes on after a crash, and nothing is done twice', async () => {
    const { tag } = await group(3);
    await weft.parts.fleet.bulk.stop();
    const job = await start({ selector: `tag:${tag}`, action: { command: 'sleep' } });
    const database = weft.platform.database;
    const crash = async () => {
      await weft.parts.fleet.bulk.goOn();
      // As if the results had not been written down.
      await database.query(`UPDATE bulk_targets SET state = 'waiting', command_id = NULL WHERE job_number = ?`, [job]);
      await database.query('UPDATE bulk_runs SET next_at = 1 WHERE job_number = ?', [job]);
    };
    await crash();
    await weft.parts.fleet.bulk.goOn();
    const [row] = await database.query<{ count: number }>('SELECT COUNT(*) AS count FROM commands WHERE ap_id LIKE ?', [
      `${tag}-%`,
    ]);
    expect(row!.count).toBe(3);
    expect((await progress(job)).totals.done).toBe(3);
    weft.parts.fleet.bulk.start();
  });

  it('is decided for each by the rights of the present', async () => {
    const { tag, names } = await group(2);
    const name = `app-${kind.dialect}`;
    const app = await weft.app(name, { agents: names });
    const json = { selector: `tag:${tag}`, action: { command: 'sleep' }, wave: { size: 1, pause_seconds: 3600 } };
    const job = await start(json, app);
    await untilSo(async () => expect((await states(job))[0]).toBe('done'));
    const permissions = { agents: [names[0]] };
    await weft.request('PUT', `/api/v1/third_party_apps/${name}`, { token, json: { permissions } });
    await weft.platform.database.query('UPDATE bulk_runs SET next_at = 1 WHERE job_number = ?', [job]);
    await untilOver(job);
    expect((await states(job))[1]).not.toBe('done');
    expect((await post({ selector: `tag:${tag}`, action: { remove: true } }, app)).status).toBe(403);
    const user = await weft.user(`plain-${kind.dialect}@weft.test`);
    expect((await post({ selector: `tag:${tag}`, action: { labels: {} } }, user)).status).toBe(403);
    expect((await weft.request('GET', `/api/v1/bulk/${job}`, { token: user })).status).toBe(404);
  });

  it.each([
    [{ selector: '', action: {} }, 422],
    [{ selector: '', action: { remove: true, command: 'sleep' } }, 422],
    [{ selector: 'tag:', action: { remove: true } }, 422],
    [{ selector: '', action: { remove: true }, wave: { size: 0 } }, 422],
    [{ selector: 'tag:nobody', action: { remove: true } }, 404],
  ])('%j is refused with %i', async (json, status) => {
    expect((await post(json)).status).toBe(status);
  });
});
