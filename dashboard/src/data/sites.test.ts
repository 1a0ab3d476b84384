// The tree of sites.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Site } from '../api/client.ts';
import { type SiteNode, siteTree } from './sites.ts';

const site = (path: string, access_points = 0) => ({ path, name: path.split('/').at(-1), access_points }) as Site;
const flat = (nodes: readonly SiteNode[]): SiteNode[] => nodes.flatMap((node) => [node, ...flat(node.children)]);

it('has a node for every step, and each counts what is below it', () => {
  const [uk] = siteTree([site('uk/bristol/hall', 3), site('uk/bristol', 2), site('uk/bath', 1)]);
  expect(uk).toMatchObject({ path: 'uk', site: undefined, total: 6 });
  expect(uk!.children.map(({ path, total }) => [path, total])).toEqual([
    ['uk/bath', 1],
    ['uk/bristol', 5],
  ]);
});

it('of any paths: every site is there once, and the totals of the roots are those of all', () => {
  const paths = fc.uniqueArray(fc.stringMatching(/^[ab](\/[ab]){0,4}$/), { maxLength: 20 });
  fc.assert(
    fc.property(paths, (names) => {
      const roots = siteTree(names.map((path) => site(path, 1)));
      const all = flat(roots);
      expect(
        all
          .filter((node) => node.site)
          .map(({ path }) => path)
          .sort(),
      ).toEqual([...names].sort());
      expect(new Set(all.map(({ path }) => path)).size).toBe(all.length);
      expect(roots.reduce((sum, { total }) => sum + total, 0)).toBe(names.length);
    }),
  );
});
