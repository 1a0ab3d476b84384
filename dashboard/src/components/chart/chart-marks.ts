// Commands and conflicts as marks on a chart, and which of their names have room.
import type uPlot from 'uplot';
import { colourOf, withAlpha } from '../../styles/theme.ts';

interface Mark {
  /** Where its line is. */
  x: number;
  width: number;
}

export interface LabelPlace {
  start: number;
  row: number;
}

interface Room {
  left: number;
  right: number;
  gap: number;
  rows: number;
}

/** Where the words of each mark begin; undefined where they would run into others or out of the plot. */
export function placeLabels(marks: readonly Mark[], { left, right, gap, rows }: Room): (LabelPlace | undefined)[] {
  const order = marks.map((_, index) => index).sort((a, b) => marks[a]!.x - marks[b]!.x);
  const places: (LabelPlace | undefined)[] = marks.map(() => undefined);
  const free = new Array<number>(rows).fill(left);
  for (const index of order) {
    const { x, width } = marks[index]!;
    // Behind the line; before it where the plot ends.
    const start = x + gap + width <= right ? x + gap : x - gap - width;
    const row = free.findIndex((from) => from <= start);
    if (row < 0) continue;
    places[index] = { start, row };
    free[row] = start + width + gap;
  }
  return places;
}

export interface ChartMark {
  time: number;
  /** One or two words, written at the line. */
  name: string;
  /** The whole sentence, for the crosshair. */
  label: string;
  kind: 'command' | 'conflict';
}

/** What alarms say about a chart: the limit of its metric, and when they rang. */
export interface ChartAlarm {
  limit?: number | undefined;
  spans: readonly { from: number; to: number }[];
}

export function drawAlarm(chart: uPlot, { limit, spans }: ChartAlarm): void {
  const { ctx, bbox } = chart;
  const right = bbox.left + bbox.width;
  const x = (time: number) => Math.max(bbox.left, Math.min(right, chart.valToPos(time, 'x', true)));
  ctx.save();
  ctx.fillStyle = withAlpha(colourOf('--bad'), 0.14);
  for (const { from, to } of spans) {
    ctx.fillRect(x(from), bbox.top, Math.max(devicePixelRatio, x(to) - x(from)), bbox.height);
  }
  if (limit !== undefined) {
    ctx.strokeStyle = colourOf('--bad');
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    const y = chart.valToPos(limit, 'y', true);
    strokeLine(ctx, [bbox.left, y], [right, y]);
  }
  ctx.restore();
}

/** The moment that was chosen on the charts of a page. */
export function drawPin(chart: uPlot, time: number): void {
  const { ctx, bbox } = chart;
  const x = Math.round(chart.valToPos(time, 'x', true));
  if (x < bbox.left || x > bbox.left + bbox.width) return;
  ctx.save();
  ctx.strokeStyle = colourOf('--focus');
  strokeLine(ctx, [x, bbox.top], [x, bbox.top + bbox.height]);
  ctx.restore();
}

function strokeLine(ctx: CanvasRenderingContext2D, from: [number, number], to: [number, number]): void {
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
}

/** As tall as the room above the plot. */
export const rowHeight = 13;

export function drawMarks(chart: uPlot, marks: readonly ChartMark[], font: string): void {
  const { ctx, bbox } = chart;
  const pixel = devicePixelRatio;
  const right = bbox.left + bbox.width;
  ctx.save();
  ctx.font = font.replace(/^\d+px/, `${11 * pixel}px`);
  ctx.textAlign = 'left';
  ctx.textBaseline = 'top';
  const shown = marks
    .map((mark) => ({ ...mark, x: Math.round(chart.valToPos(mark.time, 'x', true)) }))
    .filter(({ x }) => x >= bbox.left && x <= right)
    .map((mark) => ({ ...mark, width: ctx.measureText(mark.name).width }));
  for (const { x, kind } of shown) {
    ctx.strokeStyle = markColour(kind);
    ctx.setLineDash(kind === 'conflict' ? [4 * pixel, 3 * pixel] : []);
    strokeLine(ctx, [x, bbox.top], [x, bbox.top + bbox.height]);
  }
  const places = placeLabels(shown, { left: bbox.left, right, gap: 3 * pixel, rows: 2 });
  for (const [index, { width, kind, name }] of shown.entries()) {
    const place = places[index];
    if (!place) continue;
    // The first row stands above the plot, where no values are.
    const top = bbox.top + (place.row - 1) * rowHeight * pixel;
    ctx.fillStyle = withAlpha(colourOf('--surface'), 0.7);
    ctx.fillRect(place.start - pixel, top, width + 2 * pixel, rowHeight * pixel);
    ctx.fillStyle = markColour(kind);
    ctx.fillText(name, place.start, top + pixel);
  }
  ctx.restore();
}

function markColour(kind: ChartMark['kind']): string {
  return colourOf(kind === 'conflict' ? '--bad' : '--ink-soft');
}
