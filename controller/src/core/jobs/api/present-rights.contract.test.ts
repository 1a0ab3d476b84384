// Results of agents that a caller may no longer see are served to it neither by /jobs, nor by a socket, nor by a replay.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { bearer, connect } from '../../../../../test/socket-client.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

let weft: TestWeft;
let admin: string;
let app: string;
let numbers: { data: string; details: string; command: string };

const post = async (path: string, token = app) => {
  const answer = await weft.request('POST', path, { token });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const allow = (permissions: Record<string, unknown>) =>
  weft.request('PUT', '/api/v1/third_party_apps/lab', { token: admin, json: { permissions } });

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  for (const ap_id of ['ap-1', 'ap-2']) await weft.agent(ap_id);
  app = await weft.app('lab');
  const now = Date.now();
  await weft.record('ap-1', [{ ts: now - 1000, names: ['load'], values: [7], texts: [] }]);
  const times = `start_time=${new Date(now - 60_000).toISOString()}&end_time=${new Date(now).toISOString()}`;
  numbers = {
    data: (await post(`/api/v1/agent_data/request_agent_data?agent_id=ap-1&${times}`)).job_number,
    details: (await post('/api/v1/agent_details/request_all_agents_details')).job_number,
    command: '',
  };
  const sent = await post('/api/v1/send_command?agent_id=ap-1&command=sleep');
  numbers.command = sent.job_number;
  const agent = await weft.login('agent', 'ap-1');
  const answer = { token: agent, json: { state: 'succeeded', result: { secret_of: 'ap-1' } } };
  await weft.request('POST', `/api/v1/agents/ap-1/commands/${sent.command_id}`, answer);
  for (const job_number of Object.values(numbers)) {
    await untilSo(async () => expect((await read(job_number)).state).toBe('succeeded'));
  }
});
afterAll(() => weft.stop());

const read = async (job_number: string) =>
  (await weft.request('GET', `/api/v1/jobs/${job_number}`, { token: app })).body;
/** What is in the messages of a job, by /jobs and by a socket that asks for everything; they must agree. */
async function items(job_number: string): Promise<unknown[]> {
  const job = await read(job_number);
  const socket = await connect(weft.url, `/api/v1/ws/${job_number}?after=0`, bearer(app));
  expect((await socket.closed).code).toBe(1000);
  expect(socket.messages).toEqual(job.messages);
  expect(job.messages.map(({ seq }: { seq: number }) => seq)).toEqual(
    Array.from({ length: job.last_seq }, (_, index) => index + 1),
  );
  expect(job.messages.at(-1).final).toBe(true);
  return job.messages.flatMap(({ data }: { data: unknown[] }) => data);
}

/** Its commands, by the list and one by one; they must agree. */
async function commands(): Promise<unknown[]> {
  const get = async (path: string) => (await weft.request('GET', path, { token: app })).body;
  const listed: { command_id: string }[] = await get('/api/v1/commands');
  for (const command of listed) expect(await get(`/api/v1/commands/${command.command_id}`)).toEqual(command);
  return listed;
}

it('with all rights everything is there', async () => {
  expect(await items(numbers.data)).toMatchObject([{ field: 'load', value: 7 }]);
  expect(await items(numbers.details)).toMatchObject([{ ap_id: 'ap-1' }, { ap_id: 'ap-2' }]);
  expect(JSON.stringify(await items(numbers.command))).toContain('secret_of');
});

it('what is about a hidden agent is gone, and comes back with the right', async () => {
  await allow({ agents: ['ap-2'] });
  expect(await items(numbers.data)).toEqual([]);
  expect(await items(numbers.details)).toMatchObject([{ ap_id: 'ap-2' }]);
  expect(await items(numbers.command)).toEqual([]);
  expect(await commands()).toMatchObject([{ ap_id: 'ap-1', state: 'succeeded', result: null, applied: null }]);
  await allow({ agents: ['ap-*'] });
  expect(await commands()).toMatchObject([{ result: { secret_of: 'ap-1' } }]);
  expect(await items(numbers.data)).toHaveLength(1);
  expect(await items(numbers.details)).toHaveLength(2);
});

it('without the right to read only what became of its commands is left', async () => {
  await allow({ read: false });
  expect(await items(numbers.data)).toEqual([]);
  expect(await items(numbers.details)).toEqual([]);
  expect(JSON.stringify(await items(numbers.command))).toContain('secret_of');
  await allow({});
});

it('a socket that is open when rights go gets nothing more of the agent', async () => {
  const end = new Date(Date.now() + 3_600_000).toISOString();
  const start = new Date(Date.now() - 1000).toISOString();
  const path = `/api/v1/agent_data/request_agent_data?agent_id=ap-1&start_time=${start}&end_time=${end}`;
  const { job_number } = await post(path);
  const socket = await connect(weft.url, `/api/v1/ws/${job_number}`, bearer(app));
  await weft.record('ap-1', [{ ts: Date.now(), names: ['load'], values: [8], texts: [] }]);
  await untilSo(() => expect(socket.messages.flatMap(({ data }) => data)).toMatchObject([{ value: 8 }]));
  await allow({ agents: ['ap-2'] });
  // Whoever holds the job's token may still post; the end comes first.
  await weft.record('ap-1', [{ ts: Date.now(), names: ['load'], values: [9], texts: [] }]);
  expect((await socket.closed).code).toBe(1000);
  expect(socket.messages.at(-1)).toMatchObject({ type: 'status', data: [{ state: 'cancelled' }] });
  expect(JSON.stringify(socket.messages)).not.toContain('"value":9');
});
