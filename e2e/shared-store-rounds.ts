// Rounds of posting to a Weft whose telemetry is on another server, while one of the three fails: the controller, the server,
// or the network between them. Samples lie so far apart that batches cross midnight, where a store might keep a half.
import { expect, onTestFinished } from 'vitest';
import { draw } from '../test/draw.ts';
import { startTcpProxy, type TcpProxy } from '../test/tcp-proxy.ts';
import { prepareLedger } from './ledger-folder.ts';
import type { Findings, Ledger, LedgerAgent } from './telemetry-ledger.ts';
import { eventually, serve, temporaryFolder, type WeftServer } from './weft-process.ts';

const agents = 10;
const batch = 12;
const dayMs = 86_400_000;
/** A batch covers six hours, and twenty rounds fit into the retention. */
const stepMs = 30 * 60_000;
/** After how many answers the fault comes, at least and at most. */
const answersBefore = { least: 30, most: 60 };
/** One in so many agents is compared after a round. */
const comparedEvery = 3;

export const storeFaults = ['controller', 'server', 'network'] as const;
export type StoreFault = (typeof storeFaults)[number];

export interface SharedStore {
  port: number;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface FaultRounds {
  findings: Findings;
  /** Samples acknowledged in each round. */
  acknowledged: number[];
  /** Of all agents. */
  sent: number;
}

/** `urlOf` says how Weft finds the store on a port. */
export async function storeFaultRounds(
  store: SharedStore,
  urlOf: (port: number) => string,
  faults: readonly StoreFault[],
): Promise<FaultRounds> {
  const folder = temporaryFolder();
  const proxy = await startTcpProxy(store.port);
  onTestFinished(() => proxy.close());
  const { ledger, env } = await prepareLedger(folder, agents, { startMs: Date.now() - 28 * dayMs, stepMs });
  const options = { folder, env: { ...env, WEFT_TELEMETRY_URL: urlOf(proxy.port) } };
  const acknowledged: number[] = [];
  const random = draw('moments of faults');
  const { least, most } = answersBefore;
  let weft = await serve(options);
  for (const [round, fault] of faults.entries()) {
    const before = ledger.acknowledged;
    const posting = new Posting(ledger, weft);
    await posting.untilAnswered(least + random.below(most - least));
    if (fault === 'controller') {
      await weft.end('SIGKILL');
      await posting.stop();
      weft = await serve(options);
    } else {
      const heal = await (fault === 'server' ? killServer(store) : cutNetwork(proxy));
      await posting.untilRefused();
      const { body } = await eventually(
        () => weft.request('GET', '/readyz'),
        ({ status }) => status === 503,
      );
      expect(JSON.stringify(body)).toContain('telemetry');
      await heal();
      await posting.untilAnswered(agents);
      await posting.stop();
    }
    acknowledged.push(ledger.acknowledged - before);
    // Some of them each time, since all of them are compared in the end.
    const some = ledger.agents.filter(({ index }) => index % comparedEvery === round % comparedEvery);
    for (const agent of some) {
      expect(await agent.compareExport(weft)).toMatchObject({ lost: 0, foreign: 0, torn: 0 });
    }
  }
  // Whether it was stored or not, a repeat makes it there once.
  for (const agent of ledger.agents) {
    await agent.repeatUnanswered(weft);
    await agent.repeatRefused(weft);
  }
  const findings = await ledger.compareExport(weft);
  await weft.end('SIGKILL');
  return { findings, acknowledged, sent: ledger.agents.reduce((sum, agent) => sum + agent.sent, 0) };
}

async function killServer(store: SharedStore): Promise<() => Promise<void>> {
  await store.kill();
  return () => store.start();
}

async function cutNetwork(proxy: TcpProxy): Promise<() => Promise<void>> {
  proxy.onClientBytes = (_bytes, cut) => cut();
  proxy.cutAll();
  return async () => {
    proxy.onClientBytes = undefined;
  };
}

/** Every agent posts without a break, now and then a batch, until it is stopped or the server is gone. */
class Posting {
  #answers = 0;
  #refusals = 0;
  #isOver = false;
  readonly #work: Promise<unknown>;

  constructor(ledger: Ledger, weft: WeftServer) {
    this.#work = Promise.all(ledger.agents.map((agent) => this.#post(agent, weft)));
    this.#work.catch(() => {});
  }

  async #post(agent: LedgerAgent, weft: WeftServer): Promise<void> {
    for (let round = agent.index; !this.#isOver; round++) {
      // Now and then a name that is new, so that names are registered at all times.
      const fields = round % 11 === 0 ? { [`extra_${agent.acknowledged.size}`]: 1 } : {};
      const status = await agent.post(weft, round % 4 === 0 ? batch : 1, fields);
      if (status === undefined) return;
      if (status === 200) this.#answers += 1;
      else if (status === 503) {
        this.#refusals += 1;
        // What is refused at once would use up the time that samples may have.
        await eventually(() => this.#isHealthy(weft), Boolean);
      } else throw new Error(`a post was answered ${status}`);
    }
  }

  async #isHealthy(weft: WeftServer): Promise<boolean> {
    if (this.#isOver) return true;
    // Once the controller is gone there is nothing to wait for.
    const { status } = await weft.request('GET', '/readyz').catch(() => ({ status: 200 }));
    return status === 200;
  }

  /** So many more posts have been answered with 200. */
  async untilAnswered(more: number): Promise<void> {
    const enough = this.#answers + more;
    await Promise.race([eventually(async () => this.#answers >= enough, Boolean), this.#work]);
  }

  async untilRefused(): Promise<void> {
    await Promise.race([eventually(async () => this.#refusals > 0, Boolean), this.#work]);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#work;
  }
}
