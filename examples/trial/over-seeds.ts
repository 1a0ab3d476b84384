// Repeats trials on several seeds, each seed in a thread of its own, and compares the cases pairwise: the same seed has
// the same devices with the same wishes, so the difference is the work of the program.
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { inInterval, intervalOf } from './interval.ts';
import type { Figures } from './model-trial.ts';
import { tableOf } from './table.ts';

export interface Column<Of = Figures> {
  name: string;
  unit: string;
  digits: number;
  of(figures: Of): number;
}

export const columns = {
  energy: { name: 'energy', unit: 'kWh', digits: 3, of: ({ energyKwh }) => energyKwh },
  delivered: { name: 'delivered', unit: 'Gbit', digits: 1, of: ({ deliveredGbit }) => deliveredGbit },
  dropped: { name: 'dropped', unit: 'Gbit', digits: 2, of: ({ droppedGbit }) => droppedGbit },
  waiting: { name: 'waiting, mean', unit: 'Gbit', digits: 3, of: ({ waitingGbit }) => waitingGbit },
  unserved: {
    name: 'device time without service',
    unit: '%',
    digits: 2,
    of: ({ unservedPct }) => unservedPct,
  },
  qos: { name: 'within delay budget', unit: '%', digits: 2, of: ({ qosMetPct }) => qosMetPct },
  latency: { name: 'latency', unit: 'ms', digits: 1, of: ({ latencyMs }) => latencyMs },
  overloaded: { name: 'time above 90 % load', unit: '%', digits: 1, of: ({ overloadedPct }) => overloadedPct },
  outage: { name: 'outage', unit: 'device-seconds', digits: 0, of: ({ outageS }) => outageS },
  inBudget: { name: 'in time', unit: '%', digits: 2, of: ({ inBudgetPct }) => inBudgetPct },
  battery: { name: 'batteries', unit: 'kJ', digits: 2, of: ({ batteryKj }) => batteryKj },
  changes: { name: 'changes of state', unit: '', digits: 0, of: ({ changes }) => changes },
  done: { name: 'orders', unit: '', digits: 0, of: ({ done }) => done },
  failed: { name: 'failed orders', unit: '', digits: 0, of: ({ failed }) => failed },
} satisfies Record<string, Column>;

/** `11-20` or `1,2,7`. */
export function seedsOf(text: string): number[] {
  return text.split(',').flatMap((part) => {
    const [from, to = from] = part.split('-').map(Number);
    return Array.from({ length: to! - from! + 1 }, (_, n) => from! + n);
  });
}

/**
 * Runs each case on each seed of `--seeds` (default: 11-20), `--parallel` seeds at once (default: 2), and prints the
 * comparison. `module` is the URL of the caller, which is loaded in the threads too. Resolves the figures by seed and case;
 * in a thread undefined.
 */
export async function compareOverSeeds(
  module: string,
  cases: Record<string, (seed: number) => Figures>,
  shown: readonly Column[],
): Promise<Record<string, Figures>[] | undefined> {
  if (!isMainThread) {
    const { seed } = workerData as { seed: number };
    const figures = Object.entries(cases).map(([name, run]) => [name, run(seed)]);
    parentPort!.postMessage(Object.fromEntries(figures));
    return undefined;
  }
  const { values } = parseArgs({ options: { seeds: { type: 'string' }, parallel: { type: 'string' } }, strict: false });
  const seeds = seedsOf(String(values.seeds ?? '11-20'));
  const results = new Map<number, Record<string, Figures>>();
  const left = [...seeds];
  const runOne = async (): Promise<void> => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      results.set(seed, await inThread(module, seed));
      process.stderr.write(`seed ${seed}: ${JSON.stringify(results.get(seed))}\n`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.parallel ?? 2) }, runOne));
  const inOrder = seeds.map((seed) => results.get(seed)!);
  process.stdout.write(`${comparison(Object.keys(cases), inOrder, shown)}\n`);
  return inOrder;
}

function inThread(module: string, seed: number): Promise<Record<string, Figures>> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL(module), { workerData: { seed }, argv: process.argv.slice(2) });
    thread.once('message', resolve);
    thread.once('error', reject);
  });
}

/** A table of mean ± 90 % margin over the seeds: of each case, then of the differences from the first case. */
export function comparison<Of>(
  names: readonly string[],
  results: readonly Record<string, Of>[],
  shown: readonly Column<Of>[],
): string {
  const [usual, ...others] = names as [string, ...string[]];
  const rows = shown.map(({ name, unit, digits, of }) => {
    const valuesOf = (which: string) => results.map((seed) => of(seed[which]!));
    const differencesOf = (which: string) => results.map((seed) => of(seed[which]!) - of(seed[usual]!));
    return [
      unit === '' ? name : `${name} (${unit})`,
      ...names.map((which) => inInterval(intervalOf(valuesOf(which)), digits)),
      ...others.map((which) => inInterval(intervalOf(differencesOf(which)), digits, true)),
    ];
  });
  return tableOf(['', ...names, ...others.map((name) => `${name}, difference`)], rows);
}
