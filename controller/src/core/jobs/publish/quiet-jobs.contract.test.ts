// A worker that knows only the specification never says `final`: its job ends when nothing more comes.
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type JobServer, startJobServer } from '../../../../../test/job-server.ts';
import { rounds } from '../../../../../test/rounds.ts';
import type { Callback } from '../mailbox/mailbox-service.ts';

const quietMs = 60_000;
let server: JobServer;
beforeAll(async () => {
  server = await startJobServer();
  await server.agent('ap-1');
});
afterEach(() => {
  server.outside.aheadMs = 0;
});
afterAll(() => server.stop());

const deliver = (job_number: string, kind: string, data: unknown[] | string, more = '') =>
  server.request(
    'POST',
    `/api/v1/callback/${kind}?job_number=${job_number}${more}`,
    server.tokens.create(job_number),
    data,
  );
const jobOf = async (job_number: string) => (await server.request('GET', `/api/v1/jobs/${job_number}`, 'ada')).body;

async function afterSilence(ms = quietMs + 1): Promise<void> {
  server.outside.aheadMs += ms;
  await server.upkeep.once();
}

async function askData(endsInMs: number): Promise<string> {
  const query = new URLSearchParams({
    agent_id: 'ap-1',
    start_time: new Date(Date.now() - 86_400_000).toISOString(),
    end_time: new Date(Date.now() + endsInMs).toISOString(),
  });
  const { body } = await server.request('POST', `/api/v1/agent_data/request_agent_data?${query}`, 'ada');
  return body.job_number;
}

describe('a job whose worker never says that it is done', () => {
  it('succeeds a quiet time after its last result; what comes later is still stored', async () => {
    const job = await server.ask();
    await deliver(job, 'agent_details', [{ n: 1 }]);
    await afterSilence(quietMs - 2_000);
    await deliver(job, 'agent_details', [{ n: 2 }]);
    await afterSilence(quietMs - 2_000);
    expect((await jobOf(job)).state).toBe('running');
    await afterSilence(3_000);
    const ended = await jobOf(job);
    expect(ended.state).toBe('succeeded');
    expect(ended.messages.at(-1)).toMatchObject({ type: 'status', final: true, data: [{ state: 'succeeded' }] });

    const late = await deliver(job, 'agent_details', [{ n: 3 }], '&chunk=7');
    expect([late.status, late.body]).toMatchObject([200, { status: 'queued', seq: 4 }]);
    expect((await deliver(job, 'agent_details', [{ n: 3 }], '&chunk=7')).body.seq).toBe(4);
    const after = await jobOf(job);
    expect(after).toMatchObject({ state: 'succeeded', ended_at: ended.ended_at, expires_at: ended.expires_at });
    expect(after.messages.map(({ data }: { data: unknown }) => data)).toEqual([
      [{ n: 1 }],
      [{ n: 2 }],
      [{ state: 'succeeded', detail: expect.stringContaining('60 s') }],
      [{ n: 3 }],
    ]);
    await afterSilence(10 * quietMs);
    expect((await jobOf(job)).last_seq).toBe(4);
  });

  it('may still be ended by its worker: `final` closes it, `error` makes it failed; then nothing more is stored', async () => {
    for (const [more, state] of [
      ['&final=true', 'succeeded'],
      ['&error=broken', 'failed'],
    ]) {
      const job = await server.ask();
      await deliver(job, 'agent_details', [{ n: 1 }]);
      await afterSilence();
      expect((await deliver(job, 'agent_details', [{ n: 2 }], more)).status).toBe(200);
      expect((await jobOf(job)).state).toBe(state);
      expect((await deliver(job, 'agent_details', [{ n: 3 }])).body.code).toBe('job_ended');
    }
  });

  it('of #23 is not ended before its end_time', async () => {
    const [past, live] = [await askData(-1_000), await askData(5 * quietMs)];
    for (const job of [past, live]) await deliver(job, 'agent_data', [{ n: 1 }]);
    await afterSilence();
    expect([(await jobOf(past)).state, (await jobOf(live)).state]).toEqual(['succeeded', 'running']);
    await deliver(live, 'agent_data', [{ n: 2 }]);
    await afterSilence(5 * quietMs);
    expect((await jobOf(live)).state).toBe('succeeded');
  });
});

