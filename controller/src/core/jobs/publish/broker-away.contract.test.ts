// The whole server while RabbitMQ is away or will not have it (B1, B11): jobs are taken and wait, up to a bound, and
// /readyz says what is wrong without saying how one logs in.
import { afterEach, expect, inject, test } from 'vitest';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

const details = '/api/v1/agent_details/request_all_agents_details';
let weft: TestWeft;
afterEach(() => weft.stop());

async function start(amqpUrl: string): Promise<string> {
  weft = await startWeft({ WEFT_AMQP_URL: amqpUrl, WEFT_MAX_WAITING_JOBS: '3' });
  return weft.admin();
}

async function ask(token: string) {
  const { status, body, headers } = await weft.request('POST', details, { token });
  return { status, code: body.code, job_number: body.job_number, retryAfter: headers.get('retry-after') };
}

test('nobody listens: three jobs are taken and wait, the fourth is told to come back', async () => {
  const token = await start('amqp://guest:guest@127.0.0.1:1');
  const jobs = [await ask(token), await ask(token), await ask(token)];
  expect(jobs.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await ask(token)).toMatchObject({
    status: 503,
    code: 'outbox_full',
    retryAfter: expect.stringMatching(/^\d+$/),
  });
  for (const { job_number } of jobs) {
    const { body } = await weft.request('GET', `/api/v1/jobs/${job_number}`, { token });
    expect(body.state).toBe('queued');
  }
  expect((await weft.request('GET', '/healthz')).status).toBe(200);
  const ready = await weft.request('GET', '/readyz');
  expect(ready).toMatchObject({
    status: 503,
    body: { parts: { disk: 'ok', database: 'ok', telemetry: 'ok', broker: 'failing', jobs: 'ok' } },
  });
});

test.skipIf(inject('amqpUrl') === undefined)('RabbitMQ refuses the password: Weft runs, and says so', async () => {
  const url = new URL(inject('amqpUrl')!);
  url.password = 'not-the-password';
  const token = await start(url.href);
  expect(await ask(token)).toMatchObject({ status: 200 });
  const ready = await weft.request('GET', '/readyz');
  expect([ready.status, ready.body.parts.broker]).toEqual([503, 'failing']);
  expect(JSON.stringify(ready.body)).not.toContain('not-the-password');
});
