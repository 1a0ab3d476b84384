// How long from an access point's report to the command that it makes an app send, measured at the access point? A hundred
// agents report once a second; beside it the same loop with one bare process in the middle.
import { randomBytes } from 'node:crypto';
import { Agent, App } from '@weft/sdk';
import { WebSocket } from 'ws';
import { Radio } from './harness/fleet.ts';
import { percentile } from './harness/load.ts';
import { startFloor, startWeft } from './harness/processes.ts';
import { keep } from './harness/results.ts';

const admin = { username: 'admin@weft.test', password: 'correct horse battery' };
const agents = 100;
const warmUpSeconds = 4;
const seconds = 30;
const everyMs = 1000;
/** Reports above it are answered: about half. */
const limit = 0.5;
/** In turn, so that no parameter is set more often than the conflict rules allow. */
const commands = ['set_tx_power', 'set_tilt', 'set_channel'];

/** One report: its number comes back in the command. */
interface Reported {
  load: number;
  number: number;
}

/** When each report left, and how long it took for its command to come. */
class Loop {
  readonly #sent = new Map<number, number>();
  readonly #tookMs: number[] = [];
  readonly #radio = new Radio();
  #next = 0;
  #isMeasured = false;

  report(): Reported & Record<string, number> {
    const number = this.#next++;
    const load = Math.random();
    if (this.#isMeasured && load > limit) this.#sent.set(number, performance.now());
    return { ...this.#radio.fields(), load, number };
  }

  came(number: number): void {
    const at = this.#sent.get(number);
    if (at === undefined) return;
    this.#tookMs.push(performance.now() - at);
    this.#sent.delete(number);
  }

  /** Lets every agent report for a while, each at its own moment of the second. */
  async run(posts: readonly (() => void)[]) {
    const timers = new Set<NodeJS.Timeout>();
    for (const [index, post] of posts.entries()) {
      const first = setTimeout(() => timers.add(setInterval(post, everyMs)), (index * everyMs) / posts.length);
      timers.add(first);
    }
    await pause(warmUpSeconds * 1000);
    this.#isMeasured = true;
    await pause(seconds * 1000);
    for (const timer of timers) clearInterval(timer);
    await pause(1000);
    const sorted = this.#tookMs.sort((a, b) => a - b);
    const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
    return { p50, p99, count: sorted.length, missing: this.#sent.size };
  }
}

const measured = await throughWeft();
const floor = await throughFloor();
keep('bouncer', [
  {
    question: `${agents} agents report once a second; from a report to the command it causes, at the agent`,
    value: `p50 ${ms(measured.p50)}, p99 ${ms(measured.p99)} (${measured.count} commands, ${measured.missing} missing)`,
    against: `one bare process: p50 ${ms(floor.p50)}, p99 ${ms(floor.p99)}; ratio ${(measured.p50 / floor.p50).toFixed(1)} and ${(measured.p99 / floor.p99).toFixed(1)}`,
    goal: 'p99 < 1 s, aim at 20 ms',
    ok: measured.p99 < 1000 && measured.missing === 0,
  },
]);

async function throughWeft() {
  const weft = await startWeft({ WEFT_ADMIN_USERNAME: admin.username, WEFT_ADMIN_PASSWORD: admin.password });
  const ending = new AbortController();
  try {
    const { url } = weft;
    const key = await prepare(url);
    const loop = new Loop();
    const fleet = await Promise.all(Array.from({ length: agents }, (_, n) => agentOf(url, `ap-${n}`, loop)));
    const app = new App({ url, name: 'bouncer', key });
    const opened = Promise.withResolvers<void>();
    const bouncing = bounce(app, opened.resolve, ending.signal);
    await opened.promise;
    const outcome = await loop.run(fleet.map((agent) => () => void agent.post(loop.report())));
    ending.abort();
    await bouncing;
    await Promise.all(fleet.map((agent) => agent.stop()));
    return outcome;
  } finally {
    ending.abort();
    await weft.stop();
  }
}

async function bounce(app: App, onOpen: () => void, signal: AbortSignal): Promise<void> {
  try {
    for await (const { ap_id, metrics } of app.live({ metrics: ['load', 'number'], onOpen, signal })) {
      const { load, number } = metrics as unknown as Reported;
      if (load <= limit) continue;
      void app.command(ap_id, commands[number % commands.length]!, { number }, { holdSeconds: 0 }).catch((error) => {
        if (!signal.aborted) process.stderr.write(`${error}\n`);
      });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function agentOf(url: string, ap_id: string, loop: Loop): Promise<Agent> {
  const agent = new Agent({ url, ap_id, password: admin.password });
  for (const name of commands) {
    agent.command({ name, params: { number: { type: 'integer' } } }, ({ number = -1 }) => {
      loop.came(number);
      return {};
    });
  }
  await agent.start();
  return agent;
}

/** Agents, an app, and rules that let one app command all agents of a site within a minute; the app's key. */
async function prepare(url: string): Promise<string> {
  const login = await fetch(`${url}/api/v1/token/?login_type=user`, {
    method: 'POST',
    body: new URLSearchParams(admin),
  });
  const { access_token } = (await login.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
  const ask = async (method: string, path: string, json?: unknown) => {
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  for (let n = 0; n < agents; n++) {
    await ask('POST', '/api/v1/agents', { ap_id: `ap-${n}`, password: admin.password, configuration: {} });
  }
  const rules = await ask('GET', '/api/v1/conflicts/rules');
  const blast_radius = { fraction: 1, minimum: agents, window_s: 60 };
  await ask('PUT', '/api/v1/conflicts/rules', { ...rules, blast_radius });
  const key = randomBytes(32).toString('base64url');
  await ask('POST', '/api/v1/third_party_apps', { app_name: 'bouncer', api_key: key, permissions: {} });
  return key;
}

async function throughFloor() {
  const floor = await startFloor('floor-bouncer.ts');
  try {
    const loop = new Loop();
    const app = await socketTo(floor.url, '/app');
    app.on('message', (bytes) => {
      const { ap_id, load, number } = JSON.parse(String(bytes));
      if (load > limit) app.send(JSON.stringify({ ap_id, name: commands[number % commands.length], number }));
    });
    const sockets = await Promise.all(
      Array.from({ length: agents }, async (_, n) => {
        const socket = await socketTo(floor.url, `/agents/ap-${n}`);
        socket.on('message', (bytes) => loop.came(JSON.parse(String(bytes)).number));
        return socket;
      }),
    );
    const outcome = await loop.run(sockets.map((socket) => () => socket.send(JSON.stringify(loop.report()))));
    for (const socket of [app, ...sockets]) socket.terminate();
    return outcome;
  } finally {
    await floor.stop();
  }
}

function socketTo(url: string, path: string): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws') + path, { perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function pause(forMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, forMs));
}
