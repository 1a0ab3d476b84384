// How much results may take: of one caller and in all. Beyond that nothing new is taken, and nothing that was taken is lost.
import { expect, onTestFinished, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { draw } from '../../../../../test/draw.ts';
import { startJobServer } from '../../../../../test/job-server.ts';
import { newJob } from '../../../../../test/pure/stored-records.ts';
import { startWeft } from '../../../../../test/weft.ts';
import { JobStore } from '../store/job-store.ts';
import { MailboxStore } from './mailbox-store.ts';
import { ResultBudget } from './result-budget.ts';

const hour = 3_600_000;
/** It becomes hardly smaller by compression. */
const noise = (bytes: number) =>
  JSON.stringify([
    draw('noise')
      .bytes(Math.round(bytes * 0.75))
      .toString('base64'),
  ]);

test('a caller, and all together, store no more than they may; what was stored stays until its time, then there is room again', async () => {
  const more = { WEFT_MAX_RESULTS_MB_PER_CALLER: '1', WEFT_MAX_RESULTS_MB: '2' };
  const server = await startJobServer({ more });
  onTestFinished(() => server.stop());
  const post = async (job_number: string, who: string, body: string, query = '') => {
    const path = `/api/v1/callback/agent_details?job_number=${job_number}${query}`;
    const { status, body: answer, headers } = await server.request('POST', path, who, body);
    if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    return status === 200 ? answer.seq : answer.code;
  };
  const details = (kilobytes: number) => JSON.stringify([{ noise: noise(kilobytes * 1024) }]);
  const ask = async (who: string) =>
    (await server.request('POST', '/api/v1/agent_details/request_all_agents_details', who)).body.code;

  const job = await server.ask('ada');
  const first = details(600);
  expect(await post(job, 'ada', first, '&chunk=1')).toBe(1);
  expect(await post(job, 'ada', details(600), '&chunk=2')).toBe(2);
  // Also of a worker with the token of the job.
  for (const who of ['ada', server.tokens.create(job)]) expect(await post(job, who, '[]')).toBe('results_full');
  expect(await ask('ada')).toBe('results_full');
  expect(await post(job, 'ada', '[]', '&chunk=1')).toBe(1);

  const others = await server.ask('bob');
  expect(await post(others, 'bob', details(500))).toBe(1);
  const adopted = '/api/v1/callback/agent_data?job_number=by-hand';
  expect((await server.request('POST', adopted, 'admin', noise(700 * 1024))).status).toBe(200);
  expect([await post(others, 'bob', '[]'), await ask('bob'), await ask('admin2')]).toEqual(
    Array(3).fill('results_full'),
  );
  expect((await server.request('POST', adopted.replace('by-hand', 'by-hand-2'), 'admin2', [1])).body.code).toBe(
    'results_full',
  );

  // A job can always be ended.
  expect(await post(job, 'ada', '[]', '&error=no+room')).toBe(3);
  const { body } = await server.request('GET', `/api/v1/jobs/${job}`, 'ada');
  expect([body.state, JSON.stringify(body.messages[0].data)]).toEqual(['failed', first]);

  server.outside.aheadMs = 25 * hour;
  while (await server.store.prune(Date.now() + 25 * hour, 100, (owner, bytes) => server.results.add(owner, -bytes)));
  expect([await ask('ada'), await post(others, 'bob', '[]')]).toEqual([undefined, 2]);
});

test('without room no network is emulated, but commands are sent', async () => {
  const weft = await startWeft();
  onTestFinished(() => weft.stop());
  const token = await weft.admin();
  await weft.agent('ap-1');
  weft.parts.jobs.results.add('somebody', 5 * 2 ** 30);
  const network = {
    access_point_type: 'WiFi',
    num_access_points: 1,
    locations: ['Bristol'],
    num_devices: 1,
    duration: 60,
  };
  const refused = await weft.request('POST', '/api/v1/emulator/spinup', { token, json: { emulators: [network] } });
  expect([refused.status, refused.body.code]).toEqual([429, 'results_full']);
  expect((await weft.request('POST', '/api/v1/send_command?agent_id=ap-1&command=sleep', { token })).status).toBe(200);
  expect((await weft.request('GET', '/metrics')).text).toMatch(/^weft_job_results_bytes 53687/m);
});

eachDatabase((kind) => {
  test('what nodes have stored is counted again, with what an older version stored', async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    onTestFinished(remove);
    const jobs = new JobStore(nodes[0]);
    for (const name of ['old', 'new']) await jobs.create(newJob(name));
    await nodes[0].query("UPDATE jobs SET bytes = ?, last_seq = 1 WHERE job_number = 'old'", [2 ** 20 - 1000]);
    const config = { maxResultsMb: 4096, maxResultsMbPerCaller: 1, jobRetentionHours: 24 };
    const budget = new ResultBudget({ database: nodes[1], config, onChange: () => {} });
    await budget.count();
    expect(budget.refusal('ada')).toBeUndefined();
    const message = { job_number: 'new', type: 'agent_data', ts: 1, chunk: null } as const;
    await new MailboxStore(nodes[0]).append({ ...message, data: noise(1100) });
    await budget.count();
    expect(budget.refusal('ada')).toMatchObject({ status: 429, code: 'results_full' });
    expect(budget.refusal('bob')).toBeUndefined();
    // An old job that goes on counts as a whole.
    await new MailboxStore(nodes[0]).append({ ...message, job_number: 'old', data: '[1]' });
    const [row] = await nodes[0].query("SELECT stored_bytes FROM jobs WHERE job_number = 'old'");
    expect(row).toEqual({ stored_bytes: 2 ** 20 - 1000 + 3 });
  });
});
