// Results on their way back, over HTTP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JobServer, startJobServer } from '../../../../../test/job-server.ts';
import type { Answer } from '../../../../../test/weft.ts';

const kinds = ['agent_data', 'agent_details', 'emulator'] as const;
const taskOf = { agent_data: 'agent_data', agent_details: 'agent_details', emulator: 'emulator_spinup' } as const;
type Kind = (typeof kinds)[number];
type Query = Record<string, string | number | boolean>;

let server: JobServer;

beforeAll(async () => {
  server = await startJobServer();
});
afterAll(() => server.stop());

function post(kind: Kind, query: Query, token: string | undefined, body: unknown = [], at = server): Promise<Answer> {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return at.request('POST', `/api/v1/callback/${kind}?${new URLSearchParams(pairs)}`, token, body);
}

/** A job of ada's that takes this kind of callback, and its token. */
async function jobFor(kind: Kind, at = server): Promise<{ job_number: string; token: string }> {
  const ada = { kind: 'user', id: 'id of ada', name: 'ada@weft.test', roles: ['user'], isAdmin: false } as const;
  const { job_number } = await at.jobs.create(ada, { task_type: taskOf[kind], data: {} });
  return { job_number, token: at.tokens.create(job_number) };
}

async function read(job_number: string) {
  return (await server.request('GET', `/api/v1/jobs/${job_number}`, 'admin')).body;
}

