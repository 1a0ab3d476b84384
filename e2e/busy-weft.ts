// A Weft under full load, with a ledger of what it has answered: samples, values that are replaced again and again, users,
// agents and commands.
import { light } from '../bench/harness/load.ts';
import { prepareLedger } from './ledger-folder.ts';
import { get, type LedgerAgent, send } from './telemetry-ledger.ts';
import { password, serve, temporaryFolder, type Weft, type WeftServer } from './weft-process.ts';

const agents = 6;
/** As many as make a head full. */
const replacedRows = 1100;
/** So that the journal grows fast, and its segments come and go while a backup is made. */
const padding = 'x'.repeat(500);

/** What had been answered at some moment. */
export interface Answered {
  samples: Map<LedgerAgent, Set<number>>;
  /** Number of the last round in which all values of one agent were replaced. */
  round: number;
  users: string[];
  agents: string[];
  commands: string[];
}

/** A running Weft, those who keep it busy, and what it has answered them. */
export class BusyWeft {
  readonly folder: string;
  readonly weft: WeftServer;
  readonly admin: string;
  readonly dataDir: string;
  readonly #ledgerAgents: LedgerAgent[];
  readonly #replaced: { ap_id: string; token: string };
  readonly #replacedMs = Date.now() - 10 * 60_000;
  readonly #users: string[] = [];
  readonly #agents: string[] = [];
  readonly #commands: string[] = [];
  readonly #work: Promise<unknown>;
  #round = 0;
  #sentRound = 0;
  #posts = 0;

  private constructor(
    folder: string,
    weft: WeftServer,
    admin: string,
    ledger: Awaited<ReturnType<typeof prepareLedger>>,
  ) {
    const [replaced, ...others] = ledger.ledger.agents;
    this.folder = folder;
    this.weft = weft;
    this.admin = admin;
    this.dataDir = ledger.dataDir;
    this.#replaced = replaced!;
    this.#ledgerAgents = others;
    this.#work = Promise.all([...others.map((agent) => this.#post(agent)), this.#replace(), this.#administer()]);
    this.#work.catch(() => {});
  }

  static async start(): Promise<BusyWeft> {
    const folder = temporaryFolder();
    const ledger = await prepareLedger(folder, agents);
    const weft = await serve({ folder, env: ledger.env });
    return new BusyWeft(folder, weft, await weft.createAdmin(), ledger);
  }

  /** Once so many more posts were answered. */
  async busyFor(posts: number): Promise<void> {
    const enough = this.#posts + posts;
    while (this.#posts < enough) {
      await Promise.race([this.#work, new Promise((resolve) => setTimeout(resolve, 5))]);
      if (this.weft.code !== undefined) throw new Error(`Weft has ended:\n${this.weft.err}`);
    }
  }

  answered(): Answered {
    return {
      samples: new Map(this.#ledgerAgents.map((agent) => [agent, new Set(agent.acknowledged)])),
      round: this.#round,
      users: [...this.#users],
      agents: [...this.#agents],
      commands: [...this.#commands],
    };
  }

  async kill(): Promise<void> {
    await this.weft.end('SIGKILL');
    await this.#work;
  }

  /** How the answers of a restored Weft differ from what had been answered; empty if they do not. */
  async differences(restored: Weft, { samples, round, users, agents, commands }: Answered): Promise<string[]> {
    const found: string[] = [];
    for (const [agent, acknowledged] of samples) {
      const rows = await exported(restored, agent);
      for (const [ts, { value, twin }] of rows) {
        const isRight = value === agent.valueAt(ts) && twin === -value && agent.wasSent(ts);
        if (!isRight) found.push(`${agent.ap_id} has ${value} at ${ts}`);
      }
      const lost = [...acknowledged].filter((ts) => !rows.has(ts)).length;
      if (lost > 0) found.push(`${agent.ap_id} has lost ${lost} of ${acknowledged.size} samples`);
    }
    const values = [...(await exported(restored, this.#replaced)).values()].map(({ value }) => value);
    const rounds = [...new Set(values)];
    const isOneRound = rounds.length === 1 && rounds[0]! >= round && rounds[0]! <= this.#sentRound;
    if (values.length !== replacedRows || !isOneRound) {
      found.push(`${values.length} replaced values are of the rounds ${rounds}, and ${round} was answered`);
    }
    const there = async (path: string, key: string) =>
      new Set((await get(restored, path, this.admin)).map((each: Record<string, string>) => each[key]));
    const usernames = await there('/api/v1/users/', 'username');
    const apIds = await there('/api/v1/metrics/agent_details', 'ap_id');
    for (const name of users) if (!usernames.has(name)) found.push(`the user ${name} is lost`);
    for (const name of agents) if (!apIds.has(name)) found.push(`the agent ${name} is lost`);
    for (const id of commands) {
      const { status } = await restored.request('GET', `/api/v1/commands/${id}`, { token: this.admin });
      if (status !== 200) found.push(`the command ${id} is lost`);
    }
    return found;
  }

  async #post(agent: LedgerAgent): Promise<void> {
    for (let turn = agent.index; ; turn++) {
      const fields: Record<string, number | string> = { padding, ...(turn % 11 === 0 && { [`extra_${turn}`]: 1 }) };
      const status = await agent.post(this.weft, turn % 2 === 0 ? 300 : 1, fields as Record<string, number>);
      if (status === undefined) return;
      if (status !== 200) throw new Error(`a post was answered ${status}`);
      this.#posts += 1;
    }
  }

  /** The same samples again and again, each time with another value. */
  async #replace(): Promise<void> {
    for (let round = 1; ; round++) {
      const samples = Array.from({ length: replacedRows }, (_, n) => ({
        ts: this.#replacedMs + n,
        value: round,
        padding,
      }));
      this.#sentRound = round;
      const status = await send(this.weft, this.#replaced.token, JSON.stringify({ samples })).catch(() => undefined);
      if (status === undefined) return;
      if (status !== 200) throw new Error(`a replacement was answered ${status}`);
      this.#round = round;
    }
  }

  async #administer(): Promise<void> {
    for (let number = 1; ; number++) {
      const username = `user-${number}@example.org`;
      const ap_id = `new-${number}`;
      const create = async (path: string, json?: unknown) => {
        const answer = await this.weft.request('POST', path, { token: this.admin, ...(json ? { json } : {}) });
        if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`);
        return answer.body;
      };
      try {
        await create('/api/v1/users/', { username, password, roles: ['user'] });
        this.#users.push(username);
        await create('/api/v1/agents/', { ap_id, password, configuration: {} });
        this.#agents.push(ap_id);
        const query = `agent_id=${ap_id}&command=wave&hold_seconds=0`;
        this.#commands.push((await create(`/api/v1/send_command?${query}`)).command_id);
      } catch (error) {
        if ((error as Error).message.includes('answered')) throw error;
        return;
      }
    }
  }
}

async function exported(weft: Weft, { ap_id, token }: { ap_id: string; token: string }) {
  const start = new Date(Date.now() - 3_600_000).toISOString();
  const url = `${weft.url}/api/v1/metrics/export?agent=${ap_id}&format=ndjson&metrics=value,twin&start=${start}`;
  const { status, text } = await light(url, { headers: { authorization: `Bearer ${token}` } });
  if (status !== 200) throw new Error(`the export was answered ${status}: ${text}`);
  const rows = text.split('\n').filter((line) => line !== '');
  return new Map<number, { value: number; twin?: number }>(
    rows.map((line) => JSON.parse(line)).map(({ ts, value, twin }) => [Date.parse(ts), { value, twin }]),
  );
}
