// Agents that post and remember what was answered, and the comparison with what Weft gives back: the judge of the
// crash, disk and clock tests. The value of a sample follows from its agent and its time, so a wrong one shows.
import { setTimeout as pause } from 'node:timers/promises';
import type { StoredAgent } from '../bench/harness/fleet.ts';
import { light } from '../bench/harness/load.ts';
import type { Outage } from './outage.ts';

export interface Findings {
  /** Acknowledged and not there, or there with another value. */
  lost: number;
  /** There without ever having been sent, or there twice. */
  foreign: number;
  /** Refused with a status and there all the same. */
  refusedButThere: number;
  /** Posts without a 200 of which some samples are there and some are not. */
  torn: number;
  rows: number;
}

/** When the samples of an agent begin, and how far apart they are. */
export interface Pace {
  startMs: number;
  stepMs: number;
}

/** Where Weft is, be it a proxy. */
interface Place {
  url: string;
}

interface Post {
  first: number;
  count: number;
  isBatch: boolean;
}

export class LedgerAgent {
  readonly ap_id: string;
  readonly token: string;
  readonly index: number;
  acknowledged = new Set<number>();
  refused = new Set<number>();
  /** Sent, and the connection ended before an answer, or the answer was "try later": they may be there or not. */
  unanswered: Post[] = [];
  /** Answered with an error. */
  refusals: Post[] = [];
  readonly #pace: Pace;
  #sent = 0;

  constructor({ ap_id, token }: StoredAgent, index: number, pace: Pace) {
    this.ap_id = ap_id;
    this.token = token;
    this.index = index;
    this.#pace = pace;
  }

  /** Remembers the same, and goes on by itself. */
  copy(): LedgerAgent {
    const copy = new LedgerAgent(this, this.index, this.#pace);
    copy.acknowledged = new Set(this.acknowledged);
    copy.refused = new Set(this.refused);
    copy.unanswered = [...this.unanswered];
    copy.refusals = [...this.refusals];
    copy.#sent = this.#sent;
    return copy;
  }

  /** One sample, or a batch. Resolves the status, or undefined if there was no answer. */
  async post(
    weft: Place,
    count = 1,
    fields: Record<string, number> = {},
    mayBeThere: (status: number | undefined) => boolean = (status) => status === undefined,
    answerMs?: number,
  ): Promise<number | undefined> {
    const post = { first: this.#sent, count, isBatch: count > 1 };
    this.#sent += count;
    return await this.#send(weft, post, fields, mayBeThere, answerMs);
  }

  /** What was not answered, once more. */
  async repeatUnanswered(weft: Place): Promise<void> {
    for (const post of this.unanswered.splice(0)) {
      const status = await this.#send(weft, post, {}, (answer) => answer === undefined);
      if (status !== 200) throw new Error(`the repeat was answered ${status}`);
    }
  }

  /** What was refused, once more. */
  async repeatRefused(weft: Place): Promise<void> {
    this.unanswered.push(...this.refusals.splice(0));
    this.refused.clear();
    await this.repeatUnanswered(weft);
  }

  get sent(): number {
    return this.#sent;
  }

  async #send(
    weft: Place,
    post: Post,
    fields: Record<string, number>,
    mayBeThere: (status: number | undefined) => boolean,
    answerMs?: number,
  ): Promise<number | undefined> {
    const samples = Array.from({ length: post.count }, (_, offset) => ({
      ...this.#sample(post.first + offset),
      ...fields,
    }));
    const body = JSON.stringify(post.isBatch ? { samples } : samples[0]);
    const status = await send(weft, this.token, body, answerMs).catch(() => undefined);
    const ledger = status === 200 ? this.acknowledged : this.refused;
    if (mayBeThere(status)) this.unanswered.push(post);
    else for (const ts of this.#timesOf(post)) ledger.add(ts);
    if (status !== 200 && !mayBeThere(status)) this.refusals.push(post);
    return status;
  }

  #sample(n: number) {
    const ts = this.#timeOf(n);
    const value = this.valueAt(ts);
    return { ts, value, twin: -value, ...(n % 7 === 0 && { note: `n${n}` }) };
  }

  #timeOf(n: number): number {
    return this.#pace.startMs + n * this.#pace.stepMs;
  }

  #timesOf({ first, count }: Post): number[] {
    return Array.from({ length: count }, (_, offset) => this.#timeOf(first + offset));
  }

