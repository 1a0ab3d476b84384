// From series to what is drawn: gaps, bands, common times, ranges. Pure; times are seconds since 1970.
import type { AgentMultiMetricData } from '../../api/client.ts';

export interface ChartLine {
  /** Tells lines of one chart apart. */
  name: string;
  label: string;
  times: readonly number[];
  /** As long as `times`; null is a gap. */
  values: readonly (number | null)[];
  /** The lowest and highest of each point, where points stand for many samples. */
  lows?: readonly (number | null)[] | undefined;
  highs?: readonly (number | null)[] | undefined;
  /** The line of this name is expected to go on like this. */
  ghostOf?: string | undefined;
  /** The newest value itself, where the last point stands for many samples. */
  newest?: number | undefined;
}

/** A metric of several access points as lines, called by their ids. */
export function seriesLines(
  answers: readonly Pick<AgentMultiMetricData, 'agent_id' | 'series'>[],
  metric: string,
): ChartLine[] {
  return answers.flatMap(({ agent_id, series }) => {
    const found = series.find((each) => each.metric === metric);
    if (!found) return [];
    return {
      name: agent_id,
      label: agent_id,
      times: found.points.map(({ ts }) => Date.parse(ts) / 1000),
      values: found.points.map(({ value }) => value),
    };
  });
}

/** A column holds null for a gap and undefined where only another line has a point. */
export type Column = (number | null | undefined)[];

const gapIntervals = 3;

/** The distance between points beyond which nothing is drawn between them; an interval is that of reports or of buckets. */
export function gapLimit(times: readonly number[], resolutionSeconds = 0): number {
  if (times.length < 3) return resolutionSeconds > 0 ? gapIntervals * resolutionSeconds : Number.POSITIVE_INFINITY;
  const steps = times.slice(1).map((time, index) => time - times[index]!);
  steps.sort((a, b) => a - b);
  // The usual step; a few long silences must not pass for it.
  const usual = steps[Math.floor(steps.length / 2)]!;
  return gapIntervals * Math.max(usual, resolutionSeconds, 0.001);
}

/** The points of a column that no line joins to another: without a dot nobody would see them. */
export function lonelyPoints(column: ArrayLike<number | null | undefined>): number[] {
  const lonely: number[] = [];
  let isAfterGap = true;
  let last: number | undefined;
  for (let index = 0; index < column.length; index++) {
    const value = column[index];
    if (value === undefined) continue;
    if (value === null) {
      if (last !== undefined) lonely.push(last);
      last = undefined;
      isAfterGap = true;
    } else {
      last = isAfterGap ? index : undefined;
      isAfterGap = false;
    }
  }
  return last === undefined ? lonely : [...lonely, last];
}

/** The line with a null in every gap that is longer than the limit. */
export function breakGaps(line: ChartLine, limit: number): ChartLine {
  const { times, values, lows, highs } = line;
  const isBroken = times.some((time, index) => index > 0 && time - times[index - 1]! > limit);
  if (!isBroken) return line;
  const out = {
    times: [] as number[],
    values: [] as (number | null)[],
    lows: [] as (number | null)[],
    highs: [] as (number | null)[],
  };
  for (const [index, time] of times.entries()) {
    const before = times[index - 1];
    if (before !== undefined && time - before > limit) {
      out.times.push(before + Math.min(limit, time - before) / 2);
      out.values.push(null);
      out.lows.push(null);
      out.highs.push(null);
    }
    out.times.push(time);
    out.values.push(values[index] ?? null);
    out.lows.push(lows?.[index] ?? null);
    out.highs.push(highs?.[index] ?? null);
  }
  return { ...line, times: out.times, values: out.values, lows: lows && out.lows, highs: highs && out.highs };
}

export interface AlignedChart {
  times: number[];
  /** For each line: its values, then, if it has a band, lows and highs. */
  columns: Column[];
}

/** All lines over one list of times, as the chart library wants them. */
export function alignLines(lines: readonly ChartLine[]): AlignedChart {
  const times = mergeTimes(lines.map((line) => line.times));
  const places = new Map(times.map((time, index) => [time, index]));
  const columns = lines.flatMap((line) => {
    const parts = line.lows && line.highs ? [line.values, line.lows, line.highs] : [line.values];
    return parts.map((values) => {
      const column: Column = new Array(times.length).fill(undefined);
      for (const [index, time] of line.times.entries()) column[places.get(time)!] = values[index] ?? null;
      return column;
    });
  });
  return { times, columns };
}

function mergeTimes(lists: readonly (readonly number[])[]): number[] {
  const [only] = lists;
  if (lists.length === 1 && only) return [...only];
  return [...new Set(lists.flat())].sort((a, b) => a - b);
}

