// The tour, done unchanged on a fresh Weft, and every page that continues them, with the same names and on
// the same Weft: commands end well and print what the page shows. Pages for `weft demo` are in demo-pages.test.ts.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installedPaths } from '../cli/src/access-point/service/install.ts';
import { buildCache } from '../test/compile-cache.ts';
import { blocksIn, documentedUrl, firstPage, readPage, tourPages } from './document-pages.ts';
import { type Done, runPage } from './document-steps.ts';
import { serve as serveHere } from './weft-here.ts';
import { adminUsername, command, serve, type Weft, type WeftServer } from './weft-process.ts';

const password = 'correct horse battery';
let weft: WeftServer;
/** Of the reader; `bin` is what the reader's machine has beside the usual tools. */
let folder: string;
let data: string;
let firstSteps: Done[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-tour-'));
  data = join(folder, 'weft');
  for (const name of ['bin', 'backups']) mkdirSync(join(folder, name));
  const program = (name: string, text: string) =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  program('weft', `exec ${process.execPath} ${command} "$@"`);
  // What changes a whole machine is only noted.
  program('sudo', `echo "$@" >> ${folder}/sudo.log`);
  const [, WEFT_WEBHOOK_ALLOW = ''] = /`WEFT_WEBHOOK_ALLOW=(.*?)`/.exec(readPage('docs/events-and-webhooks.md')) ?? [];
  weft = await serve({ isShared: true, folder, env: { WEFT_DATA_DIR: data, WEFT_WEBHOOK_ALLOW } });
  firstSteps = await run(firstPage);
});

afterAll(async () => {
  await weft?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function run(page: string): Promise<Done[]> {
  return runPage(page, {
    url: weft.url,
    folder,
    password,
    env: { ...buildCache(), PATH: join(folder, 'bin') },
    places: { '/mnt/backups': join(folder, 'backups'), '/var/lib/weft': data },
  });
}

function expectShown(done: Done[]): void {
  const compared = done.filter(({ shown }) => shown !== '');
  expect(compared.map(({ commands, prints }) => ({ commands, prints }))).toEqual(
    compared.map(({ commands, shown }) => ({ commands, prints: shown })),
  );
}

const token = async () => (await weft.login(adminUsername, password)).body.access_token;
const latest = async (of: Weft, metrics: string) => {
  const path = `/api/v1/metrics/agent_multi_metric_data?agent=ap-roof-1&metrics=${metrics}&window=120`;
  const { body } = await of.request('GET', path, { token: await token() });
  return body.series.map(({ points }: { points: { value: number }[] }) => points.map(({ value }) => value));
};

/** What holds once a page is done, beside what it prints. */
const afterwards: Record<string, () => Promise<void>> = {
  async 'docs/agents.md'() {
    const lines = readFileSync(join(folder, 'lines.csv'), 'utf8').split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[2]).toMatch(/^ap-hall-2,.*--set geolocation.latitude=51.4546/);
    const { body } = await weft.request('GET', '/api/v1/metrics/agent_details', { token: await token() });
    const names = body.map(({ ap_id }: { ap_id: string }) => ap_id);
    expect(names).toEqual(expect.arrayContaining(['ap-desk-1', 'ap-lamp-1']));
    // Taking an agent away leaves nothing behind.
    const taken = readFileSync(join(folder, 'sudo.log'), 'utf8').split(/\s/);
    const isTaken = (path: string) => taken.some((word) => word.startsWith('/') && path.startsWith(word));
    expect(Object.values(installedPaths).filter((path) => !isTaken(path))).toEqual([]);
  },
  async 'docs/operations.md'() {
    expect(await latest(weft, 'load,cpu_load')).toEqual([[0.5], [0.7]]);
    expect(statSync(join(folder, 'backups', 'weft.tar.zst')).mode & 0o777).toBe(0o600);
    // The secret is not in a backup: it is kept apart and put back by hand.
    cpSync(join(data, 'secret'), join(`${data}-2`, 'secret'));
    const restored = await serveHere({ env: { WEFT_DATA_DIR: `${data}-2` } });
    expect(await latest(restored, 'rssi_dbm')).toEqual([[-61.5]]);
  },
};

test(firstPage, () => {
  expect(firstSteps.length).toBeGreaterThan(15);
  expectShown(firstSteps);
});

test.each(tourPages)('%s', async (page) => {
  const done = await run(page);
  expect(done.length).toBeGreaterThan(0);
  expectShown(done);
  await afterwards[page]?.();
});

test('a start prints what the tour shows', () => {
  const shown = blocksIn(firstPage).find(({ language }) => language === 'text')!.content;
  const plain = (text: string) =>
    text
      .replaceAll(weft.url, documentedUrl)
      .replace(/^( {2}Data {3}).*$/m, '$1')
      .trim();
  expect(plain(weft.out)).toBe(plain(shown));
});

describe('the runner', () => {
  const tries: [string, string][] = [
    ['an exit code', '```sh\nfalse\n```\n'],
    ['an answer that refuses', '```sh\ncurl -s http://127.0.0.1:8000/api/v1/users/me\n```\n'],
    ['a failure inside of a pipeline', '```sh\nfalse | cat\n```\n'],
    ['a variable that nobody has set', '```sh\necho $ALARM\n```\n'],
  ];
  test.each(tries)('notices %s', async (_, text) => {
    const around = { url: weft.url, folder, password };
    await expect(runPage('page.md', around, text)).rejects.toThrow('page.md:1 failed');
  });
});
