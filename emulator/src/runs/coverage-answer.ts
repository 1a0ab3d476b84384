// Radio maps in the format of the interface.

import { encodeCoverage } from '@weft/contract/coverage-values';
import type { CoverageAnswer, CoverageDifference, CoverageRaster } from '@weft/contract/lab';
import { type Coverage, type CoverageRequest, coverage, extremesOf } from '../coverage/coverage.ts';
import { coverageDifference } from '../coverage/coverage-difference.ts';
import type { PlannedCommand } from '../what-if/future.ts';
import type { World } from '../world/world.ts';
import type { RadioState } from '../world/world-state.ts';

export type RunCoverageAnswer = Omit<CoverageAnswer, 'job_number'>;
/** Weft subtracts: three rasters would be more than it takes at once. */
export type RunCoverageDifference = Omit<CoverageDifference, 'job_number' | 'difference'>;

/** Throws as coverage does. */
export function answerCoverage(state: RadioState, request: CoverageRequest, second: number): RunCoverageAnswer {
  const map = coverage(state, request);
  return {
    ...toHeading(map, request, state.model, state.startMs + state.step * 1000, second),
    ...toRaster(map, request),
  };
}

export function answerDifference(
  world: World,
  request: CoverageRequest,
  commands: readonly PlannedCommand[],
  afterSeconds: number,
  second: number,
): RunCoverageDifference {
  const found = coverageDifference(world, request, commands, afterSeconds);
  const map = { ...found.with, accessPoints: found.accessPoints };
  return {
    ...toHeading(map, request, found.model, found.time, second + afterSeconds),
    after_seconds: afterSeconds,
    results: found.results.map((result, n) => ({ agent_id: commands[n]!.ap_id, name: commands[n]!.name, ...result })),
    with: toRaster(found.with, request),
    without: toRaster(found.without, request),
  };
}

function toHeading(
  map: Coverage,
  { layer, technology }: CoverageRequest,
  model: number,
  timeMs: number,
  second: number,
) {
  return {
    model,
    model_time: new Date(timeMs).toISOString(),
    second,
    layer,
    technology,
    unit: map.unit,
    height: map.heightM,
    bounds: map.bounds,
    columns: map.columns,
    rows: map.rows,
    encoding: 'int16' as const,
    access_points: map.accessPoints,
  };
}

/** The finest that 16 bits hold. */
function scaleOf({ layer }: CoverageRequest, max: number): number {
  if (layer === 'best_server') return 1;
  if (layer !== 'rate') return 0.01;
  return max > 3_200 ? 1 : 0.1;
}

function toRaster(map: Coverage, request: CoverageRequest): CoverageRaster {
  const { min, max } = extremesOf(map.values);
  const scale = scaleOf(request, max);
  const orNull = (value: number) => (Number.isNaN(value) ? null : Math.round(value / scale) * scale);
  return { scale, values: encodeCoverage(map.values, scale), min: tidy(orNull(min)), max: tidy(orNull(max)) };
}

function tidy(value: number | null): number | null {
  return value === null ? null : Math.round(value * 100) / 100 + 0;
}
