// Asking for work and looking after it, over HTTP.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type JobServer, startJobServer } from '../../../../../test/job-server.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import type { Caller } from '../../base/caller.ts';
import { JobService } from './job-service.ts';

const details = '/api/v1/agent_details/request_all_agents_details';
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const hour = 3_600_000;

function dataUrl(agent_id: string, start_time: string, end_time: string): string {
  return `/api/v1/agent_data/request_agent_data?${new URLSearchParams({ agent_id, start_time, end_time })}`;
}

const yesterday = dataUrl('ap-1', '2026-01-01T00:00:00Z', '2026-01-01T02:00:00+01:00');
let server: JobServer;

beforeAll(async () => {
  server = await startJobServer();
  await server.agent('ap-1');
  await server.agent('roof-1');
});
afterEach(() => {
  server.outside.brokerIsAway = false;
  server.outside.aheadMs = 0;
});
afterAll(() => server.stop());

const messageOf = (job_number: string) =>
  untilSo(() => {
    const found = server.published.find((message) => message.job_number === job_number);
    expect(found).toBeDefined();
    return found!;
  });

describe('#22', () => {
  it.each(['admin', 'ada', 'app-1'])('answers a job number to %s, and publishes the job', async (token) => {
    const { status, body } = await server.request('POST', details, token);
    const { job_number } = body;
    expect([status, body]).toEqual([200, { job_number, status: 'queued', websocket: `/api/v1/ws/${job_number}` }]);
    expect(job_number).toMatch(uuid);
    expect(await messageOf(job_number)).toEqual({
      job_number,
      task_type: 'agent_details',
      requested_by: { kind: token === 'app-1' ? 'third_party_app' : 'user', id: `id of ${token}` },
      callback_token: server.tokens.create(job_number),
      data: token === 'app-1' ? { agents: ['ap-*'] } : {},
    });
    await untilSo(async () => expect((await server.store.get(job_number))?.published_at).not.toBeNull());
  });

  it('is refused to those without a token, to agents, and to apps that may not read', async () => {
    for (const [token, status] of [
      [undefined, 401],
      ['nobody', 401],
      ['ap-1', 403],
      ['blind', 403],
    ] as const)
      expect((await server.request('POST', details, token)).status, token).toBe(status);
  });

  it('takes no callback token', async () => {
    const token = server.tokens.create(await server.ask());
    expect((await server.request('POST', details, token)).status).toBe(401);
  });

  it('J7: never gives a number twice, and no counter is in it', async () => {
    const numbers = await Promise.all(Array.from({ length: 200 }, () => server.ask('bob')));
    expect(new Set(numbers).size).toBe(200);
    // Every hexadecimal digit that is not fixed takes many values.
    for (let at = 0; at < 36; at += 1) {
      if ([8, 13, 14, 18, 19, 23].includes(at)) continue;
      expect(new Set(numbers.map((number) => number[at])).size, `digit ${at}`).toBeGreaterThan(8);
    }
  });
});

