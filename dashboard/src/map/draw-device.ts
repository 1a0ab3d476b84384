// A device and its links on a canvas: a solid line to each access point that serves it, a dotted one to those that it only hears.
import type { Technology } from '../api/operations.ts';
import { colourOf, withAlpha } from '../components/colours.ts';
import { drawLabel, markerRadius, technologyColour } from './draw-items.ts';

export const deviceRadius = 10;

interface Spot {
  x: number;
  y: number;
}

/** How far it stands from an access point at least: its mark must not hide the other. */
const leastDistance = markerRadius + deviceRadius + 14;

/** Away from a marker that it would cover, to the right above. */
export function besideMarkers(spot: Spot, markers: readonly Spot[]): Spot {
  const covered = markers.find(({ x, y }) => Math.hypot(x - spot.x, y - spot.y) < leastDistance);
  return covered ? { x: covered.x + leastDistance * 0.8, y: covered.y - leastDistance * 0.8 } : spot;
}

export function drawTie(
  context: CanvasRenderingContext2D,
  from: Spot,
  to: Spot,
  { technology, isServing }: { technology: Technology | undefined; isServing: boolean },
): void {
  context.save();
  const line = (width: number, colour: string) => {
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    context.stroke();
  };
  context.lineCap = 'round';
  if (isServing) {
    line(7, withAlpha(colourOf('--surface'), 0.85));
    line(4, technologyColour(technology));
  } else {
    context.setLineDash([2, 7]);
    line(2, technologyColour(technology));
  }
  context.restore();
}

export function drawDevice(context: CanvasRenderingContext2D, { x, y }: Spot, name: string): void {
  context.save();
  context.fillStyle = colourOf('--ink');
  context.strokeStyle = colourOf('--surface');
  context.lineWidth = 3;
  context.beginPath();
  context.roundRect(x - 7, y - deviceRadius, 14, deviceRadius * 2, 3);
  context.stroke();
  context.fill();
  context.fillStyle = colourOf('--surface');
  context.fillRect(x - 4.5, y - deviceRadius + 3, 9, deviceRadius * 2 - 9);
  context.restore();
  // Above it: names of access points stand below theirs.
  drawLabel(context, x, y - deviceRadius - 18, name);
}
