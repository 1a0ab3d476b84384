// Telemetry in PostgreSQL while its server dies, is cut off, or is replaced by its standby. Agents post all the time, and
// other nodes seal; in the end everything that was acknowledged is there, once, and nothing else.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { openPostgresTelemetry } from '../controller/src/core/telemetry/store/postgres/telemetry-store.postgres.ts';
import { startPostgres, type TestPostgres, urlOfAll } from '../test/postgres.ts';
import { isLong } from '../test/rounds.ts';
import { startTcpProxy } from '../test/tcp-proxy.ts';
import { prepareLedger } from './ledger-folder.ts';
import { Outage, report } from './outage.ts';
import type { Ledger } from './telemetry-ledger.ts';
import { serve } from './weft-here.ts';
import { eventually, temporaryFolder, type Weft } from './weft-process.ts';

const agents = isLong ? 20 : 8;
const dayMs = 86_400_000;

interface Scene {
  /** Where the controller finds the store; other nodes, which seal, are told of it directly. */
  url: string;
  directUrl: string;
  /** Breaks the store and brings it back; `refused` resolves once posts are refused. */
  breakOnce(refused: () => Promise<void>): Promise<void>;
}

/** The main process of the server gets SIGKILL. */
export async function killServer(rounds: number): Promise<void> {
  const server = await ownPostgres();
  await outageRounds('server killed', rounds, {
    url: server.url,
    directUrl: server.url,
    breakOnce: async (refused) => {
      await server.kill();
      await refused();
      await server.start();
    },
  });
}

/** Connections break and cannot be made; or stay, and nobody answers. */
export async function cutNetwork(rounds: number): Promise<void> {
  const server = await ownPostgres();
  const proxy = await startTcpProxy(Number(new URL(server.url).port));
  onTestFinished(() => proxy.close());
  const url = new URL(server.url);
  url.port = String(proxy.port);
  let round = 0;
  await outageRounds('network cut', rounds, {
    url: url.href,
    directUrl: server.url,
    breakOnce: async (refused) => {
      proxy.isSilent = true;
      if (round++ % 2 === 0) proxy.cutAll();
      else proxy.freeze();
      await refused();
      proxy.isSilent = false;
      proxy.cutAll();
    },
  });
}

/** The primary gets SIGKILL and its synchronous standby is promoted; the first comes back as the standby. */
export async function promoteStandby(rounds: number): Promise<void> {
  let [primary, standby] = [await ownPostgres(), await ownPostgres()];
  await standby.standBy(primary);
  const url = urlOfAll(primary, standby);
  await outageRounds('standby promoted', rounds, {
    url,
    directUrl: url,
    breakOnce: async (refused) => {
      await primary.kill();
      await refused();
      await standby.promote();
      [primary, standby] = [standby, primary];
      await standby.standBy(primary);
    },
  });
}

async function ownPostgres(): Promise<TestPostgres> {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  return server;
}

async function outageRounds(name: string, rounds: number, scene: Scene): Promise<void> {
  const folder = temporaryFolder();
  const { ledger, env } = await prepareLedger(folder, agents);
  const weft = await serve({ env: { ...env, WEFT_TELEMETRY_URL: scene.url } });
  const stopSealing = sealAllTheTime(scene.directUrl);
  for (let round = 0; round < rounds; round++) {
    const outage = await postWhile(ledger, weft, scene);
    report(`${name}, round ${round + 1}: ${outage}`);
    expect([...outage.refused.keys()].filter((status) => status !== '503')).toEqual([]);
    for (const agent of ledger.agents) await agent.repeatUnanswered(weft);
    const some = ledger.agents.filter(({ index }) => index % 4 === round % 4);
    for (const agent of some) expect(await agent.compareSeries(weft)).toMatchObject(nothingWrong);
  }
  await stopSealing();
  const findings = await ledger.compareExport(weft);
  report(
    `${name}: ${ledger.acknowledged} samples acknowledged, ${findings.lost} lost, ${findings.foreign} twice or foreign`,
  );
  expect(findings).toMatchObject(nothingWrong);
  expect(findings.rows).toBe(ledger.acknowledged);
}

const nothingWrong = { lost: 0, foreign: 0, refusedButThere: 0 };

async function postWhile(ledger: Ledger, weft: Weft, { breakOnce }: Scene): Promise<Outage> {
  const outage = new Outage();
  let isOver = false;
  const posting = ledger.postThrough([weft], outage, () => isOver);
  const more = async (count: number) => {
    const before = outage.answered;
    await eventually(
      async () => outage.answered,
      (answered) => answered >= before + count,
    );
  };
  try {
    await more(100);
    await breakOnce(async () => {
      await eventually(
        async () => outage.refusals,
        (refusals) => refusals >= agents,
      );
    });
    await more(100);
  } finally {
    isOver = true;
    await posting;
  }
  return outage;
}

/** Two other nodes seal whatever there is, also what is still open. */
function sealAllTheTime(url: string): () => Promise<void> {
  const open = () =>
    openPostgresTelemetry({ url, rawRetentionMs: dayMs, rollupRetentionMs: dayMs, onChange: () => {} });
  const nodes = [open(), open()];
  let isOver = false;
  const sealing = nodes.map(async (node) => {
    // The outage is theirs too.
    while (!isOver) if (!(await node.seal({ everything: true }).catch(() => false))) await pause(50);
    await node.close();
  });
  return async () => {
    isOver = true;
    await Promise.all(sealing);
  };
}
