// Workers on real stores and the real embedded broker: who works on what, who takes over, what a job becomes when
// something fails.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type JobFixture, openJobFixture } from '../../../../../test/job-worker-fixture.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { ConflictError, TryLaterError } from '../../base/errors.ts';
import { Shares } from '../../base/shares/shares.ts';
import { MailboxService } from '../mailbox/mailbox-service.ts';
import type { JobStore } from '../store/job-store.ts';
import { JobFailed, type JobRun, type JobTask } from './job-run.ts';
import { JobWorker, type JobWorkerOptions } from './job-worker.ts';

/** Short leases: what takes seconds in earnest takes a moment here. */
const quick = { leaseMs: 400, renewEveryMs: 60, scanEveryMs: 40 };
const hourAhead = () => ({
  agent_id: 'ap-1',
  start_time: new Date(Date.now() - 1000).toISOString(),
  end_time: new Date(Date.now() + 3_600_000).toISOString(),
});
let fixture: JobFixture;
let workers: JobWorker[];
let errors: unknown[];

beforeEach(async () => {
  fixture = await openJobFixture();
  workers = [];
  errors = [];
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await fixture.close();
});

async function startWorker(task: JobTask, options: Partial<JobWorkerOptions> = {}): Promise<JobWorker> {
  const worker = new JobWorker({
    broker: fixture.broker,
    jobs: fixture.jobs,
    mailbox: fixture.mailbox,
    tasks: { agent_details: task, agent_data: task },
    shares: new Shares(),
    onError: (error) => errors.push(error),
    ...quick,
    ...options,
  });
  workers.push(worker);
  await worker.start();
  return worker;
}

async function publishJob(
  task_type = 'agent_details',
  data: Record<string, unknown> = {},
  owner_id = 'owner-1',
): Promise<string> {
  const job = await fixture.createJob(task_type, data, Date.now(), owner_id);
  await fixture.publish(job);
  return job;
}

function expectState(job: string, expected: Record<string, unknown>): Promise<void> {
  return untilSo(async () => expect(await fixture.jobs.get(job)).toMatchObject(expected));
}

/** For as long as a lease would take to run out three times. */
async function expectRenewals(job: string): Promise<void> {
  const { lease_until } = (await fixture.jobs.get(job))!;
  await untilSo(async () => {
    expect((await fixture.jobs.get(job))!.lease_until).toBeGreaterThan(lease_until + 3 * quick.leaseMs);
  });
}

/** Posts numbers, one a message, from where it was left; pauses before each. */
function counting(upTo: number, pause: (n: number, run: JobRun) => Promise<void> = async () => {}): JobTask {
  return async (run) => {
    const last = await run.resume();
    for (let n = last ? JSON.parse(last.data)[0].n + 1 : 1; n <= upTo; n++) {
      await pause(n, run);
      await run.post(JSON.stringify([{ n }]), { final: n === upTo });
    }
  };
}

async function numbersIn(job: string): Promise<number[]> {
  return (await fixture.results(job)).map(({ n }) => n);
}

test('a message becomes a job that is done', async () => {
  await startWorker(counting(3));
  const job = await publishJob();
  await expectState(job, { state: 'succeeded', attempts: 0 });
  expect(await numbersIn(job)).toStrictEqual([1, 2, 3]);
  expect(await fixture.messages(job)).toMatchObject(
    [1, 2, 3].map((chunk) => ({ type: 'agent_details', chunk, final: chunk === 3 })),
  );
  await untilSo(async () => expect(await fixture.broker.depth('agent_details')).toMatchObject({ ready: 0 }));
});

test.each([
  ['no JSON', '{'],
  ['no UTF-8', Buffer.from([0xff, 0xfe])],
  ['no message', '{"job_number":7}'],
  ['no object', '[]'],
  [
    'a message of another queue',
    JSON.stringify({
      job_number: 'x',
      task_type: 'agent_data',
      requested_by: { kind: 'user', id: '1' },
      callback_token: 't',
      data: {},
    }),
  ],
  ['too long', Buffer.alloc(1024 * 1024 + 1, ' ')],
])('a message that is %s is a dead letter, and the next one is worked on', async (_what, body) => {
  const letters: string[] = [];
  await fixture.broker.consumeDeadLetters(async ({ reason, id }) => void letters.push(`${id} ${reason}`));
  await startWorker(counting(1));
  await fixture.broker.publish('agent_details', Buffer.from(body), { id: 'poison' });
  await expectState(await publishJob(), { state: 'succeeded' });
  await untilSo(() => expect(letters).toStrictEqual(['poison rejected']));
});