describe('#23', () => {
  it.each(['admin', 'ada', 'ap-1', 'app-1'])('is for %s', async (token) => {
    const { status, body } = await server.request('POST', yesterday, token);
    expect(status).toBe(200);
    expect((await messageOf(body.job_number)).data).toEqual({
      agent_id: 'ap-1',
      start_time: '2026-01-01T00:00:00.000Z',
      end_time: '2026-01-01T01:00:00.000Z',
    });
    const job = await server.store.get(body.job_number);
    expect(job).toMatchObject({ subject: 'ap-1', owner_id: `id of ${token}` });
    expect(job!.expires_at - job!.created_at).toBe(hour);
  });

  it('I13: takes times with an offset, without one, and as Unix time', async () => {
    const times = [
      ['2026-01-01T00:00:00', '2026-01-01T01:00:00'],
      ['1767225600', '1767229200000'],
      ['2026-01-01', '2026-01-01 01:00:00.000Z'],
    ] as const;
    for (const [start, end] of times) {
      const { body } = await server.request('POST', dataUrl('ap-1', start, end), 'ada');
      expect((await messageOf(body.job_number)).data).toEqual({
        agent_id: 'ap-1',
        start_time: '2026-01-01T00:00:00.000Z',
        end_time: '2026-01-01T01:00:00.000Z',
      });
    }
  });

  it('expires long after the end of a subscription', async () => {
    const end = Date.now() + 5 * hour;
    const url = dataUrl('ap-1', new Date().toISOString(), new Date(end).toISOString());
    const { body } = await server.request('POST', url, 'ada');
    expect((await server.store.get(body.job_number))?.expires_at).toBe(end + hour);
  });

  it('Z3: an agent asks for itself only', async () => {
    const foreign = dataUrl('roof-1', '2026-01-01', '2026-01-02');
    expect((await server.request('POST', foreign, 'ap-1')).body).toMatchObject({ code: 'not_permitted' });
  });

  it('is 401, 403, 422, 404 in this order', async () => {
    const soon = new Date(Date.now() + 25 * hour).toISOString();
    for (const [token, agent, start, end, status, loc] of [
      [undefined, 'ap-1', 'x', 'x', 401],
      ['blind', 'ap-1', 'x', 'x', 403],
      ['ada', 'nowhere', '2026-01-01', 'x', 422, ['query', 'end_time']],
      ['ada', 'nowhere', '2026-01-02', '2026-01-01', 422, ['query', 'end_time']],
      ['ada', 'nowhere', '2026-01-01', '2026-01-01', 422, ['query', 'end_time']],
      ['ada', 'nowhere', '2026-01-01', soon, 422, ['query', 'end_time']],
      ['ada', 'nowhere', '2026-01-01', '2026-01-02', 404],
      ['app-1', 'roof-1', '2026-01-01', '2026-01-02', 404],
    ] as const) {
      const answer = await server.request('POST', dataUrl(agent, start, end), token);
      expect(answer.status, `${token} ${agent} ${start} ${end}`).toBe(status);
      if (loc) expect(answer.body.detail).toMatchObject([{ loc }]);
    }
    const { body } = await server.request('POST', '/api/v1/agent_data/request_agent_data', 'ada');
    expect(body.detail.map((problem: { loc: string[] }) => problem.loc[1])).toEqual([
      'agent_id',
      'start_time',
      'end_time',
    ]);
  });

  it('Z10: jobs about an agent that is removed fail, and say so', async () => {
    await server.agent('ap-gone');
    const url = dataUrl('ap-gone', '2026-01-01', '2026-01-02');
    const { job_number } = (await server.request('POST', url, 'ada')).body;
    const other = await server.ask();
    await server.removeAgent('ap-gone');
    const { body } = await server.request('GET', `/api/v1/jobs/${job_number}`, 'ada');
    expect(body).toMatchObject({ state: 'failed', detail: 'Agent ap-gone has been removed' });
    expect(body.messages).toMatchObject([{ type: 'status', final: true, data: [{ state: 'failed' }] }]);
    expect((await server.store.get(other))?.state).toBe('queued');
  });
});

describe('B1: while the broker is away', () => {
  it('jobs are answered 200, and published when it is back', async () => {
    server.changes.length = 0;
    server.outside.brokerIsAway = true;
    const numbers = await Promise.all(Array.from({ length: 150 }, () => server.ask()));
    await server.upkeep.once();
    expect(server.changes).toEqual([expect.stringContaining('takes no jobs')]);
    expect(await server.store.countUnpublished()).toBeGreaterThanOrEqual(150);
    server.outside.brokerIsAway = false;
    server.outside.aheadMs = 10_000;
    await server.upkeep.once();
    for (const number of numbers) await messageOf(number);
    expect(server.changes).toHaveLength(2);
    expect(await server.store.countUnpublished()).toBe(0);
  });

  it('and the outbox is full, requests are answered 503 and nothing is kept', async () => {
    const small = await startJobServer({ maxUnpublished: 3 });
    try {
      small.outside.brokerIsAway = true;
      for (let n = 0; n < 3; n += 1) await small.ask();
      const refused = await small.request('POST', details, 'bob');
      expect([refused.status, refused.body.code]).toEqual([503, 'outbox_full']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await small.request('GET', '/api/v1/jobs', 'bob')).body).toEqual([]);
      small.outside.brokerIsAway = false;
      small.outside.aheadMs = 10_000;
      await small.upkeep.once();
      await small.ask('bob');
    } finally {
      await small.stop();
    }
  });
});

