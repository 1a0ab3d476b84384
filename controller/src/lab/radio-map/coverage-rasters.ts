// The rasters of a radio map in the encoding that was asked for, and the difference of two of them.

import { decodeCoverage, encodeCoverage } from '@weft/contract/coverage-values';
import type { CoverageAnswer, CoverageDifference, CoverageLayer, CoverageRaster } from '@weft/contract/lab';

type Encoding = CoverageAnswer['encoding'];

export function toCoverage(answer: CoverageAnswer, encoding: Encoding): CoverageAnswer {
  const { job_number, ...rest } = answer;
  return { job_number, ...rest, encoding, ...toEncoding(answer, encoding) };
}

export function toDifference(answer: Omit<CoverageDifference, 'difference'>, encoding: Encoding): CoverageDifference {
  const { job_number, with: after, without, ...rest } = answer;
  const difference = subtract(rest.layer, after, without);
  return {
    job_number,
    ...rest,
    encoding,
    with: toEncoding(after, encoding),
    without: toEncoding(without, encoding),
    difference: toEncoding(difference, encoding),
  };
}

export function subtract(layer: CoverageLayer, after: CoverageRaster, without: CoverageRaster): CoverageRaster {
  const scale = Math.max(after.scale, without.scale);
  const [one, other] = [after, without].map(({ values, scale }) => decodeCoverage(values as string, scale));
  let [min, max] = [Number.NaN, Number.NaN];
  const values = one!.map((value, n) => {
    const change = changeOf(layer, value, other![n]!);
    if (!(change >= min) && !Number.isNaN(change)) min = change;
    if (!(change <= max) && !Number.isNaN(change)) max = change;
    return change;
  });
  return { scale, values: encodeCoverage(values, scale), min: orNull(min), max: orNull(max) };
}

function changeOf(layer: CoverageLayer, after: number, before: number): number {
  if (Number.isNaN(after) && Number.isNaN(before)) return Number.NaN;
  // No access point is another one than any.
  if (layer === 'best_server') return after === before ? 0 : 1;
  if (layer === 'rate') return (after || 0) - (before || 0);
  return after - before;
}

function toEncoding({ scale, values, min, max }: CoverageRaster, encoding: Encoding): CoverageRaster {
  if (encoding === 'int16') return { scale, values, min, max };
  return { scale: 1, values: Array.from(decodeCoverage(values as string, scale), orNull), min, max };
}

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : Math.round(value * 100) / 100 + 0;
}
