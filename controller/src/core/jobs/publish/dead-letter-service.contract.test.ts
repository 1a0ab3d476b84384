// What becomes of messages that nobody could work on.
import type { DeadLetter } from '@weft/broker';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type JobServer, startJobServer } from '../../../../../test/job-server.ts';

let server: JobServer;

beforeAll(async () => {
  server = await startJobServer();
});
beforeEach(() => {
  // So that the newest letter is always the one of this test.
  server.outside.aheadMs += 1000;
});
afterAll(() => server.stop());

function letterOf(body: unknown, more: Partial<DeadLetter> = {}): DeadLetter {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { id: 'letter', queue: 'agent_details', reason: 'delivery_limit', body: Buffer.from(text), ...more };
}

const newest = async () => (await server.letterStore.list(1))[0]!;

describe('a dead letter', () => {
  it.each([
    ['delivery_limit', 'failed'],
    ['rejected', 'failed'],
    ['maxlen', 'failed'],
    ['expired', 'expired'],
  ] as const)('that is %s ends its job as %s, and may come twice', async (reason, state) => {
    const job_number = await server.ask();
    const letter = letterOf({ job_number }, { id: job_number, reason });
    await server.letters.take(letter);
    await server.letters.take(letter);
    const job = await server.store.get(job_number);
    expect(job).toMatchObject({ state, last_seq: 1, detail: expect.stringContaining(`(${reason})`) });
    const kept = (await server.letterStore.list(99)).filter(({ id }) => id === job_number);
    expect(kept).toMatchObject([{ reason, job_number, queue: 'agent_details' }]);
  });

  it('leaves a job alone that has ended, or that somebody works on', async () => {
    const [ended, running] = [await server.ask(), await server.ask()];
    await server.mailbox.end(ended, 'cancelled', 'for the test');
    await server.store.claim(running, 'worker', Date.now(), 60_000);
    for (const job_number of [ended, running]) await server.letters.take(letterOf({ job_number }));
    expect((await server.store.get(ended))?.state).toBe('cancelled');
    expect((await server.store.get(running))?.state).toBe('running');
  });

  it('is kept without its secrets, wherever they are in it', async () => {
    const job_number = 'unknown-job';
    const canary = 'canary';
    await server.letters.take(
      letterOf({
        job_number,
        callback_token: `wcb.${job_number}.${canary}`,
        data: { agents: [{ ap_id: 'emu-1', password: canary, api_key: canary }], nested: { push_secret: canary } },
      }),
    );
    const { body } = await newest();
    expect(body).not.toContain(canary);
    expect(JSON.parse(body)).toMatchObject({ job_number, data: { agents: [{ ap_id: 'emu-1', password: '***' }] } });
  });

  it.each([
    ['no JSON', 'password=canary'],
    ['nested too deeply', '['.repeat(500_000)],
    ['nested too deeply, and closed', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['too large to look into', `"${'canary'.repeat(200_000)}"`],
    ['too large to keep', JSON.stringify(['x'.repeat(70_000)])],
    ['empty', ''],
    ['null', 'null'],
    ['of an odd number', '{"job_number":"a b\\u0000"}'],
    ['of a number that is none', '{"job_number":{"a":1}}'],
  ])('that is %s is kept in a few words', async (what, body) => {
    await server.letters.take(letterOf(body, { id: what.includes('odd') ? '' : `letter ${what}` }));
    const kept = await newest();
    expect(kept.job_number).toBeNull();
    expect(kept.body.length).toBeLessThan(100);
    expect(kept.body).not.toContain('canary');
  });

  it('is forgotten after a week', async () => {
    await server.letters.take(letterOf('null'));
    await server.letters.prune(Date.now() + 6 * 86_400_000);
    expect(await server.letterStore.list(1)).toHaveLength(1);
    await server.letters.prune(Date.now() + 8 * 86_400_000);
    expect(await server.letterStore.list(1)).toEqual([]);
  });
});
