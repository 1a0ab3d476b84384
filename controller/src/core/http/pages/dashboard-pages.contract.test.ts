// How the dashboard is served: what is kept and for how long, what protects its reader, and what is a page of it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askRaw } from '../../../../../test/raw-connection.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { manualPages, openDashboard } from './dashboard-pages.ts';

const html = '<!doctype html><title>Weft</title><script type="module" src="/assets/index-a1.js"></script>';
const script = `console.log(${JSON.stringify('weft '.repeat(300))})`;
let folder: string;
let url: string;
let weft: TestWeft;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-dashboard-'));
  for (const part of ['assets', 'install']) mkdirSync(join(folder, part));
  const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
  write('index.html', html);
  write('favicon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  write('pages.json', JSON.stringify(['/', '/agents', '/agents/:ap_id']));
  write('.sources', 'a stamp');
  write('assets/index-a1.js', script);
  write('install/weft.mjs', script);
  write('install/weft-agent.sh', '#!/bin/sh\n');
  write('assets/old-b2.js', script);
  write('assets/index-a1.js.br', brotliCompressSync(script));
  write('assets/index-a1.js.gz', gzipSync(script));
  weft = await startWeft({}, { dashboardFolder: folder });
  url = weft.url;
});
afterAll(async () => {
  await weft.stop();
  rmSync(folder, { recursive: true, force: true });
});

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const get = (path: string, headers: Record<string, string> = {}) => fetch(url + path, { headers });

it('without a build there is no dashboard', () => {
  const empty = mkdtempSync(join(tmpdir(), 'weft-dashboard-'));
  expect(openDashboard(empty)).toBeUndefined();
  expect(openDashboard(join(empty, 'nowhere'))).toBeUndefined();
  rmSync(empty, { recursive: true });
});

describe('the first page', () => {
  it.each(['/', '/agents', '/agents/', '/agents/ap-1', '/agents/a%2Fb'])('answers %s', async (path) => {
    const answer = await get(path, browser);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await answer.text()).toBe(html);
  });

  it.each(['application/json', '*/*', 'text/*', 'text/html;q=0, */*', ''])(
    'is not there for who does not accept HTML by name (%j), but at / for everybody',
    async (accept) => {
      for (const path of ['/agents', '/agents/ap-1', '/reset-password']) {
        const answer = await get(path, { accept });
        expect([path, answer.status, await answer.json()]).toMatchObject([path, 404, { code: 'not_found' }]);
      }
      expect((await get('/', { accept })).status).toBe(200);
    },
  );

  it('lets nothing in and nothing out but what comes from here (W1)', async () => {
    const { headers } = await get('/');
    const policy = headers.get('content-security-policy')!;
    const rules = Object.fromEntries(policy.split('; ').map((rule) => [rule.split(' ')[0], rule]));
    expect(rules).toEqual({
      'default-src': "default-src 'none'",
      'script-src': "script-src 'self'",
      'style-src': "style-src 'self'",
      'img-src': "img-src 'self' data:",
      'connect-src': "connect-src 'self'",
      'font-src': "font-src 'none'",
      'frame-ancestors': "frame-ancestors 'none'",
      'base-uri': "base-uri 'none'",
      'form-action': "form-action 'self'",
    });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('permissions-policy')).toContain('geolocation=()');
  });

  it('lets pictures in from the map server of the operator, and only if there is one', async () => {
    const other = await startWeft(
      { WEFT_TILE_URL: 'https://tiles.example.org/{z}/{x}/{y}.png' },
      { dashboardFolder: folder },
    );
    try {
      const { headers } = await fetch(other.url);
      expect(headers.get('content-security-policy')).toContain("; img-src 'self' data: https://tiles.example.org;");
      const setup = (await (await fetch(`${other.url}/setup.json`)).json()) as { map_tiles: unknown };
      expect(setup.map_tiles).toEqual({ url: 'https://tiles.example.org/{z}/{x}/{y}.png', attribution: '' });
    } finally {
      await other.stop();
    }
    expect(((await (await get('/setup.json')).json()) as { map_tiles: unknown }).map_tiles).toBeNull();
  });

  it('is asked for anew each time, and not sent again while it is the same', async () => {
    const first = await get('/');
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const again = await get('/agents', { ...browser, 'if-none-match': first.headers.get('etag')! });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await get('/', { 'if-none-match': '"another"' })).status).toBe(200);
  });
});

