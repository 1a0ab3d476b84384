// An agent with a spool against a real server that comes and goes, and through its own sudden ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { type ChannelServer, startChannelServer } from '../../../../test/channel-server.ts';
import { draw } from '../../../../test/draw.ts';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startTcpProxy, type TcpProxy } from '../../../../test/tcp-proxy.ts';
import { password } from '../../../../test/weft.ts';
import { Agent, type AgentOptions } from '../../index.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

const quick = { firstMs: 10, longestMs: 50 };

interface Scene {
  server: ChannelServer;
  proxy: TcpProxy;
  url: string;
  spoolDir: string;
  agent: (options?: Partial<AgentOptions>) => Agent;
}

async function start(): Promise<Scene> {
  const server = await startChannelServer({ times: { sweepMs: 50 } });
  cleanUp.push(() => server.stop());
  const proxy = await startTcpProxy(server.port);
  cleanUp.push(() => proxy.close());
  const spoolDir = mkdtempSync(join(tmpdir(), 'weft-agent-'));
  cleanUp.push(() => rmSync(spoolDir, { recursive: true, force: true }));
  const url = `http://127.0.0.1:${proxy.port}`;
  const agent = (options: Partial<AgentOptions> = {}) => {
    const made = new Agent({ url, ap_id: 'ap-1', password, backOff: quick, spoolDir, ...options });
    cleanUp.push(() => made.stop({ graceMs: 0 }));
    return made;
  };
  return { server, proxy, url, spoolDir, agent };
}

function goAway(proxy: TcpProxy): void {
  proxy.isSilent = true;
  proxy.cutAll();
}

function comeBack(proxy: TcpProxy): void {
  proxy.isSilent = false;
  proxy.cutAll();
}

const valuesOf = async (server: ChannelServer) => (await server.rowsOf('ap-1')).map(({ n }) => n);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

test('what is posted while Weft is away is safe at once, and arrives once and in order, also after a restart', async () => {
  const { server, proxy, agent } = await start();
  await server.agent('ap-1');
  const first = agent();
  await first.start();
  expect(await first.post({ n: 0 })).toBe(1);
  goAway(proxy);
  await untilSo(() => expect(first.isConnected).toBe(false));
  for (let n = 1; n < 40; n += 2) expect(await first.post([{ n }, { n: n + 1 }])).toBe(2);
  expect(await valuesOf(server)).toEqual([0]);
  await first.stop();
  await expect(first.post({ n: -1 })).rejects.toMatchObject({ code: 'stopped' });

  const second = agent();
  for (let n = 41; n < 50; n++) expect(await second.post({ n })).toBe(1);
  comeBack(proxy);
  await second.start();
  // Behind what waits, whatever has arrived of that.
  for (let n = 50; n < 60; n++) await second.post({ n });
  await untilSo(async () => expect(await valuesOf(server)).toHaveLength(60));
  expect(await valuesOf(server)).toEqual(upTo(60));
  // With nothing waiting a report goes straight to Weft again.
  await untilSo(async () => expect(await second.post({ load: 1 })).toBe(1));
});

test('what has no answer when the connection breaks is kept, and its sender is told that it is safe', async () => {
  const { server, proxy, agent } = await start();
  await server.agent('ap-1');
  const one = agent();
  await one.start();
  for (let round = 0; round < 5; round++) {
    const posts = upTo(100).map((n) => one.post({ n: round * 100 + n }));
    await posts[draw('answered posts').below(100)];
    goAway(proxy);
    expect(new Set(await Promise.all(posts))).toEqual(new Set([1]));
    comeBack(proxy);
    await untilSo(() => expect(one.isConnected).toBe(true));
  }
  await untilSo(async () => expect(await valuesOf(server)).toHaveLength(500));
  expect(await valuesOf(server)).toEqual(upTo(500));
});

