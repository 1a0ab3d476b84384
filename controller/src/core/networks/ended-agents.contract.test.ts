// Which agents #22 and #26 list: those whose run has ended only for whoever asks, and every agent in exactly one state.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

let weft: TestWeft;
let admin: string;
let ended: string[];
let running: string[];

beforeAll(async () => {
  weft = await startWeft({ WEFT_EMULATOR_MAX_RUNS: '0' });
  admin = await weft.admin();
  const token = await weft.agent('ap-online');
  await weft.agent('ap-never');
  for (let n = 0; n < 2; n++) {
    await weft.request('POST', '/api/v1/agent_update/update', { token, json: { rssi: -60 } });
  }
  const spinUp = async () => {
    const wifi = { access_point_type: 'WiFi', num_access_points: 3, locations: ['Bristol'], num_devices: 1 };
    const json = { emulators: [{ ...wifi, duration: 600 }] };
    const { body } = await weft.request('POST', '/api/v1/emulator/spinup', { token: admin, json });
    return { job_number: body.job_number, names: body.agents.map(({ ap_id }: { ap_id: string }) => ap_id) };
  };
  const over = await spinUp();
  ended = over.names;
  running = (await spinUp()).names;
  await weft.request('POST', `/api/v1/emulator/${over.job_number}/stop`, { token: admin });
});
afterAll(() => weft.stop());

const namesOf = (agents: { ap_id: string }[]) => agents.map(({ ap_id }) => ap_id).sort();

/** #26. */
async function listed(query = ''): Promise<string[]> {
  const { status, body } = await weft.request('GET', `/api/v1/metrics/agent_details${query}`, { token: admin });
  expect(status).toBe(200);
  return namesOf(body);
}

/** #22, by its job. */
async function delivered(query = ''): Promise<string[]> {
  const path = `/api/v1/agent_details/request_all_agents_details${query}`;
  const { body } = await weft.request('POST', path, { token: admin });
  const job = await untilSo(async () => {
    const answer = await weft.request('GET', `/api/v1/jobs/${body.job_number}`, { token: admin });
    expect(answer.body.state).toBe('succeeded');
    return answer.body;
  });
  return namesOf(
    job.messages.flatMap(({ type, data }: { type: string; data: { ap_id: string }[] }) =>
      type === 'agent_details' ? data : [],
    ),
  );
}

describe.each([
  ['#26', listed],
  ['#22', delivered],
])('%s', (_, list) => {
  it('leaves out agents whose run has ended, unless they are asked for', async () => {
    const others = ['ap-never', 'ap-online', ...running].sort();
    expect(await list()).toEqual(others);
    expect(await list('?state=all')).toEqual([...others, ...ended].sort());
    expect(await list('?state=ended')).toEqual([...ended].sort());
  });

  it('has each agent in one state', async () => {
    const states = ['online', 'late', 'offline', 'never', 'ended'];
    const lists = [];
    for (const state of states) lists.push(await list(`?state=${state}`));
    expect(lists.flat().sort()).toEqual(await list('?state=all'));
    expect(lists[0]).toEqual(['ap-online']);
    expect(lists[3]).toEqual(['ap-never', ...running].sort());
  });

  it('tells real and emulated agents apart', async () => {
    expect(await list('?emulated=false')).toEqual(['ap-never', 'ap-online']);
    expect(await list('?emulated=true')).toEqual([...running].sort());
    expect(await list('?emulated=true&state=all')).toEqual([...running, ...ended].sort());
    expect(await list('?emulated=false&state=ended')).toEqual([]);
  });
});

it('a command to one whose run has ended is refused, also tried or among others', async () => {
  const [gone, there] = [ended[0]!, running[0]!];
  for (const more of ['', '&dry_run=true', '&hold_seconds=600']) {
    const path = `/api/v1/send_command?agent_id=${gone}&command=sleep${more}`;
    const { status, body } = await weft.request('POST', path, { token: admin });
    expect([status, body.code]).toEqual([404, 'agent_ended']);
    expect(body.detail).toContain('has ended');
  }
  const json = { agents: [gone, there], command: 'sleep' };
  const { body } = await weft.request('POST', '/api/v1/commands/batch', { token: admin, json });
  expect(body.targets).toMatchObject([{ verdict: 'rejected', reason: 'agent_not_found' }, { verdict: 'accepted' }]);
  const { body: commands } = await weft.request('GET', `/api/v1/commands?agent=${gone}`, { token: admin });
  expect(commands).toEqual([]);
});

it('a state that does not exist is refused', async () => {
  for (const [method, path] of [
    ['GET', '/api/v1/metrics/agent_details'],
    ['POST', '/api/v1/agent_details/request_all_agents_details'],
  ] as const) {
    const { status, body } = await weft.request(method, `${path}?state=gone`, { token: admin });
    expect([status, body.detail[0].loc]).toEqual([422, ['query', 'state']]);
  }
});
