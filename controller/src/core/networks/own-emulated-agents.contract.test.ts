// An app sees, reads and commands the emulated agents that it asked for, whatever its `agents` patterns say; nobody else's.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { password, startWeft, type TestWeft } from '../../../../test/weft.ts';

const narrow = { agents: ['ap-2'], emulator: true };
const wifi = {
  access_point_type: 'WiFi',
  num_access_points: 2,
  locations: ['Bristol'],
  num_devices: 1,
  duration: 600,
};

let weft: TestWeft;
let tokens: Record<'lab' | 'rival' | 'blind', string>;
let own: string[];
let rivals: string[];

const get = (path: string, token: string) => weft.request('GET', path, { token });
const post = (path: string, token: string, json?: unknown) =>
  weft.request('POST', path, { token, ...(json !== undefined && { json }) });
const names = (list: { ap_id: string }[]) => list.map(({ ap_id }) => ap_id);

async function spinUp(token: string): Promise<string[]> {
  const answer = await post('/api/v1/emulator/spinup', token, { emulators: [wifi] });
  expect(answer.status, answer.text).toBe(200);
  return names(answer.body.agents);
}

beforeAll(async () => {
  weft = await startWeft({ WEFT_EMULATOR_MAX_RUNS: '0' });
  await weft.admin();
  await weft.agent('ap-1');
  await weft.agent('ap-2');
  tokens = {
    lab: await weft.app('lab', narrow),
    rival: await weft.app('rival', narrow),
    blind: await weft.app('blind', { ...narrow, read: false, commands: false }),
  };
  own = await spinUp(tokens.lab);
  rivals = await spinUp(tokens.rival);
  const now = Date.now();
  for (const ap_id of ['ap-1', 'ap-2', ...own, ...rivals]) {
    await weft.record(ap_id, [{ ts: now - 1000, names: ['load'], values: [7], texts: [] }], now);
  }
});
afterAll(() => weft.stop());

const reads: Record<string, (ap_id: string) => string> = {
  'get_agent (#14)': (ap_id) => `/api/v1/agents/${ap_id}`,
  'agent_data (#27)': (ap_id) => `/api/v1/metrics/agent_data?agent=${ap_id}`,
  'agent_multi_metric_data (#28)': (ap_id) => `/api/v1/metrics/agent_multi_metric_data?agent=${ap_id}&metrics=load`,
  'agent_metrics (#29)': (ap_id) => `/api/v1/metrics/agent_metrics?agent=${ap_id}`,
};

