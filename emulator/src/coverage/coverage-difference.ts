// A radio map with some commands beside one without them: two copies of the world run ahead into the same future.
import type { CommandResult } from '../access-points/commands.ts';
import type { PlannedCommand } from '../what-if/future.ts';
import type { World } from '../world/world.ts';
import { type Coverage, type CoverageRequest, coverage } from './coverage.ts';

export interface CoverageDifference {
  results: CommandResult[];
  model: number;
  /** Of the copies, in milliseconds since 1970. */
  time: number;
  /** What the numbers of `best_server` count, in both. */
  accessPoints: string[];
  with: Coverage;
  without: Coverage;
}

export const maxAfterSeconds = 600;

/** The world itself is not touched. Throws RangeError as coverage does, and for unknown access points. */
export function coverageDifference(
  world: World,
  request: CoverageRequest,
  commands: readonly PlannedCommand[],
  afterSeconds: number,
): CoverageDifference {
  const [changed, untouched] = [world.clone(), world.clone()];
  const results = commands.map(({ ap_id, name, args }) => changed.command(ap_id, name, args));
  for (let second = 0; second < afterSeconds; second++) {
    changed.step();
    untouched.step();
  }
  const states = [changed, untouched].map((twin) => twin.radioState());
  const [after, otherwise] = states.map((state) => coverage(state, request)) as [Coverage, Coverage];
  const accessPoints = [...new Set([...otherwise.accessPoints, ...after.accessPoints])];
  return {
    results,
    model: states[0]!.model,
    time: changed.time,
    accessPoints,
    with: renumbered(after, accessPoints, request),
    without: renumbered(otherwise, accessPoints, request),
  };
}

function renumbered(map: Coverage, accessPoints: readonly string[], { layer }: CoverageRequest): Coverage {
  if (layer !== 'best_server') return map;
  const places = map.accessPoints.map((ap_id) => accessPoints.indexOf(ap_id));
  const values = map.values.map((place) => (Number.isNaN(place) ? place : places[place]!));
  return { ...map, accessPoints: [...accessPoints], values };
}