describe.each(kinds)('the callback %s', (kind) => {
  it('stores what comes with the token of the job, and ends the job with the last part', async () => {
    const { job_number, token } = await jobFor(kind);
    const first = await post(kind, { job_number, chunk: 1, progress: 0.5 }, token, [{ a: 1 }]);
    expect([first.status, first.body]).toEqual([
      200,
      { status: 'queued', job_number, detail: 'Message 1 is stored', seq: 1 },
    ]);
    expect(await read(job_number)).toMatchObject({ state: 'running', progress: 0.5 });
    const last = await post(kind, { job_number, chunk: 2, final: true }, token, []);
    expect(last.body.seq).toBe(2);
    expect(await read(job_number)).toMatchObject({
      state: 'succeeded',
      detail: null,
      messages: [
        { seq: 1, type: kind, data: [{ a: 1 }], final: false },
        { seq: 2, type: kind, data: [], final: true },
      ],
    });
  });

  it('says delivered while a socket of the job is open here', async () => {
    const { job_number, token } = await jobFor(kind);
    server.outside.sockets.add(job_number);
    expect((await post(kind, { job_number }, token, [{}])).body.status).toBe('delivered');
    server.outside.sockets.delete(job_number);
    expect((await post(kind, { job_number }, token, [{}])).body.status).toBe('queued');
  });

  it('says delivered with the last result too, which closes the socket that gets it', async () => {
    const forget = server.mailbox.onMessage(({ job_number }) => server.outside.sockets.delete(job_number));
    const lasts: Record<string, string | boolean>[] = [{ final: true }, { error: 'broken' }];
    for (const last of lasts) {
      const { job_number, token } = await jobFor(kind);
      server.outside.sockets.add(job_number);
      expect((await post(kind, { job_number, ...last }, token, [])).body.status).toBe('delivered');
      expect((await post(kind, { job_number }, token, [])).body.code).toBe('job_ended');
    }
    forget();
  });

  it('is for the owner and administrators too; J1, J2: for nobody else', async () => {
    const { job_number, token } = await jobFor(kind);
    const stranger = await jobFor(kind);
    for (const [who, status] of [
      [token, 200],
      ['ada', 200],
      ['admin', 200],
      [undefined, 401],
      ['nobody', 401],
      [`${token}x`, 401],
      [token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')), 401],
      [`wcb.${job_number}.`, 401],
      [stranger.token, 403],
      ['ap-1', 403],
      ['bob', 404],
      ['app-1', 404],
      ['impostor', 404],
    ] as const)
      expect((await post(kind, { job_number }, who, [{}])).status, who).toBe(status);
    expect((await read(job_number)).last_seq).toBe(3);
    expect((await read(stranger.job_number)).last_seq).toBe(0);
  });

  it('J3: keeps nothing for a number that is unknown', async () => {
    const token = server.tokens.create('never-asked-for');
    for (const who of ['ada', 'app-1', token]) {
      const { status, body } = await post(kind, { job_number: 'never-asked-for' }, who, [{}]);
      expect([status, body.code], who).toEqual([404, 'job_not_found']);
    }
    for (const odd of ['', ' ', 'a b', 'é', 'a/b', 'a'.repeat(129)]) {
      expect((await post(kind, { job_number: odd }, 'admin', [{}])).status, odd).toBe(404);
    }
    expect(await server.store.get('never-asked-for')).toBeUndefined();
  });

  it('J4: is refused after the end, whatever the end was', async () => {
    for (const state of ['failed', 'expired', 'cancelled'] as const) {
      const { job_number, token } = await jobFor(kind);
      await server.mailbox.end(job_number, state, 'for the test');
      const { status, body } = await post(kind, { job_number }, token, [{}]);
      expect([status, body.code], state).toEqual([409, 'job_ended']);
    }
    const { job_number, token } = await jobFor(kind);
    await post(kind, { job_number, final: true }, token, [{}]);
    expect((await post(kind, { job_number, final: true }, token, [{}])).status).toBe(409);
    expect((await post(kind, { job_number, error: 'too late' }, token, [])).status).toBe(409);
    expect((await read(job_number)).state).toBe('succeeded');
  });

  it('J5: is refused for a job of another kind', async () => {
    for (const other of kinds) {
      if (other === kind) continue;
      const { job_number, token } = await jobFor(other);
      const { status, body } = await post(kind, { job_number }, token, [{}]);
      expect([status, body.code]).toEqual([409, 'wrong_callback']);
      expect((await read(job_number)).state).toBe('queued');
    }
  });

  it('J8: stores a chunk once, and answers it as at first, also after the end', async () => {
    const { job_number, token } = await jobFor(kind);
    const send = (chunk: number, more: Query = {}) => post(kind, { job_number, chunk, ...more }, token, [{ chunk }]);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(7)));
    expect(new Set(answers.map(({ body }) => body.seq))).toEqual(new Set([1]));
    const last = await send(8, { final: true });
    for (const [chunk, seq] of [
      [7, 1],
      [8, 2],
    ] as const) {
      const again = await send(chunk, { final: true });
      expect([again.status, again.body.seq]).toEqual([200, seq]);
    }
    expect(last.body.seq).toBe(2);
    expect((await read(job_number)).messages).toHaveLength(2);
  });

  it('ends the job with a part that is sent again and is the last one now; it is not delivered again', async () => {
    const { job_number, token } = await jobFor(kind);
    const first = await post(kind, { job_number, chunk: 1 }, token, [{ a: 1 }]);
    for (const _ of [1, 2]) {
      const again = await post(kind, { job_number, chunk: 1, final: true }, token, [{ a: 1 }]);
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect(await read(job_number)).toMatchObject({
        state: 'succeeded',
        detail: null,
        last_seq: 2,
        messages: [
          { seq: 1, type: kind, data: [{ a: 1 }], final: false },
          { seq: 2, type: 'status', data: [{ state: 'succeeded', detail: null }], final: true },
        ],
      });
    }
    expect((await post(kind, { job_number, chunk: 2 }, token, [{}])).body.code).toBe('job_ended');
  });

  it('leaves a job as it ended otherwise, whatever part is sent again as the last one', async () => {
    const { job_number, token } = await jobFor(kind);
    const first = await post(kind, { job_number, chunk: 1 }, token, [{ a: 1 }]);
    await post(kind, { job_number, error: 'broken' }, token, []);
    const again = await post(kind, { job_number, chunk: 1, final: true }, token, [{ a: 1 }]);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await read(job_number)).toMatchObject({ state: 'failed', last_seq: 2 });
  });

  it('ends the job as failed with an error, after what came with it; a repeat changes nothing', async () => {
    const { job_number, token } = await jobFor(kind);
    const heard: number[] = [];
    const stop = server.mailbox.onMessage((message) => heard.push(message.seq));
    const query = { job_number, chunk: 1, error: 'the agent is on fire' };
    const first = await post(kind, query, token, [{ a: 1 }]);
    const again = await post(kind, query, token, [{ a: 1 }]);
    stop();
    expect([first.body.seq, again.status, again.body]).toEqual([2, 200, first.body]);
    expect(heard).toEqual([1, 2]);
    expect(await read(job_number)).toMatchObject({
      state: 'failed',
      detail: 'the agent is on fire',
      messages: [
        { seq: 1, type: kind, data: [{ a: 1 }], final: false },
        { seq: 2, type: 'status', data: [{ state: 'failed', detail: 'the agent is on fire' }], final: true },
      ],
    });
  });

  it('ends the job with one message if nothing came with the error', async () => {
    const { job_number, token } = await jobFor(kind);
    expect((await post(kind, { job_number, error: '', final: true }, token, [])).body.seq).toBe(1);
    expect(await read(job_number)).toMatchObject({ state: 'failed', messages: [{ type: 'status', final: true }] });
  });

  it('refuses what is no array, or a query that says nothing (422), and changes nothing', async () => {
    const { job_number, token } = await jobFor(kind);
    const bad: [Query, unknown, string][] = [
      [{}, [{}], 'job_number'],
      [{ job_number, chunk: -1 }, [{}], 'chunk'],
      [{ job_number, chunk: 1.5 }, [{}], 'chunk'],
      [{ job_number, chunk: '9'.repeat(20) }, [{}], 'chunk'],
      [{ job_number, final: 'perhaps' }, [{}], 'final'],
      [{ job_number, progress: 1.1 }, [{}], 'progress'],
      [{ job_number, progress: 'NaN' }, [{}], 'progress'],
      [{ job_number, error: 'x'.repeat(2001) }, [{}], 'error'],
      [{ job_number }, {}, ''],
      [{ job_number }, 'null', ''],
      [{ job_number }, '"text"', ''],
      [{ job_number }, '[1', ''],
      [{ job_number }, '["\\u0000"]', ''],
      [{ job_number }, '[1e999]', ''],
      [{ job_number }, `${'['.repeat(33)}${']'.repeat(33)}`, ''],
    ];
    for (const [query, body, field] of bad) {
      const answer = await post(kind, query, token, body);
      expect(answer.status, JSON.stringify([query, body])).toBe(422);
      if (field) expect(answer.body.detail).toMatchObject([{ loc: ['query', field] }]);
    }
    const status = kind === 'agent_data' ? 200 : 422;
    expect((await post(kind, { job_number }, token, [1, 'a', null])).status).toBe(status);
    expect((await read(job_number)).last_seq).toBe(kind === 'agent_data' ? 1 : 0);
    const large = `["${'x'.repeat(1024 * 1024)}"]`;
    expect((await post(kind, { job_number }, token, large)).status).toBe(413);
  });
});

