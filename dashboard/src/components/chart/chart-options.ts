// How a chart looks and moves, in the words of the chart library.
import type uPlot from 'uplot';
import { formatNumber, formatPower } from '../../format.ts';
import { colourOf, fontFamily, withAlpha } from '../../styles/theme.ts';
import { type ChartAlarm, type ChartMark, drawAlarm, drawMarks, drawPin, rowHeight } from './chart-marks.ts';
import { type ChartLine, type Column, indexNear, isCount, lonelyPoints, valueRange, withLimit } from './chart-shape.ts';

const nice = [1, 2, 2.5, 5];
/** A number of more digits is written as a power of ten. */
const largestPlain = 1e9;
const maxDecimals = 4;

/** Steps that may be taken between two values, smallest first, whatever their size; whole ones where things are counted. */
export function axisSteps(low: number, high: number, isWhole = false): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [1];
  const power = Math.floor(Math.log10(span));
  const steps = [power - 2, power - 1, power]
    .flatMap((exponent) => nice.map((digit) => digit * 10 ** exponent))
    .filter((step) => step > 0 && (!isWhole || (step >= 1 && Number.isInteger(step))));
  return steps.length > 0 ? steps : [1];
}

export function axisLabels(marks: readonly number[]): string[] {
  const step = Math.abs((marks[1] ?? 0) - (marks[0] ?? 0));
  const size = Math.max(0, ...marks.map(Math.abs));
  const decimals = decimalsOf(step);
  if (size < largestPlain && decimals <= maxDecimals) return marks.map((value) => formatNumber(value, decimals));
  const significant = Math.min(17, Math.max(1, Math.ceil(Math.log10(size / step || 1)) + 2));
  return marks.map((value) => (Math.abs(value) < step / 2 ? '0' : formatPower(value, significant)));
}

/** How many digits behind the point tell one mark from the next. */
function decimalsOf(step: number): number {
  for (let digits = 0; digits <= maxDecimals; digits++) {
    const scaled = step * 10 ** digits;
    if (scaled >= 1 && Math.abs(scaled - Math.round(scaled)) < 1e-6) return digits;
  }
  return step === 0 ? 2 : maxDecimals + 1;
}

export interface TimeRange {
  from: number;
  to: number;
}

export interface ChartLook {
  lines: readonly ChartLine[];
  unit: string;
  height: number;
  syncKey: string;
  /** Whether times are written below it; of charts one under the other the last has them. */
  hasTimes: boolean;
  onZoom: (range: TimeRange | undefined) => void;
  /** The moment under the crosshair, on whichever chart of the page it is; undefined when it is elsewhere. */
  onCursor: (time: number | undefined) => void;
}

/** `lines` is what the chart is made of; `current` has the values of the moment. */
interface ChartOptions extends ChartLook {
  current: () => readonly ChartLine[];
  width: number;
  /** The range that the horizontal axis shows. */
  range: () => TimeRange;
  marks: () => readonly ChartMark[];
  alarm: () => ChartAlarm | undefined;
  /** The moment that was chosen. */
  pin: () => number | undefined;
}

/** How near the crosshair has to be to a point or a mark to tell of it, as a share of the range. */
const cursorReach = 0.01;
/** Half of the longest label of a time: the last one stands under the end of the plot. */
const timeLabelHalf = 28;

const dashes = [undefined, [8, 3], [2, 3], [10, 3, 2, 3], [5, 5], [1, 4]];
const ghostDash = [3, 3];
const seriesCount = 6;

export function lineColour(index: number): string {
  return colourOf(`--series-${(index % seriesCount) + 1}`);
}

