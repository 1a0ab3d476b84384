// The feed by itself: order, cursors, gaps, bounds, slow readers; with a clock of its own.
import { expect, test } from 'vitest';
import { sampleOf } from '../../../../../test/pure/sample-of.ts';
import { shownBy } from '../../../../../test/pure/shown.ts';
import type { Caller } from '../../base/caller.ts';
import { AuthenticationError, TryLaterError } from '../../base/errors.ts';
import { Shares } from '../../base/shares/shares.ts';
import { LiveFeed } from './live-feed.ts';
import type { LiveStream } from './live-stream.ts';

const user: Caller = { kind: 'user', id: '1', name: 'u', roles: ['user'], isAdmin: false };

function createFeed({
  recentBytes = 1_000_000,
  authorize = (): Caller | Promise<Caller> => user,
  isCutOff = (): boolean => false,
} = {}) {
  let now = 1_790_000_000_000;
  const share = new Shares().open('live_streams', 100);
  const network = { visibleTo: async () => ({ sees: () => false }) as never };
  const feed = new LiveFeed({ authorize, network, isCutOff, share, recentBytes, now: () => now });
  const open = (more: Partial<Parameters<LiveFeed['open']>[0]> = {}) =>
    feed.open({ caller: user, shown: shownBy(user), agents: undefined, metrics: undefined, after: undefined, ...more });
  let count = 0;
  const publish = (ap_id = 'ap-1', metrics: Record<string, number> = { n: ++count }) =>
    feed.publish(ap_id, [sampleOf(now, metrics)], now);
  return { feed, open, publish, passMs: (ms: number) => (now += ms) };
}

/** Reads until the text is there. */
async function readUntil(stream: LiveStream, text: string): Promise<string> {
  let received = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    received += chunk;
    if (received.includes(text)) break;
  }
  return received;
}

function idsOf(text: string): string[] {
  return [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id!);
}