describe('a file', () => {
  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate', 'gzip'],
    ['identity', null],
  ])('goes to a client that takes %s as %s', async (accepted, encoding) => {
    const answer = await get('/assets/index-a1.js', { 'accept-encoding': accepted });
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    expect(answer.headers.get('vary')).toMatch(/Accept-Encoding/);
    expect(await answer.text()).toBe(script);
  });

  it('with a hash in its name is kept for good, another for an hour', async () => {
    expect((await get('/assets/index-a1.js')).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await get('/favicon.svg')).headers.get('cache-control')).toBe('public, max-age=3600');
    // Pages without a link to an icon are shown with it too.
    expect((await get('/favicon.ico')).headers.get('content-type')).toBe('image/svg+xml');
    expect((await get('/install/weft.mjs')).headers.get('cache-control')).toBe('no-cache');
    expect((await get('/install/weft-agent.sh')).headers.get('content-type')).toBe('text/x-shellscript; charset=utf-8');
  });

  it.each(['/.sources', '/pages.json', '/index.html', '/assets/index-a1.js.br', '/assets/', '/assets/../index.html'])(
    'that is not meant for browsers is not there: %s',
    async (path) => {
      // A client that does not tidy up the path.
      const { status } = await askRaw(url, `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`);
      expect(status).toBe(404);
    },
  );
});

describe('an address that is no page', () => {
  it.each([
    ['POST', '/assets/index-a1.js', 405, 'method_not_allowed'],
    ['POST', '/assets/index-gone.js', 404, 'not_found'],
    ['GET', '/assets/index-gone.js', 404, 'not_found'],
  ])('among the files of a build: %s %s is answered %i', async (method, path, status, code) => {
    const answer = await fetch(url + path, { method });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([status, code]);
    expect(answer.headers.get('x-request-id')).toMatch(/./);
  });

  it('shows a person the dashboard, which says so, with status 404', async () => {
    const answer = await get('/agnets', { accept: 'text/html,application/xhtml+xml' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(await answer.text()).toBe(html);
  });

  it.each([
    ['/agnets', '*/*'],
    ['/api/v1/nothing', 'text/html'],
    ['/api', 'text/html'],
  ])('tells programs that %s does not exist', async (path, accept) => {
    const answer = await get(path, { accept });
    expect([answer.status, await answer.json()]).toEqual([404, { detail: 'Not Found', code: 'not_found' }]);
  });

  it('is not open to other methods', async () => {
    const answer = await fetch(`${url}/agnets`, { method: 'POST', headers: { accept: 'text/html' } });
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }]);
  });
});

it('a file that went away since the start is told as such, and found again when it is back', async () => {
  const path = join(folder, 'assets', 'old-b2.js');
  rmSync(path);
  const gone = await get('/assets/old-b2.js');
  expect([gone.status, await gone.json()]).toEqual([404, expect.objectContaining({ code: 'file_replaced' })]);
  expect(gone.headers.get('cache-control')).not.toContain('immutable');
  writeFileSync(path, script);
  expect((await get('/assets/old-b2.js')).status).toBe(200);
});

describe('the manual', () => {
  it('is there for everybody, in pages that name each other and nothing else', async () => {
    const start = await get('/manual', { accept: '*/*' });
    expect([start.status, start.url]).toEqual([200, `${url}/manual/index.html`]);
    expect(start.headers.get('content-security-policy')).toContain("script-src 'self'");
    const text = await start.text();
    expect(text).toContain('<title>Weft');
    for (const [, name] of text.matchAll(/(?:href|src)="(?!https:)([\w.-]+)/g)) {
      expect([name, (await get(`/manual/${name}`)).status]).toEqual([name, 200]);
    }
    expect((await get('/manual/search.js')).headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    for (const name of ['nothing.html', '.sources', '%2e%2e%2findex.html']) {
      expect([name, (await get(`/manual/${name}`)).status]).toEqual([name, 404]);
    }
  });

  it('without a build there is none', () => {
    expect(manualPages(join(folder, 'nowhere'))).toEqual([]);
  });
});
