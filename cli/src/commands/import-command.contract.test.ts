// History into a real server and out of it again, by the command and by the interface.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startWeft, type TestWeft } from '../../../test/weft.ts';
import { tellFailure } from '../failures.ts';
import { execute } from '../run-weft.ts';
import { importCommand } from './import-command.ts';

let weft: TestWeft;
let admin: string;
let folder: string;
beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  folder = mkdtempSync(join(tmpdir(), 'weft-import-'));
});
afterAll(async () => {
  await weft.stop();
  rmSync(folder, { recursive: true });
});

let count = 0;
async function newAgent(): Promise<string> {
  count += 1;
  await weft.agent(`ap-${count}`);
  return `ap-${count}`;
}

async function run(args: string[], options: { input?: string | Buffer; token?: string; url?: string } = {}) {
  const said = { out: '', err: '' };
  const stdin = new PassThrough();
  stdin.end(options.input ?? '');
  const around = {
    env: { HOME: folder, WEFT_URL: options.url ?? weft.url, WEFT_TOKEN: options.token ?? admin },
    stdin,
    stdout: { write: (text: string | Uint8Array) => (said.out += text) },
    stderr: { write: (text: string | Uint8Array) => (said.err += text) },
  };
  try {
    return { code: await execute(importCommand, args, around), ...said };
  } catch (error) {
    const code = tellFailure(error, around);
    if (code === undefined) throw error;
    return { code, ...said };
  }
}

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const hourAgo = Math.floor(Date.now() / 1000) - 3600;
const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

