// The menu is short, in its groups, and leads to every page that has an address of its own.
import { expect, test } from 'vitest';
import { navGroups, routes } from './routes.ts';

const listed = routes.filter(({ nav }) => nav !== undefined);
const entries = listed.filter(({ nav }) => nav!.tabOf === undefined);

test('has at most 16 entries, group after group', () => {
  expect(entries.length).toBeLessThanOrEqual(16);
  const ranks = entries.map(({ nav }) => navGroups.indexOf(nav!.group));
  expect(ranks).toEqual([...ranks].sort());
  expect(new Set(ranks).size).toBe(navGroups.length);
});

test('pages that are tabs belong to an entry, which whoever sees them sees too', () => {
  const byPath = new Map(entries.map((route) => [route.path, route]));
  const tabs = listed.filter(({ nav }) => nav!.tabOf !== undefined);
  expect(tabs.length).toBeGreaterThan(0);
  for (const { access, nav } of tabs) {
    const entry = byPath.get(nav!.tabOf!);
    expect([access, 'user']).toContain(entry?.access);
    expect(nav!.group).toBe(entry?.nav?.group);
  }
});

test('no address is there twice', () => {
  expect(new Set(routes.map(({ path }) => path)).size).toBe(routes.length);
});
