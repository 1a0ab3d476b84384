// Alarms and incidents of real processes: one alarm however many nodes hear the samples, and a SIGKILL forgets nothing.
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { startCluster } from './cluster.ts';
import { serve as serveHere } from './weft-here.ts';
import { adminUsername, eventually, password, serve, temporaryFolder, type Weft } from './weft-process.ts';

const isMissing = [inject('postgresUrl'), inject('amqpUrl')].includes(undefined);
const rule = {
  name: 'Slow',
  selector: 'name:ap-1',
  condition: { metric: 'latency_ms', op: '>', value: 100 },
  for_seconds: 10,
  clear: { value: 80, for_seconds: 5 },
  severity: 'major',
};

/** On the same access point, and soon after: of the same incident. */
const second = {
  ...rule,
  name: 'Lossy',
  condition: { metric: 'loss_pct', op: '>', value: 5 },
  clear: { value: 2, for_seconds: 5 },
};

async function prepare(weft: Weft, token: string): Promise<string> {
  // It may be silent for as long as a busy machine takes, without an alarm about that.
  const json = { ap_id: 'ap-1', password, configuration: { report_interval_seconds: 3600 } };
  expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
  for (const each of [rule, second])
    expect((await weft.request('POST', '/api/v1/alarm_rules', { token, json: each })).status).toBe(200);
  return (await weft.login('ap-1', password, 'agent')).body.access_token;
}

/** One sample; Weft has it when this resolves. */
async function report(weft: Weft, token: string, ts: number, latency_ms: number, loss_pct = 0): Promise<void> {
  const json = { samples: [{ ts, latency_ms, loss_pct }] };
  expect((await weft.request('POST', '/api/v1/agent_update/update', { token, json })).status).toBe(200);
}

async function alarms(weft: Weft, token: string) {
  return (await weft.request('GET', '/api/v1/alarms?agent=ap-1&limit=50', { token })).body.items;
}

/** Once each alarm is in one. */
async function incidents(weft: Weft, token: string, count: number) {
  const list = async () => (await weft.request('GET', '/api/v1/incidents', { token })).body.items as Incident[];
  return eventually(list, (found) => found.flatMap(({ alarms: ids }) => ids).length === count);
}

interface Incident {
  id: string;
  state: string;
  alarms: string[];
}

async function told(weft: Weft, token: string, family = 'alarm'): Promise<string[]> {
  const { body } = await weft.request('GET', `/api/v1/events?kinds=${family}.*&order=oldest_first`, { token });
  return body.items.map(({ kind }: { kind: string }) => kind);
}

test.skipIf(isMissing)('two nodes fire one alarm; when one is killed the other goes on', async () => {
  const cluster = await startCluster({ controllers: 1, here: 1, workers: 0 });
  const [a, b] = [cluster.controllers[0]!, cluster.here[0]!];
  const token = (await a.login(adminUsername, password)).body.access_token as string;
  const agent = await prepare(a, token);
  // Far enough back that no sample is ahead of the clock, which would be an alarm of its own.
  const start = Date.now() - 600_000;
  // Each node learns of the agent and the rule by looking, within a second or two: it hears samples until it has fired.
  let at = 0;
  await eventually(
    async () => {
      for (let n = 0; n < 4; n++, at++) await report(at % 2 ? a : b, agent, start + at * 500, 150);
      return alarms(b, token);
    },
    (list) => list.length > 0,
  );
  for (let n = 0; n < 10; n++, at++) await report(at % 2 ? a : b, agent, start + at * 500, 150);
  await eventually(
    () => alarms(a, token),
    (list) => list.length > 0,
  );
  expect(await alarms(a, token)).toMatchObject([{ state: 'firing', rule: 'Slow' }]);
  expect(await told(a, token)).toEqual(['alarm.fired']);
  const [before] = await incidents(b, token, 1);
  await a.end('SIGKILL');
  expect(await alarms(b, token)).toMatchObject([{ state: 'firing' }]);
  await eventually(
    async () => {
      for (let n = 0; n < 4; n++, at++) await report(b, agent, start + at * 500, 20, 50);
      return alarms(b, token);
    },
    (list) => list.length === 2 && list.some(({ state }: Incident) => state === 'cleared'),
  );
  expect((await told(b, token)).sort()).toEqual(['alarm.cleared', 'alarm.fired', 'alarm.fired']);
  // Whoever has the lease now puts the new one where the other is.
  const after = await incidents(b, token, 2);
  expect(after).toMatchObject([{ id: before!.id, state: 'open' }]);
  expect(after[0]!.alarms).toContain(before!.alarms[0]);
  // It is told after it is grouped.
  const opened = await eventually(
    () => told(b, token, 'incident'),
    (kinds) => kinds.length > 0,
  );
  expect(opened).toEqual(['incident.opened']);
});

