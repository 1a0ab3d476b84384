// How many of our files does a post, a query, a command and its result pass? A server in this process serves each of them a few times;
// what V8 has seen run meanwhile, in all of its threads and each time, is the walk. `--list` prints the files. It also runs on
// older states: `--root` is the folder of another checkout, whose own fixture starts its server.
import { once } from 'node:events';
import inspector from 'node:inspector';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';

const { values } = parseArgs({
  options: { root: { type: 'string', default: '.' }, list: { type: 'boolean', default: false } },
});
const root = resolve(values.root);
const rounds = 5;
const ours = /\/(controller|timeseries|contract|broker|sdk|emulator)\/src\/.*\.ts$/;

interface Script {
  url: string;
  functions: { functionName: string; ranges: { count: number }[] }[];
}

const session = new inspector.Session();
session.connect();
const threads: string[] = [];
const waiting = new Map<number, (result: { result: Script[] }) => void>();
session.on('NodeWorker.attachedToWorker' as 'inspectorNotification', ({ params }: { params: unknown }) => {
  threads.push((params as { sessionId: string }).sessionId);
});
session.on('NodeWorker.receivedMessageFromWorker' as 'inspectorNotification', ({ params }: { params: unknown }) => {
  const { id, result } = JSON.parse((params as { message: string }).message);
  waiting.get(id)?.(result);
});
const post = (method: string, params = {}) =>
  new Promise<{ result: Script[] }>((done, fail) =>
    session.post(method, params, (error, result) => (error ? fail(error) : done(result as never))),
  );
let id = 0;
const everywhere = async (method: string, params = {}) => {
  const answers = threads.map((sessionId) => {
    const message = JSON.stringify({ id: ++id, method, params });
    const answer = new Promise<{ result: Script[] }>((done) => waiting.set(id, done));
    session.post('NodeWorker.sendMessageToWorker' as never, { sessionId, message } as never);
    return answer;
  });
  return [await post(method, params), ...(await Promise.all(answers))];
};

/** What runs in all rounds; what is not of the walk does not run in each. */
async function walk(work: () => Promise<unknown>): Promise<string[]> {
  let seen: Set<string> | undefined;
  for (let round = 0; round < rounds; round++) {
    await wait(1_200);
    await everywhere('Profiler.takePreciseCoverage');
    await work();
    const scripts = (await everywhere('Profiler.takePreciseCoverage')).flatMap(({ result }) => result);
    const ran = scripts.filter(
      ({ url, functions }) => ours.test(url) && functions.some((each) => each.ranges[0]!.count > 0),
    );
    const files = new Set(ran.map(({ url }) => url.slice(url.indexOf(root) + root.length + 1)));
    seen = new Set([...files].filter((file) => seen?.has(file) ?? true));
  }
  return [...seen!].sort();
}

const { serve } = await import(pathToFileURL(join(root, 'controller/src/serve.ts')).href);
const config = await import(pathToFileURL(join(root, 'controller/src/core/base/config.ts')).href).catch(
  () => import(pathToFileURL(join(root, 'controller/src/config.ts')).href),
);
const { mkdtempSync } = await import('node:fs');
const { tmpdir } = await import('node:os');
const env = { WEFT_PORT: '0', WEFT_LOG_LEVEL: 'silent', WEFT_DATA_DIR: mkdtempSync(join(tmpdir(), 'weft-walks-')) };
await post('NodeWorker.enable', { waitForDebuggerOnStart: false });
const weft = await serve(config.loadConfig({ env, file: {}, flags: {} }));
await everywhere('Profiler.enable');
await everywhere('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const ask = async (method: string, path: string, token?: string, body?: unknown) => {
  const isForm = body instanceof URLSearchParams;
  const answer = await fetch(weft.url + path, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, string>;
};
const login = async (kind: string, username: string) =>
  (await ask('POST', `/api/v1/token/?login_type=${kind}`, undefined, new URLSearchParams({ username, password })))
    .access_token!;
const password = 'a password of the walks';
await ask('POST', '/api/v1/users/public', undefined, { username: 'ada@x.test', password, roles: ['admin'] });
const admin = await login('user', 'ada@x.test');
const commands = [{ name: 'set_tx_power', parameter: 'tx_power' }];
await ask('POST', '/api/v1/agents/', admin, { ap_id: 'ap-1', password, configuration: { commands } });
const agent = await login('agent', 'ap-1');
let n = 0;
const report = () => ask('POST', '/api/v1/agent_update/update', agent, { rssi_dbm: -60 - (n++ % 9) });
await report();

const found: Record<string, string[]> = {};
found.post = await walk(report);
found.query = await walk(() =>
  ask(
    'GET',
    `/api/v1/metrics/agent_multi_metric_data?agent=ap-1&metrics=rssi_dbm&window_minutes=${5 + (n++ % 50)}`,
    admin,
  ),
);
const channel = new WebSocket(`${weft.url.replace('http', 'ws')}/api/v1/agents/ap-1/channel`, {
  headers: { authorization: `Bearer ${agent}` },
});
const messages: Record<string, string>[] = [];
channel.on('message', (text) => messages.push(JSON.parse(String(text))));
await once(channel, 'open');
const arrived = async (type: string) => {
  for (;;) {
    const at = messages.findIndex((message) => message.type === type);
    if (at >= 0) return messages.splice(at, 1)[0]!;
    await once(channel, 'message');
  }
};
const commanded: string[] = [];
found.command = await walk(async () => {
  const command = JSON.stringify({ name: 'set_tx_power', dbm: 10 + (n++ % 20) });
  await ask('POST', `/api/v1/send_command?${new URLSearchParams({ agent_id: 'ap-1', command })}`, admin);
  commanded.push((await arrived('command')).command_id!);
});
found.result = await walk(async () => {
  channel.send(JSON.stringify({ type: 'command_result', command_id: commanded.shift(), state: 'succeeded' }));
  await arrived('command_state');
});
for (const [name, files] of Object.entries(found)) {
  process.stdout.write(`${name}: ${files.length} files\n`);
  if (values.list) process.stdout.write(`${files.map((file) => `  ${file}\n`).join('')}`);
}
channel.close();
await weft.stop();
process.exit(0);
