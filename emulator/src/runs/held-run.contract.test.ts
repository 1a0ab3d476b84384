// The worker against a broker and a Weft that does as the test says: leases come and go, and threads fail.
import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemoryBroker } from '@weft/broker';
import type { EmulatorLeaseRequest, EmulatorRequest } from '@weft/contract';
import { modelVersion } from '@weft/contract/emulated-model';
import { afterEach, expect, test } from 'vitest';
import { createTask } from '../../../test/pure/emulator-task.ts';
import { untilSo } from '../../../test/pure/until-so.ts';
import { EmulatorWorker, type EmulatorWorkerOptions } from './emulator-worker.ts';
import { takeUpRun } from './resume-run.ts';
import { RunFiles } from './run-files.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

const queue = 'emulator_spinup';

interface Refusal {
  status: number;
  code: string;
}

/** The two doors that a run needs, and no others: its agents are never let in. */
async function startDoors() {
  const doors = {
    leases: [] as EmulatorLeaseRequest[],
    told: [] as { query: Record<string, string>; events: { event: string }[] }[],
    /** How the next ones are answered instead. */
    leaseRefusal: undefined as Refusal | undefined,
    callbackRefusals: [] as Refusal[],
    /** What is asked of the network, once. */
    requests: [] as EmulatorRequest[],
    onAnswers: (_answers: unknown) => {},
    url: '',
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const url = new URL(request.url!, 'http://weft');
    const answer = (body: unknown, status = 200) => response.writeHead(status).end(JSON.stringify(body));
    const refuse = ({ status, code }: Refusal) => answer({ code, detail: code }, status);
    if (url.pathname === '/api/v1/callback/emulator/lease') {
      const lease: EmulatorLeaseRequest = JSON.parse(text);
      doors.leases.push(lease);
      if (doors.leaseRefusal) return refuse(doors.leaseRefusal);
      if (lease.answers) doors.onAnswers(lease.answers);
      const requests = doors.requests.splice(0);
      const pauseMs = lease.wait ? 50 : 0;
      setTimeout(() => {
        answer({ lease_seconds: 30, now: new Date().toISOString(), last_chunk: 4, requests });
      }, pauseMs);
      return;
    }
    if (url.pathname !== '/api/v1/callback/emulator') return refuse({ status: 404, code: 'not_found' });
    const refusal = doors.callbackRefusals.shift();
    if (refusal) return refuse(refusal);
    doors.told.push({ query: Object.fromEntries(url.searchParams), events: JSON.parse(text) });
    answer({});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.push(() => server.close());
  cleanUp.push(() => server.closeAllConnections());
  doors.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return doors;
}

async function start(options: Partial<EmulatorWorkerOptions> = {}) {
  const doors = await startDoors();
  const broker = openMemoryBroker({ queues: [queue], deliveryLimit: 4 });
  cleanUp.push(() => broker.close());
  const errors: string[] = [];
  const onError = (_error: unknown, message: string) => errors.push(message);
  const worker = new EmulatorWorker({ broker, url: () => doors.url, onError, ...options });
  cleanUp.push(() => worker.stop());
  await worker.start();
  const publish = (data: unknown, job_number = 'job-1') => {
    const message = { job_number, task_type: queue, requested_by: {}, callback_token: 'token', data };
    return broker.publish(queue, Buffer.from(JSON.stringify(message)), { id: job_number });
  };
  return { doors, broker, worker, errors, publish };
}

const task = () => createTask({ durations: [600], startedAt: Date.now(), modelStart: Date.now() });

test('a message that makes no sense becomes a dead letter', async () => {
  const { broker, publish } = await start();
  const reasons: string[] = [];
  await broker.consumeDeadLetters(async ({ reason }) => void reasons.push(reason));
  await publish({ ...task(), agents: 'many' });
  await publish(task(), '../../etc/passwd');
  await untilSo(() => expect(reasons).toEqual(['rejected', 'rejected']));
});

test('a token that Weft does not take makes it one too', async () => {
  const { broker, doors, publish } = await start();
  doors.leaseRefusal = { status: 401, code: 'not_authenticated' };
  const reasons: string[] = [];
  await broker.consumeDeadLetters(async ({ reason }) => void reasons.push(reason));
  await publish(task());
  await untilSo(() => expect(reasons).toEqual(['rejected']));
});

test.each([
  ['lease_held', 409],
  ['job_ended', 409],
  ['job_not_found', 404],
])('a run that is not to be had (%s) is left alone', async (code, status) => {
  const { doors, broker, worker, publish } = await start();
  doors.leaseRefusal = { status, code };
  await publish(task());
  await untilSo(() => expect(doors.leases).toHaveLength(1));
  doors.leaseRefusal = undefined;
  // The next one is taken, so the first is done with.
  await publish(task(), 'job-2');
  await untilSo(() => expect(doors.told).not.toEqual([]));
  expect([worker.runs, doors.told[0]!.query.job_number]).toEqual([1, 'job-2']);
  expect(await broker.depth(queue)).toMatchObject({ ready: 0 });
});

test.each(['lease_held', 'job_ended'])('a run that is lost (%s) ends without a word', async (code) => {
  const { doors, worker, publish } = await start();
  await publish(task());
  await untilSo(() => expect(doors.told.length).toBeGreaterThan(0));
  expect(doors.told[0]).toMatchObject({ query: { chunk: '5' }, events: [{ event: 'progress', access_points: 1 }] });
  doors.leaseRefusal = { status: 409, code };
  await untilSo(() => expect(worker.runs).toBe(0));
  expect(doors.told.some(({ query }) => query.final || query.error)).toBe(false);
  expect(doors.leases.some(({ release }) => release)).toBe(false);
});

test('the message of a run that it has is of no use', async () => {
  const { doors, broker, worker, publish } = await start();
  await publish(task());
  await publish(task());
  await publish(task(), 'job-2');
  await untilSo(() => expect(worker.runs).toBe(2));
  expect(await broker.depth(queue)).toMatchObject({ ready: 0 });
  expect(doors.leases.filter(({ wait }) => !wait)).toHaveLength(2);
});

test('a network that makes no sense fails with the reason, however often Weft must be told', async () => {
  const { doors, worker, publish } = await start();
  const away = { status: 503, code: 'unavailable' };
  doors.callbackRefusals = [away, away];
  const senseless = { ...task(), seed: -1 };
  await publish(senseless);
  await untilSo(() => expect(doors.told).toHaveLength(1));
  expect(doors.told[0]!.query).toMatchObject({ chunk: '5', error: expect.stringContaining('seed') });
  await untilSo(() => expect(worker.runs).toBe(0));
});

test('a run of another version of the model fails with what to do', async () => {
  const { doors, worker, publish } = await start();
  const { model: _, ...old } = task();
  await publish(old);
  await untilSo(() => expect(doors.told).toHaveLength(1));
  expect(doors.told[0]!.query.error).toBe(
    `The network cannot be emulated: it was created with model 1 of the emulator, and this version of Weft has model ${modelVersion}; create the network again`,
  );
  await untilSo(() => expect(worker.runs).toBe(0));
});

test('a thread that fails gives its run back; the third time the run is given up', async () => {
  const { doors, worker, errors, publish } = await start();
  const fatal = { ...task(), faults: [null] };
  for (const times of [1, 2]) {
    await publish(fatal);
    await untilSo(() => expect(doors.leases.filter(({ release }) => release)).toHaveLength(times));
    expect(worker.runs).toBe(0);
  }
  await publish(fatal);
  await untilSo(() => expect(doors.told).toHaveLength(1));
  expect(doors.told[0]!.query.error).toContain('3 times');
  await untilSo(() => expect(worker.runs).toBe(0));
  expect(errors.filter((message) => message.includes('thread'))).toHaveLength(3);
});

test('a fault that was answered in the first seconds of a network is in it again after its process was killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weft-killed-'));
  cleanUp.push(() => rm(folder, { recursive: true }));
  const [stateDir, left] = [join(folder, 'runs'), join(folder, 'left')];
  const { doors, publish } = await start({ stateDir });
  const network = task();
  const ap_id = network.agents[0]!.ap_id;
  const fault = { kind: 'jammed_channel', seconds: 300 };
  const answers: unknown[] = [];
  doors.onAnswers = (given) => {
    answers.push(given);
    // What a process leaves that is killed in the moment of the answer.
    cpSync(stateDir, left, { recursive: true });
  };
  doors.requests.push({ id: 'f', kind: 'fault', body: { agent_id: ap_id, ...fault } });
  await publish(network);
  await untilSo(() => expect(answers).toEqual([[{ id: 'f', answer: { status: 'success' } }]]));
  const files = new RunFiles(left, 'job-1');
  const [onEntry, onTrouble] = [() => {}, (error: unknown) => expect.unreachable(String(error))];
  const run = await takeUpRun({ task: network, clock: { dueSecond: 0 }, files, onEntry, onTrouble });
  while (run.second < 60) run.advance();
  expect(run.world.faults).toMatchObject([{ ap_id, kind: 'jammed_channel' }]);
});

