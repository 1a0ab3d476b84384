// The radio map of an emulated network, with its values as numbers.
import type { Technology } from '@weft/contract';
import { decodeCoverage } from '@weft/contract/coverage-values';
import type { CoverageAnswer, CoverageDifference, CoverageLayer, CoverageRaster } from '@weft/contract/lab';

export interface RadioMapRequest {
  layer: CoverageLayer;
  technology: Technology;
  /** Metres above the floor. */
  height?: number;
  /** Default: around the access points of the technology. */
  bounds?: CoverageAnswer['bounds'];
  /** Up to 256; default: 128. */
  columns?: number;
  rows?: number;
}

/** Rows from north to south, each from west to east; NaN where nothing is heard. */
type Decoded<Answer> = Omit<Answer, 'values' | 'scale' | 'encoding'> & { values: Float32Array };

export type RadioMap = Decoded<CoverageAnswer>;

export type RadioMapDifference = Omit<CoverageDifference, 'with' | 'without' | 'difference' | 'encoding'> & {
  with: Decoded<CoverageRaster>;
  without: Decoded<CoverageRaster>;
  difference: Decoded<CoverageRaster>;
};

export function toRadioMapFields({ bounds, ...rest }: RadioMapRequest) {
  return { ...rest, ...(bounds && { bounds: [bounds.south, bounds.west, bounds.north, bounds.east].join() }) };
}

export function toRadioMap({ encoding: _, ...answer }: CoverageAnswer): RadioMap {
  const { scale: _scale, ...rest } = answer;
  return { ...rest, values: valuesOf(answer) };
}

export function toRadioMapDifference({ encoding: _, ...answer }: CoverageDifference): RadioMapDifference {
  return {
    ...answer,
    with: decoded(answer.with),
    without: decoded(answer.without),
    difference: decoded(answer.difference),
  };
}

function decoded(raster: CoverageRaster): Decoded<CoverageRaster> {
  return { values: valuesOf(raster), min: raster.min, max: raster.max };
}

function valuesOf({ values, scale }: CoverageRaster): Float32Array {
  if (typeof values === 'string') return decodeCoverage(values, scale);
  return Float32Array.from(values, (value) => (value === null ? Number.NaN : value * scale));
}
