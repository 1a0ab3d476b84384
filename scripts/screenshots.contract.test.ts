// The pictures of the documents are of the dashboard as it is: the headings that each shows are still those of its page.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'docs', 'screenshots');
const seen: Record<string, { page: string; headings: string[] }> = JSON.parse(
  readFileSync(join(folder, 'headings.json'), 'utf8'),
);
const sources = readdirSync(join(root, 'dashboard', 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'))
  .map((path) => readFileSync(join(root, 'dashboard', 'src', path), 'utf8'))
  .join('\n');
const missing = (headings: string[], text = sources) => headings.filter((heading) => !text.includes(heading));

test.each(Object.entries(seen))(
  '%s shows headings that the dashboard has: else npm run screenshots',
  (_, { headings }) => {
    expect(headings.length).toBeGreaterThan(0);
    expect(missing(headings)).toEqual([]);
    expect(missing(headings, sources.replaceAll(headings[0]!, 'Something else'))).toContain(headings[0]);
  },
);

test('each is of a page that there is, and each picture of the documents is one of them', () => {
  const routes = readFileSync(join(root, 'dashboard', 'src', 'routes.ts'), 'utf8');
  for (const { page } of Object.values(seen)) expect([page, routes.includes(`page('${page}',`)]).toEqual([page, true]);
  const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
  const shown = pages
    .filter((page) => page.endsWith('.md'))
    .flatMap((page) => [...readFileSync(join(root, page), 'utf8').matchAll(/screenshots\/([\w-]+)\.png/g)])
    .map(([, name = '']) => name);
  expect(shown.length).toBeGreaterThan(4);
  for (const name of shown) {
    expect([name, existsSync(join(folder, `${name}.png`))]).toEqual([name, true]);
    expect(Object.keys(seen)).toContain(name.replace(/-(light|dark|phone)$/, ''));
  }
});
