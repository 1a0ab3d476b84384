// Webhooks over HTTP: real requests to real receivers, and what administrators see of them.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { isSignedWith, startReceiver, type WebhookReceiver } from '../../../../../test/webhook-receiver.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';
import type { NewEvent } from '../../../core/accounts/event-log/event-record.ts';

let weft: TestWeft;
let admin: string;
const receivers: WebhookReceiver[] = [];
const created: string[] = [];

beforeAll(async () => {
  weft = await startWeft({ WEFT_WEBHOOK_ALLOW: '127.0.0.0/8,hooks.example.org' });
  admin = await weft.admin();
});
afterAll(() => weft.stop());
afterEach(async () => {
  for (const id of created.splice(0)) await weft.request('DELETE', `/api/v1/webhooks/${id}`, { token: admin });
  for (const receiver of receivers.splice(0)) await receiver.close();
});

const happened = (subject: string, more: Partial<NewEvent> = {}): NewEvent => ({
  kind: 'test.happened',
  subject_kind: 'agent',
  subject,
  text: `${subject} did something`,
  ...more,
});
const append = (...events: NewEvent[]) =>
  weft.platform.database.transaction((tx) => weft.parts.eventLog.eventLog.append(tx, events));
const newest = () => weft.parts.eventLog.eventLog.newest();

async function openReceiver(): Promise<WebhookReceiver> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  return receiver;
}
async function ask(method: string, path = '', json?: unknown, token = admin) {
  return weft.request(method, `/api/v1/webhooks${path}`, { token, ...(json !== undefined && { json }) });
}
let count = 0;
async function create(url: string, more: object = {}) {
  const { status, body } = await ask('POST', '', { name: `hook ${count++}`, url, events: ['test.*'], ...more });
  expect(status, JSON.stringify(body)).toBe(200);
  created.push(body.id);
  return body as { id: string; secret: string; name: string; position: number };
}

describe('deliveries', () => {
  test('send each event once, signed, with its id, in the order of the log', async () => {
    const receiver = await openReceiver();
    const { id, secret } = await create(receiver.url);
    await append(happened('a', { data: { n: 1 }, severity: 'major' }), happened('b', { kind: 'other.happened' }));
    await append(happened('a'));
    await untilSo(() => expect(receiver.received).toHaveLength(2));
    const [first, second] = receiver.received;
    expect(first!.body).toMatchObject({
      kind: 'test.happened',
      subject: 'a',
      severity: 'major',
      data: { n: 1 },
      ts: expect.stringMatching(/Z$/),
    });
    expect(first!.headers).toMatchObject({
      'x-weft-event': 'test.happened',
      'x-weft-event-id': String(first!.body.id),
      'x-weft-attempt': '1',
      'content-type': 'application/json',
    });
    expect(second!.body.id).toBe(first!.body.id + 2);
    expect([isSignedWith(secret, first!), isSignedWith('other', first!)]).toEqual([true, false]);
    await untilSo(async () => {
      const { body } = await ask('GET', `/${id}/deliveries`);
      expect(body.items).toMatchObject([
        { event_id: second!.body.id, outcome: 'delivered', status: 200, error: null, attempt: 1 },
        { event_id: first!.body.id, kind: 'test.happened' },
      ]);
      expect(body.next).toBeNull();
    });
    expect((await ask('GET', `/${id}`)).body).toMatchObject({ state: 'ok', waiting: 0, parked: 0 });
  });

  test('a receiver that hangs delays no other', async () => {
    const [hanging, working] = [await openReceiver(), await openReceiver()];
    hanging.answer = () => 'hang';
    await create(hanging.url);
    await create(working.url);
    const start = await newest();
    for (let index = 0; index < 50; index++) await append(happened(`ap-${index % 10}`));
    await untilSo(() => expect(working.received).toHaveLength(50));
    // Four are on their way, and none of them has an end: no second one of the same subject was sent.
    expect(hanging.received).toHaveLength(4);
    const ids = working.ids();
    expect([...ids].sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => start + 1 + index));
    for (let subject = 0; subject < 10; subject++) {
      const own = working.received.filter(({ body }) => body.subject === `ap-${subject}`).map(({ body }) => body.id);
      expect(own).toEqual([...own].sort((a, b) => a - b));
    }
  });

  test('what fails is tried again; others of its subject wait behind it, other subjects do not', async () => {
    const receiver = await openReceiver();
    let failures = 0;
    receiver.answer = ({ body }) => (body.subject === 'a' && failures++ < 2 ? 500 : 200);
    const { id } = await create(receiver.url);
    await append(happened('a'), happened('a'), happened('b'));
    await untilSo(() => expect(receiver.received).toHaveLength(5));
    const subjects = receiver.received.map(({ body, headers }) => `${body.subject} ${headers['x-weft-attempt']}`);
    expect(subjects.slice(2)).toEqual(['a 2', 'a 3', 'a 1']);
    expect(subjects.slice(0, 2).sort()).toEqual(['a 1', 'b 1']);
    const own = receiver.received.filter(({ body }) => body.subject === 'a').map(({ body }) => body.id);
    expect(own).toEqual([...own].sort((a, b) => a - b));
    await untilSo(async () => {
      const { body } = await ask('GET', `/${id}/deliveries`);
      expect(body.items.map(({ outcome, status }: { outcome: string; status: number }) => [outcome, status])).toEqual([
        ['delivered', 200],
        ['delivered', 200],
        ['failed', 500],
        expect.anything(),
        expect.anything(),
      ]);
    });
    expect((await ask('GET', `/${id}`)).body).toMatchObject({ state: 'ok', failing_since: null });
  });

  test('are for what the selector selects', async () => {
    for (const name of ['hook-1', 'hook-2']) await weft.agent(name);
    const receiver = await openReceiver();
    await create(receiver.url, { selector: 'name:hook-1 or site:uk/**' });
    await append(
      happened('hook-2'),
      happened('hook-1'),
      happened('alarm', { subject_kind: 'alarm', site: 'uk/bristol' }),
      happened('other', { subject_kind: 'node' }),
      happened('end', { subject_kind: 'alarm', data: { ap_id: 'hook-1' } }),
    );
    await untilSo(() =>
      expect(receiver.received.map(({ body }) => body.subject).sort()).toEqual(['alarm', 'end', 'hook-1']),
    );
  });

  test('are sent again from any event on', async () => {
    const receiver = await openReceiver();
    const { id } = await create(receiver.url);
    const start = await newest();
    await append(happened('a'), happened('a'), happened('a'));
    await untilSo(() => expect(receiver.received).toHaveLength(3));
    expect((await ask('POST', `/${id}/replay?after=${start + 1}`)).status).toBe(200);
    await untilSo(() => expect(receiver.ids().slice(3)).toEqual([start + 2, start + 3]));
    expect((await ask('POST', `/${id}/replay`)).status).toBe(422);
  });

  test('a disabled webhook sends nothing, and goes on where it stopped', async () => {
    const [receiver, other] = [await openReceiver(), await openReceiver()];
    const { id, name } = await create(receiver.url, { enabled: false });
    await create(other.url);
    const start = await newest();
    await append(happened('a'));
    await untilSo(() => expect(other.received).toHaveLength(1));
    expect((await ask('GET', `/${id}`)).body.state).toBe('disabled');
    expect(receiver.received).toEqual([]);
    await ask('PUT', `/${id}`, { name, url: receiver.url, events: ['test.*'] });
    await untilSo(() => expect(receiver.ids()).toEqual([start + 1]));
  });
});

