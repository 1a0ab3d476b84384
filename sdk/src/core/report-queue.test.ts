import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Report } from './report.ts';
import { ReportQueue } from './report-queue.ts';
import { WeftRefusal } from './weft-refusal.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

function openQueue() {
  const queue = new ReportQueue({ send: () => true, isOpen: () => true, stamp: (ms) => ms, maxWaiting: 100 });
  const post = () => void queue.add(Report.of({ load: 1 }, 0)).catch(() => {});
  return { queue, post };
}

test('a Weft that is slow is not deaf: while it answers in order, silence counts from its last answer', () => {
  const { queue, post } = openQueue();
  const start = performance.now();
  for (let n = 0; n < 3; n++) {
    post();
    vi.advanceTimersByTime(1_000);
  }
  vi.advanceTimersByTime(100_000);
  queue.stored(1, 1);
  expect(queue.missingSinceMs(performance.now())).toBe(performance.now());
  // Never before the report was sent.
  expect(queue.missingSinceMs(Number.NEGATIVE_INFINITY)).toBe(start + 1_000);
});

test('an answer that later ones have overtaken is missing since its report was sent', () => {
  const { queue, post } = openQueue();
  const start = performance.now();
  post();
  vi.advanceTimersByTime(1_000);
  post();
  expect(queue.missingSinceMs(performance.now())).toBe(performance.now());
  queue.stored(2, 1);
  expect(queue.missingSinceMs(performance.now())).toBe(start);
  queue.stored(1, 1);
  expect(queue.missingSinceMs(performance.now())).toBe(Number.POSITIVE_INFINITY);
});

test('while Weft asks to wait nothing is sent, whatever is posted or answered; then all of it is, each once', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const sent: number[] = [];
  const queue = new ReportQueue({
    send: (text) => sent.push(JSON.parse(text).id) > 0,
    isOpen: () => true,
    stamp: (ms) => ms,
    maxWaiting: 100,
  });
  const accepted: Promise<number>[] = [];
  const post = () => void accepted.push(queue.add(Report.of({ load: 1 }, 0)));
  for (let n = 0; n < 3; n++) post();
  expect(sent.splice(0)).toEqual([1, 2, 3]);
  queue.refused(1, new WeftRefusal(429, 'report_budget_used_up', '', 5));
  queue.refused(2, new WeftRefusal(429, 'report_budget_used_up', '', 2));
  queue.stored(3, 1);
  post();
  queue.repeat();
  vi.advanceTimersByTime(4_900);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(sent.toSorted()).toEqual([1, 2, 4]);
  for (const id of sent) queue.stored(id, 1);
  expect(await Promise.all(accepted)).toEqual([1, 1, 1, 1]);
});
