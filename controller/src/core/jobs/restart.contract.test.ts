// Jobs across restarts of a Weft with the embedded broker: its queues are gone each time, and the rows are the truth.
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

const details = '/api/v1/agent_details/request_all_agents_details';
let folder: string;
let weft: TestWeft;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-restart-'));
});
afterEach(async () => {
  await weft.stop();
  await rm(folder, { recursive: true, force: true });
});

const start = async () => {
  weft = await startWeft({ WEFT_DATA_DIR: folder });
};
const jobOf = async (job_number: string) => (await weft.parts.jobs.jobStore.get(job_number))!;

/** Jobs whose messages went into a queue that nobody has taken from. */
async function leaveWaiting(count: number): Promise<string[]> {
  const token = await weft.admin();
  await weft.parts.jobs.drain();
  const numbers: string[] = [];
  for (let n = 0; n < count; n++) {
    const { status, body } = await weft.request('POST', details, { token });
    expect(status).toBe(200);
    numbers.push(body.job_number);
  }
  await untilSo(async () => {
    await weft.parts.jobs.outbox.mark();
    for (const number of numbers) expect((await jobOf(number)).published_at).not.toBeNull();
  });
  return numbers;
}

test('what waited in a queue is published again and done, each once', async () => {
  await start();
  const numbers = await leaveWaiting(20);
  expect(await weft.platform.broker.depth('agent_details')).toMatchObject({ ready: 20 });
  await weft.stop();
  // As version 0.2.0 left its queue: it is no more, and nothing of it is needed.
  writeFileSync(join(folder, 'broker.db'), 'the queue of an older version');
  await start();
  expect(existsSync(join(folder, 'broker.db'))).toBe(false);
  for (const number of numbers) {
    await untilSo(async () => expect(await jobOf(number)).toMatchObject({ state: 'succeeded' }));
    const messages = await weft.parts.jobs.mailboxStore.list(number, 0, 1e6);
    expect(messages.filter(({ final }) => final)).toHaveLength(1);
  }
});

test('a job at which its process died each time is given up: attempts are in its row, not in the queue', async () => {
  await start();
  const [poison] = await leaveWaiting(1);
  for (let n = 1; n <= 5; n++) {
    expect(await weft.parts.jobs.jobStore.claim(poison!, `killed ${n}`, Date.now(), 60_000)).toMatchObject({
      attempts: n,
    });
    // As at the next start, which finds the lease of a process that was killed at it.
    await weft.parts.jobs.prepare();
  }
  await weft.stop();
  await start();
  const detail = 'Given up after 5 attempts';
  await untilSo(async () => expect(await jobOf(poison!)).toMatchObject({ state: 'failed', detail }));
});