describe('reading', () => {
  it.each(Object.entries(reads))('%s: its own is there, another caller’s is not found', async (_, path) => {
    for (const ap_id of [...own, 'ap-2']) expect((await get(path(ap_id), tokens.lab)).status).toBe(200);
    for (const ap_id of [...rivals, 'ap-1']) {
      expect(await get(path(ap_id), tokens.lab)).toMatchObject({ status: 404, body: { code: 'agent_not_found' } });
    }
    // Twice: the second time from what is remembered.
    expect((await get(path(rivals[0]!), tokens.lab)).status).toBe(404);
  });

  it('lists hold its own and those of its patterns', async () => {
    const expected = ['ap-2', ...own].sort();
    expect(names((await get('/api/v1/metrics/agent_details', tokens.lab)).body)).toEqual(expected);
    expect(names((await get('/api/v1/metrics/presence', tokens.lab)).body.agents).sort()).toEqual(expected);
    expect(names((await get('/api/v1/metrics/latest', tokens.lab)).body.agents).sort()).toEqual(expected);
  });

  it('the jobs of #22 and #23 deliver its own', async () => {
    const details = await post('/api/v1/agent_details/request_all_agents_details', tokens.lab);
    const window = `start_time=${new Date(Date.now() - 60_000).toISOString()}&end_time=${new Date().toISOString()}`;
    const data = await post(`/api/v1/agent_data/request_agent_data?agent_id=${own[0]}&${window}`, tokens.lab);
    expect([details.status, data.status]).toEqual([200, 200]);
    const messagesOf = async ({ body }: typeof details) => {
      const job = await untilSo(async () => {
        const answer = await get(`/api/v1/jobs/${body.job_number}`, tokens.lab);
        expect(answer.body.state).toBe('succeeded');
        return answer.body;
      });
      return job.messages.flatMap(({ data: items }: { data: unknown[] }) => items);
    };
    expect(names(await messagesOf(details)).sort()).toEqual(['ap-2', ...own].sort());
    expect(JSON.stringify(await messagesOf(details))).not.toContain('emulated_for');
    expect(await messagesOf(data)).toMatchObject([{ field: 'load', value: 7 }]);
    const other = await post(`/api/v1/agent_data/request_agent_data?agent_id=${rivals[0]}&${window}`, tokens.lab);
    expect(other.status).toBe(404);
  });

  it('the live stream carries its own, also of networks that came after it began', async () => {
    const ends = new AbortController();
    const response = await fetch(`${weft.url}/api/v1/metrics/stream`, {
      headers: { authorization: `Bearer ${tokens.lab}` },
      signal: ends.signal,
    });
    const later = await spinUp(tokens.lab);
    const theirs = await spinUp(tokens.rival);
    const now = Date.now();
    for (const ap_id of ['ap-1', ...rivals, ...own, ...theirs, ...later, 'ap-2']) {
      await weft.record(ap_id, [{ ts: now, names: ['load'], values: [1], texts: [] }], now);
    }
    let text = '';
    for await (const piece of response.body!) {
      text += Buffer.from(piece).toString();
      if (text.includes('"ap-2"')) break;
    }
    ends.abort();
    const seen = [...text.matchAll(/"ap_id":"([^"]+)"/g)].map(([, ap_id]) => ap_id);
    expect(seen).toEqual([...own, ...later, 'ap-2']);
  });

  it('`read: false` binds all the same', async () => {
    const [ap_id] = await spinUp(tokens.blind);
    for (const path of Object.values(reads)) expect((await get(path(ap_id!), tokens.blind)).status).toBe(403);
    expect((await post(`/api/v1/send_command?agent_id=${ap_id}&command=sleep`, tokens.blind)).status).toBe(403);
  });
});

describe('commands', () => {
  it('go to its own, not to another caller’s', async () => {
    expect((await post(`/api/v1/send_command?agent_id=${own[0]}&command=sleep`, tokens.lab)).status).toBe(200);
    expect((await post(`/api/v1/send_command?agent_id=${rivals[0]}&command=sleep`, tokens.lab)).status).toBe(404);
  });

  it('a roll-out by a pattern finds its own', async () => {
    const answer = await post('/api/v1/commands/batch', tokens.lab, { agents: '*', command: 'wake', dry_run: true });
    expect(answer.status, answer.text).toBe(200);
    const targets = names(answer.body.targets);
    expect(targets).toEqual(expect.arrayContaining(['ap-2', ...own]));
    for (const ap_id of ['ap-1', ...rivals]) expect(targets).not.toContain(ap_id);
  });
});

describe('the limit of agents', () => {
  it('is reached by emulated ones for emulated ones only', async () => {
    const small = await startWeft({ WEFT_EMULATOR_MAX_RUNS: '0', WEFT_MAX_AGENTS: '3' });
    try {
      const token = await small.admin();
      const ask = (path: string, json: unknown) => small.request('POST', path, { token, json });
      const register = (ap_id: string) => ask('/api/v1/agents/', { ap_id, password, configuration: {} });
      expect((await ask('/api/v1/emulator/spinup', { emulators: [wifi] })).status).toBe(200);
      expect((await ask('/api/v1/emulator/spinup', { emulators: [wifi] })).body.code).toBe('too_many_agents');
      for (const ap_id of ['real-1', 'real-2', 'real-3']) expect((await register(ap_id)).status).toBe(200);
      expect((await register('real-4')).body.code).toBe('too_many_agents');
    } finally {
      await small.stop();
    }
  });
});
