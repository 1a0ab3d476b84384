// The client against a real HTTP server that answers as it is told.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type JobFixture, openJobFixture, type Told } from '../../../../test/job-worker-fixture.ts';
import { CallbackClient, type CallbackPost } from './callback-client.ts';

let fixture: JobFixture;
let post: CallbackPost;

beforeAll(async () => {
  fixture = await openJobFixture();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  const job_number = await fixture.createJob('agent_data', {});
  post = { kind: 'agent_data', job_number, callback_token: 'wcb.secret', data: '[1,"ü"]', chunk: 1 };
  fixture.endpoint.before = async () => undefined;
  fixture.endpoint.after = async () => undefined;
});

/** Answers the first posts as told, and the rest as usual. */
function tellFirst(...told: Told[]): void {
  fixture.endpoint.before = async () => told.shift();
}

function postsOfJob() {
  return fixture.endpoint.posts.filter(({ job_number }) => job_number === post.job_number);
}

test('posts the text as it is, with the token and all that the query says', async () => {
  const answer = await fixture.callback.post({ ...post, final: true, progress: 0.25 });
  expect(answer).toMatchObject({ status: 'queued', job_number: post.job_number, seq: 1 });
  expect(postsOfJob()).toStrictEqual([
    {
      job_number: post.job_number,
      kind: 'agent_data',
      token: 'Bearer wcb.secret',
      chunk: 1,
      final: true,
      progress: 0.25,
      error: undefined,
      data: '[1,"ü"]',
    },
  ]);
  expect((await fixture.messages(post.job_number)).map(({ data }) => data)).toStrictEqual(['[1,"ü"]']);
});

test.each<Told>(['drop', { status: 503 }, { status: 502 }, { status: 429, code: 'too_many_requests' }])(
  '%j is tried again until it is through',
  async (told) => {
    tellFirst(told, told);
    expect(await fixture.callback.post(post)).toMatchObject({ seq: 1 });
    expect(postsOfJob()).toHaveLength(3);
  },
);

test('a post that was stored but not answered is repeated with its chunk, and is there once', async () => {
  let isFirst = true;
  fixture.endpoint.after = async () => {
    const told = isFirst ? ('drop' as const) : undefined;
    isFirst = false;
    return told;
  };
  expect(await fixture.callback.post(post)).toMatchObject({ seq: 1 });
  expect(await fixture.messages(post.job_number)).toHaveLength(1);
});

test('Retry-After is honoured', async () => {
  tellFirst({ status: 503, retryAfter: 1 });
  const startedAt = performance.now();
  await fixture.callback.post(post);
  // A bound from below is no measurement: earlier would be wrong, however slow the machine is.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990);
});

test('gives up after its time, and says why', async () => {
  fixture.endpoint.before = async () => ({ status: 503, retryAfter: 3600 });
  const client = new CallbackClient({ url: fixture.endpoint.url, giveUpAfterMs: 300 });
  await expect(client.post(post)).rejects.toMatchObject({
    name: 'CallbackUnreachable',
    message: "The controller's callback could not be reached: it answered 503",
  });
  client.close();
});

test('a host that is not there, and one that never answers, are unreachable', async () => {
  const sockets: Socket[] = [];
  const silent = createTcpServer((socket) => void sockets.push(socket));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const options = { url: `http://127.0.0.1:${port}`, giveUpAfterMs: 200, requestTimeoutMs: 100 };
  const client = new CallbackClient(options);
  await expect(client.post(post)).rejects.toThrow('could not be reached: it did not answer in time');
  silent.close();
  for (const socket of sockets) socket.destroy();
  await once(silent, 'close');
  await expect(client.post(post)).rejects.toThrow('could not be reached: ECONNREFUSED');
  client.close();
});

test('a job that has ended is JobOver, at once', async () => {
  await fixture.mailboxService.end(post.job_number, 'cancelled', 'Cancelled by its owner');
  await expect(fixture.callback.post(post)).rejects.toMatchObject({ name: 'JobOver' });
  expect(postsOfJob()).toHaveLength(1);
});

test.each([
  [401, 'not_authenticated'],
  [403, 'not_permitted'],
  [404, 'job_not_found'],
  [409, 'wrong_callback'],
  [413, 'body_too_large'],
  [422, 'validation_error'],
  [429, 'job_full'],
])('%i %s is refused for good', async (status, code) => {
  tellFirst({ status, code, retryAfter: 60 });
  await expect(fixture.callback.post(post)).rejects.toMatchObject({ name: 'CallbackRefused', status, code });
  expect(postsOfJob()).toHaveLength(1);
});

test('an abort ends a post under way, and one that waits to be repeated', async () => {
  const stopped = new Error('stop');
  for (const told of ['never', { status: 503, retryAfter: 60 }] as const) {
    const controller = new AbortController();
    const seen = Promise.withResolvers<void>();
    fixture.endpoint.before = async () => {
      seen.resolve();
      return told === 'never' ? new Promise<never>(() => {}) : told;
    };
    const posting = fixture.callback.post({ ...post, signal: controller.signal });
    await seen.promise;
    controller.abort(stopped);
    await expect(posting).rejects.toBe(stopped);
  }
});

test('an error ends the job as failed; one too long for the callbacks is cut', async () => {
  await fixture.callback.post({ ...post, data: '[]', chunk: undefined, error: 'x'.repeat(5000) });
  expect(await fixture.jobs.get(post.job_number)).toMatchObject({ state: 'failed', detail: 'x'.repeat(2000) });
});

test('the one trusted certificate may answer whatever host it names; no other may', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weft-callback-'));
  const make = async (name: string) => {
    const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
    const files = ['-keyout', key, '-out', cert];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    execFileSync('openssl', ['req', '-x509', ...curve, '-nodes', '-subj', `/CN=${name}`, ...files], {
      stdio: 'ignore',
    });
    return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  };
  const [own, other] = [await make('weft.example.org'), await make('other.example.org')];
  const server = createServer(own, (_request, response) => response.end('{"status":"queued","seq":7}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const trusting = new CallbackClient({ url, trustedCertificate: own.cert, giveUpAfterMs: 0 });
  expect(await trusting.post(post)).toMatchObject({ seq: 7 });
  for (const options of [{ trustedCertificate: other.cert }, { ca: own.cert }, {}]) {
    const client = new CallbackClient({ url, ...options, giveUpAfterMs: 0 });
    await expect(client.post(post)).rejects.toMatchObject({ name: 'CallbackUnreachable' });
    client.close();
  }
  trusting.close();
  server.close();
  await rm(folder, { recursive: true, force: true });
});
