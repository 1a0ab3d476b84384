// The pages that need no token (Z9): what they may not tell, and who may read /metrics.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { createParts } from '../../../parts.ts';
import { diskFull } from '../../base/storage/write-probe.ts';
import { ServiceMetrics } from './service-metrics.ts';

const running: TestWeft[] = [];

async function start(overrides: Record<string, string> = {}): Promise<TestWeft> {
  const weft = await startWeft(overrides);
  running.push(weft);
  return weft;
}
afterEach(() => Promise.all(running.splice(0).map((weft) => weft.stop())));

it('/readyz warns of stored telemetry that is missing, and says what to do', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'weft-damaged-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const readyz = async () => {
    const weft = await startWeft({ WEFT_DATA_DIR: dataDir });
    const { status, body } = await weft.request('GET', '/readyz');
    await weft.stop();
    return { status, ...body };
  };
  // Each start begins a segment; those before are kept until what they have is in blocks.
  for (let starts = 0; starts < 3; starts++) expect(await readyz()).not.toHaveProperty('warnings');
  const journal = join(dataDir, 'telemetry/journal');
  const segments = readdirSync(journal).sort();
  rmSync(join(journal, segments.at(-2)!));
  expect(await readyz()).toMatchObject({
    status: 'ready',
    parts: { telemetry: 'ok' },
    warnings: ['telemetry_damaged'],
    advice: [expect.stringContaining('missing or cannot be read; the log names the file')],
  });
});

describe('the pages without a token', () => {
  let weft: TestWeft;
  beforeAll(async () => {
    weft = await startWeft();
  });
  afterAll(() => weft.stop());

  it('tell no name, no secret and no version but that of the interface', async () => {
    const token = await weft.agent('ap-of-somebody', { site: 'a-secret-site' });
    await weft.app('app-of-somebody');
    await weft.request('GET', '/api/v1/agents/ap-of-somebody', { token });
    for (const path of ['/', '/docs', '/openapi.json', '/healthz', '/livez', '/readyz', '/metrics']) {
      const { status, body } = await weft.request('GET', path, { headers: { accept: 'text/html' } });
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      expect(status, path).toBe(200);
      for (const word of ['of-somebody', 'a-secret-site', adminUsername, password, token, weft.config.dataDir]) {
        expect(text, path).not.toContain(word);
      }
      if (path !== '/metrics') expect(text, path).not.toContain(process.versions.node);
    }
  });

  it('say what they are for', async () => {
    expect((await weft.request('GET', '/healthz')).body).toEqual({ status: 'ok' });
    expect((await weft.request('GET', '/livez')).body).toEqual({ status: 'ok' });
    expect((await weft.request('GET', '/readyz')).body).toEqual({
      status: 'ready',
      parts: { disk: 'ok', database: 'ok', telemetry: 'ok', broker: 'ok', writes: 'ok', jobs: 'ok' },
    });
    expect((await weft.request('GET', '/openapi.json')).body.info.version).toBe('1.0.0');
  });

  it('look at some parts only, if asked; a name that does not exist is not ready', async () => {
    const some = await weft.request('GET', '/readyz?parts=database,jobs');
    expect([some.status, some.body]).toEqual([200, { status: 'ready', parts: { database: 'ok', jobs: 'ok' } }]);
    for (const parts of ['databse', 'database,__proto__', '']) {
      const { status, body } = await weft.request('GET', `/readyz?parts=${parts}`);
      expect([parts, status, body.parts.unknown, body.reasons]).toEqual([
        parts,
        503,
        'failing',
        { unknown: 'unknown_part' },
      ]);
    }
  });

  it('say that storage refuses writes, which is no reason to send traffic elsewhere', async () => {
    const { database, writes } = weft.platform;
    // As a table answers whose disk is full.
    const refuse = () => database.transaction(() => Promise.reject(diskFull('The disk of the test is full')));
    for (let n = 0; n < 10; n++) await refuse().catch(() => {});
    const ready = await weft.request('GET', '/readyz');
    expect([ready.status, ready.body.parts.writes, ready.body.reasons]).toEqual([
      503,
      'failing',
      { writes: 'disk_full' },
    ]);
    expect((await weft.request('GET', '/readyz?for=traffic')).status).toBe(200);
    const { text } = await weft.request('GET', '/metrics');
    expect(text).toContain('weft_writes_refused_total 10');
    expect(text).toContain('weft_ready{part="writes",reason="disk_full"} 0');
    for (const part of ['database', 'broker', 'traffic'])
      expect(text).toContain(`weft_ready{part="${part}",reason=""} 1`);
    for (let n = 0; n < 50; n++) writes.stored();
    expect((await weft.request('GET', '/readyz')).status).toBe(200);
  });

  it('do not wait for ever for a part that does not answer', async () => {
    const silence = Promise.withResolvers<void>();
    const { check } = weft.platform.telemetryStore;
    weft.platform.telemetryStore.check = () => silence.promise;
    const [ready, metrics] = await Promise.all([
      weft.request('GET', '/readyz?parts=telemetry'),
      weft.request('GET', '/metrics'),
    ]);
    expect([ready.status, ready.body.reasons]).toEqual([503, { telemetry: 'no_answer' }]);
    expect(metrics.text).toContain('weft_ready{part="telemetry",reason="no_answer"} 0');
    silence.resolve();
    weft.platform.telemetryStore.check = check;
  });

  it('answer nothing but that, on a node that alone does not reach the database', async () => {
    let isCutOff = false;
    const cutOff = await startWeft(
      {},
      { createParts: (platform, events) => createParts(Object.assign(platform, { isCutOff: () => isCutOff }), events) },
    );
    running.push(cutOff);
    const token = await cutOff.admin();
    isCutOff = true;
    const { status, headers, body } = await cutOff.request('GET', '/api/v1/users/me', { token });
    expect([status, headers.get('retry-after'), body.code]).toEqual([503, '1', 'cut_off']);
    const ready = await cutOff.request('GET', '/readyz?parts=database');
    expect([ready.status, ready.body]).toEqual([
      503,
      {
        status: 'not ready',
        parts: { database: 'failing' },
        reasons: { database: 'cut_off' },
        advice: [expect.any(String)],
      },
    ]);
    const traffic = await cutOff.request('GET', '/readyz?for=traffic');
    expect([traffic.status, traffic.body.reasons]).toEqual([503, { traffic: 'cut_off' }]);
    expect((await cutOff.request('GET', '/metrics')).text).toContain('weft_ready{part="traffic",reason="cut_off"} 0');
    expect((await cutOff.request('GET', '/healthz')).status).toBe(200);
    isCutOff = false;
    expect((await cutOff.request('GET', '/readyz?for=traffic')).body).toEqual({
      status: 'ready',
      parts: { traffic: 'ok' },
    });
    expect((await cutOff.request('GET', '/api/v1/users/me', { token })).status).toBe(200);
  });
});

