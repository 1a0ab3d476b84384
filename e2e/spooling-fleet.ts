// A hundred agents that go on reporting while Weft is away, and the judge of what arrives when it is back.
import { expect } from 'vitest';
import { Agent } from '../sdk/src/index.ts';
import { isLong } from '../test/rounds.ts';
import { serve as serveHere } from './weft-here.ts';
import { eventually, password, serve, temporaryFolder, type Weft } from './weft-process.ts';

interface Course {
  agents: number;
  /** How long Weft is away. */
  awayMs: number;
  everyMs: number;
}

export interface Return {
  /** Reports that waited on disk when Weft came back. */
  waited: number;
  /** Until the last of them was stored. */
  drainedMs: number;
  /** The most that were stored within a second, of those that waited. */
  busiestSecond: number;
  /** Of requests by others meanwhile. */
  slowestAnswerMs: number;
}

/** Weft is killed, is away, and comes back at the same address. Everything that was posted must be there once, in order. */
export async function returnToFleet({ agents: count, awayMs, everyMs }: Course): Promise<Return> {
  const WEFT_DATA_DIR = temporaryFolder();
  const first = await serve({ env: { WEFT_DATA_DIR } });
  const token = await first.createAdmin();
  const { port } = new URL(first.url);
  const fleet = await enrol(first, token, count);
  const reporting = setInterval(() => fleet.forEach((agent) => void agent.report()), everyMs);
  await until(() => fleet.every(({ stored }) => stored >= 3));
  await first.end('SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, awayMs));
  // A busy machine may not have let them report as often as they would.
  await until(() => fleet.every(({ waiting }) => waiting > 6));
  const waited = sum(fleet);

  const env = { WEFT_DATA_DIR, WEFT_PORT: port };
  // It is not killed, and needs no process but where answers are timed.
  const weft: Weft = isLong ? await serve({ env }) : await serveHere({ env });
  const backAt = performance.now();
  const seconds: number[] = [];
  let slowestAnswerMs = 0;
  for (let before = waited; sum(fleet) > count; ) {
    const askedAt = performance.now();
    // In the process of the agents on a busy machine it answers, and may be late with what makes it ready.
    expect((await weft.request('GET', isLong ? '/readyz' : '/healthz')).status).toBe(200);
    slowestAnswerMs = Math.max(slowestAnswerMs, performance.now() - askedAt);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    seconds.push(before - sum(fleet));
    before = sum(fleet);
  }
  const drainedMs = performance.now() - backAt;
  clearInterval(reporting);
  await until(() => fleet.every((agent) => agent.isDone));
  for (const agent of fleet) await agent.judge(weft, token);
  await Promise.all(fleet.map((agent) => agent.stop()));
  return { waited, drainedMs, busiestSecond: Math.max(...seconds), slowestAnswerMs };
}

async function enrol(weft: Weft, token: string, count: number): Promise<NumberedAgent[]> {
  const json = { ap_id_pattern: 'spool-*', max_uses: count };
  const { body } = await weft.request('POST', '/api/v1/enrolment_tokens', { token, json });
  const spoolDir = temporaryFolder();
  const fleet = Array.from(
    { length: count },
    (_, n) => new NumberedAgent(weft.url, `spool-${n}`, body.token, spoolDir),
  );
  await Promise.all(fleet.map((agent) => agent.start()));
  return fleet;
}

/** Reports 1, 2, 3 and so on. */
class NumberedAgent {
  readonly #ap_id: string;
  readonly #agent: Agent;
  #posted = 0;
  stored = 0;
  readonly refused: unknown[] = [];

  constructor(url: string, ap_id: string, enrolmentToken: string, spoolDir: string) {
    this.#ap_id = ap_id;
    this.#agent = new Agent({ url, ap_id, password, enrolmentToken, spoolDir });
  }

  get waiting(): number {
    return this.#agent.waitingReports;
  }

  get isDone(): boolean {
    return this.stored === this.#posted && this.waiting === 0;
  }

  async start(): Promise<void> {
    await this.#agent.start();
  }

  async stop(): Promise<void> {
    await this.#agent.stop();
  }

  async report(): Promise<void> {
    try {
      await this.#agent.post({ n: ++this.#posted });
      this.stored++;
    } catch (error) {
      this.refused.push(error);
    }
  }

  async judge(weft: Weft, token: string): Promise<void> {
    const query = new URLSearchParams({ agent: this.#ap_id, start: '2026-01-01T00:00:00Z', format: 'ndjson' });
    const { body } = await weft.request('GET', `/api/v1/metrics/export?${query}`, { token });
    const rows = String(body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).n);
    expect(this.refused).toEqual([]);
    expect(rows).toEqual(Array.from({ length: this.#posted }, (_, n) => n + 1));
  }
}

function sum(fleet: readonly NumberedAgent[]): number {
  return fleet.reduce((total, { waiting }) => total + waiting, 0);
}

async function until(isSo: () => boolean): Promise<void> {
  await eventually(async () => isSo(), Boolean);
}