/** A bulk change that is in its middle; resolves what looks, after a restart, at how it went on. */
async function beginBulk(weft: () => Weft, token: string): Promise<() => Promise<void>> {
  const count = 12;
  const names = Array.from({ length: count }, (_, n) => `bulk-${n + 1}`);
  for (const ap_id of names) {
    const json = { ap_id, password, configuration: {} };
    expect((await weft().request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
  }
  // Seconds, in which even a busy machine finds it in its middle.
  const wave = { size: 4, pause_seconds: 3 };
  const json = { selector: 'name:bulk-*', action: { command: 'reboot' }, wave };
  const { job_number } = (await weft().request('POST', '/api/v1/bulk', { token, json })).body;
  const progress = async () => (await weft().request('GET', `/api/v1/bulk/${job_number}`, { token })).body;
  const before = await eventually(progress, ({ totals }) => totals.done >= 4);
  expect(before.totals.done).toBeLessThan(count);
  return async () => {
    const after = await eventually(progress, ({ is_over }) => is_over);
    expect(after.totals).toEqual({ waiting: 0, done: count, refused: 0, stopped: 0 });
    const { body } = await weft().request('GET', '/api/v1/commands?limit=100', { token });
    expect(body.map(({ ap_id }: { ap_id: string }) => ap_id).sort()).toEqual(names.sort());
  };
}

test('SIGKILL: what is firing stays firing, what is pending and a bulk change go on, incidents are what they were, nothing is told or done twice', async () => {
  const folder = temporaryFolder();
  let process = await serve({ folder });
  let weft: Weft = process;
  const token = await weft.createAdmin();
  const agent = await prepare(weft, token);
  const start = Date.now() - 60_000;
  const restart = async () => {
    await process.end('SIGKILL');
    process = await serve({ folder });
    weft = process;
  };
  for (let second = 0; second <= 6; second++) await report(weft, agent, start + second * 1000, 150);
  const finishBulk = await beginBulk(() => weft, token);
  await restart();
  await finishBulk();
  for (let second = 7; second <= 12; second++) await report(weft, agent, start + second * 1000, 150);
  const list = await eventually(
    () => alarms(weft, token),
    (found) => found.length === 1,
  );
  expect(list).toMatchObject([{ state: 'firing', since: new Date(start).toISOString() }]);
  const open = await incidents(weft, token, 1);
  expect(open).toMatchObject([{ id: list[0].id, state: 'open', alarms: [list[0].id] }]);
  await restart();
  expect(await alarms(weft, token)).toEqual(list);
  expect(await incidents(weft, token, 1)).toEqual(open);
  await report(weft, agent, start + 13_000, 150);
  for (let second = 14; second <= 16; second++) await report(weft, agent, start + second * 1000, 20);
  await process.end('SIGKILL');
  weft = await serveHere({ env: { WEFT_DATA_DIR: join(folder, 'data') } });
  for (let second = 17; second <= 32; second++) await report(weft, agent, start + second * 1000, 20, 50);
  await eventually(
    () => alarms(weft, token),
    (found) => found.length === 2 && found.some(({ state }: Incident) => state === 'cleared'),
  );
  expect((await told(weft, token)).sort()).toEqual(['alarm.cleared', 'alarm.fired', 'alarm.fired']);
  // The lease of the process that was killed has ended by then.
  expect(await incidents(weft, token, 2)).toMatchObject([{ id: list[0].id, state: 'open' }]);
  expect(await told(weft, token, 'incident')).toEqual(['incident.opened']);
});