/** What the vertical axis spans: all values with some air, never nothing. Bounds that are known (0, 100 %) stay. */
export function valueRange(low: number | null, high: number | null, unit = ''): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const span = high - low;
  const air = span === 0 ? Math.max(Math.abs(high) * 0.1, 1) : span * 0.08;
  const bottom = low >= 0 && low - air < 0 ? 0 : low - air;
  const top = unit === '%' && high <= 100 && high + air > 100 ? 100 : high + air;
  // The distance between the two has to be a number as well.
  const isTooFar = !Number.isFinite(top - bottom);
  const limit = isTooFar && low < 0 && high > 0 ? Number.MAX_VALUE / 2 : Number.MAX_VALUE;
  return [Math.max(bottom, -limit), Math.min(top, limit)];
}

/** The values of a chart together with a limit that has to be seen. */
export function withLimit(low: number | null, high: number | null, limit = Number.NaN): [number | null, number | null] {
  if (Number.isNaN(limit)) return [low, high];
  return [Math.min(low ?? limit, limit), Math.max(high ?? limit, limit)];
}

/** Whether things are counted: there is no unit, and every sample is a whole number, also within points that stand for many. */
export function isCount(lines: readonly ChartLine[], unit: string): boolean {
  const isWhole = (values: readonly (number | null)[]) =>
    values.every((value) => value === null || Number.isInteger(value));
  return (
    unit === '' &&
    lines.every(({ values, lows, highs }) => (lows && highs ? isWhole(lows) && isWhole(highs) : isWhole(values)))
  );
}

/**
 * The point of a column (with nulls in its gaps) that tells of a moment: the nearer one where a line is drawn between two,
 * else one within reach, which is in seconds; undefined where nothing is drawn.
 */
export function indexNear(
  times: ArrayLike<number>,
  values: ArrayLike<number | null | undefined>,
  time: number,
  reach: number,
): number | undefined {
  const from = firstFrom(times, time);
  const before = nearestValue(values, from - 1, -1, (index) => time - times[index]! <= reach);
  const after = nearestValue(values, from, 1, (index) => times[index]! - time <= reach);
  const since = before ? time - times[before.index]! : Number.POSITIVE_INFINITY;
  const until = after ? times[after.index]! - time : Number.POSITIVE_INFINITY;
  const nearest = since < until ? before?.index : after?.index;
  const isOnLine = before?.isJoined && after?.isJoined;
  return isOnLine || Math.min(since, until) <= reach ? nearest : undefined;
}

/** The next value in a direction; beyond a gap only while it is near. Points of other lines in between do not matter. */
function nearestValue(
  values: ArrayLike<number | null | undefined>,
  start: number,
  step: 1 | -1,
  isNear: (index: number) => boolean,
): { index: number; isJoined: boolean } | undefined {
  let isJoined = true;
  for (let index = start; index >= 0 && index < values.length; index += step) {
    const value = values[index];
    if (value !== null && value !== undefined) return { index, isJoined };
    if (value === null) isJoined = false;
    if (!isJoined && !isNear(index)) return undefined;
  }
  return undefined;
}

/** The first time that is not before the moment. */
function firstFrom(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The newest value that is one. */
export function latestValue({ values }: ChartLine): number | undefined {
  return values.findLast((value) => typeof value === 'number');
}

/** What a reader takes for the present value: the newest one, not the mean of the last bucket. */
export function presentValue(line: ChartLine): number | undefined {
  return line.newest ?? latestValue(line);
}

/** The line without what lies before a moment, keeping one point so that the line enters at the edge. */
export function dropBefore<Line extends ChartLine>(line: Line, from: number): Line {
  const first = line.times.findIndex((time) => time >= from);
  const start = first < 0 ? Math.max(0, line.times.length - 1) : Math.max(0, first - 1);
  if (start === 0) return line;
  return {
    ...line,
    times: line.times.slice(start),
    values: line.values.slice(start),
    ...(line.lows && { lows: line.lows.slice(start) }),
    ...(line.highs && { highs: line.highs.slice(start) }),
  };
}

/** The line with a newer point; one with the same time replaces, an older one goes where it belongs. */
export function addPoint<Line extends ChartLine>(line: Line, time: number, value: number): Line {
  const last = line.times.at(-1);
  const extend = (list: readonly (number | null)[] | undefined, place: number, deleted: number, item: number) =>
    list?.toSpliced(place, deleted, item);
  let place = line.times.length;
  if (last !== undefined && time <= last) {
    place = line.times.findLastIndex((known) => known < time) + 1;
  }
  const deleted = line.times[place] === time ? 1 : 0;
  return {
    ...line,
    times: line.times.toSpliced(place, deleted, time),
    values: extend(line.values, place, deleted, value)!,
    ...(line.lows && { lows: extend(line.lows, place, deleted, value) }),
    ...(line.highs && { highs: extend(line.highs, place, deleted, value) }),
  };
}

/** Where a moment is in a range, for what is drawn beside charts on their time axis. */
export function percentOf(seconds: number, { from, to }: { from: number; to: number }): number {
  return Math.max(0, Math.min(100, (100 * (seconds - from)) / (to - from)));
}