describe('a webhook', () => {
  test('shows its secret once; another one takes its place', async () => {
    const receiver = await openReceiver();
    const { id, secret } = await create(receiver.url);
    expect(secret).toMatch(/^weft-webhook-/);
    expect(JSON.stringify((await ask('GET')).body)).not.toContain(secret);
    const { body } = await ask('POST', `/${id}/secret`);
    expect(body.secret).not.toBe(secret);
    const tested = await ask('POST', `/${id}/test`);
    expect(tested.body).toMatchObject({ outcome: 'delivered', status: 200, event_id: null, kind: 'webhook.test' });
    expect([isSignedWith(secret, receiver.received[0]!), isSignedWith(body.secret, receiver.received[0]!)]).toEqual([
      false,
      true,
    ]);
    expect((await ask('GET', `/${id}/deliveries?limit=1`)).body.items).toMatchObject([{ kind: 'webhook.test' }]);
  });

  test('says in a test why it does not work', async () => {
    const receiver = await openReceiver();
    const { id } = await create(receiver.url);
    receiver.answer = () => 302;
    expect((await ask('POST', `/${id}/test`)).body).toMatchObject({
      outcome: 'failed',
      status: 302,
      error: expect.stringContaining('redirects'),
    });
    await receiver.close();
    expect((await ask('POST', `/${id}/test`)).body).toMatchObject({
      outcome: 'failed',
      status: null,
      error: 'ECONNREFUSED',
    });
  });

  test.each(['http://10.0.0.1/hook', 'ftp://127.0.0.1/', 'http://user:pass@127.0.0.1/', 'not a url'])(
    'with the address %s is refused',
    async (url) => {
      const { status, body } = await ask('POST', '', { name: 'x', url });
      expect(status).toBe(422);
      expect(body.detail[0].loc).toEqual(['body', 'url']);
      if (url.includes('10.0.0.1')) expect(body.detail[0].msg).toContain('add it to WEFT_WEBHOOK_ALLOW and restart');
    },
  );

  test('is refused with a kind, format or selector that is none, or a name that is taken', async () => {
    const url = 'http://127.0.0.1/x';
    for (const wrong of [{ events: ['x'] }, { format: 'xml' }, { selector: 'site:' }, { name: '' }]) {
      expect((await ask('POST', '', { name: 'x', url, ...wrong })).status).toBe(422);
    }
    const { id, name } = await create(url);
    expect((await ask('POST', '', { name, url })).status).toBe(409);
    const other = await create(url);
    expect((await ask('PUT', `/${other.id}`, { name, url })).status).toBe(409);
    expect((await ask('PUT', `/${id}`, { name, url, format: 'slack' })).body).toMatchObject({
      format: 'slack',
      events: ['alarm.*'],
    });
  });

  test('that is none is 404', async () => {
    const url = 'http://127.0.0.1/x';
    expect((await ask('GET', '/none')).status).toBe(404);
    expect((await ask('PUT', '/none', { name: 'x', url })).status).toBe(404);
    expect((await ask('DELETE', '/none')).status).toBe(404);
    expect((await ask('GET', '/none/deliveries')).status).toBe(404);
    for (const what of ['test', 'secret', 'replay?after=0'])
      expect((await ask('POST', `/none/${what}`)).status).toBe(404);
  });

  test('is for administrators', async () => {
    const user = await weft.user('ada@weft.test');
    expect((await ask('GET', '', undefined, user)).status).toBe(403);
    const app = await weft.app('app-1');
    expect((await ask('POST', '', { name: 'x', url: 'http://127.0.0.1/' }, app)).status).toBe(403);
  });
});
