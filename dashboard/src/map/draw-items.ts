// Access points and clusters on a canvas, with the shapes and fillings that the rest of the dashboard uses: the shape tells
// the technology, the filling whether it is there.
import type { Presence, Technology } from '../api/operations.ts';
import { colourOf, withAlpha } from '../components/colours.ts';
import { glyphOutlines } from '../components/glyph.tsx';
import { formatNumber } from '../format/numbers.ts';
import type { ClusterItem } from './clusters.ts';

export const markerRadius = 11;
const glyphUnits = 16;
const outlines = new Map<string, Path2D>();
const colourNames: Record<Technology | 'unknown', string> = {
  '5G': '--tech-5g',
  WiFi: '--tech-wifi',
  LiFi: '--tech-lifi',
  unknown: '--tech-unknown',
};

export function technologyColour(technology: Technology | undefined): string {
  return colourOf(colourNames[technology ?? 'unknown']);
}

export function drawMarker(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  { technology, presence }: { technology: Technology | undefined; presence: Presence },
): void {
  const shape = outlineOf(technology ?? 'unknown');
  const colour = technologyColour(technology);
  const factor = (markerRadius * 2) / (glyphUnits + 2);
  context.save();
  context.translate(x - (glyphUnits / 2) * factor, y - (glyphUnits / 2) * factor);
  context.scale(factor, factor);
  context.lineJoin = 'round';
  context.strokeStyle = colourOf('--surface');
  context.lineWidth = 4.5;
  context.stroke(shape);
  context.fillStyle = presence === 'online' ? colour : colourOf('--surface');
  context.fill(shape);
  if (presence === 'late') {
    context.save();
    context.beginPath();
    context.rect(0, 0, glyphUnits / 2, glyphUnits);
    context.clip();
    context.fillStyle = colour;
    context.fill(shape);
    context.restore();
  }
  context.strokeStyle = presence === 'offline' ? colourOf('--bad') : colour;
  context.lineWidth = presence === 'offline' ? 2 : 1.5;
  context.stroke(shape);
  context.restore();
}

function outlineOf(name: Technology | 'unknown'): Path2D {
  let path = outlines.get(name);
  if (!path) {
    path = new Path2D(glyphOutlines[name]);
    outlines.set(name, path);
  }
  return path;
}

export function clusterRadius({ points }: ClusterItem): number {
  return 15 + Math.min(11, Math.log2(points.length) * 1.5);
}

/** A disc with its count; around it a ring whose parts are the shares of the states. */
export function drawCluster(context: CanvasRenderingContext2D, x: number, y: number, item: ClusterItem): void {
  const radius = clusterRadius(item);
  context.save();
  context.fillStyle = colourOf('--surface');
  disc(context, x, y, radius + 3.5);
  // Like the glyphs: thick where it is there, thinner where late, a broken line where not.
  const parts = [
    { state: 'online', colour: '--good', width: 5, dash: [] },
    { state: 'late', colour: '--late', width: 3, dash: [] },
    { state: 'offline', colour: '--bad', width: 2.5, dash: [3, 2] },
  ] as const;
  let angle = -Math.PI / 2;
  for (const { state, colour, width, dash } of parts) {
    const share = item.states[state] / item.points.length;
    if (share === 0) continue;
    const gap = share === 1 ? 0 : 0.07;
    const end = angle + share * 2 * Math.PI;
    context.beginPath();
    context.arc(x, y, radius, angle + gap, Math.max(angle + gap + 0.02, end - gap));
    context.strokeStyle = colourOf(colour);
    context.lineWidth = width;
    context.setLineDash([...dash]);
    context.stroke();
    angle = end;
  }
  context.fillStyle = colourOf('--ink');
  context.font = `600 12px ${fontFamily()}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(formatNumber(item.points.length), x, y + 0.5);
  context.restore();
}

/** A name beside its marker, readable on whatever lies under it. */
export function drawLabel(context: CanvasRenderingContext2D, x: number, y: number, text: string): void {
  context.save();
  context.font = `500 12px ${fontFamily()}`;
  context.textAlign = 'center';
  context.textBaseline = 'top';
  context.lineJoin = 'round';
  context.lineWidth = 3.5;
  context.strokeStyle = colourOf('--map-land');
  context.strokeText(text, x, y);
  context.fillStyle = colourOf('--ink');
  context.fillText(text, x, y);
  context.restore();
}

export function drawSelection(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.save();
  context.strokeStyle = colourOf('--focus');
  context.lineWidth = 2.5;
  context.beginPath();
  context.arc(x, y, radius + 5, 0, 2 * Math.PI);
  context.stroke();
  context.restore();
}

export function drawCoverage(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  technology: Technology | undefined,
): void {
  const colour = technologyColour(technology);
  context.save();
  context.fillStyle = withAlpha(colour, 0.12);
  context.strokeStyle = withAlpha(colour, 0.7);
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  disc(context, x, y, radius);
  context.stroke();
  context.restore();
}

/** `progress` runs from 0 to 1. */
export function drawPulse(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  presence: Presence,
  progress: number,
): void {
  const colour = colourOf(presence === 'online' ? '--good' : presence === 'late' ? '--late' : '--bad');
  context.save();
  context.strokeStyle = withAlpha(colour, 1 - progress);
  context.lineWidth = 3;
  context.beginPath();
  context.arc(x, y, markerRadius + 2 + 22 * progress, 0, 2 * Math.PI);
  context.stroke();
  context.restore();
}

function disc(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

let family: string | undefined;
function fontFamily(): string {
  family ??= getComputedStyle(document.body).fontFamily;
  return family;
}
