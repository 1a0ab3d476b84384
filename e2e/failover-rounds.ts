// Two controllers on a PostgreSQL with a synchronous standby, for accounts and telemetry, while the primary is killed and
// the standby promoted. Agents post, users log in and are created, commands are sent and done, all the time. Whatever was
// answered with 200 must be there in the end.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { Agent } from '../sdk/src/index.ts';
import { startPostgres, type TestPostgres, urlOfAll } from '../test/postgres.ts';
import { startRabbit } from '../test/rabbitmq.ts';
import { Outage, report } from './outage.ts';
import { Ledger, LedgerAgent } from './telemetry-ledger.ts';
import { adminUsername, eventually, password, runWeft, serve, type WeftServer } from './weft-process.ts';

const posting = 8;
const commanded = 4;
/** Each command sets another one, so that one that was done twice shows. */
let nextValue = 1;

interface Promised {
  users: string[];
  tokens: string[];
  commands: string[];
}

export async function promoteUnderLoad(rounds: number): Promise<void> {
  let [primary, standby] = await Promise.all([ownPostgres(), ownPostgres()]);
  await standby.standBy(primary);
  const rabbit = await startRabbit();
  onTestFinished(() => rabbit.stop(), 60_000);
  const url = urlOfAll(primary, standby);
  const env = {
    WEFT_DATABASE_URL: url,
    WEFT_TELEMETRY_URL: url,
    WEFT_AMQP_URL: rabbit.url,
    WEFT_SECRET: randomBytes(48).toString('base64'),
    WEFT_ADMIN_USERNAME: adminUsername,
    WEFT_ADMIN_PASSWORD: password,
    WEFT_LOG_LEVEL: 'warn',
  };
  const nodes = await Promise.all([serve({ env }), serve({ env })]);
  const token = (await nodes[0].login(adminUsername, password)).body.access_token as string;
  const ledger = await createLedger(nodes[0], token);
  const applied = await startAgents(nodes, token);
  const promised: Promised = { users: [], tokens: [token], commands: [] };

  for (let round = 0; round < rounds; round++) {
    const outage = new Outage();
    let isOver = false;
    const load = Promise.all([
      ledger.postThrough(nodes, outage, () => isOver),
      ...callers(nodes, token, promised, outage, () => isOver),
    ]);
    const counts = () => [ledger.acknowledged, promised.users.length, promised.tokens.length, promised.commands.length];
    /** Until every kind of request was answered with 200 so often. */
    const more = async (count: number) => {
      const before = counts();
      await eventually(
        async () => counts(),
        (now) => now.every((value, index) => value >= before[index]! + count),
      );
    };
    try {
      await more(5);
      await primary.kill();
      await eventually(
        async () => outage.refusals,
        (refusals) => refusals >= posting,
      );
      await standby.promote();
      await more(5);
      [primary, standby] = [standby, primary];
      await standby.standBy(primary);
      await more(5);
    } finally {
      isOver = true;
      await load;
    }
    report(`primary killed and standby promoted, round ${round + 1}: ${outage}`);
    expect([...outage.refused.keys()].filter((status) => status !== '503')).toEqual([]);
    for (const agent of ledger.agents) await agent.repeatUnanswered(nodes[0]);
  }
  await judge(nodes, token, ledger, promised, applied);
  for (const node of nodes) expect(await node.end()).toBe(0);
  const audit = await runWeft(['audit', 'verify'], { env });
  expect([audit.code, audit.err]).toEqual([0, '']);
}

async function ownPostgres(): Promise<TestPostgres> {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  return server;
}

async function createAgent(weft: WeftServer, token: string, ap_id: string): Promise<void> {
  const json = { ap_id, password, configuration: {} };
  expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
}

export async function createLedger(weft: WeftServer, token: string): Promise<Ledger> {
  const startMs = Date.now() - 15 * 60_000;
  const agents: LedgerAgent[] = [];
  for (let index = 0; index < posting; index++) {
    const ap_id = `ap-${index}`;
    await createAgent(weft, token, ap_id);
    const own = (await weft.login(ap_id, password, 'agent')).body.access_token as string;
    agents.push(new LedgerAgent({ ap_id, token: own }, index, { startMs, stepMs: 1 }));
  }
  return new Ledger(agents);
}