test('messages of jobs that are unknown, ended or worked on are of no more use', async () => {
  const task = vi.fn(counting(1));
  const ended = await fixture.createJob('agent_details', {});
  await fixture.mailbox.end(ended, 'cancelled', 'Cancelled');
  const taken = await fixture.createJob('agent_details', {});
  await fixture.jobs.claim(taken, 'another', Date.now(), 60_000);
  for (const job of [ended, taken]) await fixture.publish(job);
  const unknown = { job_number: 'unknown', task_type: 'agent_details', requested_by: { kind: 'user', id: '1' } };
  const body = Buffer.from(JSON.stringify({ ...unknown, callback_token: 't', data: {} }));
  await fixture.broker.publish('agent_details', body, { id: 'unknown' });
  await startWorker(task);
  await expectState(await publishJob(), { state: 'succeeded' });
  await untilSo(async () => expect(await fixture.broker.depth('agent_details')).toMatchObject({ ready: 0 }));
  expect(task).toHaveBeenCalledTimes(1);
});

test('the message goes once the job is claimed; the lease is renewed for as long as the work takes', async () => {
  const gate = Promise.withResolvers<void>();
  const task = vi.fn(counting(1, () => gate.promise));
  await startWorker(task);
  await startWorker(task);
  const job = await publishJob();
  await expectState(job, { state: 'running' });
  await expectRenewals(job);
  // The same message again, to either of them, changes nothing.
  await fixture.publish(job);
  await untilSo(async () => expect(await fixture.broker.depth('agent_details')).toMatchObject({ ready: 0 }));
  await expectRenewals(job);
  gate.resolve();
  await expectState(job, { state: 'succeeded' });
  expect(task).toHaveBeenCalledTimes(1);
});

test('an abandoned job is taken over, and goes on after its last message', async () => {
  const job = await fixture.createJob('agent_details', {});
  await fixture.jobs.claim(job, 'one that died', Date.now() - 10_000, 1_000);
  await fixture.mailboxStore.append({ job_number: job, type: 'agent_details', data: '[{"n":1}]', ts: 1, chunk: 1 });
  await startWorker(counting(3));
  await expectState(job, { state: 'succeeded' });
  expect(await numbersIn(job)).toStrictEqual([1, 2, 3]);
});

test('stop gives jobs back between two messages, and another worker goes on at once', async () => {
  const first = await startWorker(
    counting(5, async (n, run) => {
      if (n === 3) await untilAborted(run);
    }),
    { leaseMs: 60_000 },
  );
  const job = await publishJob();
  await untilSo(async () => expect(await numbersIn(job)).toStrictEqual([1, 2]));
  await first.stop();
  expect(first.running).toBe(0);
  expect((await fixture.jobs.get(job))!.lease_until).toBe(0);
  await startWorker(counting(5), { leaseMs: 60_000 });
  await expectState(job, { state: 'succeeded' });
  expect(await numbersIn(job)).toStrictEqual([1, 2, 3, 4, 5]);
});

test('stop lets a post under way come to its end', async () => {
  const worker = await startWorker(counting(3));
  const arrived = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  fixture.mailbox.after = async () => {
    arrived.resolve();
    await gate.promise;
  };
  const job = await publishJob();
  await arrived.promise;
  const stopped = worker.stop();
  gate.resolve();
  await stopped;
  expect(await numbersIn(job)).toStrictEqual([1]);
  expect(fixture.mailbox.posts).toHaveLength(1);
});

test('stop does not wait for a post that never ends; another worker goes on once the lease has run out', async () => {
  const worker = await startWorker(counting(3), { stopTimeoutMs: 50 });
  const arrived = Promise.withResolvers<void>();
  fixture.mailbox.before = () => {
    arrived.resolve();
    return new Promise<never>(() => {});
  };
  const job = await publishJob();
  await arrived.promise;
  await worker.stop();
  expect((await fixture.jobs.get(job))!.lease_until).toBeGreaterThan(0);
  fixture.mailbox.reset();
  await startWorker(counting(3));
  await expectState(job, { state: 'succeeded' });
  expect(await numbersIn(job)).toStrictEqual([1, 2, 3]);
});

