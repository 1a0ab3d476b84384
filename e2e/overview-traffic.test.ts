// What the overview of a network of 313 access points pulls while nobody does anything: a browser that is left open must
// not fill a mobile line.
import { expect, onTestFinished, test } from 'vitest';
import { draw } from '../test/draw.ts';
import { rounds } from '../test/rounds.ts';
import { adminUsername, password, startWeft, type TestWeft } from '../test/weft.ts';
import { hasBrowser, visit } from './browser.ts';

const fleetSize = 313;
const reportEveryMs = 10_000;
const maxBytesAnHour = 20_000_000;
const maxRequestsASecond = 1;
/** Answers with the figures, which are asked for every ten seconds, that are waited for. */
const answersCounted = rounds(6, 3);
const figures = '/api/v1/health/figures';

/** Registered as emulated ones, because their secrets need no slow hash; nobody runs them. */
async function registerAgents(weft: TestWeft, token: string): Promise<string[]> {
  const types = ['5G', 'WiFi', 'LiFi'];
  const shares = [Math.ceil(fleetSize / 3), Math.ceil(fleetSize / 3), fleetSize - 2 * Math.ceil(fleetSize / 3)];
  const emulators = types.map((access_point_type, index) => ({
    access_point_type,
    num_access_points: shares[index],
    locations: ['Bristol'],
    num_devices: 6,
    duration: 86_400,
  }));
  const { body, status } = await weft.request('POST', '/api/v1/emulator/spinup', { token, json: { emulators } });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.agents.map((agent: { ap_id: string } | string) => (typeof agent === 'string' ? agent : agent.ap_id));
}

/** Each reports every ten seconds, one after the other. */
function keepReporting(weft: TestWeft, names: readonly string[]): void {
  let next = 0;
  const random = draw('reports');
  const report = () => {
    const at = Date.now();
    const fields = {
      throughput_mbps: random.unit() * 300,
      connected_devices: random.below(30),
      power_w: random.unit() * 120,
      rssi_dbm: -40 - random.unit() * 50,
      noise_dbm: -95 + random.unit() * 3,
      temperature_c: 30 + random.unit() * 20,
      airtime_percent: random.unit() * 100,
      channel: 36,
    };
    void weft.record(
      names[next++ % names.length]!,
      [{ ts: at, names: Object.keys(fields), values: Object.values(fields), texts: [] }],
      at,
    );
  };
  for (const _ of names) report();
  const timer = setInterval(report, reportEveryMs / names.length);
  onTestFinished(() => clearInterval(timer));
}

test.skipIf(!hasBrowser)(
  'an idle overview of 313 access points asks at most once a second, and pulls less than 20 MB an hour',
  async () => {
    const weft = await startWeft({ WEFT_EMULATOR_MAX_RUNS: '0' });
    onTestFinished(() => weft.stop());
    const token = await weft.admin();
    const names = await registerAgents(weft, token);
    expect(names).toHaveLength(fleetSize);
    keepReporting(weft, names);

    const { page, context } = await visit(weft.url);
    const tools = await context.newCDPSession(page);
    await tools.send('Network.enable');
    const paths = new Map<string, string>();
    /** Requests that belong to opening the page, which a busy machine may make late: the first for each path, but what streams. */
    const opening = new Set<string>();
    const bytesOf = new Map<string, number>();
    const latest = { answers: 0, isCounted: false };
    let startedAt = 0;
    const count = (requestId: string, bytes: number) => {
      const path = paths.get(requestId) ?? 'unknown';
      if (startedAt > 0 && !opening.has(requestId)) bytesOf.set(path, (bytesOf.get(path) ?? 0) + bytes);
    };
    const asked: string[] = [];
    tools.on('Network.requestWillBeSent', ({ requestId, request }) => {
      const path = new URL(request.url).pathname;
      if (!path.endsWith('/stream') && ![...paths.values()].includes(path)) opening.add(requestId);
      paths.set(requestId, path);
      if (startedAt > 0 && path.startsWith('/api/') && !opening.has(requestId)) asked.push(path);
    });
    // Of an answer without a body, such as a 304, only its headers are reported.
    tools.on('Network.dataReceived', ({ requestId, encodedDataLength }) => count(requestId, encodedDataLength));
    const enough = new Promise<number>((resolve) => {
      tools.on('Network.responseReceived', ({ requestId, response }) => {
        count(requestId, response.encodedDataLength);
        // From one answer of the longest kind to another: whole rounds of polling.
        if (!latest.isCounted || paths.get(requestId) !== figures) return;
        startedAt ||= performance.now();
        if (latest.answers++ === answersCounted) resolve(performance.now() - startedAt);
      });
    });
    await page.getByLabel('E-mail address').fill(adminUsername);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: new RegExp(`^Online ${fleetSize} of ${fleetSize}`) }).waitFor();
    latest.isCounted = true;
    const elapsedMs = await enough;
    expect(asked.length, asked.join(' ')).toBeLessThanOrEqual((maxRequestsASecond * elapsedMs) / 1000);
    const anHour = (bytes: number) => Math.round((bytes * 3_600_000) / elapsedMs);
    const byPath = Object.fromEntries([...bytesOf].map(([path, bytes]) => [path, anHour(bytes)]));
    const total = Object.values(byPath).reduce((sum, bytes) => sum + bytes, 0);
    expect(total, JSON.stringify(byPath)).toBeLessThan(maxBytesAnHour);
    expect(byPath[figures]).toBeGreaterThan(0);
  },
);
