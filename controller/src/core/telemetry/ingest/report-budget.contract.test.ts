// One agent cannot fill the disk: beyond its budget it is asked to wait, at every endpoint, and what it then sends again
// is stored. Others do not notice.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { Agent } from '../../../../../sdk/src/index.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { bearer, connect } from '../../../../../test/socket-client.ts';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { loadConfig } from '../../base/config.ts';
import { Shares } from '../../base/shares/shares.ts';
import { parseReport } from './parse-report.ts';
import { ReportBudget } from './report-budget.ts';

const url = '/api/v1/agent_update/update';
const range = (count: number) => Array.from({ length: count }, (_, n) => n);
const points = (count: number) => Object.fromEntries(range(count).map((n) => [`m${n}`, n]));

describe('a budget of points and bytes', () => {
  let server: TestWeft;
  beforeAll(async () => {
    // A reserve of 600 points, and of 1 MiB.
    server = await startWeft({ WEFT_LIMIT_POINTS_PER_SECOND: '10', WEFT_LIMIT_REPORT_MIB_PER_DAY: '1' });
  });
  afterAll(() => server.stop());

  let count = 0;
  async function newAgent() {
    const ap_id = `ap-${++count}`;
    const token = await server.agent(ap_id);
    const post = (json: unknown) => server.request('POST', url, { token, json });
    const write = (lines: string, as = token, query = '') =>
      server.post(`/api/v1/write${query}`, { authorization: `Bearer ${as}`, 'content-type': 'text/plain' }, lines);
    return { ap_id, token, post, write };
  }
  const presenceOf = async (ap_id: string) => {
    const token = await server.admin();
    const { body } = await server.request('GET', `/api/v1/metrics/presence?agents=${ap_id}`, { token });
    return body.agents[0];
  };

  it('is spent by reports and lines, refused with 429 and a time to wait, and shown with the agent', async () => {
    const { ap_id, post, write } = await newAgent();
    const other = await newAgent();
    expect((await presenceOf(ap_id)).report_budget).toBeUndefined();
    expect((await post(points(500))).status).toBe(200);
    expect((await presenceOf(ap_id)).report_budget).toMatchObject({ points_left: expect.closeTo(0.17, 1) });
    const refused = await post(points(400));
    expect([refused.status, refused.body.code]).toEqual([429, 'report_budget_used_up']);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(20);
    expect(seconds).toBeLessThanOrEqual(30);
    const lines = range(400).map((n) => `cpu a${n}=1`);
    expect((await write(lines.join('\n'))).status).toBe(429);
    expect((await server.rowsOf(ap_id)).length).toBe(1);
    expect((await other.post(points(500))).status).toBe(200);
    const { text } = await server.request('GET', '/metrics');
    expect(text).toMatch(/^weft_share_report_points_refused 2$/m);
  });

  it('counts bytes too, and a report that they refuse spends no points', async () => {
    const { ap_id, post } = await newAgent();
    const note = 'x'.repeat(4000);
    const texts = Object.fromEntries(range(200).map((n) => [`t${n}`, note]));
    expect((await post(texts)).status).toBe(200);
    expect((await post(texts)).status).toBe(429);
    expect((await post(texts)).status).toBe(429);
    expect((await presenceOf(ap_id)).report_budget).toMatchObject({
      points_left: expect.closeTo(0.67, 1),
      bytes_left: expect.closeTo(0.24, 1),
    });
  });

  it('is one for all emulated agents of a caller, whose model falls behind; others report on', async () => {
    // A reserve of 400 points.
    const { telemetry } = server.parts.telemetry;
    const post = async (owner: string) => {
      const name = (await newAgent()).ap_id;
      const agent = { kind: 'agent', id: name, name, emulated_for: owner } as const;
      return telemetry.record(agent, parseReport(points(350), name, Date.now(), telemetry.limits));
    };
    expect(await post('ada')).toMatchObject({ accepted: 1 });
    const message = expect.stringContaining('emulated agents of this owner');
    await expect(post('ada')).rejects.toMatchObject({ status: 429, code: 'report_budget_used_up', message });
    expect(await post('bob')).toMatchObject({ accepted: 1 });
    expect((await (await newAgent()).post(points(350))).status).toBe(200);
  });

  it('does not count history that an administrator imports', async () => {
    const { ap_id, post, write } = await newAgent();
    expect((await post(points(599))).status).toBe(200);
    const lines = range(900).map((n) => `cpu a=1 ${Date.now() - n}000000`);
    const admin = await server.admin();
    expect((await write(lines.join('\n'), admin, `?agent=${ap_id}`)).status).toBe(204);
  });

  it('takes no time of the server for a report that it refuses', async () => {
    const { ap_id, post } = await newAgent();
    expect((await post({ samples: range(600).map((n) => ({ n, ts: Date.now() - n })) })).status).toBe(200);
    for (let n = 0; n < 20; n++) expect((await post({ samples: range(600).map(() => ({ n: 1 })) })).status).toBe(429);
    await untilSo(async () => expect((await post({ late: 1 })).status).toBe(200));
    const times = (await server.rowsOf(ap_id)).filter(({ late }) => late === 1).map(({ ts }) => Number(ts));
    expect(times[0]).toBeLessThanOrEqual(Date.now());
  });

  it('refuses on the channel with the id and the seconds to wait', async () => {
    const { ap_id, token } = await newAgent();
    const client = await connect(server.url, `/api/v1/agents/${ap_id}/channel`, bearer(token));
    const say = (id: number) =>
      client.socket.send(JSON.stringify({ type: 'telemetry', id, payload: { ...points(400), id } }));
    say(1);
    say(2);
    await untilSo(() => expect(client.messages.length).toBe(2));
    const answerTo = (id: number) => client.messages.find((message) => message.id === id)!;
    expect(answerTo(1)).toEqual({ type: 'telemetry_ack', id: 1, accepted: 1 });
    expect(answerTo(2)).toMatchObject({ type: 'error', id: 2, status: 429, code: 'report_budget_used_up' });
    expect(answerTo(2).retry_after).toBeGreaterThan(0);
    client.socket.close();
  });
});

