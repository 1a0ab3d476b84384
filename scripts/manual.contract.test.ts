// The manual has every document, nothing in it leads nowhere, and its search finds what its texts have.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, expect, test } from 'vitest';
import { pageText, writeManual } from './manual.ts';

const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'weft-manual-'));
const names = writeManual(folder);
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('every document is a page of it, and what they name is beside them', () => {
  const documents = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  expect(names).toEqual(expect.arrayContaining(documents.map((name) => name.replace('.md', '.html'))));
  expect(readdirSync(folder).sort()).toEqual(names.sort());
  for (const name of names.filter((each) => each.endsWith('.html'))) {
    for (const [, address = ''] of read(name).matchAll(/(?:href|src|srcset)="([^"]*)"/g)) {
      if (/^(https?|mailto):/.test(address)) continue;
      const [file = '', anchor] = address.split('#');
      const target = file === '' ? name : file;
      expect([name, target, names.includes(target)]).toEqual([name, target, true]);
      if (anchor !== undefined)
        expect([name, address, read(target).includes(`id="${anchor}"`)]).toEqual([name, address, true]);
    }
  }
});

test('a link that leads nowhere, or to a heading that is not there, makes it fail', () => {
  expect(pageText('docs/fleet.md', '[a](sites.md)')).toContain('docs/fleet.md: sites.md leads nowhere');
  expect(pageText('docs/fleet.md', '[a](alarms.md#nothing)')).toContain(
    'docs/fleet.md: no heading for alarms.md#nothing',
  );
  expect(pageText('docs/fleet.md', '[a](alarms.md)')).toContain('<a href="alarms.html">a</a>');
  // In the repository and not in the manual.
  expect(pageText('docs/fleet.md', '[a](../package.json)')).toBe('<p>a</p>\n');
});

test('the search has the sections of all pages', () => {
  const context: { manualSections?: { file: string; heading: string; anchor: string; text: string }[] } = {};
  runInNewContext(read('search.js'), Object.assign(context, { globalThis: context }));
  const sections = context.manualSections!;
  expect(new Set(sections.map(({ file }) => file))).toEqual(new Set(names.filter((name) => name.endsWith('.html'))));
  for (const { file, anchor } of sections)
    expect([file, anchor, read(file).includes(`id="${anchor}"`)]).toEqual([file, anchor, true]);
  expect(sections.filter(({ text }) => text.includes('hysteresis')).map(({ file }) => file)).toContain('alarms.html');
});
