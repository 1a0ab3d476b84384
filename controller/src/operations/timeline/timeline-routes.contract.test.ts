// The event log over HTTP: pages in both orders, what each caller sees, and streams that resume.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EventItem } from '../../../../contract/src/index.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';
import type { NewEvent } from '../../core/accounts/event-log/event-record.ts';
import { groupedEvent } from '../../core/accounts/event-log/grouped-event.ts';

let weft: TestWeft;
let admin: string;
let user: string;
let start: number;
const opened: Stream[] = [];

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  user = await weft.user('ada@weft.test');
  for (const ap_id of ['ap-1', 'ap-2', 'roof-1']) await weft.agent(ap_id);
});
afterAll(() => weft.stop());
beforeEach(async () => {
  start = await weft.parts.eventLog.eventLog.newest();
});
afterEach(() => {
  for (const stream of opened.splice(0)) stream.response.destroy();
});

const happened = (ap_id: string, more: Partial<NewEvent> = {}): NewEvent => ({
  kind: 'test.happened',
  subject_kind: 'agent',
  subject: ap_id,
  text: `${ap_id} did something`,
  ...more,
});
const append = (...events: NewEvent[]) =>
  weft.platform.database.transaction((tx) => weft.parts.eventLog.eventLog.append(tx, events));

async function list(query = '', token = user): Promise<{ items: EventItem[]; next: string | null }> {
  const { status, body } = await weft.request('GET', `/api/v1/events?kinds=test.*&${query}`, { token });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}
const subjects = async (query: string, token?: string) =>
  (await list(query, token)).items.map(({ subject }) => subject);

describe('GET /api/v1/events', () => {
  test('answers events newest first, with a cursor to the older ones', async () => {
    await append(...['ap-1', 'ap-2', 'roof-1'].map((name) => happened(name)));
    const { items, next } = await list('limit=2');
    expect(items).toMatchObject([
      {
        id: start + 3,
        kind: 'test.happened',
        subject_kind: 'agent',
        subject: 'roof-1',
        ap_id: 'roof-1',
        site: null,
        severity: 'info',
        text: 'roof-1 did something',
        data: {},
      },
      { subject: 'ap-2' },
    ]);
    expect(Date.parse(items[0]!.ts)).toBeCloseTo(Date.now(), -5);
    await append(happened('ap-2'));
    expect((await list(`limit=2&cursor=${next}`)).items[0]).toMatchObject({ subject: 'ap-1' });
  });

  test('answers what came after an id oldest first, page by page to the end', async () => {
    await append(...['ap-1', 'ap-2', 'roof-1'].map((name) => happened(name)));
    const first = await list(`after=${start}&limit=2`);
    expect(first.items.map(({ subject }) => subject)).toEqual(['ap-1', 'ap-2']);
    const rest = await list(`after=${start}&limit=2&cursor=${first.next}`);
    expect(rest).toMatchObject({ items: [{ subject: 'roof-1' }], next: null });
    expect(await subjects(`after=${start}&order=newest_first`)).toEqual(['roof-1', 'ap-2', 'ap-1']);
  });

  test('refuses kinds that are mistyped, with the nearest, also of streams', async () => {
    for (const [kinds, near] of [
      ['alrm.*', 'alarm.*'],
      ['agent.offlin', 'agent.offline'],
      ['comand.succeeded', 'command.succeeded'],
    ]) {
      for (const path of ['events', 'events/stream']) {
        const { status, text } = await weft.request('GET', `/api/v1/${path}?kinds=${kinds}`, { token: admin });
        expect([status, text]).toEqual([422, expect.stringContaining(`Did you mean ${near}?`)]);
      }
    }
  });

  test('filters by agent, subject, site and time', async () => {
    await append(
      happened('ap-1', { site: 'uk/bristol/hall' }),
      happened('c-1', { subject_kind: 'command', data: { ap_id: 'ap-1' } }),
      happened('ap-2', { site: 'us' }),
    );
    const { items } = await list(`after=${start}`);
    expect(await subjects(`after=${start}&ap_id=ap-1`)).toEqual(['ap-1', 'c-1']);
    expect(await subjects(`after=${start}&subject=c-1`)).toEqual(['c-1']);
    expect(await subjects(`after=${start}&site=uk/bristol`)).toEqual(['ap-1']);
    expect(await subjects(`after=${start}&until=${items[0]!.ts}`)).toEqual([]);
    expect(await subjects(`after=${start}&from=${items[0]!.ts}`)).toHaveLength(3);
  });

  test('finds access points by a part of their id or display name, the exact one alone', async () => {
    const labels = { token: admin, json: { display_name: 'Great Hall' } };
    expect((await weft.request('PATCH', '/api/v1/agents/roof-1/labels', labels)).status).toBe(200);
    await append(happened('ap-1'), happened('roof-1'), happened('ap-2'), happened('gone-9'));
    await append({ ...groupedEvent({ kind: 'test.many', what: 'went', ap_ids: ['ap-1', 'roof-1'] }) });
    expect(await subjects(`after=${start}&search=hall`)).toEqual(['roof-1', 'many']);
    expect(await subjects(`after=${start}&search=GREAT+hall`)).toEqual(['roof-1', 'many']);
    expect(await subjects(`after=${start}&search=ap-`)).toEqual(['ap-1', 'ap-2', 'many']);
    expect(await subjects(`after=${start}&search=AP-2`)).toEqual(['ap-2']);
    expect(await subjects(`after=${start}&search=gone-9`, admin)).toEqual(['gone-9']);
    expect(await subjects(`after=${start}&search=nobody`)).toEqual([]);
    const { items } = await list(`after=${start}&search=hall`);
    expect(items.at(-1)!.data).toMatchObject({ count: 1, agents: ['roof-1'] });
  });

  test.each(['kinds=Agent', 'kinds=a.b.c', 'cursor=x', 'after=-1', 'limit=501', 'from=yesterday', 'order=up'])(
    '%s is 422',
    async (query) => {
      const { status } = await weft.request('GET', `/api/v1/events?${query}`, { token: user });
      expect(status).toBe(422);
    },
  );

  test('shows an app what is about the agents that it may see, an agent what is about itself', async () => {
    const app = await weft.app('app-1', { agents: ['ap-*', 'gone-*'] });
    const agent = await weft.agent('ap-3');
    await append(
      happened('ap-1'),
      happened('roof-1'),
      happened('ap-3', { data: { by: 'bob' } }),
      happened('gone-1'),
      happened('node-1', { subject_kind: 'node' }),
      groupedEvent({ kind: 'test.offline', what: 'went offline', ap_ids: ['ap-1', 'roof-1', 'ap-2'] }),
      groupedEvent({ kind: 'test.offline', what: 'went offline', ap_ids: ['roof-1'] }),
    );
    expect(await subjects(`after=${start}`, admin)).toHaveLength(7);
    const { items } = await list(`after=${start}`, app);
    expect(items.map(({ subject }) => subject)).toEqual(['ap-1', 'ap-3', 'many']);
    expect(items[1]!.data).toEqual({});
    expect(items[2]).toMatchObject({
      text: '2 access points went offline',
      data: { count: 2, agents: ['ap-1', 'ap-2'] },
    });
    expect(await subjects(`after=${start}`, agent)).toEqual(['ap-3']);
    const blind = await weft.app('app-2', { read: false });
    expect((await weft.request('GET', '/api/v1/events', { token: blind })).status).toBe(403);
  });

  test('fills its pages although most events are for others', async () => {
    const app = await weft.app('app-3', { agents: ['ap-2'] });
    await append(...Array.from({ length: 400 }, (_, index) => happened(index % 100 === 0 ? 'ap-2' : 'roof-1')));
    const { items, next } = await list(`after=${start}&limit=3`, app);
    expect(items).toHaveLength(3);
    expect((await list(`cursor=${next}&limit=3`, app)).items).toHaveLength(1);
  });
});

