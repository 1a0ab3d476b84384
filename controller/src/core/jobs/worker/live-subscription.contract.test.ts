// Live subscriptions (#23 with an end ahead) on the real telemetry store. Their end is brought near when all has been seen.
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { admin, type JobFixture, nobody, openJobFixture } from '../../../../../test/job-worker-fixture.ts';
import { sampleOf } from '../../../../../test/pure/sample-of.ts';
import { agentNamed } from '../../../../../test/pure/stored-records.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { rounds } from '../../../../../test/rounds.ts';
import type { Sample } from '../../telemetry/store/telemetry-store.ts';
import { createAgentDataTask } from './agent-data-task.ts';
import type { JobTask } from './job-run.ts';
import { type LiveSubscriptionOptions, LiveSubscriptions } from './live-subscription.ts';

const minute = 60_000;
const quick = { pollMs: 10, graceMs: 50, longLookEveryMs: 30, lookBackMs: minute };
let fixture: JobFixture;
let isVisible: boolean;
let agents = 0;

beforeAll(async () => {
  fixture = await openJobFixture();
});
afterAll(() => fixture.close());
beforeEach(() => {
  isVisible = true;
  fixture.mailbox.reset();
});

class Subscription {
  readonly ap_id = `ap-${++agents}`;
  readonly from = Date.now() - 60 * minute;
  readonly sent: string[] = [];
  readonly subscriptions: LiveSubscriptions;
  readonly task: JobTask;
  job = '';
  readonly #clock: () => number;
  #skipMs = 0;

  constructor(options: LiveSubscriptionOptions = {}, clock = Date.now) {
    this.#clock = clock;
    this.subscriptions = new LiveSubscriptions({ ...quick, ...options, now: () => clock() + this.#skipMs });
    this.task = createAgentDataTask({
      network: fixture.network,
      telemetry: fixture.telemetry,
      sightOf: () => fixture.network.visibleTo(isVisible ? admin : nobody),
      subscriptions: this.subscriptions,
    });
  }

  /** For the last hour and what comes within that time. */
  async ask(forMs = minute): Promise<this> {
    await fixture.agentStore.create(agentNamed(this.ap_id));
    const [start_time, end_time] = [this.from, Date.now() + forMs].map((ms) => new Date(ms).toISOString());
    this.job = await fixture.createJob('agent_data', { agent_id: this.ap_id, start_time, end_time });
    return this;
  }

  /** From now on its time is over. */
  end(): void {
    this.#skipMs = Date.now() - this.#clock() + minute + quick.graceMs;
  }

  run(): Promise<void> {
    return fixture.attempt(this.job, this.task);
  }

  /** As a door of this node does it, or one of another node, of which nobody here hears. */
  async report(samples: Sample[], isHeard = true): Promise<void> {
    await fixture.telemetry.append(this.ap_id, samples);
    if (isHeard) this.subscriptions.recorded(this.ap_id, samples);
    for (const { ts, names, texts } of samples) {
      for (const name of [...names, ...texts.map(([text]) => text)]) this.sent.push(`${ts} ${name}`);
    }
  }

  async delivered(): Promise<string[]> {
    return (await fixture.results(this.job)).map(({ time, field }) => `${Date.parse(time)} ${field}`);
  }

  async expectDelivered(): Promise<void> {
    await untilSo(async () => expect((await this.delivered()).sort()).toStrictEqual([...this.sent].sort()));
  }
}

test('what is stored first, then what arrives, each once, and the end is final', async () => {
  const subscription = await new Subscription().ask();
  const old = Array.from({ length: 3 }, (_, index) => sampleOf(Date.now() - 30 * minute + index, { a: index, b: 1 }));
  await subscription.report(old);
  const running = subscription.run();
  await subscription.expectDelivered();
  for (const value of [1, 2, 3]) {
    await subscription.report([sampleOf(Date.now(), { a: value }, { note: 'x' })]);
    await subscription.expectDelivered();
  }
  subscription.end();
  await running;
  await subscription.expectDelivered();
  const messages = await fixture.messages(subscription.job);
  expect(messages.map(({ final }) => final)).toStrictEqual([...messages.slice(1).map(() => false), true]);
  expect(await fixture.jobs.get(subscription.job)).toMatchObject({ state: 'succeeded', progress: 1 });
});

test('nothing after the end, and nothing of an agent that is silent: one empty, final message', async () => {
  const subscription = await new Subscription().ask(100);
  await fixture.telemetry.append(subscription.ap_id, [sampleOf(Date.now() + 5_000, { a: 1 })]);
  await subscription.run();
  expect(await fixture.messages(subscription.job)).toMatchObject([{ data: '[]', final: true }]);
});

test.each([true, false])('a late sample within the look-back is delivered once; heard of here: %j', async (isHeard) => {
  const subscription = await new Subscription().ask();
  await subscription.report([sampleOf(Date.now(), { a: 1 })]);
  const running = subscription.run();
  await subscription.expectDelivered();
  await subscription.report([sampleOf(Date.now() - 20_000, { a: 2 })], isHeard);
  await subscription.expectDelivered();
  subscription.end();
  await running;
  await subscription.expectDelivered();
});

test('a sample later than the look-back is delivered once if this node hears of it', async () => {
  const subscription = await new Subscription().ask();
  await subscription.report([sampleOf(Date.now(), { a: 1 })]);
  const running = subscription.run();
  await subscription.expectDelivered();
  await subscription.report([sampleOf(Date.now() - 20 * minute, { a: 2 }, { note: 'late' })]);
  await subscription.expectDelivered();
  // Before the time that was asked for: not a part of it.
  const before = [sampleOf(subscription.from - 1, { a: 3 })];
  await fixture.telemetry.append(subscription.ap_id, before);
  subscription.subscriptions.recorded(subscription.ap_id, before);
  subscription.end();
  await running;
  await subscription.expectDelivered();
});

test('a clock that runs ahead does not make the others late', async () => {
  const subscription = await new Subscription({ lookBackMs: 5_000 }).ask();
  await subscription.report([sampleOf(Date.now() + 30_000, { ahead: 1 })]);
  const running = subscription.run();
  await subscription.expectDelivered();
  await subscription.report([sampleOf(Date.now(), { a: 1 })], false);
  await subscription.expectDelivered();
  subscription.end();
  await running;
});

test('every message is in the order of time', async () => {
  const subscription = await new Subscription({ pollMs: 100 }).ask();
  const running = subscription.run();
  const now = Date.now();
  for (const age of [0, 20 * minute, 3_000, 30 * minute, 1, 10 * minute]) {
    await subscription.report([sampleOf(now - age, { a: age })]);
  }
  subscription.end();
  await running;
  await subscription.expectDelivered();
  for (const { data } of await fixture.messages(subscription.job)) {
    const times = (JSON.parse(data) as { time: string }[]).map(({ time }) => time);
    expect(times).toStrictEqual([...times].sort());
  }
});

test('whatever comes when, from whichever node, and whoever dies: each record once', async () => {
  const step = fc.record({
    ageMs: fc.constantFrom(0, 0, 1_000, 20_000, 59_000),
    isHeard: fc.boolean(),
    death: fc.constantFrom<'before' | 'after' | undefined>(undefined, undefined, 'before', 'after'),
  });
  const crash = new Error('the worker died');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), async (steps) => {
      // Its clock goes on by being looked at: what is too old for it does not depend on how long the machine takes for a step.
      let now = Date.now();
      const clock = () => (now += 2);
      const subscription = await new Subscription({ lookBackMs: 2 * minute }, clock).ask();
      // Keeps a worker at it: one that dies is followed by another.
      const working = (async () => {
        while ((await fixture.jobs.get(subscription.job))!.ended_at === null) {
          await subscription.run().catch((error) => expect(error).toBe(crash));
        }
      })();
      let offset = 0;
      for (const { ageMs, isHeard, death } of steps) {
        if (death) {
          let isAlive = true;
          fixture.mailbox[death] = async () => {
            if (!isAlive) return;
            isAlive = false;
            throw crash;
          };
        }
        const ts = clock() - ageMs - ++offset;
        await subscription.report([sampleOf(ts, { a: 1, b: 2 }, { note: 'x' })], isHeard);
        await subscription.expectDelivered();
      }
      subscription.end();
      await working;
      await subscription.expectDelivered();
    }),
    { numRuns: rounds(4) },
  );
});