describe('a number that Weft did not give out', () => {
  it('is opened by an administrator who posts to it, and takes every kind from then on', async () => {
    const job_number = 'lab:run.7_is-ours'.replace('_', '-');
    expect((await post('emulator', { job_number }, 'admin', [{}])).body.seq).toBe(1);
    expect((await post('agent_data', { job_number }, 'admin', [1])).body.seq).toBe(2);
    expect(await read(job_number)).toMatchObject({ task_type: 'adopted', state: 'running', last_seq: 2 });
    expect((await post('agent_data', { job_number }, 'ada', [1])).status).toBe(404);
    expect((await server.request('GET', '/api/v1/jobs', 'admin')).body).toMatchObject([{ job_number }]);
    expect(server.published.some((message) => message.job_number === job_number)).toBe(false);
  });

  it('belongs to one of several who come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => post('agent_data', { job_number: 'race' }, n % 2 ? 'admin' : 'admin2', [n])),
    );
    expect(answers.map(({ body }) => body.seq).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
  });
});

it('J10: takes no more than a job can hold, and says so; workers may send more than others', async () => {
  const small = await startJobServer({ mailboxLimits: { messages: 4, bytes: 20, bytesByWorker: 40 } });
  try {
    const { job_number, token } = await jobFor('agent_data', small);
    const send = async (who: string, body: string) => {
      const answer = await post('agent_data', { job_number }, who, body, small);
      return answer.status === 200
        ? answer.body.seq
        : [answer.body.code, Number(answer.headers.get('retry-after')) > 0];
    };
    expect(await send('ada', `["${'x'.repeat(16)}"]`)).toBe(1);
    expect(await send('ada', '[]')).toEqual(['job_full', true]);
    expect(await send(token, '[]')).toBe(2);
    expect(await send(token, `["${'x'.repeat(16)}"]`)).toEqual(['job_full', true]);
    expect(await send(token, '[]')).toBe(3);
    expect(await send(token, '[]')).toBe(4);
    expect(await send(token, '[]')).toEqual(['job_full', true]);
    const failed = await post('agent_data', { job_number, error: 'too much' }, token, [], small);
    expect(failed.body.seq).toBe(5);
    expect(await small.store.get(job_number)).toMatchObject({ state: 'failed', bytes: expect.any(Number) });
  } finally {
    await small.stop();
  }
});

it('keeps the text of a large result as it came', async () => {
  const { job_number, token } = await jobFor('agent_data');
  const record = (n: number) =>
    `{"time":"2026-01-01T00:00:00.${String(n % 1000).padStart(3, '0')}Z","field":"f","value":${n}.10}`;
  const text = `[${Array.from({ length: 5000 }, (_, n) => record(n)).join(', ')}]\n`;
  expect((await post('agent_data', { job_number, final: true }, token, text)).status).toBe(200);
  expect(await server.mailbox.list(job_number, 0, 1)).toMatchObject([{ data: text }]);
});
