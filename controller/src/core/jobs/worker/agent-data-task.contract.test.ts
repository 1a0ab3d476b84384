// The work behind #23 for times that are past, on the real telemetry store.
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { admin, type JobFixture, nobody, openJobFixture } from '../../../../../test/job-worker-fixture.ts';
import { sampleOf } from '../../../../../test/pure/sample-of.ts';
import { agentNamed } from '../../../../../test/pure/stored-records.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { TryLaterError } from '../../base/errors.ts';
import type { Sample } from '../../telemetry/store/telemetry-store.ts';
import { createAgentDataTask } from './agent-data-task.ts';
import type { SightOf } from './agent-details-task.ts';
import { LiveSubscriptions } from './live-subscription.ts';

type AgentRecordOut = { time: string; field: string; value: number | string };

const start = Date.now() - 86_400_000;
const end = start + 3_600_000;
const crash = new Error('the worker died');
let fixture: JobFixture;
let sightOf: SightOf;
let agents = 0;

beforeAll(async () => {
  fixture = await openJobFixture();
});
afterAll(() => fixture.close());
beforeEach(() => {
  sightOf = () => fixture.network.visibleTo(admin);
  fixture.mailbox.reset();
});

function task(telemetry: Pick<JobFixture['telemetry'], 'fields' | 'rows'> = fixture.telemetry) {
  const subscriptions = new LiveSubscriptions();
  return createAgentDataTask({ network: fixture.network, telemetry, sightOf: (job) => sightOf(job), subscriptions });
}

/** A fresh agent with these samples, and a job for an hour of them. */
async function jobFor(samples: Sample[]) {
  const ap_id = `ap-${++agents}`;
  await fixture.agentStore.create(agentNamed(ap_id));
  await fixture.telemetry.append(ap_id, samples);
  const times = { start_time: new Date(start).toISOString(), end_time: new Date(end).toISOString() };
  return { ap_id, job: await fixture.createJob('agent_data', { agent_id: ap_id, ...times }) };
}

/** What the interface promises: by time, then by field; the ends included. */
function recordsOf(samples: readonly Sample[]): AgentRecordOut[] {
  const rows = [...samples].sort((a, b) => a.ts - b.ts).filter(({ ts }) => ts >= start && ts <= end);
  return rows.flatMap(({ ts, names, values, texts }) => {
    const fields: [string, number | string][] = [
      ...names.map((name, i): [string, number] => [name, values[i]!]),
      ...texts,
    ];
    // Of one field the number first.
    fields.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return fields.map(([field, value]) => ({ time: new Date(ts).toISOString(), field, value }));
  });
}

function steady(count: number, fields: number): Sample[] {
  return Array.from({ length: count }, (_, index) => {
    const metrics = Object.fromEntries(Array.from({ length: fields }, (_, n) => [`m${n}`, index + n / 8]));
    return sampleOf(start + index * 100, metrics);
  });
}

async function countsOf(job: string): Promise<number[]> {
  return (await fixture.messages(job)).map(({ data }) => JSON.parse(data).length);
}

test('records by time and field, numbers and texts, nothing outside of the time asked for', async () => {
  const samples = [
    sampleOf(start - 1, { b: 0 }),
    sampleOf(start, { b: 1, a: -0.125 }, { zone: 'roof "2"\n', Zone: 'ü\u2028' }),
    sampleOf(start + 5, { a: 1e300, 'odd "name"': 5e-324 }),
    sampleOf(end, { b: 0.1 + 0.2 }),
    sampleOf(end + 1, { b: 3 }),
  ];
  const { job } = await jobFor(samples);
  await fixture.attempt(job, task());
  expect(await fixture.results(job)).toStrictEqual(recordsOf(samples));
  expect(await fixture.messages(job)).toMatchObject([{ type: 'agent_data', final: true, chunk: 1 }]);
});

test('at most 5,000 records a chunk, cut between moments, with progress', async () => {
  const samples = steady(4_000, 3);
  const { job } = await jobFor(samples);
  await fixture.attempt(job, task());
  expect(await countsOf(job)).toStrictEqual([4_998, 4_998, 2_004]);
  expect(await fixture.results(job)).toStrictEqual(recordsOf(samples));
  expect(fixture.mailbox.posts.map((post) => post.progress)).toStrictEqual([
    (1_665 * 100) / 3_600_000,
    (3_331 * 100) / 3_600_000,
    1,
  ]);
});