describe('/metrics', () => {
  let weft: TestWeft;
  const read = async (headers: Record<string, string> = {}, token?: string) =>
    (await weft.request('GET', '/metrics', { headers, token })).status;

  describe('by default', () => {
    beforeAll(async () => {
      weft = await startWeft();
      return () => weft.stop();
    });

    it('counts requests by operation and status, for readers on this machine', async () => {
      await weft.request('GET', '/api/v1/users/me');
      weft.platform.onError(new Error('away'), 'a round could not be done; it will be tried again');
      const { status, headers, body } = await weft.request('GET', '/metrics');
      expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')]);
      expect(body).toContain('weft_http_requests_total{operation="get_me",status="401"} 1');
      expect(body).toMatch(/^weft_recovered_failures_total [1-9]/m);
    });

    it.each(['x-forwarded-for', 'x-real-ip', 'forwarded'])(
      'is closed to whoever comes through a proxy that nobody named: %s',
      async (name) => {
        const value = name === 'forwarded' ? 'for=127.0.0.1' : '127.0.0.1';
        expect(await read({ [name]: value })).toBe(403);
      },
    );
  });

  it('watches the process once, however many servers it has', async () => {
    const hooks = createRequire(import.meta.url)('node:perf_hooks');
    const first = new ServiceMetrics();
    const watchers = [vi.spyOn(hooks, 'monitorEventLoopDelay'), vi.spyOn(hooks, 'PerformanceObserver')];
    const texts = await Promise.all([first.text(), new ServiceMetrics().text()]);
    for (const text of texts) expect(text.match(/^nodejs_eventloop_lag_p99_seconds /gm)).toHaveLength(1);
    for (const watcher of watchers) expect(watcher).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it('is closed outside of the allowed networks, even to an administrator', async () => {
    weft = await start({ WEFT_METRICS_ALLOW: '192.0.2.0/24' });
    expect(await read()).toBe(403);
    expect(await read({}, await weft.admin())).toBe(403);
    expect(await read({ 'x-forwarded-for': '192.0.2.7' })).toBe(403);
  });

  it('goes by the address that a trusted proxy saw', async () => {
    weft = await start({ WEFT_METRICS_ALLOW: '192.0.2.0/24', WEFT_TRUSTED_PROXIES: '127.0.0.1' });
    expect(await read({ 'x-forwarded-for': '192.0.2.7' })).toBe(200);
    expect(await read({ 'x-forwarded-for': '203.0.113.9' })).toBe(403);
    expect(await read({ 'x-forwarded-for': '192.0.2.7, 203.0.113.9' })).toBe(403);
    expect(await read()).toBe(403);
  });

  it('is closed to a proxy on this machine that is not the trusted one, or does not say whom it speaks for', async () => {
    weft = await start({ WEFT_TRUSTED_PROXIES: '192.0.2.1' });
    expect(await read()).toBe(200);
    expect(await read({ 'x-forwarded-for': '203.0.113.9' })).toBe(403);
    weft = await start({ WEFT_TRUSTED_PROXIES: '127.0.0.1' });
    expect(await read()).toBe(200);
    expect(await read({ 'x-forwarded-for': '203.0.113.9' })).toBe(403);
    expect(await read({ 'x-real-ip': '203.0.113.9' })).toBe(403);
    expect(await read({ forwarded: 'for=203.0.113.9' })).toBe(403);
  });
});
