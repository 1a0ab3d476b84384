import { describe, expect, test } from 'vitest';
import { configuredIntervalMs } from '../../network/agent-facts.ts';
import { AgentPresenceTracker } from './presence.ts';

const second = 1000;

/** An agent first seen at 0 that is asked for its state again and again. */
function createAgent(configuredSeconds?: number) {
  const tracker = AgentPresenceTracker.first('ap-1', 0);
  tracker.configuredMs = configuredSeconds === undefined ? undefined : configuredSeconds * second;
  const at = (s: number) => {
    const { presence, sinceMs } = tracker.stateAt(s * second);
    return [presence, sinceMs === null ? null : sinceMs / second];
  };
  const seen = (...times: number[]) => {
    for (const s of times) tracker.seen(s * second);
  };
  return { tracker, at, seen };
}

describe('an agent that reports every 10 seconds', () => {
  test('is online from its first report on, late after 25 s of silence, offline after 50 s', () => {
    const { at } = createAgent(10);
    expect(at(0)).toEqual(['online', 0]);
    expect(at(25)).toEqual(['online', 0]);
    expect(at(25.001)).toEqual(['late', 25]);
    expect(at(50)).toEqual(['late', 25]);
    expect(at(50.001)).toEqual(['offline', 50]);
    expect(at(100_000)).toEqual(['offline', 50]);
  });

  test('is online again with the next report when it was only late', () => {
    const { at, seen } = createAgent(10);
    seen(40);
    expect(at(41)).toEqual(['online', 40]);
  });

  test('stays online since the beginning while its reports come in time', () => {
    const { at, seen } = createAgent(10);
    seen(10, 20, 44);
    expect(at(60)).toEqual(['online', 0]);
  });
});

describe('an agent that comes back after it was offline', () => {
  test('is late until its second report', () => {
    const { at, seen } = createAgent(10);
    seen(100);
    expect(at(100)).toEqual(['late', 100]);
    expect(at(109)).toEqual(['late', 100]);
    seen(109);
    expect(at(109)).toEqual(['online', 109]);
  });

  test('or until it has stayed for an interval', () => {
    const { at, seen } = createAgent(10);
    seen(100);
    expect(at(110)).toEqual(['online', 110]);
    seen(112);
    expect(at(113)).toEqual(['online', 110]);
  });

  test('does not blink when it shows up once in a while: it is never online between', () => {
    const { at, seen } = createAgent(10);
    for (let n = 1; n <= 10; n++) {
      seen(n * 100);
      expect(at(n * 100 + 1)[0]).toBe('late');
      expect(at(n * 100 + 60)[0]).toBe('offline');
    }
  });
});

describe('the interval', () => {
  test('is the one of the configuration, whatever is configured', () => {
    const { at } = createAgent(60);
    expect(at(124)[0]).toBe('online');
    expect(at(126)[0]).toBe('late');
    expect(at(301)).toEqual(['offline', 300]);
    const quick = createAgent(1);
    expect(quick.at(7.5)[0]).toBe('late');
    expect(quick.at(30)[0]).toBe('late');
    expect(quick.at(31)[0]).toBe('offline');
  });

  test('is learned where the configuration names none and reports come clearly less often than every 10 s', () => {
    const { tracker, at, seen } = createAgent();
    expect(tracker.intervalMs).toBe(10 * second);
    seen(60, 120, 180);
    expect(tracker.intervalMs).toBe(60 * second);
    expect(at(300)[0]).toBe('online');
    const regular = createAgent();
    regular.seen(12, 24, 36, 48);
    expect(regular.tracker.intervalMs).toBe(10 * second);
  });

  test('is not learned from one outage, nor unlearned by two posts in a row', () => {
    const outage = createAgent();
    outage.seen(10, 20, 30, 4000, 4010);
    expect(outage.tracker.intervalMs).toBe(10 * second);
    const pairs = createAgent();
    pairs.seen(0.1, 60, 60.1, 120, 120.1);
    expect(pairs.tracker.intervalMs).toBeGreaterThan(59 * second);
  });

  test.each([
    [30, 30_000],
    ['30', 30_000],
    [0.5, 500],
    [1e9, 86_400_000],
    [0, undefined],
    [-5, undefined],
    ['', undefined],
    ['soon', undefined],
    [null, undefined],
    [{}, undefined],
    [Number.NaN, undefined],
  ])('report_interval_seconds %j is %j ms', (given, ms) => {
    expect(configuredIntervalMs({ report_interval_seconds: given })).toBe(ms);
  });
});

test('M4 a clock that runs backwards makes nobody late or offline', () => {
  const { at, seen } = createAgent(10);
  seen(100, 110, 50, 60);
  expect(at(61)[0]).toBe('online');
});

test('every state says why', () => {
  const { tracker } = createAgent(10);
  expect(tracker.stateAt(816).reason).toBe('Last report: just now; expected every 10 s.');
  expect(tracker.stateAt(3000).reason).toBe('Last report: 3 s ago; expected every 10 s.');
  expect(tracker.stateAt(30_000).reason).toBe('Last report: 30 s ago; expected every 10 s.');
  expect(tracker.stateAt(600_000).reason).toBe('No report for 10 min; expected every 10 s.');
});

test('says since when it is as it is', () => {
  const tracker = AgentPresenceTracker.first('ap', 1_000_000);
  const known = (ms: number) => tracker.knownAt(1_000_000 + ms);
  expect(known(1_000)).toMatchObject({ presence: 'online', sinceMs: 1_000_000, lastSeenMs: 1_000_000 });
  expect(known(26_000)).toMatchObject({ presence: 'late', sinceMs: 1_025_000 });
  expect(known(60_000)).toMatchObject({ presence: 'offline', sinceMs: 1_050_000, offlineAfterMs: 50_000 });
  tracker.seen(1_100_000);
  expect(known(100_500)).toMatchObject({ presence: 'late', sinceMs: 1_100_000 });
  tracker.seen(1_105_000);
  expect(known(105_000)).toMatchObject({ presence: 'online', sinceMs: 1_105_000 });
});
