// How fast do commands reach access points, and how many does Weft decide about, send and see completed? And how much
// telemetry comes in over the agents' channels? Beside a bare node:http server that only reads the body, and beside #21, in
// the same run.
import { clientFrame, RawChannel } from './harness/channel.ts';
import { prepareFleet, Radio, type StoredAgent } from './harness/fleet.ts';
import { light, median, openLoop, percentile, requestBytes, saturate } from './harness/load.ts';
import { readyPosts } from './harness/posts.ts';
import { createDataDir, startFloor, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';

const username = 'admin@weft.test';
const password = 'correct horse battery';
const seconds = 8;
const rounds = 3;
/** So many that no parameter of an agent is asked for twice within its least interval. */
const parameters = 60;
const ackStart = Buffer.from('{"type":"telemetry_ack","id":');

/** An agent that answers every command at once. */
class Commanded {
  readonly channel: RawChannel;
  /** When each command came, by its id. */
  static readonly arrivals = new Map<string, number>();
  static completed = 0;

  constructor(channel: RawChannel) {
    this.channel = channel;
    channel.onTexts((bytes, from, to) => {
      const message = JSON.parse(bytes.toString('utf8', from, to));
      if (message.type === 'command') {
        Commanded.arrivals.set(message.command_id, performance.now());
        const answer = { type: 'command_result', command_id: message.command_id };
        channel.write(['received', 'succeeded'].map((state) => clientFrame(JSON.stringify({ ...answer, state }))));
      } else if (message.type === 'command_state' && message.state === 'succeeded') Commanded.completed++;
    });
  }

  static async connect(agent: StoredAgent): Promise<Commanded> {
    return new Commanded(await RawChannel.open(weft.url, agent));
  }
}

const dataDir = createDataDir();
const all = await prepareFleet(dataDir, 1064);
const [fleet, reporters] = [all.slice(0, 1000), all.slice(1000)];
const floor = await startFloor('floor-http.ts');
const weft = await startWeft({ WEFT_ADMIN_USERNAME: username, WEFT_ADMIN_PASSWORD: password }, dataDir);
try {
  const token = await login();
  const rates = { floor: [] as number[], posts: [] as number[], telemetry: [] as number[], commands: [] as number[] };
  await saturate(floor.url, readyPosts(floor.url, fleet), 3);
  const agents = await Promise.all(fleet.map((agent) => Commanded.connect(agent)));
  const steady = await steadyRate(token, agents);
  let refused = 0;
  const costs: number[] = [];
  await saturated(token, rounds, 3);
  // First, because telemetry leaves work for afterwards that is no cost of commands.
  for (let round = 0; round < rounds; round++) {
    rates.floor.push((await saturate(floor.url, readyPosts(floor.url, fleet), seconds)).requestsPerSecond);
    const { perSecond, failures, cpuUs } = await saturated(token, round);
    rates.commands.push(perSecond);
    costs.push(cpuUs);
    refused += failures;
  }
  await saturate(weft.url, readyPosts(weft.url, fleet), 3);
  for (let round = 0; round < rounds; round++) {
    rates.floor.push((await saturate(floor.url, readyPosts(floor.url, fleet), seconds)).requestsPerSecond);
    rates.posts.push((await saturate(weft.url, readyPosts(weft.url, fleet), seconds)).requestsPerSecond);
    rates.telemetry.push(await telemetryPerSecond());
  }
  for (const { channel } of agents) channel.end();
  const [bare, posts] = [median(rates.floor), median(rates.posts)];
  const [commands, telemetry] = [median(rates.commands), median(rates.telemetry)];
  const against = (rate: number) =>
    `bare node:http that reads the body ${Math.round(bare)}/s, ratio ${(rate / bare).toFixed(2)}; #21 ${Math.round(posts)} posts/s, ratio ${(rate / posts).toFixed(2)}`;
  keep('commands', [
    ...steady,
    {
      question: 'commands accepted and completed, 64 connections, 1,000 channels, saturated',
      value: `${Math.round(commands)}/s (${refused} refused), ${Math.round(median(costs))} µs of CPU each`,
      against: against(commands),
      goal: 'ratio to the bare server ≥ 0.15',
      ok: commands / bare >= 0.15 && refused === 0,
    },
    {
      question: 'telemetry over 64 channels, ten metrics a post, 64 posts in flight on each',
      value: `${Math.round(telemetry)} posts/s`,
      against: against(telemetry),
      goal: 'ratio to the bare server ≥ 2',
      ok: telemetry / bare >= 2,
    },
  ]);
} finally {
  await floor.stop();
  await weft.stop();
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

async function saturated(
  token: string,
  round: number,
  runFor = seconds,
): Promise<{ perSecond: number; failures: number; cpuUs: number }> {
  const headers = { authorization: `Bearer ${token}` };
  const before = Commanded.completed;
  const startedAt = performance.now();
  const cpuBefore = await weft.cpuSeconds();
  const { failures } = await saturate(
    weft.url,
    (count) => requestBytes('POST', commandUrl(count, round), headers),
    runFor,
  );
  const completed = Commanded.completed - before;
  const perSecond = (completed * 1000) / (performance.now() - startedAt);
  return { perSecond, failures, cpuUs: (((await weft.cpuSeconds()) - cpuBefore) * 1e6) / completed };
}

/** No round asks for a value that one before it has asked for. */
function commandUrl(count: number, round = -1): string {
  const { ap_id } = fleet[count % fleet.length]!;
  const command = JSON.stringify({
    name: `set_p${Math.floor(count / fleet.length) % parameters}`,
    value: count + (round + 1) * 1_000_000,
  });
  return `${weft.url}/api/v1/send_command?agent_id=${ap_id}&command=${encodeURIComponent(command)}&hold_seconds=1`;
}

async function telemetryPerSecond(): Promise<number> {
  const inFlight = 64;
  let acknowledged = 0;
  const channels = await Promise.all(reporters.map((agent) => RawChannel.open(weft.url, agent)));
  for (const channel of channels) {
    const radio = new Radio();
    const ready = Array.from({ length: 4 * inFlight }, (_, id) =>
      clientFrame(JSON.stringify({ type: 'telemetry', id, payload: radio.fields() })),
    );
    let sent = 0;
    let answers = 0;
    const post = (count: number) => channel.write(Array.from({ length: count }, () => ready[sent++ % ready.length]!));
    channel.onTexts(
      (bytes, from, to) => {
        const isAck = ackStart.compare(bytes, from, from + ackStart.length) === 0;
        if (!isAck) throw new Error(`a post was answered ${bytes.toString('utf8', from, to)}`);
        answers++;
      },
      () => {
        acknowledged += answers;
        if (answers > 0) post(answers);
        answers = 0;
      },
    );
    post(inFlight);
  }
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const [from, startedAt] = [acknowledged, performance.now()];
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const perSecond = ((acknowledged - from) * 1000) / (performance.now() - startedAt);
  for (const channel of channels) channel.end();
  return perSecond;
}

async function login(): Promise<string> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ username, password }).toString();
  const { text } = await light(`${weft.url}/api/v1/token/?login_type=user`, { method: 'POST', headers }, body);
  return JSON.parse(text).access_token;
}
