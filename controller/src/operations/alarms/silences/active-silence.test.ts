import { expect, it } from 'vitest';
import type { SilenceRecord, SilenceText } from '../store/rule-store.ts';
import { compileSilence, nextWindow, silenceFor } from './active-silence.ts';

const record = (silence: SilenceText): SilenceRecord => ({
  id: 's',
  silence,
  created_by: 'a',
  created_at: 0,
  ends_at: null,
});
const agent = (site: string | null, tags: string[] = []) => ({
  ap_id: 'ap',
  display_name: null,
  site,
  tags,
  access_point_type: 'WiFi',
});
const zones: Record<string, string> = { uk: 'Europe/London', us: 'America/New_York' };
const applies = (silence: SilenceText, site: string | null, at: string, rule = 'Offline', tags: string[] = []) =>
  silenceFor([compileSilence(record(silence))], { rule, agent: agent(site, tags) }, Date.parse(at), (path) =>
    path === null ? undefined : zones[path],
  ) === 's';

it('applies to the rules and access points that it names, from its beginning until right before its end', () => {
  const silence = { selector: 'tag:lab', rules: ['Off*'], from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };
  expect(applies(silence, null, '2026-01-01T00:00:00Z', 'Offline', ['lab'])).toBe(true);
  expect(applies(silence, null, '2026-01-01T23:59:59.999Z', 'Offline', ['lab'])).toBe(true);
  expect(applies(silence, null, '2026-01-02T00:00:00Z', 'Offline', ['lab'])).toBe(false);
  expect(applies(silence, null, '2025-12-31T23:59:59Z', 'Offline', ['lab'])).toBe(false);
  expect(applies(silence, null, '2026-01-01T12:00:00Z', 'Late', ['lab'])).toBe(false);
  expect(applies(silence, null, '2026-01-01T12:00:00Z', 'Offline')).toBe(false);
});

it('weekly, in the zone of each site, or in its own', () => {
  const weekly = { days: ['sun' as const], from: '02:00', until: '05:00' };
  const ofSite = { weekly, time_zone: 'site' };
  // Sunday 03:00 in London is Saturday evening in New York.
  expect(['uk', 'us', null].map((site) => applies(ofSite, site, '2026-01-04T03:00:00Z'))).toEqual([true, false, true]);
  expect(['uk', 'us', null].map((site) => applies(ofSite, site, '2026-01-04T08:00:00Z'))).toEqual([false, true, false]);
  const named = { weekly, time_zone: 'America/New_York' };
  expect(['uk', 'us', null].map((site) => applies(named, site, '2026-01-04T08:00:00Z'))).toEqual([true, true, true]);
});

it('one silence is asked for many sites of different zones at one moment', () => {
  const silence = compileSilence(
    record({ weekly: { days: ['sun'], from: '02:00', until: '05:00' }, time_zone: 'site' }),
  );
  const ask = (site: string, at: string) =>
    silenceFor([silence], { rule: 'r', agent: agent(site) }, Date.parse(at), (path) => zones[path!]) !== null;
  const at = ['2026-01-04T03:00:00Z', '2026-01-04T08:00:00Z', '2026-01-04T03:00:00Z'];
  expect(at.map((moment) => [ask('uk', moment), ask('us', moment), ask('uk', moment)])).toEqual([
    [true, false, true],
    [false, true, false],
    [true, false, true],
  ]);
});

it('a weekly silence may begin and end', () => {
  const weekly = { days: ['sun' as const], from: '02:00', until: '05:00' };
  const silence = record({ weekly, time_zone: 'UTC', from: '2026-01-04T03:00:00Z', until: '2026-01-11T04:00:00Z' });
  const shown = (at: string) => {
    const window = nextWindow(silence, Date.parse(at));
    return window && [window.fromMs, window.untilMs].map((ms) => new Date(ms).toISOString().slice(5, 16));
  };
  expect(shown('2026-01-01T00:00:00Z')).toEqual(['01-04T03:00', '01-04T05:00']);
  expect(shown('2026-01-05T00:00:00Z')).toEqual(['01-11T02:00', '01-11T04:00']);
  expect(shown('2026-01-11T04:00:00Z')).toBeUndefined();
});

it('of a manager it applies only to what is managed', () => {
  const silence = { until: '2030-01-01T00:00:00Z', within: ['site:uk', 'tag:lab'] };
  expect(applies(silence, 'uk', '2026-01-01T00:00:00Z')).toBe(true);
  expect(applies(silence, 'us', '2026-01-01T00:00:00Z')).toBe(false);
  expect(applies(silence, 'us', '2026-01-01T00:00:00Z', 'Offline', ['lab'])).toBe(true);
});