/** What the export gives, without its agent: one object a moment. */
async function rowsOf(agent: string): Promise<Record<string, unknown>[]> {
  const path = `/api/v1/metrics/export?agent=${agent}&format=ndjson&start=${iso(hourAgo - 86_400)}`;
  const { status, body } = await weft.request('GET', path, { token: admin });
  expect(status).toBe(200);
  return String(body)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

describe('a table', () => {
  test('whose rows are too short or too long; a comma at the end of each is neither', async () => {
    const agent = await newAgent();
    const table = `ts,a,b\n${hourAgo},1,2,\n${hourAgo + 1}\n${hourAgo + 2},1,2,3\n${hourAgo + 3},4,\n`;
    const { code, out, err } = await run([file('widths.csv', table), '--agent', agent, '--skip-bad']);
    expect([code, out]).toEqual([0, 'Stored 2 lines, skipped 2.\n']);
    expect(err).toContain('line 3: 1 cells instead of 3\nline 4: 4 cells instead of 3\n');
    expect(await rowsOf(agent)).toMatchObject([{ a: 1, b: 2 }, { a: 4 }]);
  });

  test('cannot move the cursor of a terminal by what is in it', async () => {
    const { code, err } = await run([file('evil.csv', `host,ts,a\n\x1b[2Jevil,${hourAgo},1\n`), '--agent-tag', 'host']);
    expect([code, err]).toEqual([1, expect.stringContaining('There is no agent \ufffd[2Jevil')]);
  });

  test('with a column for each metric is in #28 and in the export; twice is once', async () => {
    const agent = await newAgent();
    const good = file('good.csv', `when,rssi,load,note\n${hourAgo},-60.5,,on\n${hourAgo + 1},,7,\n${hourAgo + 2},,,\n`);
    for (let time = 1; time <= 2; time++) {
      expect(await run([good, '--agent', agent, '--time-column', 'when'])).toEqual({
        code: 0,
        out: 'Stored 2 lines.\n',
        err: 'Times are in column when, as seconds.\n',
      });
    }
    expect(await rowsOf(agent)).toEqual([
      { ts: iso(hourAgo), rssi: -60.5, note: 'on' },
      { ts: iso(hourAgo + 1), load: 7 },
    ]);
    const path28 = `/api/v1/metrics/agent_multi_metric_data?agent=${agent}&metrics=rssi,load&window=2h`;
    const { body } = await weft.request('GET', path28, { token: admin });
    expect(body.series.map(({ points }: { points: { value: number }[] }) => points.map(({ value }) => value))).toEqual([
      [-60.5],
      [7],
    ]);
  });

  test.each([
    ['seconds', (s: number) => `${s}.25`, 250],
    ['milliseconds', (s: number) => `${s}250`, 250],
    ['microseconds', (s: number) => `${s}250999`, 250],
    ['nanoseconds', (s: number) => `${s}250999999`, 250],
    ['RFC 3339', (s: number) => iso(s).replace('.000Z', '.25+00:00'), 250],
  ])('has times in %s', async (kind, write, ms) => {
    const agent = await newAgent();
    const { code, err } = await run(['-', '--agent', agent], { input: `ts,x\n${write(hourAgo)},1\n` });
    expect([code, err]).toEqual([0, `Times are in column ts, as ${kind}.\n`]);
    expect(await rowsOf(agent)).toEqual([{ ts: new Date(hourAgo * 1000 + ms).toISOString(), x: 1 }]);
  });

  test('keeps what is more than its number, and says what it merged', async () => {
    const ap_id = await newAgent();
    const at = (micros: number) => `${hourAgo}${String(micros).padStart(6, '0')}`;
    const cells = ['00101', '1.20', '8944501234567890123', '001e42123456', '0.30000000000000004', '1e-7', '-5', 'up'];
    const rows = cells.map((cell, n) => `${at(n * 1000)},${cell}`);
    const table = file('texts.csv', ['ts,fw', ...rows, `${at(7500)},down`].join('\n'));
    const { code, out } = await run([table, '--agent', ap_id]);
    expect([code, out]).toEqual([
      0,
      'Stored 9 lines.\n1 line replaced fields of others: times are kept in milliseconds.\n',
    ]);
    expect((await weft.rowsOf(ap_id)).map(({ fw }) => fw)).toEqual([
      '00101',
      '1.20',
      '8944501234567890123',
      '001e42123456',
      0.1 + 0.2,
      1e-7,
      -5,
      'down',
    ]);
    const numbers = await weft.request(
      'GET',
      `/api/v1/metrics/agent_multi_metric_data?agent=${ap_id}&metrics=fw&window=2h`,
      { token: admin },
    );
    expect(numbers.body.series[0].points.map(({ value }: { value: number }) => value)).toEqual([
      1.2,
      0.1 + 0.2,
      1e-7,
      -5,
    ]);
    const large = `agent/${ap_id}/data serial=8944501234567890123i ${hourAgo}`;
    expect((await run(['-', '--precision', 's'], { input: large })).out).toContain('Rounded 1 integer with');
  });

  test('has numbers where a cell is a plain decimal or what an export writes, and texts elsewhere, at every length', async () => {
    const ap_id = await newAgent();
    const texts = [
      '1e3',
      '12e5',
      '1E3',
      '1e-07',
      '1e+21',
      '8944110068000000000',
      '8944110068000000001',
      '9007199254740992',
    ];
    const numbers = ['1e-7', '0.30000000000000004', '9007199254740991', '-1234567890123456', '100', '-0.25'];
    const rows = [...texts, ...numbers].map((cell, n) => `${hourAgo + n},${cell}`);
    const { out } = await run([file('cells.csv', ['ts,cell', ...rows].join('\n')), '--agent', ap_id]);
    expect(out).toBe('Stored 14 lines.\n');
    expect((await weft.rowsOf(ap_id)).map(({ cell }) => cell)).toEqual([...texts, ...numbers.map(Number)]);
  });

  test('in the long form, of several agents, zipped', async () => {
    const [one, two] = [await newAgent(), await newAgent()];
    const rows = [
      'time,ap,metric,value',
      `${iso(hourAgo)},${one},rssi,-60`,
      `${iso(hourAgo)},${one},load,5`,
      `${iso(hourAgo)},${two},rssi,-70`,
    ];
    const path = file('long.csv.gz', gzipSync(rows.join('\r\n')));
    expect(await run([path, '--agent-tag', 'ap', '--json'])).toMatchObject({
      code: 0,
      out: '{"stored":3,"skipped":0,"merged":0,"rounded":0}\n',
    });
    expect(await rowsOf(one)).toEqual([{ ts: iso(hourAgo), rssi: -60, load: 5 }]);
    expect(await rowsOf(two)).toEqual([{ ts: iso(hourAgo), rssi: -70 }]);
  });
});

describe('the line protocol', () => {
  test('gets the names that a post would give, and lines of many agents find theirs', async () => {
    const [one, two] = [await newAgent(), await newAgent()];
    const lines = [
      '# from the old server',
      `cpu,ap=${one},host=gw load=1 ${hourAgo}`,
      `agent/${two}/data,ap=${two} x=2,note="two \\"lines\\"\nof text" ${hourAgo}`,
      `cpu,ap=${two} load=3 ${hourAgo}`,
      '',
    ];
    const args = ['-', '--agent-tag', 'ap', '--precision', 's'];
    expect(await run(args, { input: lines.join('\n') })).toMatchObject({ code: 0, out: 'Stored 3 lines.\n' });
    expect(await rowsOf(one)).toEqual([{ ts: iso(hourAgo), cpu_load: 1 }]);
    expect(await rowsOf(two)).toEqual([{ ts: iso(hourAgo), x: 2, cpu_load: 3, note: 'two "lines"\nof text' }]);
  });

  test('of another agent’s measurement goes to the one that is named, of one measurement only if told', async () => {
    const agent = await newAgent();
    const input = gzipSync(`agent/old-name/data x=1 ${hourAgo}000\ncpu y=1 ${hourAgo}000\n`);
    const args = ['-', '--agent', agent, '--precision', 'ms'];
    expect(await run([...args, '--measurement', 'agent/old-name/data'], { input })).toMatchObject({ code: 0 });
    expect(await rowsOf(agent)).toEqual([{ ts: iso(hourAgo), x: 1 }]);
  });

  test('in many batches', async () => {
    const agent = await newAgent();
    const lines = Array.from({ length: 12_000 }, (_, n) => `agent/${agent}/data x=${n} ${hourAgo * 1000 + n}`);
    const path = file('many.lp', lines.join('\n'));
    expect(await run([path, '--precision', 'ms'])).toMatchObject({ code: 0, out: 'Stored 12000 lines.\n' });
    const rows = await rowsOf(agent);
    expect([rows.length, rows.at(-1)!.x]).toEqual([12_000, 11_999]);
  });
});

/** Written by influx_inspect of Debian's InfluxDB, which Weft 0.2.0 had filled; beside it what that Weft read from it. */
test('an export of the InfluxDB of an earlier Weft gives every value back, at its time, to its agent', async () => {
  const kept = resolve(import.meta.dirname, '../../../test/kept-data/influxdb-1.6.7-export');
  const expected: Record<string, ({ ts: number } & Record<string, unknown>)[]> = JSON.parse(
    readFileSync(`${kept}.json`, 'utf8'),
  );
  const years = '3650';
  const other = await startWeft({ WEFT_TELEMETRY_RETENTION_DAYS: years, WEFT_ROLLUP_RETENTION_DAYS: years });
  onTestFinished(() => other.stop());
  const token = await other.admin();
  for (const ap_id of Object.keys(expected)) await other.agent(ap_id);
  // Compressed or not, by a name that says nothing, twice.
  const plain = file('export', gunzipSync(readFileSync(`${kept}.gz`)));
  for (const path of [`${kept}.gz`, plain]) {
    const { code, out, err } = await run([path], { url: other.url, token });
    // Two of its lines are in one millisecond.
    expect([code, out, err]).toEqual([0, expect.stringMatching(/^Stored 388 lines\.\n1 line replaced/), '']);
    for (const [ap_id, rows] of Object.entries(expected)) {
      const query = new URLSearchParams({ agent: ap_id, format: 'ndjson', start: iso(rows[0]!.ts / 1000 - 1) });
      const { body } = await other.request('GET', `/api/v1/metrics/export?${query}`, { token });
      const found = String(body).split('\n').filter(Boolean);
      expect(found.map((line) => JSON.parse(line))).toEqual(
        rows.map((row) => ({ ...row, ts: new Date(row.ts).toISOString() })),
      );
    }
  }
});

describe('a bad line', () => {
  const old = hourAgo - 40 * 86_400;
  const lines = (agent: string) =>
    [`a x=1 ${hourAgo}`, `a x=2`, `a x= ${hourAgo}`, `a x=4 ${old}`, `a x=5 ${hourAgo + 1}`].map((line) =>
      line.replace('a ', `agent/${agent}/data `),
    );

  test('ends the import with its number and why', async () => {
    const agent = await newAgent();
    const args = ['-', '--agent', agent, '--precision', 's'];
    const input = lines(agent);
    expect(await run(args, { input: input.join('\n') })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^weft: line 2: it has no time.* Stored before: 0 lines/),
    });
    expect(await run(args, { input: input.toSpliced(1, 2).join('\n') })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^weft: line 2: the time is older than the retention of 30 days/),
    });
    expect(await run(['-', '--agent', agent], { input: `ts,x\n${hourAgo},1\nyesterday,2\n` })).toMatchObject({
      code: 1,
      err: expect.stringContaining('line 3: "yesterday" is not a valid time (seconds)'),
    });
    expect(await rowsOf(agent)).toEqual([]);
  });

  test('is passed over and counted if told', async () => {
    const agent = await newAgent();
    const args = ['-', '--agent', agent, '--precision', 's', '--skip-bad'];
    const { code, out, err } = await run(args, { input: lines(agent).join('\n') });
    expect([code, out]).toEqual([0, 'Stored 2 lines, skipped 3.\n']);
    expect(err.match(/^line \d/gm)).toEqual(['line 2', 'line 3', 'line 4']);
    expect((await rowsOf(agent)).map(({ x }) => x)).toEqual([1, 5]);
  });
});