function valuesOf(text: string): number[] {
  return [...text.matchAll(/^data: (\{"ap_id.*)$/gm)].map(([, data]) => JSON.parse(data!).metrics.n);
}

test('a reader gets what comes from now on, in order, in the form of server-sent events', async () => {
  const { open, publish } = createFeed();
  publish();
  const stream = open();
  publish();
  publish();
  const text = await readUntil(stream, '"n":3');
  expect(valuesOf(text)).toEqual([2, 3]);
  expect(text).toContain('event: sample\ndata: {"ap_id":"ap-1","ts":"2026-09-21T14:13:20.000Z","metrics":{"n":2}}\n\n');
  stream.destroy();
});

test('a reader that comes back goes on where it was, and hears of nothing twice', async () => {
  const { open, publish } = createFeed();
  const first = open();
  for (let n = 0; n < 5; n++) publish();
  const ids = idsOf(await readUntil(first, '"n":5'));
  first.destroy();
  const second = open({ after: ids[1] });
  const text = await readUntil(second, '"n":5');
  expect(valuesOf(text)).toEqual([3, 4, 5]);
  expect(text).not.toContain('event: gap');
  second.destroy();
});

test.each(['zz-1', 'nonsense', '', '-', '1-999999999', '💥'])(
  'the cursor %j, which is not of this run, gets a gap and all there is',
  async (after) => {
    const { open, publish } = createFeed();
    publish();
    const stream = open({ after });
    const text = await readUntil(stream, '"n":1');
    expect(text.indexOf('event: gap')).toBeGreaterThan(0);
    expect(text.indexOf('event: gap')).toBeLessThan(text.indexOf('event: sample'));
    stream.destroy();
  },
);

test('a cursor older than the bounded past gets a gap, and memory stays in bounds', async () => {
  const { feed, open, publish } = createFeed({ recentBytes: 10_000 });
  const stream = open();
  publish();
  const [id] = idsOf(await readUntil(stream, '"n":1'));
  stream.destroy();
  for (let n = 0; n < 20_000; n++) publish();
  expect(feed.recentBytes).toBeLessThanOrEqual(10_000);
  const back = open({ after: id! });
  const text = await readUntil(back, '"n":20001');
  expect(text).toContain('event: gap');
  expect(valuesOf(text).length).toBeGreaterThan(10);
  expect(valuesOf(text).at(-1)).toBe(20_001);
  back.destroy();
});

test('filters and rights are applied to each event', async () => {
  const app: Caller = { kind: 'third_party_app', id: '2', name: 'a', permissions: { agents: ['ap-*'] } };
  const { open, publish } = createFeed();
  const chosen = open({ agents: new Set(['ap-1']), metrics: new Set(['x']) });
  const allowed = open({ caller: app });
  publish('ap-1', { x: 1, y: 2 });
  publish('roof-1', { x: 3 });
  publish('ap-2', { x: 4, n: 4 });
  publish('ap-1', { y: 5 });
  publish('ap-1', { x: 6, n: 6 });
  const text = await readUntil(chosen, '"x":6');
  expect([...text.matchAll(/"metrics":(\{.*?\})/g)].map(([, metrics]) => metrics)).toEqual(['{"x":1}', '{"x":6}']);
  const seen = await readUntil(allowed, '"n":6');
  expect(seen).not.toContain('roof-1');
  expect(seen).toContain('"ap_id":"ap-2"');
  chosen.destroy();
  allowed.destroy();
});

test('rights that change count within a second; a token that has ended ends the stream', async () => {
  let answer: () => Caller = () => ({ kind: 'third_party_app', id: '2', name: 'a', permissions: { agents: ['x-*'] } });
  const { feed, open, publish } = createFeed({ authorize: async () => answer() });
  const stream = open({ caller: { kind: 'third_party_app', id: '2', name: 'a', permissions: {} } });
  publish('ap-1', { n: 1 });
  await readUntil(stream, '"n":1');
  await feed.check();
  publish('ap-1', { n: 2 });
  publish('x-1', { n: 3 });
  expect(valuesOf(await readUntil(stream, '"n":3'))).toEqual([3]);
  answer = () => {
    throw new TryLaterError(503, 'database_unavailable', 'away', 1);
  };
  await feed.check();
  expect(feed.openStreams).toBe(1);
  answer = () => {
    throw new AuthenticationError();
  };
  await feed.check();
  expect(feed.openStreams).toBe(0);
  let rest = '';
  for await (const chunk of stream) rest += chunk;
  expect(rest).toMatch(/event: end\ndata: \{"reason":"[^"]+"\}\n\n$/);
});

test('streams end on a node that alone does not reach the database', async () => {
  let isCutOff = false;
  const { feed, open } = createFeed({ isCutOff: () => isCutOff });
  const stream = open();
  await feed.check();
  expect(feed.openStreams).toBe(1);
  isCutOff = true;
  await feed.check();
  expect(feed.openStreams).toBe(0);
  expect(await readUntil(stream, 'event: end')).toContain('cut off');
});

test('a reader that takes nothing for ten seconds is cut off, costs no memory till then, and others are not touched', async () => {
  const { feed, open, publish, passMs } = createFeed({ recentBytes: 50_000_000 });
  const stuck = open();
  const quick = open();
  // The connection of the stuck one takes its first bytes and no more.
  stuck.read();
  for (let n = 0; n < 20_000; n++) publish('ap-1', { a_rather_long_name_of_a_metric: n });
  await readUntil(quick, '19999');
  await expect.poll(() => stuck.readableLength).toBeGreaterThan(0);
  expect(stuck.readableLength).toBeLessThan(300_000);
  passMs(10_000);
  await feed.check();
  expect(stuck.destroyed).toBe(false);
  passMs(1);
  publish();
  await feed.check();
  expect([stuck.destroyed, quick.destroyed, feed.cutOff]).toEqual([true, false, 1]);
  quick.destroy();
});

test('a reader that fell out of the bounded past is cut off', async () => {
  const { feed, open, publish } = createFeed({ recentBytes: 100_000 });
  const stream = open();
  for (let n = 0; n < 5_000; n++) publish();
  await feed.check();
  expect([stream.destroyed, feed.cutOff]).toEqual([true, 1]);
});

test('a quiet stream gets a heartbeat every 15 seconds', async () => {
  const { feed, open } = createFeed();
  const stream = open();
  stream.resume();
  let text = '';
  stream.on('data', (chunk) => (text += chunk));
  await expect.poll(() => text).toContain('retry');
  for (let n = 0; n < 14; n++) await feed.check();
  expect(text).not.toContain(': \n\n');
  await feed.check();
  await expect.poll(() => text).toContain(': \n\n');
  stream.destroy();
});

test('nobody has more than 100 streams, and closing one makes room', async () => {
  const { feed, open } = createFeed();
  const streams = Array.from({ length: 100 }, () => open());
  expect(() => open()).toThrow(expect.objectContaining({ status: 429, code: 'too_many_streams' }));
  open({ caller: { ...user, name: 'other' } }).destroy();
  streams[0]!.destroy();
  await expect.poll(() => feed.openStreams).toBe(99);
  open();
  feed.close();
  expect(feed.openStreams).toBe(0);
  expect(() => open({ caller: { ...user, name: 'late' } })).toThrow(expect.objectContaining({ status: 503 }));
});

test('a metric that nobody reports is named once, with one that is near; one that comes later is not', async () => {
  const { open, publish } = createFeed();
  const stream = open({ metrics: new Set(['conected_devices', 'load']) });
  publish('ap-1', { connected_devices: 1, load: 1 });
  publish('ap-2', { connected_devices: 2, load: 1 });
  publish('ap-1', { connected_devices: 3, load: 2 });
  publish('ap-1', { connected_devices: 3, load: 3 });
  const text = await readUntil(stream, '"load":3');
  const warnings = [...text.matchAll(/^event: warning\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data!).detail);
  expect(warnings).toEqual(['No access point has reported conected_devices. Did you mean connected_devices?']);
  stream.destroy();
  const patient = open({ metrics: new Set(['rare', 'load']) });
  publish('ap-1', { load: 4 });
  publish('ap-2', { rare: 1 });
  publish('ap-1', { load: 5 });
  expect(await readUntil(patient, '"load":5')).not.toContain('warning');
  patient.destroy();
});
