// A download reads only as fast as it is taken, and not at all once nobody takes it.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleOf } from '../../../../../test/pure/sample-of.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

const rows = 40_000;
/** As many as one look of the store gives. */
const wholePages = rows / 2_000;
const start = Date.now() - rows * 1000;
let server: TestWeft;
let user: string;
let pages = 0;
/** Reads of the store, now and at most. */
let underWay = 0;
let most = 0;

beforeAll(async () => {
  server = await startWeft();
  user = await server.user('ada@weft.test');
  await server.agent('ap-1');
  for (let n = 0; n < rows; n += 5000) {
    const samples = Array.from({ length: 5000 }, (_, index) =>
      sampleOf(start + (n + index) * 1000, { value: n + index }, { text: 'x'.repeat(600) }),
    );
    await server.platform.telemetryStore.append('ap-1', samples);
  }
  const { rows: readRows } = server.platform.telemetryStore;
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    most = Math.max(most, ++underWay);
    return work().finally(() => underWay--);
  };
  server.platform.telemetryStore.rows = (...given) => {
    pages++;
    return counted(() => readRows.apply(server.platform.telemetryStore, given));
  };
  const { query } = server.platform.telemetryStore;
  server.platform.telemetryStore.query = (...given) =>
    counted(() => query.apply(server.platform.telemetryStore, given));
});
afterAll(() => server.stop());

const get = (path: string, token: string, headers: Record<string, string> = {}) =>
  server.request('GET', `/api/v1/metrics/${path}`, { token, headers });

async function open(format: string, from = start): Promise<IncomingMessage> {
  pages = 0;
  const url = `${server.url}/api/v1/metrics/export?agent=ap-1&format=${format}&start=${from}`;
  const asked = request(url, { headers: { authorization: `Bearer ${user}` }, agent: false });
  asked.end();
  const [response] = await once(asked, 'response');
  return response;
}

test.each(['csv', 'ndjson'])('%s has every row', async (format) => {
  const response = await open(format);
  let lines = 0;
  for await (const chunk of response) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  }
  expect(lines).toBe(format === 'csv' ? rows + 1 : rows);
  expect(pages).toBeGreaterThanOrEqual(wholePages);
});

test('a reader that pauses makes the reading pause, and one that goes away ends it', async () => {
  const response = await open('ndjson');
  await once(response, 'readable');
  let before = -1;
  // Goes on until the buffers between the two are full, and then no further.
  await expect
    .poll(
      () => {
        const isStill = pages === before;
        before = pages;
        return isStill;
      },
      { interval: 200 },
    )
    .toBe(true);
  const whenFull = pages;
  expect(whenFull).toBeLessThan(wholePages);
  response.destroy();
  // Requests after it are answered; had the reading gone on, it would have gone on meanwhile.
  for (let n = 0; n < 20; n++) await get('agent_metrics?agent=ap-1', user);
  expect(pages).toBeLessThanOrEqual(whenFull + 1);
});

test('a store out of reach is a refusal, not a broken download', async () => {
  const { fields } = server.platform.telemetryStore;
  const { TryLaterError } = await import('../../base/errors.ts');
  server.platform.telemetryStore.fields = () =>
    Promise.reject(new TryLaterError(503, 'telemetry_unavailable', 'away', 2));
  expect((await get('export?agent=ap-1', user)).status).toBe(503);
  server.platform.telemetryStore.fields = fields;
});

test('one caller has one page or long query read at a time, whatever it asks for at once', async () => {
  most = 0;
  // Of many pages each.
  const from = start + (rows - 15_000) * 1000;
  const exports = await Promise.all(Array.from({ length: 5 }, () => open('ndjson', from)));
  const queries = Array.from({ length: 10 }, (_, n) =>
    get(`agent_multi_metric_data?agent=ap-1&metrics=value&window=30d&max_points=${5_000 + n}`, user),
  );
  await Promise.all(exports.map((response) => once(response.resume(), 'end')));
  expect(new Set((await Promise.all(queries)).map(({ status }) => status))).toEqual(new Set([200]));
  expect(most).toBe(1);
});
