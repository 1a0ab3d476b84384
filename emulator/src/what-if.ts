// The twin: two copies of a world run ahead, one with some commands and one without, and are compared. The world itself is
// not touched.
import type { CommandArguments, CommandResult } from './access-points/commands.ts';
import { rounded } from './exact-math.ts';
import type { Totals, World } from './world/world.ts';

export interface PlannedCommand {
  ap_id: string;
  name: string;
  args?: CommandArguments;
}

/** The mean of a metric over the time run ahead; absent where nothing was measured. */
export interface Prediction {
  with?: number;
  without?: number;
}

export interface WhatIf {
  /** What became of each command, in their order. */
  results: CommandResult[];
  /** By access point and metric. */
  predictions: Map<string, Map<string, Prediction>>;
  /** Of all devices and access points, at the end. */
  served: Both;
  powerW: Both;
  /** Of the whole network, the mean over each minute; the last one may be a part of one. */
  timeline: Minute[];
}

export type Both = Required<Prediction>;

export interface Minute {
  /** When it ends, in minutes from the beginning. */
  minute: number;
  served: Both;
  powerW: Both;
  deliveredMbps: Both;
}

export const maxWhatIfMinutes = 60;

/** Runs ahead for so many minutes of model time; throws RangeError for more than an hour, and for unknown access points. */
export function whatIf(world: World, commands: readonly PlannedCommand[], minutes: number): WhatIf {
  if (!(minutes > 0 && minutes <= maxWhatIfMinutes)) {
    throw new RangeError(`minutes must be more than 0 and at most ${maxWhatIfMinutes}`);
  }
  const [changed, untouched] = [world.clone(), world.clone()];
  const results = commands.map(({ ap_id, name, args }) => changed.command(ap_id, name, args));
  const seconds = Math.ceil(minutes * 60);
  const [after, otherwise] = [runAhead(changed, seconds), runAhead(untouched, seconds)];
  return {
    results,
    predictions: pair(after.means, otherwise.means),
    served: { with: after.end.served, without: otherwise.end.served },
    powerW: { with: rounded(after.end.powerW), without: rounded(otherwise.end.powerW) },
    timeline: after.minutes.map(({ second, served, powerW, deliveredMbps }, n) => {
      const other = otherwise.minutes[n]!;
      return {
        minute: rounded(second / 60),
        served: { with: served, without: other.served },
        powerW: { with: powerW, without: other.powerW },
        deliveredMbps: { with: deliveredMbps, without: other.deliveredMbps },
      };
    }),
  };
}

type Means = Map<string, Map<string, number>>;

function pair(changed: Means, untouched: Means): WhatIf['predictions'] {
  const predictions: WhatIf['predictions'] = new Map();
  for (const [side, means] of [
    ['with', changed],
    ['without', untouched],
  ] as const) {
    for (const [ap_id, own] of means) {
      const ofAccessPoint = predictions.get(ap_id) ?? new Map<string, Prediction>();
      predictions.set(ap_id, ofAccessPoint);
      for (const [metric, mean] of own) ofAccessPoint.set(metric, { ...ofAccessPoint.get(metric), [side]: mean });
    }
  }
  return predictions;
}

interface Future {
  means: Means;
  minutes: { second: number; served: number; powerW: number; deliveredMbps: number }[];
  end: Totals;
}

function runAhead(twin: World, seconds: number): Future {
  const sums = new Map<string, Map<string, { sum: number; count: number }>>();
  const ids = twin.accessPoints.map(({ ap_id }) => ap_id);
  const minutes: Future['minutes'] = [];
  let end = twin.totals();
  let minute = { begunAt: 0, served: 0, powerW: 0, deliveredBits: end.deliveredBits };
  for (let second = 1; second <= seconds; second++) {
    twin.step();
    end = twin.totals();
    minute.served += end.served;
    minute.powerW += end.powerW;
    if (second % 60 === 0 || second === seconds) {
      const length = second - minute.begunAt;
      minutes.push({
        second,
        served: rounded(minute.served / length),
        powerW: rounded(minute.powerW / length),
        deliveredMbps: rounded((end.deliveredBits - minute.deliveredBits) / length / 1e6),
      });
      minute = { begunAt: second, served: 0, powerW: 0, deliveredBits: end.deliveredBits };
    }
    for (const ap_id of ids) {
      const latest = twin.latest(ap_id);
      // Between two reports, the last one would count again.
      if (latest?.ts !== twin.time) continue;
      const own = sums.get(ap_id) ?? new Map<string, { sum: number; count: number }>();
      sums.set(ap_id, own);
      for (const [metric, value] of Object.entries(latest.fields)) {
        const { sum, count } = own.get(metric) ?? { sum: 0, count: 0 };
        own.set(metric, { sum: sum + value, count: count + 1 });
      }
    }
  }
  const means = new Map(
    [...sums].map(([ap_id, own]) => [
      ap_id,
      new Map([...own].map(([metric, { sum, count }]) => [metric, rounded(sum / count)])),
    ]),
  );
  return { means, minutes, end };
}