test('stop ends a post that waits for its retry, and gives the job back', async () => {
  const worker = await startWorker(counting(3), { leaseMs: 60_000 });
  fixture.mailbox.before = async () => {
    throw databaseAway();
  };
  const job = await publishJob();
  await untilSo(() => expect(fixture.mailbox.posts.length).toBeGreaterThan(1));
  await worker.stop();
  expect((await fixture.jobs.get(job))!.lease_until).toBe(0);
  expect(errors).toStrictEqual([]);
});

test('a lease that another has taken stops the work before its next message', async () => {
  const runs: JobRun[] = [];
  const task = counting(2, (n, run) => (n < 2 ? Promise.resolve() : untilAborted(run)));
  await startWorker((run) => {
    runs.push(run);
    return task(run);
  });
  const job = await publishJob();
  await untilSo(async () => expect(await numbersIn(job)).toStrictEqual([1]));
  await fixture.database.query('UPDATE jobs SET lease_holder = ?, lease_until = ? WHERE job_number = ?', [
    'another',
    Date.now() + 60_000,
    job,
  ]);
  await untilSo(() => expect(workers[0]!.running).toBe(0));
  expect(runs.map((run) => run.signal.reason.name)).toStrictEqual(['LeaseLost']);
  expect(await fixture.jobs.get(job)).toMatchObject({ state: 'running', lease_holder: 'another' });
  expect(fixture.mailbox.posts).toHaveLength(1);
});

test('one that was frozen asks for its lease before it posts', async () => {
  const renew = vi.fn(async () => new Set<string>());
  // No renewals in the background: as if the process had not run.
  await startWorker(
    counting(1, () => new Promise((resolve) => setTimeout(resolve, 2 * quick.leaseMs))),
    { renewEveryMs: 1e9, scanEveryMs: 1e9, jobs: storeWith({ renew }) },
  );
  await publishJob();
  await untilSo(() => expect(renew).toHaveBeenCalled());
  await untilSo(() => expect(workers[0]!.running).toBe(0));
  expect(fixture.mailbox.posts).toHaveLength(0);
});

test('a job that is cancelled is stopped, quietly', async () => {
  await startWorker(counting(2, (n, run) => (n < 2 ? Promise.resolve() : untilAborted(run))));
  const job = await publishJob();
  await untilSo(async () => expect(await numbersIn(job)).toStrictEqual([1]));
  await fixture.mailbox.end(job, 'cancelled', 'Cancelled by its owner');
  await untilSo(() => expect(workers[0]!.running).toBe(0));
  expect(await fixture.jobs.get(job)).toMatchObject({ state: 'cancelled' });
  expect(errors).toStrictEqual([]);
});

test('a post to a job that has ended meanwhile stops the work, quietly', async () => {
  const task = counting(3, async (n, run) => {
    if (n === 2) await fixture.mailbox.end(run.job.job_number, 'expired', 'Time is over');
  });
  const ends: string[] = [];
  await startWorker((run) =>
    task(run).catch((error) => {
      ends.push(error.name);
      throw error;
    }),
  );
  const job = await publishJob();
  await untilSo(() => expect(fixture.mailbox.posts).toHaveLength(2));
  await untilSo(() => expect(workers[0]!.running).toBe(0));
  expect(await fixture.jobs.get(job)).toMatchObject({ state: 'expired' });
  expect(ends).toStrictEqual(['JobOver']);
  expect(errors).toStrictEqual([]);
});

test('what can never be done fails at once, and says why', async () => {
  await startWorker(async () => {
    throw new JobFailed('ap-1 was removed');
  });
  const job = await publishJob();
  await expectState(job, { state: 'failed', detail: 'ap-1 was removed' });
  expect(await fixture.messages(job)).toMatchObject([{ type: 'status', final: true }]);
});

test('a failure that is too long is cut', async () => {
  await startWorker(async () => {
    throw new JobFailed(`${'x'.repeat(1_999)}😀`);
  });
  await expectState(await publishJob(), { state: 'failed', detail: `${'x'.repeat(1_999)}\ufffd` });
});

