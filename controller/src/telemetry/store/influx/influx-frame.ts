// From the rows of an InfluxDB answer to a Frame.

import type { Frame } from '../telemetry-store.ts';
import type { InfluxSeries } from './influx-client.ts';
import { decodeName } from './influx-line.ts';

export function emptyFrame(): Frame {
  return { resolution_seconds: undefined, ts: new Float64Array(0), columns: new Map(), texts: new Map() };
}

/** Samples as they are. Columns are named by `metrics`, or as InfluxDB names them. */
export function rowFrame({ columns, values }: InfluxSeries, metrics: readonly string[] | undefined): Frame {
  const frame = { ...emptyFrame(), ts: Float64Array.from(values, (row) => row[0] as number) };
  for (let index = 1; index < columns.length; index++) {
    const name = metrics?.[index - 1] ?? decodeName(columns[index]!);
    const sample = values.find((row) => row[index] !== null)?.[index];
    if (typeof sample === 'string') {
      frame.texts.set(
        name,
        values.map((row) => (row[index] as string | null) ?? undefined),
      );
    } else if (sample !== undefined) {
      frame.columns.set(
        name,
        Float64Array.from(values, (row) => (row[index] as number | null) ?? Number.NaN),
      );
    }
  }
  return frame;
}

/** Rows of a time and one value for each metric. */
export function bucketFrame(values: (number | null)[][], metrics: readonly string[], widthMs: number): Frame {
  const columns = metrics.map((name, index): [string, Float64Array] => [
    name,
    Float64Array.from(values, (row) => row[index + 1] ?? Number.NaN),
  ]);
  return {
    resolution_seconds: widthMs / 1000,
    ts: Float64Array.from(values, (row) => row[0]!),
    columns: new Map(columns),
    texts: new Map(),
  };
}
