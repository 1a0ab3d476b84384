// Devices that would change their access point, as arrows with their number; those that no other would take are told where they
// are lost.
import type { PlannedMove } from '../components/look-ahead.tsx';
import { colourOf, withAlpha } from '../styles/theme.ts';
import type { Spot } from './draw-device.ts';
import { drawLabel, markerRadius } from './draw-items.ts';

export interface MoveShape extends Pick<PlannedMove, 'words'> {
  from: Spot;
  /** The point of the arrow; absent: there is none. */
  to?: Spot;
  /** Where the middle of its words is: behind where it points to, away from other arrows. */
  label: Spot;
}

const gap = markerRadius + 4;
const head = 9;
const halfLetter = 3.3;

/** On the canvas, from the edge of one marker to that of the other. Those whose markers are one, or that have no place, have none. */
export function moveShapes(moves: readonly PlannedMove[], spotOf: (ap_id: string) => Spot | undefined): MoveShape[] {
  return moves.flatMap(({ from, to, words }): MoveShape[] => {
    const [start, end] = [spotOf(from), to === undefined ? undefined : spotOf(to)];
    if (!start || (to !== undefined && !end)) return [];
    if (!end) return [{ from: start, label: { x: start.x, y: start.y - gap - 12 }, words }];
    const [dx, dy] = [end.x - start.x, end.y - start.y];
    const length = Math.hypot(dx, dy);
    if (length <= 2 * gap) return [];
    const at = (pixels: number) => ({ x: start.x + (dx * pixels) / length, y: start.y + (dy * pixels) / length });
    const beyond = at(length + gap + 6 + (Math.abs(dx) / length) * words.length * halfLetter);
    return [{ from: at(gap), to: at(length - gap), label: beyond, words }];
  });
}

export function drawMove(context: CanvasRenderingContext2D, { from, to, label, words }: MoveShape): void {
  context.save();
  context.lineCap = 'round';
  context.lineJoin = 'round';
  for (const [width, colour] of [
    [7, withAlpha(colourOf('--surface'), 0.85)],
    [3, colourOf(to ? '--focus' : '--bad')],
  ] as const) {
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.beginPath();
    if (to) arrow(context, from, to);
    else context.arc(from.x, from.y, gap, 0, 2 * Math.PI);
    context.stroke();
  }
  context.restore();
  drawLabel(context, label.x, label.y - 6, to ? words : `✕ ${words}`);
}

function arrow(context: CanvasRenderingContext2D, from: Spot, to: Spot): void {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  for (const side of [-1, 1]) {
    context.moveTo(to.x, to.y);
    context.lineTo(to.x - head * Math.cos(angle + side * 0.5), to.y - head * Math.sin(angle + side * 0.5));
  }
}