test('long texts make chunks of at most 512 KiB; a moment that is larger alone is cut between its fields', async () => {
  const text = '"\u0001'.repeat(2_000);
  const texts = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`t${n}`, text]));
  const samples = [sampleOf(start, { a: 1 }, texts), sampleOf(start + 1, { a: 2 }, { t0: text })];
  const { job } = await jobFor(samples);
  await fixture.attempt(job, task());
  const sizes = (await fixture.messages(job)).map(({ data }) => Buffer.byteLength(data));
  expect(sizes.length).toBe(2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(512 * 1024);
  expect(await fixture.results(job)).toStrictEqual(recordsOf(samples));
});

test('an agent without data is one empty, final message', async () => {
  const { job } = await jobFor([]);
  await fixture.attempt(job, task());
  expect(await fixture.messages(job)).toMatchObject([{ data: '[]', final: true }]);
});

test('whatever the crashes, all records are there once, in order', async () => {
  // A moment larger than a chunk among them, so that a crash in its middle is tried as well.
  const texts = Object.fromEntries(Array.from({ length: 24 }, (_, n) => [`t${n}`, '\u0001'.repeat(4_096)]));
  const numbers = Object.fromEntries(Object.keys(texts).map((name, n) => [name, n]));
  const samples = [
    ...steady(2_000, 3),
    sampleOf(start + 300_000, { a: 1, ...numbers }, texts),
    sampleOf(end, { a: 2 }),
  ];
  const { job: first } = await jobFor(samples);
  const { data } = (await fixture.jobs.get(first))!;
  const expected = JSON.stringify(recordsOf(samples));
  // For each attempt, with which post it dies, and whether that one was stored.
  const deaths = fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.boolean()), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(deaths, async (plan) => {
      const job = await fixture.createJob('agent_data', JSON.parse(data));
      for (const [post, isStored] of [...plan, undefined].map((death) => death ?? ([0, false] as const))) {
        let posts = 0;
        fixture.mailbox.reset();
        fixture.mailbox[isStored ? 'after' : 'before'] = async () => {
          if (++posts === post) throw crash;
        };
        if ((await fixture.jobs.get(job))!.ended_at !== null) break;
        await fixture.attempt(job, task()).catch((error) => expect(error).toBe(crash));
      }
      expect((await fixture.jobs.get(job))!.state).toBe('succeeded');
      expect(JSON.stringify(await fixture.results(job)) === expected).toBe(true);
    }),
    { numRuns: rounds(6) },
  );
});

test('a crash between the last records and the end: the end follows', async () => {
  const samples = steady(10, 1);
  const { job } = await jobFor(samples);
  await fixture.mailboxStore.append({
    job_number: job,
    type: 'agent_data',
    data: JSON.stringify(recordsOf(samples)),
    ts: Date.now(),
    chunk: 1,
  });
  await fixture.attempt(job, task());
  expect(await fixture.messages(job)).toMatchObject([{ chunk: 1 }, { data: '[]', final: true, chunk: 2 }]);
});

test('an agent that is removed meanwhile fails the job, even if another gets its name', async () => {
  for (const comesBack of [false, true]) {
    const { ap_id, job } = await jobFor(steady(25_000, 1));
    fixture.mailbox.after = async ({ chunk }) => {
      if (chunk !== 1) return;
      await fixture.telemetry.remove(ap_id);
      await fixture.agentStore.remove(ap_id);
      if (comesBack) await fixture.agentStore.create(agentNamed(ap_id));
    };
    await expect(fixture.attempt(job, task())).rejects.toMatchObject({
      name: 'JobFailed',
      message: `${ap_id} was removed`,
    });
  }
});

test('an owner who may not see the agent any more fails the job', async () => {
  const { ap_id, job } = await jobFor(steady(25_000, 1));
  let isAllowed = true;
  sightOf = () => fixture.network.visibleTo(isAllowed ? admin : nobody);
  fixture.mailbox.after = async () => {
    isAllowed = false;
  };
  await expect(fixture.attempt(job, task())).rejects.toThrow(`may not see ${ap_id}`);
});

test('telemetry out of reach is waited for', async () => {
  const samples = steady(10, 1);
  const { job } = await jobFor(samples);
  let refusals = 2;
  await fixture.attempt(
    job,
    task({
      fields: (...args) => fixture.telemetry.fields(...args),
      rows: async (...args) => {
        if (refusals-- > 0) throw new TryLaterError(503, 'telemetry_unavailable', 'away', 1);
        return fixture.telemetry.rows(...args);
      },
    }),
  );
  expect(await fixture.results(job)).toStrictEqual(recordsOf(samples));
});

test('what others have posted to the job cannot be gone on with', async () => {
  const { job } = await jobFor(steady(10, 1));
  await fixture.mailboxStore.append({ job_number: job, type: 'agent_data', data: '[{"x":1}]', ts: 1, chunk: 7 });
  await expect(fixture.attempt(job, task())).rejects.toMatchObject({ name: 'JobFailed' });
});
