// The newest value of every field of some agents, each with its own time. InfluxDB has no single question for that: the
// last rows answer it for agents that report everything together, and what they leave open is asked field by field. (SHOW
// FIELD KEYS would tell the names, but takes longer the more agents there are.)
import type { InfluxClient, InfluxSeries, InfluxValue } from './influx-client.ts';
import { decodeName } from './influx-line.ts';
import * as influxql from './influxql.ts';

const lastRows = 4;

export interface NewestValue {
  name: string;
  ts: number;
  value: number | string;
}

/** For each agent, in the same order; fields without a value since then are left out. */
export async function readNewest(
  client: InfluxClient,
  ap_ids: readonly string[],
  sinceMs?: number,
): Promise<NewestValue[][]> {
  const rows = await client.queryAll(ap_ids.map((ap_id) => influxql.selectNewestRows(ap_id, lastRows, sinceMs)));
  const newest: NewestValue[][] = [];
  const open: { agent: number; name: string }[] = [];
  for (const [agent, [series]] of rows.entries()) {
    newest.push(series ? valuesOf(series) : []);
    // With fewer rows than asked for, there are no others.
    if (!series || series.values.length < lastRows) continue;
    const known = new Set(newest[agent]!.map(({ name }) => name));
    for (const column of series.columns.slice(1)) {
      const name = decodeName(column);
      if (!known.has(name)) open.push({ agent, name });
    }
  }
  const found = await client.queryAll(
    open.map(({ agent, name }) => influxql.selectLast(ap_ids[agent]!, name, sinceMs)),
  );
  for (const [index, [series]] of found.entries()) {
    const [ts, value] = series?.values[0] ?? [];
    const { agent, name } = open[index]!;
    if (typeof ts === 'number' && value !== null && value !== undefined) newest[agent]!.push({ name, ts, value });
  }
  return newest;
}

function valuesOf({ columns, values }: InfluxSeries): NewestValue[] {
  return columns.flatMap((column, index) => {
    const row = index === 0 ? undefined : values.find((candidate) => isThere(candidate[index]));
    return row ? [{ name: decodeName(column), ts: row[0] as number, value: row[index] as number | string }] : [];
  });
}

function isThere(value: InfluxValue | undefined): boolean {
  return value !== null && value !== undefined;
}
