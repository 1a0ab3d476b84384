// The twin: copies of a world run ahead, some with commands and some without, and are compared. Each pair is another future
// of the same present; the answer is their mean, and how certain it is. The world itself is not touched.
import type { CommandResult } from '../access-points/commands.ts';
import type { World } from '../world/world.ts';
import { type Future, type PlannedCommand, RunningFuture, type Side } from './future.ts';
import { type Amount, maxFutures, requireAmount, toAmount } from './interval.ts';
import { type TakeOver, takeOversIn } from './take-over.ts';

/** With the commands, without them, and the difference of the two in the same future; absent where nothing was measured. */
export interface Comparison {
  with?: Amount;
  without?: Amount;
  change?: Amount;
}

export type FullComparison = Required<Comparison>;

export interface Minute {
  /** When it ends, in seconds from the beginning. */
  second: number;
  served: FullComparison;
  powerW: FullComparison;
  deliveredMbps: FullComparison;
}

export interface WhatIf {
  /** The result of each command, in their order. */
  results: CommandResult[];
  /** How far it was run ahead, and how often. */
  seconds: number;
  futures: number;
  /** One future on demand: it is what will happen if the commands are given now. */
  isExact: boolean;
  /** Less was run than was asked for. */
  isCutShort: boolean;
  /** By access point and metric, over the time run ahead. */
  predictions: Map<string, Map<string, Comparison>>;
  /** Of all devices and access points: at the end, at the end, over the time run ahead. */
  served: FullComparison;
  powerW: FullComparison;
  deliveredMbps: FullComparison;
  /** Of the whole network, the mean over each minute; the last one may be a part of one. */
  timeline: Minute[];
  takeOvers: TakeOver[];
}

export interface WhatIfOptions {
  /** Of model time; more than 0, at most 60. */
  minutes: number;
  /** 1 to 32. With 1 it is the future that the world itself will have; with more, all are others. */
  futures: number;
  /** Milliseconds of computing, about: then fewer futures are run, or fewer minutes. Default: without end. */
  budgetMs?: number;
  now?: () => number;
}

export const maxWhatIfMinutes = 60;
/** Rather fewer minutes than fewer futures than this. */
const leastFutures = 3;

/** Throws RangeError for minutes and futures out of bounds, and for unknown access points. */
export function whatIf(world: World, commands: readonly PlannedCommand[], options: WhatIfOptions): WhatIf {
  const { minutes, futures, budgetMs = Number.POSITIVE_INFINITY, now = performance.now.bind(performance) } = options;
  if (!(minutes > 0 && minutes <= maxWhatIfMinutes)) {
    throw new RangeError(`minutes must be more than 0 and at most ${maxWhatIfMinutes}`);
  }
  if (!(Number.isInteger(futures) && futures >= 1 && futures <= maxFutures)) {
    throw new RangeError(`futures must be a whole number from 1 to ${maxFutures}`);
  }
  const asked = Math.ceil(minutes * 60);
  const startedAtMs = now();
  const passedMs = () => now() - startedAtMs;
  const isExact = futures === 1;
  const numberOf = (n: number) => (isExact ? undefined : n + 1);
  // So many go on side by side: when time ends, none of them is lost.
  const abreast = Array.from(
    { length: Math.min(futures, leastFutures) },
    (_, n) => new RunningFuture(world, commands, numberOf(n)),
  );
  let seconds = 0;
  do {
    seconds++;
    for (const future of abreast) future.step();
  } while (seconds < asked && passedMs() < budgetMs);
  const run = abreast.map((future) => future.end());
  const costMs = passedMs() / run.length;
  const latestMs = budgetMs * (1 + tolerance);
  while (run.length < futures && passedMs() + costMs <= latestMs) {
    const next = new RunningFuture(world, commands, numberOf(run.length));
    let second = 0;
    for (; second < seconds && passedMs() <= latestMs; second++) next.step();
    if (second < seconds) break;
    run.push(next.end());
  }
  return summarise(world, run, {
    results: run[0]!.results,
    seconds,
    futures: run.length,
    isExact,
    isCutShort: seconds < asked || run.length < futures,
  });
}

/** The last future may take a little more than what is left. */
const tolerance = 0.1;

type Course = Pick<WhatIf, 'results' | 'seconds' | 'futures' | 'isExact' | 'isCutShort'>;

function summarise(world: World, futures: readonly Future[], course: Course): WhatIf {
  const compare = (read: (side: Side) => number): FullComparison => ({
    with: requireAmount(futures.map((future) => read(future.with))),
    without: requireAmount(futures.map((future) => read(future.without))),
    change: requireAmount(futures.map((future) => read(future.with) - read(future.without))),
  });
  return {
    ...course,
    predictions: predict(futures),
    served: compare(({ served }) => served),
    powerW: compare(({ powerW }) => powerW),
    deliveredMbps: compare(({ deliveredMbps }) => deliveredMbps),
    timeline: futures[0]!.with.minutes.map(({ second }, n) => ({
      second,
      served: compare(({ minutes }) => minutes[n]!.served),
      powerW: compare(({ minutes }) => minutes[n]!.powerW),
      deliveredMbps: compare(({ minutes }) => minutes[n]!.deliveredMbps),
    })),
    takeOvers: takeOversIn(world, futures),
  };
}

function predict(futures: readonly Future[]): WhatIf['predictions'] {
  const predictions: WhatIf['predictions'] = new Map();
  for (const [ap_id, metrics] of namesIn(futures)) {
    const own = new Map<string, Comparison>();
    predictions.set(ap_id, own);
    for (const metric of metrics) {
      const read = (side: Side) => side.means.get(ap_id)?.get(metric);
      own.set(metric, compareMeasured(futures, read));
    }
  }
  return predictions;
}

/**
 * A metric may be without a measurement in some futures, on one side or on both. What is compared is of the futures that have
 * both, so that the change is the difference of the two; if none has, each side is for itself.
 */
function compareMeasured(futures: readonly Future[], read: (side: Side) => number | undefined): Comparison {
  const measured = futures.map((future) => ({ with: read(future.with), without: read(future.without) }));
  const paired = measured.filter((one): one is Record<'with' | 'without', number> => {
    return one.with !== undefined && one.without !== undefined;
  });
  const used = paired.length > 0 ? paired : measured;
  const valuesOf = (side: 'with' | 'without') => used.flatMap((one) => one[side] ?? []);
  const sides = {
    with: toAmount(valuesOf('with')),
    without: toAmount(valuesOf('without')),
    change: toAmount(paired.map((one) => one.with - one.without)),
  };
  return Object.fromEntries(Object.entries(sides).filter(([, amount]) => amount !== undefined));
}

function namesIn(futures: readonly Future[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const future of futures) {
    for (const side of [future.with, future.without]) {
      for (const [ap_id, metrics] of side.means) {
        const own = names.get(ap_id) ?? new Set<string>();
        names.set(ap_id, own);
        for (const metric of metrics.keys()) own.add(metric);
      }
    }
  }
  return names;
}