  valueAt(ts: number): number {
    return ((ts - this.#pace.startMs) * 1000 + this.index) / 8;
  }

  wasSent(ts: number): boolean {
    const { startMs, stepMs } = this.#pace;
    return ts >= startMs && ts < this.#timeOf(this.#sent) && (ts - startMs) % stepMs === 0;
  }

  /** Compares with #28. */
  async compareSeries(weft: Place): Promise<Findings> {
    const query = `agent=${this.ap_id}&metrics=value,twin&window=60m&max_points=50000`;
    const { series, resolution_seconds } = await get(
      weft,
      `/api/v1/metrics/agent_multi_metric_data?${query}`,
      this.token,
    );
    if (resolution_seconds !== undefined) throw new Error('too many samples for this way out');
    const twins = new Map<string, number>(
      series[1].points.map((point: { ts: string; value: number }) => [point.ts, point.value]),
    );
    return this.#compare(
      series[0].points.map(({ ts, value }: { ts: string; value: number }) => ({ ts, value, twin: twins.get(ts) })),
    );
  }

  /** Compares with the export, which has no bound on rows. */
  async compareExport(weft: Place): Promise<Findings> {
    const start = new Date(this.#pace.startMs - 1).toISOString();
    const path = `/api/v1/metrics/export?agent=${this.ap_id}&format=ndjson&start=${start}`;
    const { status, text } = await light(weft.url + path, { headers: { authorization: `Bearer ${this.token}` } });
    if (status !== 200) throw new Error(`the export was answered ${status}: ${text}`);
    const lines = text.split('\n').filter((line) => line !== '');
    return this.#compare(lines.map((line) => JSON.parse(line)));
  }

  #compare(rows: { ts: string; value: number; twin?: number | undefined; note?: string }[]): Findings {
    const found = { lost: 0, foreign: 0, refusedButThere: 0, torn: 0, rows: rows.length };
    const there = new Set<number>();
    for (const row of rows) {
      const ts = Date.parse(row.ts);
      const isRight = row.value === this.valueAt(ts) && row.twin === -row.value;
      const isNew = !there.has(ts);
      if (isRight) there.add(ts);
      if (!isRight || !isNew || !this.wasSent(ts)) found.foreign += 1;
      if (this.refused.has(ts)) found.refusedButThere += 1;
    }
    for (const ts of this.acknowledged) if (!there.has(ts)) found.lost += 1;
    for (const post of [...this.unanswered, ...this.refusals]) {
      const stored = this.#timesOf(post).filter((ts) => there.has(ts)).length;
      if (stored > 0 && stored < post.count) found.torn += 1;
    }
    return found;
  }
}

export class Ledger {
  readonly agents: LedgerAgent[];

  constructor(agents: LedgerAgent[]) {
    this.agents = agents;
  }

  copy(): Ledger {
    return new Ledger(this.agents.map((agent) => agent.copy()));
  }

  get acknowledged(): number {
    return this.agents.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
  }

  /** Every agent posts without a break, now and then a batch, until the server is gone or `isOver` says so. */
  async postUntilGone(weft: Place, onAnswer: () => void, batch = 60): Promise<void> {
    await Promise.all(
      this.agents.map(async (agent) => {
        for (let round = agent.index; ; round++) {
          // Now and then a name that is new, so that names are registered at all times.
          const fields = round % 11 === 0 ? { [`extra_${agent.acknowledged.size}`]: 1 } : {};
          const status = await agent.post(weft, round % 4 === 0 ? batch : 1, fields);
          if (status === undefined) return;
          if (status !== 200) throw new Error(`a post was answered ${status}`);
          onAnswer();
        }
      }),
    );
  }

  /**
   * Every agent posts without a break until `isOver`, to the servers in turn. A post that was refused with 503 may be there
   * all the same, if the database was lost while it committed: it is repeated later.
   */
  async postThrough(servers: readonly Place[], outage: Outage, isOver: () => boolean): Promise<void> {
    await Promise.all(
      this.agents.map(async (agent) => {
        for (let round = agent.index; !isOver(); round++) {
          const fields = round % 11 === 0 ? { [`extra_${agent.acknowledged.size}`]: 1 } : {};
          const weft = servers[round % servers.length]!;
          const startedMs = performance.now();
          const status = await agent.post(weft, round % 4 === 0 ? 40 : 1, fields, (answer) => answer !== 200);
          outage.note(status, startedMs);
          if (status !== 200) await pause(50);
        }
      }),
    );
  }

  compareSeries(weft: Place): Promise<Findings> {
    return this.#sum((agent) => agent.compareSeries(weft));
  }

  compareExport(weft: Place): Promise<Findings> {
    return this.#sum((agent) => agent.compareExport(weft));
  }

  async #sum(compare: (agent: LedgerAgent) => Promise<Findings>): Promise<Findings> {
    const sum: Findings = { lost: 0, foreign: 0, refusedButThere: 0, torn: 0, rows: 0 };
    for (const agent of this.agents) {
      const found = await compare(agent);
      for (const key of Object.keys(sum) as (keyof Findings)[]) sum[key] += found[key];
    }
    return sum;
  }
}

/** A post of #21; resolves its status, and rejects if no answer came, within this time if there is a limit. */
export async function send({ url }: Place, token: string, body: string, answerMs?: number): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const limit = answerMs === undefined ? {} : { signal: AbortSignal.timeout(answerMs) };
  return (await light(`${url}/api/v1/agent_update/update`, { method: 'POST', headers, ...limit }, body)).status;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
export async function get({ url }: Place, path: string, token: string): Promise<any> {
  const { status, text } = await light(url + path, { headers: { authorization: `Bearer ${token}` } });
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`);
  return JSON.parse(text);
}
