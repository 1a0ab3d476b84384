// What the search finds.
import { expect, it } from 'vitest';
import { routes } from '../routes.ts';
import { findEntries, jobs, jobsAt, type PaletteEntry } from './palette-entries.ts';

const entry = (group: PaletteEntry['group'], label: string, hint = ''): PaletteEntry => ({
  id: label,
  group,
  label,
  hint,
  icon: 'search',
  onChoose: () => {},
});
const labels = (entries: PaletteEntry[]) => entries.map(({ label }) => label);

it('finds by every word, in name or hint, whatever the case', () => {
  const entries = [entry('agents', 'ap-roof-1', 'WiFi'), entry('agents', 'ap-roof-2', 'LiFi')];
  expect(labels(findEntries(entries, ' ROOF  wifi'))).toEqual(['ap-roof-1']);
});

it('puts what begins with the query first, and pages before agents before actions', () => {
  const entries = [
    entry('actions', 'Sign out'),
    entry('agents', 'x-signal'),
    entry('agents', 'signal-1'),
    entry('pages', 'Signals'),
  ];
  expect(labels(findEntries(entries, 'sig'))).toEqual(['Signals', 'signal-1', 'x-signal', 'Sign out']);
});

it('shows a handful of a large fleet', () => {
  const fleet = Array.from({ length: 5000 }, (_, index) => entry('agents', `ap-${index}`));
  expect(findEntries([...fleet, entry('pages', 'Map')], '')).toHaveLength(9);
});

it('finds what people come for, each on a page that there is, by other words', () => {
  const addresses = routes.map(({ path }) => path);
  const entries = addresses.flatMap((path) => jobsAt(path).map((job) => ({ ...entry('actions', job.label), ...job })));
  const found = (query: string) => labels(findEntries(entries, query));
  expect(entries).toHaveLength(jobs.length);
  expect(found('worst')).toEqual(['See the worst access points']);
  expect([found('silence'), found('mute')]).toEqual([['Silence alarms'], ['Silence alarms']]);
  for (const query of ['maintenance', 'rights', 'enrol', 'export']) expect(found(query), query).not.toEqual([]);
});

it('has the exact name first, however many begin with it', () => {
  const fleet = Array.from({ length: 60 }, (_, index) => entry('agents', `hall-${59 - index}`));
  expect(labels(findEntries(fleet, 'hall-3')).slice(0, 2)).toEqual(['hall-3', 'hall-39']);
});