describe('it ends with a sentence', () => {
  const input = `cpu x=1 ${hourAgo}`;

  test.each([
    [['-', '--agent', 'nobody', '--precision', 's'], 1, 'There is no agent nobody'],
    [['-', '--precision', 's'], 1, 'the agent is unknown'],
    [['-', '--agent-tag', 'ap', '--precision', 's'], 1, 'it has no tag ap'],
    [['-', '--precision', 'd'], 2, '--precision must be one of'],
    [['/nowhere/x.lp'], 1, 'cannot be read'],
    [[], 2, 'Give one file'],
  ])('%j', async (args, code, err) => {
    expect(await run(args, { input })).toMatchObject({ code, err: expect.stringContaining(err) });
  });

  test('for others than administrators', async () => {
    const token = await weft.user('eve@weft.test');
    const agent = await newAgent();
    expect(await run(['-', '--agent', agent, '--precision', 's'], { input, token })).toMatchObject({
      code: 1,
      err: expect.stringContaining('Only administrators'),
    });
  });
});

test('a Weft that is busy is asked again', async () => {
  const statuses = [503, 429, 502, 204];
  let asked = 0;
  const answer: RequestListener = (request, response) => {
    request.resume().on('end', () => {
      response.writeHead(statuses[asked++]!, { 'retry-after': '0' }).end();
    });
  };
  const busy = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => busy.once('listening', resolve));
  try {
    const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
    const args = ['-', '--agent', 'ap-1', '--precision', 's'];
    expect(await run(args, { input: `cpu x=1 ${hourAgo}`, url })).toMatchObject({ code: 0, out: 'Stored 1 line.\n' });
    expect(asked).toBe(4);
  } finally {
    busy.close();
  }
});
