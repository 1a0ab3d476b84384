// Every command of every document can be run by somebody who has Node 20 and a copy of this repository, every block of commands
// is run by the suite or says why not, and links, settings and files that documents name are there.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { namesOf } from '../../cli/src/run-weft.ts';
import { weft } from '../../controller/src/bin/commands.ts';
import { removedSettings, settings } from '../../controller/src/core/base/settings.ts';
import {
  type Block,
  blocksIn,
  demoPages,
  documents,
  firstPage,
  isShell,
  readPage,
  serverPages,
  tourPages,
} from '../../e2e/document-pages.ts';
import { commandsIn, documentedCommands, problemOf } from './documented-commands.ts';

const root = resolve(import.meta.dirname, '..', '..');
const known = {
  root,
  npmScripts: Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts),
  weftCommands: namesOf(weft),
};

test('no block gives a value to echo, which reads the backslashes of it in some shells, or to eval', () => {
  const shown = documents().flatMap((page) => blocksIn(page).filter(isShell));
  const lines = shown.flatMap(({ content }) => content.split('\n'));
  expect(lines.filter((line) => /\becho "?\$[A-Za-z{]|\beval\b/.test(line))).toEqual([]);
});

test('the first page is read in a few minutes', () => {
  expect(readPage('README.md').split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(900);
});

test('nothing is wrong with any of them', () => {
  const found = documentedCommands(root);
  expect(found.length).toBeGreaterThan(60);
  expect(new Set(found.map(({ document }) => document)).size).toBeGreaterThan(8);
  const wrong = found.flatMap(({ document, command }) => {
    const problem = problemOf(command, known);
    return problem === undefined ? [] : [`${document}: ${command}: ${problem}`];
  });
  expect(wrong).toEqual([]);
});

describe('they are found', () => {
  test('in blocks, over several lines, behind variables and in pipelines', () => {
    const text = '```sh\nA=1 B=2 \\\n  npx weft serve --port 1   # serves\ncat x | node y.mjs && npm test\n```\n';
    expect(commandsIn(text)).toEqual(['npx weft serve --port 1', 'node y.mjs', 'npm test']);
  });

  test('in the text', () => {
    expect(commandsIn('Run `npm start` and `WEFT_PORT=1 node a.mjs`, not `curl`.')).toEqual([
      'npm start',
      'node a.mjs',
    ]);
  });
});

test.each([
  ['node examples/two-programs/day.ts', 'Node 20 cannot run TypeScript: npx weft run examples/two-programs/day.ts'],
  ['npx weft run examples/nothing.ts', 'there is no file examples/nothing.ts'],
  ['npx weft dance', 'there is no command weft dance'],
  ['npm run dance', 'there is no script dance'],
  ['node scripts/nothing.mjs', 'there is no file scripts/nothing.mjs'],
  ['npx weft run examples/two-programs/day.ts', undefined],
  ['npm test -- controller', undefined],
])('of %s it is said: %s', (command, problem) => {
  expect(problemOf(command, known)).toBe(problem);
});

describe('every block of commands', () => {
  const runPages = [firstPage, ...tourPages, ...demoPages, ...serverPages];
  /** Those that are neither run nor marked. */
  const forgotten = (blocks: Block[]) =>
    blocks
      .filter((block) => isShell(block) && block.notRun === undefined)
      .filter(({ page, language }) => !runPages.includes(page) || language !== 'sh')
      .map(({ page, line, content }) => `${page}:${line}: ${content.split('\n')[0]}`);
  const all = documents().flatMap((page) => blocksIn(page));

  test('is run by the suite or marked', () => {
    expect(all.filter(isShell).length).toBeGreaterThan(60);
    expect(forgotten(all)).toEqual([]);
    expect(runPages.filter((page) => !all.some((block) => block.page === page && isShell(block)))).toEqual([]);
  });

  test('that is not run is one of these', () => {
    const marked = all.filter(({ notRun }) => notRun !== undefined);
    expect(marked.map(({ page, notRun }) => `${page}: ${notRun}`)).toEqual([
      'README.md: npm start is started by e2e/start.test.ts, and npm test is this suite',
      'README.md: e2e/release.long.test.ts runs the image with Podman, and installs the package in a system of its own',
      'dashboard/README.md: npm test builds and checks all of it before, and the development server has no test',
      'docs/agents.md: it is for another machine, with a radio; the lab runs the script',
      'docs/emulator.md: it needs PostgreSQL, RabbitMQ and two processes; e2e/emulator-cluster.test.ts runs such',
      'docs/installation.md: e2e/release.long.test.ts verifies a release so',
      'docs/installation.md: e2e/release.long.test.ts runs it with Podman',
      'docs/installation.md: e2e/release.long.test.ts installs, upgrades, removes and purges it in a system of its own',
      'docs/installation.md: e2e/release.long.test.ts installs them in empty projects, with Node 20 and 24',
      'docs/kubernetes.md: there is no cluster; e2e/deploy-files.test.ts checks the files',
      'docs/kubernetes.md: there is no cluster; e2e/deploy-files.test.ts checks the files',
      'docs/learning.md: it takes minutes; controller/src/bin/env-command.contract.test.ts judges policies of all kinds',
      'docs/learning.md: it takes minutes; controller/src/bin/env-command.contract.test.ts judges policies of all kinds',
      'docs/operations.md: it changes the whole machine; e2e/deploy-files.test.ts checks both files',
      'docs/operations.md: it needs PostgreSQL and RabbitMQ; e2e/cluster.test.ts runs such nodes',
      'docs/operations.md: it needs PostgreSQL and systemd; e2e/migrate.test.ts runs weft migrate',
      'docs/operations.md: it needs InfluxDB',
      'docs/postgresql.md: it changes the whole machine; e2e/postgresql-page.long.test.ts starts both servers with the file',
      'docs/tutorial.md: the test has started it already, on a free port',
      'docs/write-a-worker.md: it needs PostgreSQL and RabbitMQ; e2e/cluster.test.ts runs the worker',
      'examples/two-programs/README.md: it takes minutes; e2e/demo-pages.test.ts starts it',
    ]);
    expect(marked.filter((block) => !isShell(block))).toEqual([]);
    const named = marked.flatMap(({ notRun }) => notRun!.match(/[\w/.-]+\.test\.ts/g) ?? []);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    for (const page of documents()) {
      const marks = readPage(page).match(/(?<!`)<!-- (not run|run until it prints): /g) ?? [];
      const used = all.filter((block) => block.page === page && (block.notRun ?? block.runUntil) !== undefined);
      expect([page, marks.length]).toEqual([page, used.length]);
    }
  });

  test.each([
    ['without a mark, on a page that is not run', 'docs/new.md', '```sh\nnpm start\n```', 'docs/new.md:1: npm start'],
    ['called text', firstPage, '```text\nnpx weft demo\n```', `${firstPage}:1: npx weft demo`],
    ['called nothing', firstPage, '\n```\nA=1 npx weft serve\n```', `${firstPage}:2: A=1 npx weft serve`],
    ['in a list', 'docs/new.md', '1. a\n\n   ```sh\n   curl -s x\n   ```', 'docs/new.md:3: curl -s x'],
    ['with a mark', 'docs/new.md', '<!-- not run: no radio -->\n```sh\nnpm start\n```', undefined],
    ['on a page that is run', firstPage, '```sh\nnpm start\n```', undefined],
    ['that is what commands print', firstPage, '```text\nUsage: weft serve\n```', undefined],
  ])('%s', (_, page, text, found) => {
    expect(forgotten(blocksIn(page, text))).toEqual(found === undefined ? [] : [found]);
  });
});

describe('links', () => {
  test('lead to files and headings that are there', () => {
    const pages = [...documents(), 'CHANGELOG.md'];
    expect(pages.flatMap((page) => brokenLinks(page, readPage(page)))).toEqual([]);
  });

  test.each([
    ['[a](nothing.md)', ['docs/x.md: nothing.md']],
    ['[a](agents.md#nothing)', ['docs/x.md: agents.md#nothing']],
    ['# Here\n[a](#here) [b](#there)', ['docs/x.md: #there']],
    ['[a](agents.md#an-access-point-with-linux) [b](https://example.org/x#y) `[c](d)`', []],
  ])('of %s these are wrong: %s', (text, found) => {
    expect(brokenLinks('docs/x.md', text)).toEqual(found);
  });
});

describe('documents', () => {
  const found = (pages: string[], pattern: RegExp, isWrong: (name: string) => boolean) =>
    pages.flatMap((page) =>
      [...readPage(page).matchAll(pattern)].flatMap(([, name = '']) => (isWrong(name) ? [`${page}: ${name}`] : [])),
    );

  test('name only settings that exist', () => {
    const known = new Set([
      'WEFT_CONFIG',
      'WEFT_TEST_LONG',
      'WEFT_TEST_SEED',
      'WEFT_FAULT_TABLE',
      ...Object.keys(removedSettings),
    ]);
    for (const { name } of Object.values(settings)) known.add(name).add(`${name}_FILE`);
    // Of programs that have no table of settings.
    const others = [
      ...['cli/install/weft-agent.sh', 'cli/src/connection.ts', 'cli/src/access-point/agent-settings.ts'],
      'python/weft_gym/frames.py',
    ];
    for (const path of others) {
      for (const [name] of readFileSync(join(root, path), 'utf8').matchAll(/\bWEFT_[A-Z_]*[A-Z]/g)) known.add(name);
    }
    expect(found([...documents(), 'CHANGELOG.md'], /\b(WEFT_[A-Z_]*[A-Z])/g, (name) => !known.has(name))).toEqual([]);
  });

  test('name only tests that exist', () => {
    const folders = ['', 'controller/src', 'controller/src/core', 'emulator/src', 'scripts'];
    const isGone = (path: string) => !folders.some((folder) => existsSync(join(root, folder, path)));
    // Those of the recipes are still to be written.
    const pages = ['README.md', 'CHANGELOG.md', ...documents().filter((page) => page.startsWith('docs/'))];
    expect(found(pages, /`([\w/-]+\/[\w.-]+\.test\.ts)`/g, isGone)).toEqual([]);
  });

  test('name operations by their names, not by their numbers in the specification', () => {
    const pages = documents().filter((page) => !/^(ARCHITECTURE|docs\/adr)/.test(page));
    expect(found(pages, /(?<=[\s(])(#\d+)\b/g, () => true)).toEqual([]);
  });
});

function brokenLinks(page: string, text: string): string[] {
  const prose = text.replaceAll(/```.*?```/gs, '').replaceAll(/`[^`\n]*`/g, '');
  const links = [...prose.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(root, target)) && path !== '') return true;
      if (anchor === undefined || (path !== '' && !target.endsWith('.md'))) return false;
      return !anchorsIn(path === '' ? text : readPage(target)).includes(anchor);
    })
    .map((link) => `${page}: ${link}`);
}

/** As GitHub makes them. */
function anchorsIn(text: string): string[] {
  const headings = [...text.replaceAll(/```.*?```/gs, '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);
  return headings.map((title) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