describe('left alone are', () => {
  it('jobs that have delivered nothing, jobs that a worker of Weft has begun, and jobs that were set aside', async () => {
    const [silent, leased, left, aside] = await Promise.all(Array.from({ length: 4 }, () => server.ask()));
    await server.store.claim(leased!, 'worker', Date.now(), 10 * quietMs);
    await server.store.claim(left!, 'worker', Date.now() - 9_000, 5_000);
    for (const job of [leased!, left!, aside!]) await deliver(job, 'agent_details', [{ n: 1 }]);
    await server.store.setAside([aside!], 'job', Date.now());
    await afterSilence();
    for (const job of [silent!, leased!, left!, aside!]) expect((await jobOf(job)).ended_at).toBeNull();
  });

  it('jobs whose worker has sent only empty parts: it is still at work; the first result starts the quiet time', async () => {
    const kinds = [
      ['agent_details', await server.ask()],
      ['agent_data', await askData(-1_000)],
    ] as const;
    for (const [kind, job] of kinds) {
      for (const more of ['', '&chunk=1', '&chunk=1']) await deliver(job, kind, '[ \n ]', more);
      await afterSilence();
      expect((await jobOf(job)).state).toBe('running');
      await deliver(job, kind, [{ n: 1 }], '&chunk=2');
      await deliver(job, kind, []);
      await afterSilence(quietMs - 2_000);
      expect((await jobOf(job)).state).toBe('running');
      await afterSilence();
      expect((await jobOf(job)).state).toBe('succeeded');
    }
    const [, ended] = kinds[0];
    expect((await deliver(ended, 'agent_details', [], '&final=true')).status).toBe(200);
    const empty = await server.ask();
    await deliver(empty, 'agent_details', [], '&final=true');
    expect((await jobOf(empty)).state).toBe('succeeded');
  });

  it('jobs that an administrator has opened', async () => {
    await server.request('POST', '/api/v1/callback/agent_data?job_number=by-hand', 'admin', [1]);
    await afterSilence();
    expect((await server.store.get('by-hand'))?.state).toBe('running');
  });

  it('jobs that ended otherwise: cancelled ones take nothing more', async () => {
    const job = await server.ask();
    await deliver(job, 'agent_details', [{ n: 1 }]);
    await server.request('DELETE', `/api/v1/jobs/${job}`, 'ada');
    await afterSilence();
    expect((await deliver(job, 'agent_details', [{ n: 2 }])).body.code).toBe('job_ended');
    expect((await jobOf(job)).state).toBe('cancelled');
  });
});

describe('whatever the order of callbacks and silence', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('data' as const), chunk: fc.option(fc.nat(5)) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('silence' as const), chunk: fc.constant(null) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom('final' as const, 'error' as const), chunk: fc.option(fc.nat(5)) }),
    },
  );

  it('silence changes neither what is stored, nor what is refused, nor how the worker ended it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const [quiet, control] = [await server.ask(), await server.ask()];
        await server.store.claim(control, 'worker', Date.now(), 1e12);
        const answers: [string[], string[]] = [[], []];
        let isOver = false;
        let hasDelivered = false;
        let wasQuiet = false;
        for (const [n, { kind, chunk }] of steps.entries()) {
          if (kind === 'silence') {
            await afterSilence();
            wasQuiet ||= hasDelivered;
            expect((await server.store.get(quiet))!.ended_at !== null).toBe(isOver || wasQuiet);
            expect((await server.store.get(control))!.ended_at !== null).toBe(isOver);
            continue;
          }
          const callback = toCallback(n, kind, chunk);
          for (const [index, job_number] of [quiet, control].entries()) {
            const post = server.mailbox.post({ job_number, task_type: 'agent_details', owner_id: 'ada' }, callback);
            answers[index as 0 | 1].push(
              await post.then(
                () => 'stored',
                ({ code }) => code,
              ),
            );
          }
          isOver ||= kind !== 'data';
          hasDelivered = true;
        }
        expect(answers[0]).toEqual(answers[1]);
        const stored = async (job_number: string) =>
          (await server.mailbox.list(job_number, 0, 1e9))
            .filter(({ type }) => type !== 'status')
            .map(({ data }) => data);
        expect(await stored(quiet)).toEqual(await stored(control));
        const states = [await server.store.get(quiet), await server.store.get(control)].map((job) => job!.state);
        if (isOver) expect(states[0]).toBe(states[1]);
        else if (wasQuiet) expect(states[0]).toBe('succeeded');
      }),
      { numRuns: rounds(30) },
    );
  });
});

function toCallback(n: number, kind: 'data' | 'final' | 'error', chunk: number | null): Callback {
  return {
    kind: 'agent_details',
    data: JSON.stringify([n]),
    isEmpty: false,
    final: kind === 'final',
    chunk,
    error: kind === 'error' ? 'broken' : undefined,
    progress: undefined,
    isByWorker: true,
  };
}