test('a fleet that has waited comes back with everything, each in its order', async () => {
  const { server, proxy, agent } = await start();
  const names = upTo(20).map((n) => `fleet-${n}`);
  await Promise.all(names.map((ap_id) => server.agent(ap_id)));
  const fleet = names.map((ap_id) => agent({ ap_id }));
  await Promise.all(fleet.map((each) => each.start()));
  goAway(proxy);
  await untilSo(() => expect(fleet.some(({ isConnected }) => isConnected)).toBe(false));
  await Promise.all(fleet.flatMap((each) => upTo(50).map((n) => each.post({ n }))));
  comeBack(proxy);
  const isThere = async () => {
    const values = await Promise.all(names.map(async (ap_id) => (await server.rowsOf(ap_id)).map(({ n }) => n)));
    expect(values).toEqual(names.map(() => upTo(50)));
  };
  await vi.waitFor(isThere, { timeout: 180_000, interval: 100 });
});

test('a report that Weft refuses does not hold up the others', async () => {
  const { server, proxy, agent } = await start();
  await server.agent('ap-1');
  const errors: Error[] = [];
  const one = agent({ onError: (error) => errors.push(error) });
  await one.start();
  await one.post({ n: 0 });
  goAway(proxy);
  await untilSo(() => expect(one.isConnected).toBe(false));
  for (const report of [{ n: 1 }, { n: 7, password: 'in clear' }, { n: 2 }]) await one.post(report);
  comeBack(proxy);
  await untilSo(async () => expect(await valuesOf(server)).toEqual([0, 1, 2]));
  await untilSo(() => expect(errors).toContainEqual(expect.objectContaining({ status: 422 })));
});

test('a command is done once across restarts, and one that was interrupted is told as failed', async () => {
  const { server, agent } = await start();
  const record = await server.agent('ap-1');
  const done: string[] = [];
  const create = () =>
    agent()
      .command('step', (_, { command_id }) => {
        done.push(command_id);
        return { result: 'stepped' };
      })
      .command('hang', () => new Promise<never>(() => {}));
  const first = create();
  await first.start();
  const step = server.ledger.send(record, 'step');
  const hang = server.ledger.send(record, 'hang');
  const stateOf = (id: string) => server.ledger.commands.get(id)!.state;
  await untilSo(() => expect([stateOf(step), stateOf(hang)]).toEqual(['succeeded', 'received']));
  await first.stop({ graceMs: 0 });

  // As if Weft had not heard of it: it comes again.
  server.ledger.commands.get(step)!.state = 'queued';
  const second = create();
  await second.start();
  await untilSo(() => expect([stateOf(step), stateOf(hang)]).toEqual(['succeeded', 'failed']));
  expect(done).toEqual([step]);
  expect(server.ledger.commands.get(hang)!.answers.at(-1)).toMatchObject({
    result: { error: 'the agent was stopped before it was done' },
  });
  const next = server.ledger.send(record, 'step');
  await untilSo(() => expect(stateOf(next)).toBe('succeeded'));
  expect(done).toEqual([step, next]);
});

test('killed again and again, with Weft there or not, it loses nothing that it was told is safe', async () => {
  const { server, proxy, url, spoolDir, agent } = await start();
  await server.agent('ap-1');
  const program = `
    import { Agent } from ${JSON.stringify(resolve(import.meta.dirname, '../../index.ts'))};
    const [url, spoolDir, password, from] = process.argv.slice(1);
    const agent = new Agent({ url, spoolDir, password, ap_id: 'ap-1', backOff: { firstMs: 10, longestMs: 50 } });
    agent.start().catch(() => {});
    for (let n = Number(from); ; n++) {
      await agent.post({ n });
      process.stdout.write(n + '\\n');
    }
  `;
  const safe: number[] = [];
  for (let round = 0; round < 6; round++) {
    if (round % 2 === 0) comeBack(proxy);
    else goAway(proxy);
    const args = ['--input-type=module-typescript', '-e', program, url, spoolDir, password, String(round * 10_000)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const enough = 20 + draw('posts before the kill').below(200);
    let said = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      said += text;
      if (said.split('\n').length > enough) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    safe.push(...said.split('\n').slice(0, -1).map(Number));
  }
  comeBack(proxy);
  const last = agent();
  await last.start();
  const isThere = async () => {
    const values = (await valuesOf(server)) as number[];
    // The last one of a round may be there without a word.
    expect(values.filter((n) => safe.includes(n))).toEqual(safe);
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
  };
  await vi.waitFor(isThere, { timeout: 180_000, interval: 100 });
});