export function chartOptions(options: ChartOptions): uPlot.Options {
  const { lines, unit, width, height, syncKey, range, alarm, hasTimes, onZoom, onCursor } = options;
  const font = `12px ${fontFamily()}`;
  const ink = colourOf('--ink-faint');
  const grid = { stroke: colourOf('--line'), width: 1 };
  const { series, bands } = seriesOf(lines);
  return {
    width,
    height,
    legend: { show: false },
    padding: [rowHeight + 2, timeLabelHalf, 0, 0],
    scales: {
      x: { time: true, range: () => [range().from, range().to] },
      y: { range: (_chart, low, high) => valueRange(...withLimit(low, high, alarm()?.limit), unit) },
    },
    axes: [
      {
        stroke: ink,
        font,
        grid: { show: false },
        ticks: { ...grid, size: 4 },
        space: (_chart, _axis, from, to, pixels) => timeLabelSpace(from, to, pixels),
        size: hasTimes ? 24 : 6,
        values: (_, splits) => (hasTimes ? timeLabels(splits) : splits.map(() => '')),
      },
      {
        stroke: ink,
        font,
        grid,
        ticks: { show: false },
        size: (chart, labels) => sharedWidth(syncKey, chart, axisWidth(labels)),
        gap: 6,
        incrs: (_chart, _axis, low, high) => axisSteps(low, high, isCount(options.current(), unit)),
        space: 28,
        values: (_, splits) => axisLabels(splits),
      },
    ],
    cursor: {
      sync: { key: syncKey, setSeries: false, scales: ['x', null] },
      drag: { x: true, y: false, setScale: false },
      points: { size: 7 },
      // No point is shown far from the crosshair, where there is a gap.
      dataIdx: (chart, index, closest, time) =>
        index === 0
          ? closest
          : (indexNear(chart.data[0], chart.data[index] as Column, time, reachOf(range())) ?? (null as never)),
      bind: {
        dblclick: () => () => {
          onZoom(undefined);
          return null;
        },
      },
    },
    series,
    bands,
    hooks: {
      draw: [
        (chart) => {
          const [ring, pin] = [alarm(), options.pin()];
          if (ring) drawAlarm(chart, ring);
          drawMarks(chart, options.marks(), font);
          if (pin !== undefined) drawPin(chart, pin);
        },
      ],
      setCursor: [
        (chart) => {
          const { left = -1 } = chart.cursor;
          onCursor(left < 0 ? undefined : chart.posToVal(left, 'x'));
        },
      ],
      setSelect: [
        (chart) => {
          const { left, width: selected } = chart.select;
          if (selected < 4) return;
          onZoom({ from: chart.posToVal(left, 'x'), to: chart.posToVal(left + selected, 'x') });
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}

/** In seconds. */
export function reachOf({ from, to }: TimeRange): number {
  return (to - from) * cursorReach;
}

/** As wide as the longest label asks for; numbers of nine digits need more room than percents. */
function axisWidth(labels: string[] | null): number {
  const longest = Math.max(0, ...(labels ?? []).map((label) => label.length));
  return Math.min(180, Math.max(40, 14 + longest * 7.2));
}

/** By the key of charts that stand under each other: what each of them needs. */
const gutters = new Map<string, Map<uPlot, number>>();

/** The widest gutter of all, so that a moment is at the same place in each. */
function sharedWidth(key: string, chart: uPlot, needed: number): number {
  const known = gutters.get(key) ?? new Map<uPlot, number>();
  gutters.set(key, known);
  const before = Math.max(0, ...known.values());
  known.set(chart, needed);
  const width = Math.max(...known.values());
  if (width !== before) {
    for (const other of known.keys())
      if (other !== chart) queueMicrotask(() => known.has(other) && other.redraw(false, true));
  }
  return width;
}

/** To be called when a chart goes. */
export function leaveGutter(key: string, chart: uPlot): void {
  gutters.get(key)?.delete(chart);
}

function seriesOf(lines: readonly ChartLine[]): { series: uPlot.Series[]; bands: uPlot.Band[] } {
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  for (const [index, line] of lines.entries()) {
    const place = line.ghostOf === undefined ? index : lines.findIndex(({ name }) => name === line.ghostOf);
    const stroke = line.ghostOf === undefined ? lineColour(index) : withAlpha(lineColour(place), 0.65);
    const dash = line.ghostOf === undefined ? dashes[index % dashes.length] : ghostDash;
    series.push({
      label: line.label,
      stroke,
      width: 1.6,
      ...(dash && { dash }),
      spanGaps: false,
      points: {
        show: true,
        size: 4,
        fill: stroke,
        filter: (chart, index) => lonelyPoints(chart.data[index] as Column),
      },
    });
    if (!line.lows || !line.highs) continue;
    const edge: uPlot.Series = { stroke: 'transparent', width: 0, points: { show: false }, spanGaps: false };
    series.push(edge, edge);
    bands.push({ series: [series.length - 1, series.length - 2], fill: withAlpha(stroke, 0.16) });
  }
  return { series, bands };
}

/** Labels with seconds need more room than those of whole minutes. */
function timeLabelSpace(from: number, to: number, pixels: number): number {
  return ((to - from) / pixels) * 64 < 60 ? 64 : 48;
}

function timeLabels(splits: number[]): string[] {
  const step = splits.length < 2 ? 60 : splits[1]! - splits[0]!;
  return splits.map((seconds) => {
    const moment = new Date(seconds * 1000);
    if (step >= 86_400) return moment.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
    const time = moment.toLocaleTimeString('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      ...(step < 60 && { second: '2-digit' }),
    });
    const isMidnight = moment.getHours() === 0 && moment.getMinutes() === 0;
    return isMidnight ? moment.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' }) : time;
  });
}