test('a job that is full fails, and says why', async () => {
  const limits = { messages: 2, bytes: 1e6, bytesByWorker: 1e6 };
  const mailbox = new MailboxService({ mailbox: fixture.mailboxStore, retentionMs: 60_000, limits });
  await startWorker(counting(3), { mailbox });
  const job = await publishJob();
  const detail = 'The controller refused a result: This job has reached its maximum number or size of messages';
  await expectState(job, { state: 'failed', detail });
  expect(await numbersIn(job)).toStrictEqual([1, 2]);
});

test('a result that is refused for good fails the job with the reason, at once', async () => {
  fixture.mailbox.before = async () => {
    throw new ConflictError('wrong_callback', 'Not this one');
  };
  await startWorker(counting(1));
  await expectState(await publishJob(), { state: 'failed', detail: 'The controller refused a result: Not this one' });
  expect(fixture.mailbox.posts).toHaveLength(1);
});

test('a job that is gone is nothing to do for, quietly', async () => {
  fixture.mailbox.before = async () => {
    await fixture.database.query('DELETE FROM jobs');
  };
  const worker = await startWorker(counting(1));
  await publishJob();
  await untilSo(() => expect(fixture.mailbox.posts).toHaveLength(1));
  await untilSo(() => expect(worker.running).toBe(0));
  expect(errors).toStrictEqual([]);
});

test('while the database is away a post is repeated with its chunk number, for longer than a lease, and is there once', async () => {
  // The back-off after these takes at least 750 ms.
  let refusals = 4;
  fixture.mailbox.before = async () => {
    if (refusals-- > 0) throw databaseAway();
  };
  let hasLostAnswer = false;
  fixture.mailbox.after = async () => {
    if (hasLostAnswer) return;
    hasLostAnswer = true;
    throw databaseAway();
  };
  await startWorker(counting(2), { maxAttempts: 1 });
  const job = await publishJob();
  await expectState(job, { state: 'succeeded', attempts: 0 });
  expect(await numbersIn(job)).toStrictEqual([1, 2]);
  const chunks = fixture.mailbox.posts.map(({ chunk }) => chunk);
  expect(chunks).toStrictEqual([1, 1, 1, 1, 1, 1, 2]);
  expect(errors).toStrictEqual([]);
});

test('a post is not repeated once another worker has the lease', async () => {
  fixture.mailbox.before = async () => {
    throw databaseAway();
  };
  // No renewals in the background: only the repeated post asks for the lease.
  const worker = await startWorker(counting(1), { renewEveryMs: 1e9, scanEveryMs: 1e9 });
  const job = await publishJob();
  await untilSo(() => expect(fixture.mailbox.posts).not.toHaveLength(0));
  await fixture.database.query('UPDATE jobs SET lease_holder = ? WHERE job_number = ?', ['another', job]);
  await untilSo(() => expect(worker.running).toBe(0));
  expect(await fixture.jobs.get(job)).toMatchObject({ ended_at: null, lease_holder: 'another' });
  expect(errors).toStrictEqual([]);
});

test('an unforeseen error is tried again, and its owner never sees it', async () => {
  await startWorker(
    async () => {
      throw new Error('secret of the database');
    },
    { maxAttempts: 2 },
  );
  const detail = 'Given up after 2 attempts: unexpected error';
  await expectState(await publishJob(), { state: 'failed', detail });
});

test('a job that was begun too often without a message is given up', async () => {
  const job = await fixture.createJob('agent_details', {});
  for (let n = 0; n < 5; n++) await fixture.jobs.claim(job, `one that died ${n}`, Date.now() - 10_000 + n, 0);
  const task = vi.fn(counting(1));
  await startWorker(task);
  await expectState(job, { state: 'failed', detail: 'Given up after 5 attempts' });
  expect(task).not.toHaveBeenCalled();
});

test('a database that is away is waited for: the message stays in hand, no attempt is lost', async () => {
  let refusals = 4;
  const away = async <T>(work: () => Promise<T>): Promise<T> => {
    if (refusals-- > 0) throw databaseAway();
    return work();
  };
  const task = vi.fn(counting(2));
  await startWorker(task, {
    jobs: storeWith({
      get: (...args) => away(() => fixture.jobs.get(...args)),
      claim: (...args) => away(() => fixture.jobs.claim(...args)),
    }),
  });
  const job = await publishJob();
  await expectState(job, { state: 'succeeded' });
  expect(task).toHaveBeenCalledTimes(1);
  expect(task.mock.calls[0]![0].job.attempts).toBe(1);
});

