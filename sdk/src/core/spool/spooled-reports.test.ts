// How a spool is emptied: in order, in large messages, with pauses, and not before its turn.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Report } from '../report.ts';
import { ReportQueue } from '../report-queue.ts';
import { ServerClock } from '../server-clock.ts';
import { Spool } from './spool.ts';
import { SpooledReports } from './spooled-reports.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function scene() {
  const folder = mkdtempSync(join(tmpdir(), 'weft-drain-'));
  const spool = new Spool({ folder, maxBytes: 1e8 });
  const sent: { atMs: number; values: number[] }[] = [];
  const clock = new ServerClock();
  clock.heard(new Date().toUTCString(), clock.moment());
  const weft = { isOpen: false, isAnswering: true };
  let ts = 0;
  const stamp = () => ++ts;
  const queue: ReportQueue = new ReportQueue({
    isOpen: () => weft.isOpen,
    send: (text) => {
      type Message = { id: number; samples?: { n: number }[]; payload: { n: number } };
      const { id, payload, samples = [payload] } = JSON.parse(text) as Message;
      sent.push({ atMs: Date.now(), values: samples.map(({ n }) => n) });
      if (weft.isAnswering) queueMicrotask(() => queue.stored(id, samples.length));
      return true;
    },
    stamp,
    maxWaiting: 100,
  });
  const reports = new SpooledReports({
    spool,
    queue,
    clock,
    stamp,
    onError: (error) => expect.unreachable(error.message),
    random: () => 0.5,
  });
  const open = () => {
    weft.isOpen = true;
    reports.opened();
  };
  const close = async () => {
    await reports.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { spool, sent, reports, weft, open, close };
}

test('after a long absence it begins late, and goes on in steps', async () => {
  const { spool, sent, reports, open, close } = await scene();
  const count = 1_200;
  await Promise.all(Array.from({ length: count }, (_, n) => reports.post(Report.of({ n }, n))));
  // Five minutes away: the start is spread over ten seconds.
  await vi.advanceTimersByTimeAsync(300_000);
  open();
  const openedMs = Date.now();
  await vi.advanceTimersByTimeAsync(4_900);
  expect(sent).toEqual([]);
  // Reading the files takes real time, of which the clock knows nothing.
  while (spool.size > 0) {
    await vi.advanceTimersByTimeAsync(50);
    await new Promise(setImmediate);
  }
  expect(sent.flatMap(({ values }) => values)).toEqual(Array.from({ length: count }, (_, n) => n));
  expect(sent.map(({ values }) => values.length)).toEqual([500, 500, 200]);
  expect(sent[0]!.atMs - openedMs).toBeGreaterThanOrEqual(5_000);
  for (const [index, { atMs }] of sent.entries()) {
    if (index > 0) expect(atMs - sent[index - 1]!.atMs).toBeGreaterThanOrEqual(200);
  }
  await close();
});

test('what was on its way out of the spool when the channel closed is in it once, and goes again as it was', async () => {
  const { spool, sent, reports, weft, open, close } = await scene();
  await Promise.all([1, 2, 3].map((n) => reports.post(Report.of({ n }, n))));
  weft.isAnswering = false;
  const untilSent = async (count: number) => {
    while (sent.length < count) {
      await vi.advanceTimersByTimeAsync(50);
      await new Promise(setImmediate);
    }
  };
  open();
  await untilSent(1);
  weft.isOpen = false;
  reports.closed();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(spool.size).toBe(3);
  weft.isAnswering = true;
  open();
  await untilSent(2);
  expect(sent[1]!.values).toEqual(sent[0]!.values);
  while (spool.size > 0) await new Promise(setImmediate);
  await close();
});

test('a channel that breaks while what was stored is taken out of the spool costs nothing of the rest', async () => {
  const { spool, sent, reports, open, close } = await scene();
  await Promise.all([1, 2, 3].map((n) => reports.post(Report.of({ n }, n))));
  const ticks = async (count: number) => {
    for (let tick = 0; tick < count; tick++) {
      await vi.advanceTimersByTimeAsync(50);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const done = spool.done.bind(spool);
  let isFirst = true;
  let posted: Promise<unknown> = Promise.resolve();
  spool.done = async (count) => {
    if (isFirst) {
      isFirst = false;
      reports.closed();
      reports.opened();
      await ticks(10);
      posted = Promise.all([4, 5].map((n) => reports.post(Report.of({ n }, n))));
      await posted;
    }
    await done(count);
  };
  open();
  while (spool.size > 0) await ticks(1);
  await posted;
  expect([...new Set(sent.flatMap(({ values }) => values))]).toEqual([1, 2, 3, 4, 5]);
  await close();
});

test('a report on disk that is larger than a message goes in several, in order', async () => {
  const { spool, sent, reports, open, close } = await scene();
  const name = 'x'.repeat(1_000);
  const samples = Array.from({ length: 1_500 }, (_, n) => ({ n, name }));
  await reports.post(Report.of(samples, 0));
  open();
  while (spool.size > 0) {
    await vi.advanceTimersByTimeAsync(50);
    await new Promise(setImmediate);
  }
  expect(sent.flatMap(({ values }) => values)).toEqual(samples.map(({ n }) => n));
  expect(Math.max(...sent.map(({ values }) => values.length))).toBeLessThan(1_000);
  await close();
});
