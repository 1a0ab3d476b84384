// The live feed over HTTP: who may read it, how a stream ends, and what a reader that stops reading costs.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleOf } from '../../../../../test/pure/sample-of.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { openRawConnection } from '../../../../../test/raw-connection.ts';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { createAccountParts } from '../../../core/core-parts.ts';
import { system } from '../../base/caller.ts';
import type { Events } from '../../events.ts';
import type { Platform } from '../../part.ts';
import { createTelemetryPart } from '../telemetry-part.ts';

/** With a short past, which a test can fill. */
function createStreamParts(platform: Platform, events: Events) {
  const accounts = createAccountParts(platform, events);
  const { agents } = accounts.agents;
  const telemetry = createTelemetryPart(
    { ...platform, ...accounts.network, agents, eventLog: accounts.eventLog.eventLog, recentBytes: 4_000_000 },
    events,
  );
  return { ...accounts, telemetry };
}

let server: TestWeft<ReturnType<typeof createStreamParts>>;
let user: string;
const opened: Stream[] = [];

beforeEach(async () => {
  server = await startWeft({ WEFT_SHUTDOWN_SECONDS: '3600' }, { createParts: createStreamParts });
  user = await server.user('ada@weft.test');
  await server.parts.agents.agents.create({ ap_id: 'ap-1', password, configuration: {} }, system);
});
afterEach(async () => {
  for (const stream of opened.splice(0)) stream.response.destroy();
  await server.stop();
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

  until(text: string): Promise<void> {
    return expect.poll(() => this.text).toContain(text);
  }
}

async function open(query: string, headers: Record<string, string> = { authorization: `Bearer ${user}` }) {
  const asked = request(`${server.url}/api/v1/metrics/stream?${query}`, { headers, agent: false });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const stream = new Stream(response);
  opened.push(stream);
  return stream;
}

test('streams samples as they are stored, to those who may see them', async () => {
  const app = await server.app('app-1', { agents: ['ap-*'] });
  const streams = [await open(''), await open('agents=ap-1&metrics=load', { authorization: `Bearer ${app}` })];
  for (const { response } of streams) {
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(response.headers['cache-control']).toBe('no-store');
  }
  await server.record('roof-1', [sampleOf(0, { load: 9 })]);
  await server.record('ap-1', [sampleOf(0, { load: 1, other: 2 })]);
  await streams[0]!.until('"metrics":{"load":1,"other":2}');
  expect(streams[0]!.text).toContain('roof-1');
  await streams[1]!.until('data: {"ap_id":"ap-1","ts":"1970-01-01T00:00:00.000Z","metrics":{"load":1}}');
  expect(streams[1]!.text).not.toContain('roof-1');
});

test('takes the token from the query too, here and nowhere else', async () => {
  expect((await open(`token=${user}`, {})).response.statusCode).toBe(200);
  expect((await open('token=nonsense', {})).response.statusCode).toBe(401);
  expect((await open('', {})).response.statusCode).toBe(401);
  expect((await fetch(`${server.url}/api/v1/metrics/presence?token=${user}`)).status).toBe(401);
});

test('refuses what cannot be asked', async () => {
  const app = await server.app('blind', { read: false });
  expect((await open('', { authorization: `Bearer ${app}` })).response.statusCode).toBe(403);
  expect((await open(`metrics=${Array.from({ length: 101 }, (_, n) => n).join()}`)).response.statusCode).toBe(422);
});

test('goes on after Last-Event-ID, and after the query', async () => {
  const first = await open('');
  for (let n = 0; n < 3; n++) await server.record('ap-1', [sampleOf(n, { n })]);
  await first.until('"n":2');
  const [id] = /^id: (.*)$/m.exec(first.text)!.slice(1);
  const second = await open('', { authorization: `Bearer ${user}`, 'last-event-id': id! });
  const third = await open(`after=${id}`);
  for (const stream of [second, third]) {
    await stream.until('"n":2');
    expect(stream.text).not.toContain('"n":0');
    expect(stream.text).not.toContain('event: gap');
  }
});

test('a caller that is removed loses its stream within seconds', async () => {
  const stream = await open('');
  await server.parts.users.users.remove('ada@weft.test', system);
  await stream.until('event: end');
  await expect.poll(() => stream.isOver).toBe(true);
  expect(server.parts.telemetry.feed.openStreams).toBe(0);
});

test('rights taken away end the stream', async () => {
  const app = await server.app('app-1', {});
  const stream = await open('', { authorization: `Bearer ${app}` });
  await server.parts.apps.apps.update('app-1', { permissions: { read: false } }, system);
  await stream.until('event: end');
});

test('rights that are narrowed count for what comes afterwards', async () => {
  const app = await server.app('app-1', { agents: ['*'] });
  const stream = await open('', { authorization: `Bearer ${app}` });
  await server.record('roof-1', [sampleOf(0, { load: 1 })]);
  await stream.until('"load":1');
  await server.parts.apps.apps.update('app-1', { permissions: { agents: ['ap-*'] } }, system);
  await server.record('roof-1', [sampleOf(1, { load: 2 })]);
  await server.record('ap-1', [sampleOf(1, { load: 3 })]);
  await stream.until('"load":3');
  expect(stream.text).not.toContain('"load":2');
});

test('a reader that goes away is forgotten', async () => {
  const stream = await open('');
  expect(server.parts.telemetry.feed.openStreams).toBe(1);
  stream.response.destroy();
  await expect.poll(() => server.parts.telemetry.feed.openStreams).toBe(0);
});

test('a stop ends every stream at once, whether it is read or not', async () => {
  const stream = await open('');
  const deaf = await openRawConnection(server.url);
  deaf.socket.pause();
  deaf.send(`GET /api/v1/metrics/stream?token=${user} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await expect.poll(() => server.parts.telemetry.feed.openStreams).toBe(2);
  // The deadline is an hour from now: who waited for its readers until then would not come back in this test.
  await server.stop();
  await stream.until('event: end');
  deaf.destroy();
});

test('a reader that stops reading is cut off; others get everything', async () => {
  const deaf = await openRawConnection(server.url);
  deaf.socket.pause();
  deaf.send(`GET /api/v1/metrics/stream?token=${user} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await expect.poll(() => server.parts.telemetry.feed.openStreams).toBe(1);
  const reader = await open('metrics=count');
  const names = ['count', ...Array.from({ length: 100 }, (_, n) => `a_metric_with_a_long_name_${n}`)];
  // More than the sockets of both ends and the bounded past can hold, for as long as the check once a second needs.
  let n = 0;
  await untilSo(async () => {
    for (let round = 0; round < 100; round++, n++) {
      await server.platform.telemetryStore.fields('ap-1', 0);
      server.parts.telemetry.feed.publish(
        'ap-1',
        [{ ts: n, names, values: names.map(() => n), texts: [] }],
        Date.now(),
      );
    }
    expect(server.parts.telemetry.feed.cutOff).toBe(1);
  });
  await reader.until(`"count":${n - 1}}`);
  const counts = Array.from(reader.text.matchAll(/"count":(\d+)/g), ([, count]) => Number(count));
  expect(counts).toEqual(Array.from({ length: n }, (_, count) => count));
  deaf.destroy();
});
