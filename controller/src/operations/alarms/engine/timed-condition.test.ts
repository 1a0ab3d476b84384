import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AlarmCriteria } from './metric-condition.ts';
import { findTimed, pathsAbove, type Standing } from './timed-condition.ts';

const now = 1_790_000_000_000;
const standing = (ap_id: string, more: Partial<Standing> = {}): Standing => ({
  ap_id,
  site: null,
  state: 'online',
  sinceMs: now - 3_600_000,
  lastSeenMs: now - 1000,
  isAsleep: false,
  isUncertain: false,
  changesMs: [],
  ...more,
});
const rule = (condition: AlarmCriteria['condition'], more: Partial<AlarmCriteria> = {}): AlarmCriteria => ({
  condition,
  for_seconds: 30,
  clear: undefined,
  when_asleep: 'ignore',
  ...more,
});
const verdicts = (each: AlarmCriteria, agentStates: Standing[]) =>
  Object.fromEntries(findTimed(each, agentStates, now).map(({ subject, fires }) => [subject, fires]));

describe('a state', () => {
  it('fires once it has lasted, and clears once it has been over for as long', () => {
    const found = verdicts(rule({ state: 'offline' }), [
      standing('long', { state: 'offline', sinceMs: now - 30_000 }),
      standing('short', { state: 'offline', sinceMs: now - 29_999 }),
      standing('back', { sinceMs: now - 30_000 }),
      standing('just-back', { sinceMs: now - 1 }),
    ]);
    expect(found).toEqual({ long: true, short: undefined, back: false, 'just-back': undefined });
  });

  it('is no fault of one that sleeps, or whose run is over', () => {
    const away = { state: 'offline', sinceMs: now - 90_000 } as const;
    expect(verdicts(rule({ state: 'offline' }), [standing('a', { ...away, isAsleep: true })])).toEqual({ a: false });
    const evaluated = rule({ state: 'offline' }, { when_asleep: 'evaluate' });
    expect(verdicts(evaluated, [standing('a', { ...away, isAsleep: true })])).toEqual({ a: true });
    expect(verdicts(rule({ absent_seconds: 60 }), [standing('a', { state: 'ended', lastSeenMs: now - 1e6 })])).toEqual({
      a: false,
    });
  });
});

it('nothing changes because of an access point for which nobody has looked for long enough', () => {
  const away = { state: 'offline', sinceMs: now - 90_000, isUncertain: true, site: 's' } as const;
  expect(verdicts(rule({ state: 'offline' }), [standing('a', away)])).toEqual({ a: undefined });
  const share = rule({ share_of_site: { state: 'offline' }, op: '>', value: 0.2 });
  expect(verdicts(share, [standing('a', away), standing('b', { ...away, isUncertain: false })])).toEqual({
    s: undefined,
  });
});

it('absence counts from the last report; who never reported is not absent', () => {
  const found = verdicts(rule({ absent_seconds: 60 }), [
    standing('gone', { lastSeenMs: now - 90_000 }),
    standing('going', { lastSeenMs: now - 70_000 }),
    standing('never', { state: 'never', lastSeenMs: null }),
  ]);
  expect(found).toEqual({ gone: true, going: undefined, never: false });
});

it('flapping is a number of changes within a time', () => {
  const each = rule({ state_changes: 3, within_seconds: 600 }, { for_seconds: 0 });
  const ago = (...seconds: number[]) => ({ changesMs: seconds.map((second) => now - second * 1000) });
  const found = verdicts(each, [
    standing('flaps', ago(500, 300, 10)),
    standing('flapped', ago(700, 300, 10)),
    standing('calm', ago(10)),
  ]);
  expect(found).toEqual({ flaps: true, flapped: false, calm: false });
});

describe('a share of a site', () => {
  const share = rule({ share_of_site: { state: 'offline' }, op: '>', value: 0.5 }, { clear: { value: 0.25 } });
  const site = (path: string, away: number, of: number, sinceMs = now - 60_000) =>
    Array.from({ length: of }, (_, n) =>
      standing(`${path}-${n}`, { site: path, state: n < away ? 'offline' : 'online', sinceMs }),
    );

  it('counts what is below, and not sites that are too small', () => {
    const found = findTimed(
      share,
      [...site('uk/bristol', 3, 4), ...site('uk/bath', 1, 1), ...site('uk/cardiff', 0, 9)],
      now,
    );
    expect(found.map(({ subject, fires, value, of }) => [subject, fires, value, of])).toEqual([
      ['uk', undefined, 4 / 14, 14],
      ['uk/bristol', true, 0.75, 4],
      ['uk/cardiff', false, 0, 9],
    ]);
  });

  it('names the lowest site that has all of it', () => {
    const found = findTimed(share, [...site('uk/bristol/hall', 4, 4), ...site('uk/bath', 0, 1)], now);
    expect(found.map(({ subject, fires }) => [subject, fires])).toEqual([
      ['uk', false],
      ['uk/bristol', false],
      ['uk/bristol/hall', true],
    ]);
    const both = findTimed(share, [...site('uk/bristol', 4, 4), ...site('uk/bath', 4, 4)], now);
    expect(both.map(({ fires }) => fires)).toEqual([true, true, true]);
  });

  it('holds since the last one that was needed for it', () => {
    const times = [90, 80, 20, 10].map((ago) => now - ago * 1000);
    const away = times.map((sinceMs, n) => standing(`a${n}`, { site: 's', state: 'offline', sinceMs }));
    const [found] = findTimed(share, [...away, standing('b', { site: 's' })], now);
    // More than half of five are three.
    expect(found).toMatchObject({ fires: undefined, sinceMs: now - 20_000, value: 0.8 });
  });

  it('never fires and clears at once, whatever the site looks like', () => {
    const sites = fc.array(fc.record({ isAway: fc.boolean(), ago: fc.nat(120) }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(sites, (list) => {
        const all = list.map(({ isAway, ago }, n) =>
          standing(`a${n}`, { site: 's', state: isAway ? 'offline' : 'online', sinceMs: now - ago * 1000 }),
        );
        const [found] = findTimed(share, all, now);
        const away = list.filter(({ isAway }) => isAway).length / list.length;
        if (found!.fires === true) expect(away).toBeGreaterThan(0.5);
        if (found!.fires === false) expect(away).toBeLessThanOrEqual(0.25);
        if (found!.fires !== undefined) expect(now - found!.sinceMs).toBeGreaterThanOrEqual(30_000);
      }),
    );
  });
});

it('a path has those above it', () => {
  expect(pathsAbove('uk/bristol/hall')).toEqual(['uk', 'uk/bristol', 'uk/bristol/hall']);
});