test('a backlog on disk that is larger than the reserve arrives whole, at the pace of the budget', async () => {
  // A reserve of 60,000 points.
  const server = await startWeft({ WEFT_LIMIT_POINTS_PER_SECOND: '1000' });
  const spoolDir = mkdtempSync(join(tmpdir(), 'weft-agent-'));
  await server.agent('ap-1');
  const create = (at: string) => new Agent({ url: at, ap_id: 'ap-1', password, spoolDir });
  const away = create('http://127.0.0.1:1');
  const ts = Date.now() - 60_000;
  await Promise.all(range(100).map((n) => away.post({ ts: ts + n, ...points(620) })));
  await away.stop({ graceMs: 0 });
  const startedAt = performance.now();
  const agent = create(server.url);
  await agent.start();
  await untilSo(() => expect(agent.waitingReports).toBe(0));
  const arrivedAt = performance.now();
  await agent.stop();
  expect((await server.rowsOf('ap-1')).map((row) => row.ts)).toEqual(range(100).map((n) => ts + n));
  // 62,000 points: the reserve, and 1,000 for each second.
  expect(arrivedAt - startedAt).toBeGreaterThanOrEqual(2000);
  await server.stop();
  rmSync(spoolDir, { recursive: true, force: true });
});

test('by default an emulated access point may run a day within a minute, with reports of fifty values a second', () => {
  const { pointsPerSecond, reportMibPerDay: mibPerDay } = loadConfig({ env: {}, file: {}, flags: {} });
  const seconds = 86_400;
  fc.assert(
    fc.property(fc.integer({ min: 60, max: 86_400 }), (runFor) => {
      const budget = new ReportBudget(new Shares(), { pointsPerSecond, mibPerDay });
      for (let second = 0; second < 100; second++) budget.spend('emu', 50, 1500);
      expect(budget.left('emu')).toBeUndefined();
      // The reserve and what fills up meanwhile.
      expect(pointsPerSecond * (60 + runFor)).toBeGreaterThan(50 * seconds);
      expect(mibPerDay * 1024 * 1024).toBeGreaterThan(1500 * seconds);
    }),
    { numRuns: rounds(20) },
  );
});