test('jobs wait for a free slot of their owner; subscriptions have slots of their own', async () => {
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  const task: JobTask = async (run) => {
    begun.push(run.job.job_number);
    await Promise.race([gate.promise, untilAborted(run)]);
    run.signal.throwIfAborted();
    await run.resume();
    await run.post('[]', { final: true });
  };
  await startWorker(task, { maxJobs: 3, maxJobsPerOwner: 2, maxSubscriptions: 2 });
  const jobs = [await publishJob(), await publishJob(), await publishJob()];
  await untilSo(() => expect(begun).toStrictEqual(jobs.slice(0, 2)));
  const live = await publishJob('agent_data', hourAhead());
  await untilSo(() => expect(begun).toContain(live));
  expect(begun).not.toContain(jobs[2]);
  expect(await fixture.jobs.get(jobs[2]!)).toMatchObject({ state: 'queued', attempts: 0 });
  gate.resolve();
  for (const job of jobs) await expectState(job, { state: 'succeeded' });
});

test('a job that waits for a slot when the worker stops is found by the next one', async () => {
  const worker = await startWorker((run) => untilAborted(run).then(() => run.signal.throwIfAborted()), { maxJobs: 1 });
  await publishJob();
  await untilSo(() => expect(worker.running).toBe(1));
  const waiting = await publishJob();
  await untilSo(async () => expect(await fixture.broker.depth('agent_details')).toMatchObject({ ready: 0 }));
  await worker.stop();
  await startWorker(counting(1));
  await expectState(waiting, { state: 'succeeded' });
});

test('two workers, every slot taken by two owners: what waits is begun in turns, the third owner’s first', async () => {
  const gates = new Map<string, () => void>();
  const begun: string[] = [];
  const task: JobTask = async (run) => {
    begun.push(run.job.owner_id);
    await Promise.race([new Promise<void>((resolve) => gates.set(run.job.job_number, resolve)), untilAborted(run)]);
    run.signal.throwIfAborted();
    await run.resume();
    await run.post('[]', { final: true });
  };
  for (let n = 0; n < 2; n++) await startWorker(task, { maxJobs: 2 });
  const details = (owner_id: string) => publishJob('agent_details', {}, owner_id);
  const first: string[] = [];
  for (let n = 0; n < 40; n++) first.push(await details(n % 2 ? 'eve' : 'mallory'));
  await untilSo(() => expect(begun.toSorted()).toEqual(['eve', 'eve', 'mallory', 'mallory']));
  const ada = await details('ada');
  await untilSo(async () => {
    expect(await fixture.broker.depth('agent_details')).toMatchObject({ ready: 0 });
    expect(await fixture.jobs.listWaiting('job', { without: [], limit: 100 })).toHaveLength(37);
  });
  // One slot becomes free, whichever: it is hers.
  const [running, open] = [...gates][0]!;
  open();
  await expectState(running, { state: 'succeeded' });
  await untilSo(() => expect(begun[4]).toBe('ada'));
  const openAll = setInterval(() => {
    for (const gate of gates.values()) gate();
  }, 5);
  for (const job of [...first, ada]) await expectState(job, { state: 'succeeded', attempts: 0 });
  clearInterval(openAll);
});

function databaseAway(): TryLaterError {
  return new TryLaterError(503, 'database_unavailable', 'away', 1);
}

function untilAborted(run: JobRun): Promise<void> {
  if (run.signal.aborted) return Promise.resolve();
  return new Promise((resolve) => run.signal.addEventListener('abort', () => resolve()));
}

function storeWith(instead: Partial<JobStore>): JobWorkerOptions['jobs'] {
  const { jobs } = fixture;
  return {
    get: (...args) => jobs.get(...args),
    claim: (...args) => jobs.claim(...args),
    renew: (...args) => jobs.renew(...args),
    release: (...args) => jobs.release(...args),
    listAbandoned: (...args) => jobs.listAbandoned(...args),
    setAside: (...args) => jobs.setAside(...args),
    listWaiting: (...args) => jobs.listWaiting(...args),
    ...instead,
  };
}
