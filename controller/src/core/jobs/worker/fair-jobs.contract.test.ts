// One caller's work does not keep another's waiting: the whole server, embedded and with RabbitMQ.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { findRabbit, shareRabbit } from '../../../../../test/rabbitmq.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

let weft: TestWeft;
let rabbit: Awaited<ReturnType<typeof shareRabbit>> | undefined;
afterEach(() => weft.stop());
afterAll(() => rabbit?.stop());

function dataUrl(fromMs: number, untilMs: number): string {
  const [start_time, end_time] = [fromMs, untilMs].map((ms) => new Date(Date.now() + ms).toISOString());
  return `/api/v1/agent_data/request_agent_data?${new URLSearchParams({ agent_id: 'ap-1', start_time: start_time!, end_time: end_time! })}`;
}

const subscription = () => dataUrl(-1_000, 3_600_000);
const history = () => dataUrl(-3_600_000, -1);

async function ask(token: string, url: string): Promise<string> {
  const { status, body } = await weft.request('POST', url, { token });
  expect(status).toBe(200);
  return body.job_number;
}

async function statesOf(token: string): Promise<Record<string, number>> {
  const states: Record<string, number> = {};
  for (const state of ['queued', 'running', 'succeeded', 'failed']) {
    for (let before = ''; ; ) {
      const { body } = await weft.request('GET', `/api/v1/jobs?state=${state}&limit=200${before}`, { token });
      states[state] = (states[state] ?? 0) + body.length;
      if (body.length < 200) break;
      before = `&before=${body.at(-1).job_number}`;
    }
  }
  return states;
}

/** Far more than run at once, and than one node takes from its queue. */
const many = rounds(600, 150);

describe.each(findRabbit() === undefined ? ['embedded'] : ['embedded', 'RabbitMQ'])('%s', (broker) => {
  let settings: Record<string, string> = {};
  beforeAll(async () => {
    if (broker === 'embedded') return;
    rabbit = await shareRabbit();
    settings = { WEFT_AMQP_URL: rabbit.url };
  });

  test(`beside ${many} open subscriptions of one caller, another’s history and subscription are served`, async () => {
    weft = await startWeft({ ...settings, WEFT_MAX_SUBSCRIPTIONS_PER_CALLER: '20' });
    await weft.agent('ap-1');
    await weft.record('ap-1', [{ ts: Date.now() - 1_000, names: ['load'], values: [7], texts: [] }]);
    const [eve, ada] = [await weft.user('eve@weft.test'), await weft.user('ada@weft.test')];
    for (let asked = 0; asked < many; asked += 50) {
      await Promise.all(Array.from({ length: 50 }, () => ask(eve, subscription())));
    }
    await untilSo(async () => expect(await statesOf(eve)).toMatchObject({ running: 20, queued: many - 20 }));

    const askedAt = performance.now();
    const job = await ask(ada, history());
    const { body } = await untilSo(async () => {
      const answer = await weft.request('GET', `/api/v1/jobs/${job}`, { token: ada });
      expect(answer.body.state).toBe('succeeded');
      return answer;
    });
    process.stdout.write(
      `${broker}: answered in ${Math.round(performance.now() - askedAt)} ms beside ${many} others\n`,
    );
    expect(body.messages.at(-1).data).toMatchObject([{ field: 'load', value: 7 }]);
    const live = await ask(ada, subscription());
    await untilSo(async () => {
      const answer = await weft.request('GET', `/api/v1/jobs/${live}`, { token: ada });
      expect(answer.body).toMatchObject({ state: 'running' });
    });
    expect(await statesOf(eve)).toMatchObject({ running: 20, queued: many - 20 });
  });

  test('what one caller has too much of is served in the end, without holding a place in the queue', async () => {
    weft = await startWeft({
      ...settings,
      WEFT_MAX_SUBSCRIPTIONS_PER_CALLER: '2',
      WEFT_MAX_RUNNING_JOBS_PER_CALLER: '1',
    });
    await weft.agent('ap-1');
    const eve = await weft.user('eve@weft.test');
    await Promise.all(Array.from({ length: 6 }, () => ask(eve, subscription())));
    await Promise.all(Array.from({ length: 60 }, () => ask(eve, history())));
    await untilSo(async () => expect(await statesOf(eve)).toMatchObject({ succeeded: 60, running: 2, queued: 4 }));
    await untilSo(async () => expect(await weft.platform.broker.depth('agent_data')).toMatchObject({ ready: 0 }));
    // As some end, others begin.
    const running = (await weft.request('GET', '/api/v1/jobs?state=running', { token: eve })).body;
    for (const { job_number } of running) {
      await weft.request('DELETE', `/api/v1/jobs/${job_number}`, { token: eve });
    }
    await untilSo(async () => expect(await statesOf(eve)).toMatchObject({ succeeded: 60, running: 2, queued: 2 }));
  });
});