class Stream {
  readonly response: IncomingMessage;
  text = '';
  isOver = false;

  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8').on('data', (chunk) => (this.text += chunk));
    response.on('error', () => {});
    response.on('close', () => (this.isOver = true));
  }

  get ids(): number[] {
    return [...this.text.matchAll(/^id: (\d+)\nevent: event$/gm)].map(([, id]) => Number(id));
  }

  until(text: string): Promise<void> {
    return expect.poll(() => this.text).toContain(text);
  }
}

async function open(query: string, headers: Record<string, string> = { authorization: `Bearer ${user}` }) {
  const asked = request(`${weft.url}/api/v1/events/stream?${query}`, { headers, agent: false });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const stream = new Stream(response);
  opened.push(stream);
  return stream;
}

describe('GET /api/v1/events/stream', () => {
  test('hands on what is logged, to those who may see it', async () => {
    const app = await weft.app('app-4', { agents: ['ap-*'] });
    const streams = [await open('kinds=test.*'), await open('', { authorization: `Bearer ${app}` })];
    expect(streams[0]!.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    await append(happened('roof-1'), happened('ap-1'), happened('ap-1', { kind: 'other.happened' }));
    await streams[1]!.until('"kind":"other.happened"');
    await streams[0]!.until('"subject":"ap-1"');
    expect(streams[1]!.text).not.toContain('roof-1');
    expect(streams[0]!.ids).toEqual([start + 1, start + 2]);
  });

  test('resumes after an id, from the log and from what is live, without a gap or a repetition', async () => {
    await append(...Array.from({ length: 700 }, () => happened('ap-1')));
    const stream = await open('kinds=test.*', {
      authorization: `Bearer ${user}`,
      'last-event-id': String(start + 10),
    });
    for (let index = 0; index < 20; index++) await append(happened('ap-2'));
    await stream.until(`id: ${start + 720}\n`);
    expect(stream.ids).toEqual(Array.from({ length: 710 }, (_, index) => start + 11 + index));
    expect(stream.text).not.toContain('event: gap');
    const other = await open(`after=${start + 719}`);
    await other.until(`id: ${start + 720}\n`);
  });

  test('says when events after that id are no longer there', async () => {
    const ahead = await open(`after=${start + 1_000_000}`);
    await ahead.until('event: gap');
    await append(happened('ap-1'));
    await ahead.until('"subject":"ap-1"');
  });

  test('ends when the caller is gone, and has a bound for each caller', async () => {
    const bob = await weft.user('bob@weft.test');
    const mine = await open('', { authorization: `Bearer ${bob}` });
    for (let index = 0; index < 19; index++) await open('', { authorization: `Bearer ${bob}` });
    expect((await open('', { authorization: `Bearer ${bob}` })).response.statusCode).toBe(429);
    await weft.request('DELETE', '/api/v1/users/bob@weft.test', { token: admin });
    await mine.until('event: end');
    await expect.poll(() => mine.isOver).toBe(true);
  });
});
