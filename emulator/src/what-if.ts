// The twin: two copies of a world run ahead, one with some commands and one without, and are compared. The world itself is
// not touched.
import type { CommandArguments, CommandResult } from './access-points/commands.ts';
import { rounded } from './exact-math.ts';
import type { World } from './world/world.ts';

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
  served: Required<Prediction>;
  powerW: Required<Prediction>;
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
  const predictions: WhatIf['predictions'] = new Map();
  for (const [side, twin] of [
    ['with', changed],
    ['without', untouched],
  ] as const) {
    for (const [ap_id, means] of runAhead(twin, seconds)) {
      const ofAccessPoint = predictions.get(ap_id) ?? new Map<string, Prediction>();
      predictions.set(ap_id, ofAccessPoint);
      for (const [metric, mean] of means) ofAccessPoint.set(metric, { ...ofAccessPoint.get(metric), [side]: mean });
    }
  }
  const [after, otherwise] = [changed.totals(), untouched.totals()];
  return {
    results,
    predictions,
    served: { with: after.served, without: otherwise.served },
    powerW: { with: rounded(after.powerW), without: rounded(otherwise.powerW) },
  };
}

function runAhead(twin: World, seconds: number): Map<string, Map<string, number>> {
  const sums = new Map<string, Map<string, { sum: number; count: number }>>();
  const ids = twin.accessPoints.map(({ ap_id }) => ap_id);
  for (let second = 0; second < seconds; second++) {
    twin.step();
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
  return new Map(
    [...sums].map(([ap_id, own]) => [
      ap_id,
      new Map([...own].map(([metric, { sum, count }]) => [metric, rounded(sum / count)])),
    ]),
  );
}
