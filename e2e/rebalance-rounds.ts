// `weft rebalance` as an operator runs it: agents post all the time, the command is killed in the middle and run again, and
// in the end every acknowledged sample is there, once.
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { placeOf } from '../controller/src/storage/postgres-servers.ts';
import { Outage, report } from './outage.ts';
import type { Ledger } from './telemetry-ledger.ts';
import { eventually, type RunOptions, WeftProcess, type WeftServer } from './weft-process.ts';

export interface MovingScene {
  nodes: readonly WeftServer[];
  ledger: Ledger;
  /** The databases of telemetry. */
  urls: readonly [string, string];
  /** The settings of the command. */
  options: RunOptions;
}

/** In each round all agents go from one server to the other; the command is killed as often before it may end. */
export async function moveWhilePosting(
  { nodes, ledger, urls, options }: MovingScene,
  rounds: number,
  kills: number,
): Promise<void> {
  const outage = new Outage();
  let isOver = false;
  const posting = ledger.postThrough(nodes, outage, () => isOver);
  const more = async (count: number) => {
    const before = outage.answered;
    await eventually(
      async () => outage.answered,
      (answered) => answered >= before + count,
    );
  };
  try {
    await more(2 * ledger.agents.length);
    for (let round = 0; round < rounds; round++) {
      const [to, from] = round % 2 === 0 ? urls : urls.toReversed();
      const args = ['rebalance', '--use', placeOf(to!), '--drain', placeOf(from!)];
      for (let kill = 0; kill < kills; kill++) {
        const killed = new WeftProcess(args, options);
        // It ends before that if the runs before have moved everything.
        await killed.until('moving', () => killed.err.includes('Moving the telemetry')).catch(() => {});
        await pause(randomInt(0, 300));
        await killed.end('SIGKILL');
        await more(ledger.agents.length);
      }
      const last = new WeftProcess(args, options);
      expect([await last.ended(), last.err.includes('unexpected')]).toEqual([0, false]);
      expect(last.out).toMatch(new RegExp(`^${placeOf(from!).replaceAll('.', '\\.')}\\s+0\\s+drained$`, 'm'));
      await more(2 * ledger.agents.length);
    }
  } finally {
    isOver = true;
    await posting;
  }
  report(`agents moved ${rounds} times, killed ${rounds * kills} times: ${outage}`);
  expect([...outage.refused.keys()].filter((status) => status !== '503')).toEqual([]);
  for (const agent of ledger.agents) await agent.repeatUnanswered(nodes[0]!);
  for (const node of nodes) {
    expect(await ledger.compareExport(node)).toMatchObject({
      lost: 0,
      foreign: 0,
      refusedButThere: 0,
      rows: ledger.acknowledged,
    });
  }
  report(`${ledger.acknowledged} samples acknowledged, none lost, none twice`);
}