test('takes as many runs as it may, and the next when one is over', async () => {
  const { doors, broker, worker, publish } = await start({ maxRuns: 1 });
  await publish(task());
  await untilSo(() => expect(worker.runs).toBe(1));
  await publish(task(), 'job-2');
  await untilSo(() => expect(doors.told).not.toEqual([]));
  expect([worker.runs, (await broker.depth(queue))?.ready]).toEqual([1, 1]);
  doors.leaseRefusal = { status: 409, code: 'lease_held' };
  await untilSo(() => expect(worker.runs).toBe(0));
  doors.leaseRefusal = undefined;
  await untilSo(async () => expect(await broker.depth(queue)).toMatchObject({ ready: 0 }));
});

test('goes on while Weft is away, and gives its runs back when it stops', async () => {
  const { doors, worker, publish } = await start();
  await publish(task());
  await untilSo(() => expect(doors.told).not.toEqual([]));
  doors.leaseRefusal = { status: 503, code: 'unavailable' };
  const { length } = doors.leases;
  await untilSo(() => expect(doors.leases.length).toBeGreaterThan(length + 2));
  expect(worker.runs).toBe(1);
  doors.leaseRefusal = undefined;
  await worker.stop();
  expect([worker.runs, doors.leases.at(-1)!.release]).toEqual([0, true]);
});