test('the messages last until the end, however much comes', async () => {
  const subscription = await new Subscription({ maxMessages: 6 }).ask(1_000);
  const running = subscription.run();
  let isOver = false;
  const ended = running.finally(() => {
    isOver = true;
  });
  while (!isOver) await subscription.report([sampleOf(Date.now(), { [`a${subscription.sent.length % 500}`]: 1 })]);
  await ended;
  const messages = await fixture.messages(subscription.job);
  expect(messages.length).toBeGreaterThan(1);
  expect(messages.length).toBeLessThanOrEqual(8);
});

test('an agent that is removed, or not visible any more, fails the job', async () => {
  const gone = await new Subscription().ask();
  const running = gone.run();
  const failure = expect(running).rejects.toMatchObject({ name: 'JobFailed', message: `${gone.ap_id} was removed` });
  await gone.report([sampleOf(Date.now(), { a: 1 })]);
  await gone.expectDelivered();
  await fixture.agentStore.remove(gone.ap_id);
  await failure;
  const hidden = await new Subscription().ask();
  const refused = expect(hidden.run()).rejects.toMatchObject({ name: 'JobFailed' });
  isVisible = false;
  await refused;
});

test('a long past is walked through with bounded memory of it', async () => {
  const subscription = await new Subscription().ask();
  const past = Array.from({ length: 9_000 }, (_, index) => sampleOf(subscription.from + index * 300, { a: index }));
  await subscription.report(past);
  const running = subscription.run();
  await subscription.expectDelivered();
  await subscription.report([sampleOf(subscription.from + 150, { a: 0 })]);
  subscription.end();
  await running;
  await subscription.expectDelivered();
});
