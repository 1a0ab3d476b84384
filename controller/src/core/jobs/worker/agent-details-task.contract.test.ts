// The work behind #22 on real stores: which agents, in which chunks, and that a crash anywhere costs nothing.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { admin, type JobFixture, openJobFixture } from '../../../../../test/job-worker-fixture.ts';
import { agentNamed } from '../../../../../test/pure/stored-records.ts';
import { TryLaterError } from '../../base/errors.ts';
import { createAgentDetailsTask, type SightOf } from './agent-details-task.ts';

let fixture: JobFixture;
let sightOf: SightOf;

beforeEach(async () => {
  fixture = await openJobFixture();
  sightOf = () => fixture.network.visibleTo(admin);
});
afterEach(() => fixture.close());

const task = () =>
  createAgentDetailsTask({ network: fixture.network, details: fixture.agentDetails, sightOf: (job) => sightOf(job) });

async function createAgents(count: number, configuration: Record<string, unknown> = {}): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `ap-${String(index).padStart(5, '0')}`);
  await fixture.database.transaction(async (tx) => {
    for (const name of names) {
      const { id, ap_id, password_hash, ver, created_at } = agentNamed(name);
      await tx.query(
        `INSERT INTO agents (id, ap_id, password_hash, configuration, onboard, emulated_for, ver, created_at)
         VALUES (?, ?, ?, ?, 0, NULL, ?, ?)`,
        [id, ap_id, password_hash, JSON.stringify(configuration), ver, created_at],
      );
    }
  });
  return names;
}

async function namesIn(job_number: string): Promise<string[]> {
  return (await fixture.results(job_number)).map(({ ap_id }) => ap_id);
}

test('every agent in order of ap_id, as its details, at most 500 a chunk, the last one final', async () => {
  const names = await createAgents(1_203, { site: 'roof' });
  const job = await fixture.createJob('agent_details', {});
  await fixture.attempt(job, task());
  const messages = await fixture.messages(job);
  expect(messages.map(({ data }) => JSON.parse(data).length)).toStrictEqual([500, 500, 203]);
  expect(messages.map(({ final, chunk }) => [final, chunk])).toStrictEqual([
    [false, 1],
    [false, 2],
    [true, 3],
  ]);
  expect(await namesIn(job)).toStrictEqual(names);
  expect((await fixture.results(job))[0]).toStrictEqual({
    id: expect.any(String),
    ap_id: 'ap-00000',
    configuration: { site: 'roof' },
    onboard: false,
  });
  expect(await fixture.jobs.get(job)).toMatchObject({ state: 'succeeded', progress: 1 });
});

test('large configurations make chunks of at most 512 KiB', async () => {
  const names = await createAgents(40, { note: 'ü'.repeat(30_000) });
  const job = await fixture.createJob('agent_details', {});
  await fixture.attempt(job, task());
  const sizes = (await fixture.messages(job)).map(({ data }) => Buffer.byteLength(data));
  expect(sizes.length).toBe(5);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(512 * 1024);
  expect(await namesIn(job)).toStrictEqual(names);
});

test('no agents at all are one empty, final message', async () => {
  const job = await fixture.createJob('agent_details', {});
  await fixture.attempt(job, task());
  expect(await fixture.messages(job)).toMatchObject([{ data: '[]', final: true, chunk: 1 }]);
});

test('only what the job asks for and its owner may see now', async () => {
  await createAgents(1_000);
  let rounds = 0;
  // After the first page the owner loses half of its rights.
  sightOf = () => {
    rounds++;
    const agents = rounds === 1 ? ['*'] : ['*1'];
    return fixture.network.visibleTo({ kind: 'third_party_app', id: 'app', name: 'app', permissions: { agents } });
  };
  const job = await fixture.createJob('agent_details', { agents: ['ap-0000?', 'ap-009*'] });
  await fixture.attempt(job, task());
  const digits = Array.from({ length: 10 }, (_, digit) => digit);
  const expected = [...digits.map((digit) => `ap-0000${digit}`), ...digits.map((digit) => `ap-009${digit}1`)];
  expect(await namesIn(job)).toStrictEqual(expected);
});

test('an owner who is gone fails the job', async () => {
  await createAgents(3);
  sightOf = async () => undefined;
  const job = await fixture.createJob('agent_details', {});
  await expect(fixture.attempt(job, task())).rejects.toMatchObject({ name: 'JobFailed' });
  expect(await fixture.messages(job)).toStrictEqual([]);
});

test('accounts out of reach are waited for', async () => {
  await createAgents(3);
  let refusals = 2;
  sightOf = async () => {
    if (refusals-- > 0) throw new TryLaterError(503, 'database_unavailable', 'away', 1);
    return fixture.network.visibleTo(admin);
  };
  const job = await fixture.createJob('agent_details', {});
  await fixture.attempt(job, task());
  expect(await namesIn(job)).toHaveLength(3);
});

test('a crash at any chunk, before or after it is stored: every agent once, in order', async () => {
  const names = await createAgents(1_203);
  const crash = new Error('the worker died');
  for (const moment of ['before', 'after'] as const) {
    const job = await fixture.createJob('agent_details', {});
    // Each attempt gets one chunk further than the last.
    for (let attempts = 0; (await fixture.jobs.get(job))!.ended_at === null; attempts++) {
      expect(attempts).toBeLessThan(10);
      let posts = 0;
      fixture.mailbox[moment] = async ({ final }) => {
        if (moment === 'after' ? !final : ++posts === 2) throw crash;
      };
      await fixture.attempt(job, task()).catch((error) => expect(error).toBe(crash));
    }
    fixture.mailbox.reset();
    expect(await namesIn(job)).toStrictEqual(names);
    expect((await fixture.messages(job)).map(({ chunk }) => chunk)).toStrictEqual([1, 2, 3]);
  }
});

test('agents removed and created meanwhile: none twice, and none of the others missing', async () => {
  const names = await createAgents(1_203);
  const job = await fixture.createJob('agent_details', {});
  const crash = new Error('the worker died');
  fixture.mailbox.after = async ({ chunk }) => {
    if (chunk !== 1) return;
    await fixture.agentStore.remove('ap-00499');
    await fixture.agentStore.remove('ap-01100');
    await fixture.agentStore.create(agentNamed('ap-00000-b'));
    throw crash;
  };
  await expect(fixture.attempt(job, task())).rejects.toBe(crash);
  await fixture.attempt(job, task());
  expect(await namesIn(job)).toStrictEqual(names.filter((name) => name !== 'ap-01100'));
});