it('J19: refuses jobs beyond the number that one caller may have open, and nobody else’s', async () => {
  const small = await startJobServer({ maxOpen: 5 });
  try {
    const answers = await Promise.all(Array.from({ length: 40 }, () => small.request('POST', details, 'ada')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(35);
    expect(refused[0]!.body.code).toBe('too_many_jobs');
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    await small.ask('bob');
    const [{ job_number }] = (await small.request('GET', '/api/v1/jobs', 'ada')).body;
    await small.request('DELETE', `/api/v1/jobs/${job_number}`, 'ada');
    await small.ask('ada');
  } finally {
    await small.stop();
  }
});

describe('the jobs of a caller', () => {
  it('are listed newest first, in pages, without those of others', async () => {
    const own = await startJobServer();
    try {
      const numbers: string[] = [];
      for (let n = 0; n < 5; n += 1) numbers.push(await own.ask());
      await own.ask('bob');
      const list = async (query: string, token = 'ada') =>
        (await own.request('GET', `/api/v1/jobs${query}`, token)).body.map(
          (job: { job_number: string }) => job.job_number,
        );
      const all = await list('');
      expect(all.toSorted()).toEqual(numbers.toSorted());
      expect([...(await list('?limit=2')), ...(await list(`?limit=200&before=${all[1]}`))]).toEqual(all);
      expect(await list('?state=running')).toEqual([]);
      expect(await list('?all=true', 'admin')).toHaveLength(6);
      expect(await list('', 'admin')).toEqual([]);
      expect(await list('', 'impostor')).toEqual([]);
      const [job] = (await own.request('GET', '/api/v1/jobs', 'ada')).body;
      expect(Object.keys(job).sort()).toEqual(
        'bytes created_at detail ended_at expires_at job_number last_seq progress requested_by state task_type updated_at websocket'.split(
          ' ',
        ),
      );
    } finally {
      await own.stop();
    }
  });

  it('are refused in the right order: 401, 403, 422, 404', async () => {
    const status = async (token: string | undefined, query: string) =>
      (await server.request('GET', `/api/v1/jobs${query}`, token)).status;
    expect(await status(undefined, '')).toBe(401);
    expect(await status('ada', '?all=true')).toBe(403);
    for (const bad of ['?limit=0', '?limit=201', '?state=lost', '?all=perhaps']) {
      expect(await status('ada', bad), bad).toBe(422);
    }
    expect(await status('ada', '?before=nothing')).toBe(404);
    expect(await status('bob', `?before=${await server.ask('ada')}`)).toBe(404);
  });
});

describe('one job', () => {
  it('Z5: is there for its owner and administrators, and for nobody else', async () => {
    const path = `/api/v1/jobs/${await server.ask('ada')}`;
    for (const method of ['GET', 'DELETE']) {
      expect((await server.request(method, path)).status).toBe(401);
      expect((await server.request(method, path, server.tokens.create(path.slice(13)))).status).toBe(401);
      for (const stranger of ['bob', 'ap-1', 'app-1', 'impostor']) {
        const { status, body } = await server.request(method, path, stranger);
        expect([status, body.code], `${method} ${stranger}`).toEqual([404, 'job_not_found']);
      }
    }
    for (const knowing of ['ada', 'admin']) expect((await server.request('GET', path, knowing)).status).toBe(200);
  });

  it('that nobody has asked for is not found, not even by administrators, and is not made by reading', async () => {
    for (const name of ['nothing', 'a'.repeat(129), '%00', '..%2f', 'é']) {
      for (const method of ['GET', 'DELETE']) {
        expect((await server.request(method, `/api/v1/jobs/${name}`, 'admin')).status, name).toBe(404);
      }
    }
  });

  it('shows its messages after a number, exactly as they came', async () => {
    const job_number = await server.ask();
    const path = `/api/v1/jobs/${job_number}`;
    expect((await server.request('GET', path, 'ada')).body).toMatchObject({
      state: 'queued',
      task_type: 'agent_details',
      messages: [],
      has_more: false,
      last_seq: 0,
    });
    const job = (await server.store.get(job_number))!;
    const post = (data: string, final: boolean) =>
      server.mailbox.post(job, {
        kind: 'agent_details',
        data,
        isEmpty: false,
        final,
        chunk: null,
        error: undefined,
        progress: 0.25,
        isByWorker: true,
      });
    await post('[{"n": 12345678901234567890}]', false);
    await post('[{"n":1.50}]', true);
    const raw = await fetch(`${server.url}${path}?after=0`, { headers: { authorization: 'Bearer ada' } });
    const text = await raw.text();
    expect(raw.headers.get('content-type')).toBe('application/json');
    expect(text).toContain('"data":[{"n": 12345678901234567890}]');
    expect(text).toContain('"data":[{"n":1.50}]');
    expect(JSON.parse(text)).toMatchObject({
      state: 'succeeded',
      progress: 0.25,
      has_more: false,
      messages: [
        { seq: 1, final: false },
        { seq: 2, final: true },
      ],
    });
    expect((await server.request('GET', `${path}?after=1`, 'ada')).body.messages).toMatchObject([{ seq: 2 }]);
    for (const bad of ['-1', 'x', '1.5', '99999999999999999999']) {
      expect((await server.request('GET', `${path}?after=${bad}`, 'ada')).status, bad).toBe(422);
    }
    expect((await server.request('GET', `${path}?after=9007199254740991`, 'ada')).body.messages).toEqual([]);
  });

  it('never shows the last message of a job that it calls running', async () => {
    const job_number = await server.ask();
    const jobs = new JobService({
      jobs: server.store,
      mailbox: {
        end: (...how) => server.mailbox.end(...how),
        list: async (...which) => {
          await server.mailbox.end(job_number, 'failed', 'between two looks');
          return server.mailbox.list(...which);
        },
      },
      view: { show: async (_caller, _subject, messages) => [...messages] },
      outbox: server.outbox,
      timeoutMs: hour,
      limits: { maxOpen: 1, maxUnpublished: 1 },
    });
    const ada: Caller = { kind: 'user', id: 'id of ada', name: 'ada', roles: ['user'], isAdmin: false };
    const answer = JSON.parse(await jobs.read(ada, job_number, 0));
    expect(answer).toMatchObject({ state: 'failed', messages: [{ final: true }], has_more: false });
  });

  it('gives large messages in pages', async () => {
    const job_number = await server.ask();
    const job = (await server.store.get(job_number))!;
    const data = `["${'x'.repeat(600_000)}"]`;
    const callback = { kind: 'agent_details', data, isEmpty: false, chunk: null, error: undefined } as const;
    for (let n = 0; n < 3; n += 1) {
      await server.mailbox.post(job, { ...callback, final: n === 2, progress: undefined, isByWorker: true });
    }
    const seqs: number[] = [];
    for (let more = true; more; ) {
      const path = `/api/v1/jobs/${job_number}?after=${seqs.at(-1) ?? 0}`;
      const { body } = await server.request('GET', path, 'ada');
      expect(body.messages).toHaveLength(1);
      seqs.push(...body.messages.map(({ seq }: { seq: number }) => seq));
      more = body.has_more;
    }
    expect(seqs).toEqual([1, 2, 3]);
  });

  it('is cancelled by its owner or an administrator, once; and told to whoever listens', async () => {
    for (const [token, by] of [
      ['ada', 'its owner'],
      ['admin', 'an administrator'],
    ] as const) {
      const job_number = await server.ask();
      const heard: unknown[] = [];
      const stopListening = server.mailbox.onMessage((message) => heard.push(message));
      const first = await server.request('DELETE', `/api/v1/jobs/${job_number}`, token);
      expect(first.status).toBe(200);
      expect(first.body).toMatchObject({ state: 'cancelled', detail: `Cancelled by ${by}`, last_seq: 1 });
      expect((await server.request('DELETE', `/api/v1/jobs/${job_number}`, token)).body).toEqual(first.body);
      expect(heard).toMatchObject([{ job_number, type: 'status', final: true }]);
      stopListening();
    }
  });

  it('cannot be cancelled once it has ended otherwise', async () => {
    const job_number = await server.ask();
    await server.mailbox.end(job_number, 'failed', 'for the test');
    const { status, body } = await server.request('DELETE', `/api/v1/jobs/${job_number}`, 'ada');
    expect([status, body.code]).toEqual([409, 'job_ended']);
  });

  it('expires when its time is over, and is forgotten a day later', async () => {
    const job_number = await server.ask();
    const path = `/api/v1/jobs/${job_number}`;
    server.outside.aheadMs = hour + 1000;
    await server.upkeep.once();
    const { body } = await server.request('GET', path, 'ada');
    expect(body).toMatchObject({ state: 'expired', messages: [{ type: 'status', data: [{ state: 'expired' }] }] });
    expect(Date.parse(body.expires_at) - Date.parse(body.ended_at)).toBe(24 * hour);
    const jobs = server.retention.kinds.find(({ name }) => name === 'jobs')!;
    while (await jobs.remove(Date.now() + 26 * hour));
    expect((await server.request('GET', path, 'ada')).status).toBe(404);
  });
});