/** Access points that do what they are told, half of them on each node. Returns how often each value was applied. */
async function startAgents(nodes: readonly WeftServer[], token: string): Promise<Map<number, number>> {
  const applied = new Map<number, number>();
  for (let index = 0; index < commanded; index++) {
    const ap_id = `told-${index}`;
    await createAgent(nodes[0]!, token, ap_id);
    const { url } = nodes[index % nodes.length]!;
    const agent = new Agent({ url, ap_id, password, onError: () => {} }).command('set_tx_power', (args) => {
      const value = Number(args.dbm);
      applied.set(value, (applied.get(value) ?? 0) + 1);
      return { applied: { dbm: value } };
    });
    onTestFinished(() => agent.stop());
    await agent.start();
  }
  return applied;
}

/** Those who log in, create users and send commands, one after the other, to the nodes in turn. */
function callers(
  nodes: readonly WeftServer[],
  token: string,
  promised: Promised,
  outage: Outage,
  isOver: () => boolean,
): Promise<void>[] {
  const repeat = async (ask: (weft: WeftServer, count: number) => Promise<number | undefined>) => {
    for (let count = 0; !isOver(); count++) {
      const startedMs = performance.now();
      outage.note(await ask(nodes[count % nodes.length]!, count).catch(() => undefined), startedMs);
      await pause(50);
    }
  };
  const login = repeat(async (weft) => {
    // Of one account only the newest hundred sessions stay.
    const { status, body } = await weft.login(promised.users.at(-1) ?? adminUsername, password);
    if (status === 200) promised.tokens.push(body.access_token);
    return status;
  });
  const create = repeat(async (weft) => {
    const username = `${randomUUID()}@example.org`;
    const json = { username, password, roles: ['user'] };
    const { status } = await weft.request('POST', '/api/v1/users/', { token, json });
    if (status === 200) promised.users.push(username);
    return status;
  });
  const command = repeat(async (weft, count) => {
    const text = JSON.stringify({ name: 'set_tx_power', dbm: nextValue++ });
    const query = new URLSearchParams({ agent_id: `told-${count % commanded}`, command: text });
    const { status, body } = await weft.request('POST', `/api/v1/send_command?${query}`, { token });
    if (status === 200) promised.commands.push(body.command_id);
    // Rejected, because the access point has just got another one: an answer as good as any.
    return status === 409 ? 200 : status;
  });
  return [login, create, command];
}

async function judge(
  nodes: readonly WeftServer[],
  token: string,
  ledger: Ledger,
  { users, tokens, commands }: Promised,
  applied: Map<number, number>,
): Promise<void> {
  const [weft] = nodes as [WeftServer];
  const findings = await ledger.compareExport(weft);
  const statusOf = async (path: string, own = token) => (await weft.request('GET', path, { token: own })).status;
  const missing = async (paths: string[]) => {
    const found = await Promise.all(paths.map((path) => statusOf(path)));
    return paths.filter((_, index) => found[index] !== 200);
  };
  const lostUsers = await missing(users.map((name) => `/api/v1/users/${name}`));
  const lostCommands = await missing(commands.map((id) => `/api/v1/commands/${id}`));
  const lostTokens: number[] = [];
  for (const own of tokens) if ((await statusOf('/api/v1/users/me', own)) !== 200) lostTokens.push(tokens.indexOf(own));
  const twice = [...applied.values()].filter((count) => count > 1).length;
  report(
    `acknowledged: ${ledger.acknowledged} samples, ${users.length} users, ${tokens.length} logins, ${commands.length} commands; ` +
      `lost: ${findings.lost} samples, ${lostUsers.length} users, ${lostTokens.length} logins, ${lostCommands.length} commands; ` +
      `twice: ${findings.foreign} samples, ${twice} commands done`,
  );
  expect(findings).toMatchObject({ lost: 0, foreign: 0, refusedButThere: 0, rows: ledger.acknowledged });
  expect([lostUsers, lostCommands, lostTokens, twice]).toEqual([[], [], [], 0]);
  for (const id of commands) {
    await eventually(
      () => weft.request('GET', `/api/v1/commands/${id}`, { token }),
      ({ body }) => ['succeeded', 'superseded', 'failed', 'expired', 'cancelled', 'rolled_back'].includes(body.state),
    );
  }
}
