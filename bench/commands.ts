// How fast do commands reach access points, and how many does Weft decide about, send and see completed? Beside #21 in
// the same run; and telemetry over the agents' channels beside it.
import { WebSocket } from 'ws';
import { type FleetAgent, prepareFleet, Radio } from './harness/fleet.ts';
import { light, openLoop, percentile, requestBytes, saturate } from './harness/load.ts';
import { createDataDir, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';

const username = 'admin@weft.test';
const password = 'correct horse battery';
const seconds = 8;
/** So many that no parameter of an agent is asked for twice within its least interval. */
const parameters = 60;

/** An agent that answers every command at once. */
class Commanded {
  readonly socket: WebSocket;
  /** When each command came, by its id. */
  static readonly arrivals = new Map<string, number>();
  static completed = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (bytes) => {
      const message = JSON.parse(String(bytes));
      if (message.type === 'command') {
        Commanded.arrivals.set(message.command_id, performance.now());
        const answer = { type: 'command_result', command_id: message.command_id };
        socket.send(JSON.stringify({ ...answer, state: 'received' }));
        socket.send(JSON.stringify({ ...answer, state: 'succeeded' }));
      } else if (message.type === 'command_state' && message.state === 'succeeded') Commanded.completed++;
    });
  }

  static async connect({ ap_id, token }: FleetAgent): Promise<Commanded> {
    return new Commanded(await channelOf(ap_id, token));
  }
}

const dataDir = createDataDir();
const fleet = await prepareFleet(dataDir, 1000);
const weft = await startWeft({ WEFT_ADMIN_USERNAME: username, WEFT_ADMIN_PASSWORD: password }, dataDir);
try {
  const token = await login();
  const posts = await postsPerSecond();
  const telemetry = await telemetryPerSecond();
  const agents = await Promise.all(fleet.map((agent) => Commanded.connect(agent)));
  const steady = await steadyRate(token, agents);
  const completed = await saturated(token);
  for (const agent of agents) agent.socket.terminate();
  keep('commands', [
    ...steady,
    {
      question: 'commands accepted and completed, 64 connections, 1,000 channels, saturated',
      value: `${Math.round(completed.perSecond)}/s (${completed.failures} refused), ${Math.round(completed.cpuUs)} µs of CPU each`,
      against: `#21 ${Math.round(posts)} posts/s, ratio ${(completed.perSecond / posts).toFixed(2)}`,
      goal: 'ratio ≥ 0.2',
      ok: completed.perSecond / posts >= 0.2 && completed.failures === 0,
    },
    {
      question: 'telemetry over 64 channels, 64 posts in flight on each',
      value: `${Math.round(telemetry)} posts/s`,
      against: `#21 ${Math.round(posts)} posts/s, ratio ${(telemetry / posts).toFixed(1)}`,
      goal: 'ratio ≥ 2',
      ok: telemetry / posts >= 2,
    },
  ]);
} finally {
  await weft.stop();
}

function channelOf(ap_id: string, token: string): Promise<WebSocket> {
  const socket = new WebSocket(`${weft.url.replace('http', 'ws')}/api/v1/agents/${ap_id}/channel`, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });
}

async function steadyRate(token: string, agents: Commanded[]): Promise<Figure[]> {
  const sent = new Map<string, number>();
  const accepted = new Map<string, number>();
  let count = 0;
  const send = async () => {
    const sentAt = performance.now();
    const { status, text } = await light(commandUrl(count++), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    if (status !== 200) return false;
    const { command_id } = JSON.parse(text);
    sent.set(command_id, sentAt);
    accepted.set(command_id, performance.now());
    return true;
  };
  await openLoop(send, 500, 2);
  sent.clear();
  accepted.clear();
  const { failures } = await openLoop(send, 500, seconds);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const latencies = (from: Map<string, number>) =>
    [...from].map(([id, at]) => Math.max(0, (Commanded.arrivals.get(id) ?? Number.NaN) - at)).sort((a, b) => a - b);
  const [fromRequest, fromAnswer] = [latencies(sent), latencies(accepted)];
  const missing = fromRequest.filter(Number.isNaN).length;
  const p99 = percentile(fromAnswer, 0.99);
  return [
    {
      question: `500 commands a second over ${agents.length} channels: from the answer to the agent`,
      value: `p50 ${percentile(fromAnswer, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (${failures} refused, ${missing} missing)`,
      against: `from the request: p50 ${percentile(fromRequest, 0.5).toFixed(1)} ms, p99 ${percentile(fromRequest, 0.99).toFixed(1)} ms`,
      goal: 'p99 ≤ 20 ms',
      ok: p99 <= 20 && failures + missing === 0,
    },
  ];
}

async function saturated(token: string): Promise<{ perSecond: number; failures: number; cpuUs: number }> {
  const headers = { authorization: `Bearer ${token}` };
  const before = Commanded.completed;
  const startedAt = performance.now();
  const cpuBefore = await weft.cpuSeconds();
  const { failures } = await saturate(weft.url, (count) => requestBytes('POST', commandUrl(count), headers), seconds);
  const completed = Commanded.completed - before;
  const perSecond = (completed * 1000) / (performance.now() - startedAt);
  return { perSecond, failures, cpuUs: (((await weft.cpuSeconds()) - cpuBefore) * 1e6) / completed };
}

function commandUrl(count: number): string {
  const { ap_id } = fleet[count % fleet.length]!;
  const command = JSON.stringify({ name: `set_p${Math.floor(count / fleet.length) % parameters}`, value: count });
  return `${weft.url}/api/v1/send_command?agent_id=${ap_id}&command=${encodeURIComponent(command)}&hold_seconds=1`;
}

async function postsPerSecond(): Promise<number> {
  const radio = new Radio();
  const ready = fleet.map(({ ap_id, token }) =>
    requestBytes(
      'POST',
      `${weft.url}/api/v1/agent_update/update`,
      { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      JSON.stringify({ ap_id, payload: radio.fields() }),
    ),
  );
  await saturate(weft.url, (count) => ready[count % ready.length]!, 3);
  return (await saturate(weft.url, (count) => ready[count % ready.length]!, seconds)).requestsPerSecond;
}

async function telemetryPerSecond(): Promise<number> {
  const inFlight = 64;
  const radio = new Radio();
  let acknowledged = 0;
  const sockets = await Promise.all(
    fleet.slice(0, 64).map(async ({ ap_id, token }) => {
      const socket = await channelOf(ap_id, token);
      let id = 0;
      const post = () => socket.send(JSON.stringify({ type: 'telemetry', id: id++, payload: radio.fields() }));
      socket.on('message', (bytes) => {
        if (!String(bytes).includes('telemetry_ack')) throw new Error(`a post was answered ${bytes}`);
        acknowledged++;
        post();
      });
      for (let count = 0; count < inFlight; count++) post();
      return socket;
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const [from, startedAt] = [acknowledged, performance.now()];
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const perSecond = ((acknowledged - from) * 1000) / (performance.now() - startedAt);
  for (const socket of sockets) socket.terminate();
  return perSecond;
}

async function login(): Promise<string> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ username, password }).toString();
  const { text } = await light(`${weft.url}/api/v1/token/?login_type=user`, { method: 'POST', headers }, body);
  return JSON.parse(text).access_token;
}
