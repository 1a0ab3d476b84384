// Access points and clusters on a canvas, with the shapes and fillings that the rest of the dashboard uses: the shape tells
// the technology, the filling whether it is there, the edge whether something is wrong.
import type { Technology } from '../api/client.ts';
import { glyphOutlines, technologyToken } from '../components/glyph.tsx';
import { type ShownLook, type ShownState, worstOf } from '../data/agents.ts';
import { formatNumber } from '../format.ts';
import { colourOf, fontFamily, withAlpha } from '../styles/theme.ts';
import type { ClusterItem, MapPoint } from './clusters.ts';
import { cssOf, inkOn, type Rgb } from './radio-colours.ts';

export const markerRadius = 11;
const glyphUnits = 16;
const paths = new Map<string, Path2D>();
/** What is not here is well, and has its own colour. */
const outlines: Partial<Record<ShownLook, string>> = {
  ...{ offline: '--bad', bad: '--bad', late: '--late', degraded: '--late', never: '--ink-faint', ended: '--ink-faint' },
};

export function technologyColour(technology: Technology | undefined): string {
  return colourOf(technologyToken(technology));
}

/** At the origin. `shade`: the colour of its metric instead of that of its technology; null if it has no value. */
export function drawMarker(
  context: CanvasRenderingContext2D,
  { technology, state, look }: Pick<MapPoint, 'technology' | 'state' | 'look'>,
  shade?: Rgb | null,
): void {
  const shape = outlineOf(technology ?? 'unknown');
  const colour = shade === undefined ? technologyColour(technology) : shade ? cssOf(shade) : colourOf('--ink-faint');
  const outline = outlines[look] ?? colour;
  const factor = (markerRadius * 2) / (glyphUnits + 2);
  context.save();
  context.translate((-glyphUnits / 2) * factor, (-glyphUnits / 2) * factor);
  context.scale(factor, factor);
  context.lineJoin = 'round';
  context.strokeStyle = colourOf('--surface');
  context.lineWidth = 4.5;
  context.stroke(shape);
  context.fillStyle = state === 'online' && shade !== null ? colour : colourOf('--surface');
  context.fill(shape);
  if (state === 'late') {
    context.save();
    context.beginPath();
    context.rect(0, 0, glyphUnits / 2, glyphUnits);
    context.clip();
    context.fillStyle = colour;
    context.fill(shape);
    context.restore();
  }
  if (state === 'asleep') {
    context.fillStyle = withAlpha(colour, 0.25);
    context.fill(shape);
  }
  context.strokeStyle = outline.startsWith('--') ? colourOf(outline) : outline;
  context.lineWidth = look in outlines ? 2 : 1.5;
  context.stroke(shape);
  context.restore();
}

function outlineOf(name: Technology | 'unknown'): Path2D {
  let path = paths.get(name);
  if (!path) {
    path = new Path2D(glyphOutlines[name]);
    paths.set(name, path);
  }
  return path;
}

export function clusterRadius({ points }: ClusterItem): number {
  return 15 + Math.min(11, Math.log2(points.length) * 1.5);
}

/** In this order, the worst first. */
const ring: [look: ShownLook, colour: string, width: number, dash?: number[]][] = [
  ['offline', '--bad', 6],
  ['bad', '--bad', 5],
  ['late', '--late', 5],
  ['degraded', '--late', 4],
  ['never', '--ink-faint', 3, [3, 2]],
  ['asleep', '--ink-faint', 3],
  ['online', '--good', 4],
  ['ended', '--line-strong', 2, [3, 2]],
];
/** No look that is there is smaller than this on the ring: one of fifty must be seen. */
const leastShare = 0.12;

/**
 * At the origin: a disc with its count; around it a ring whose parts are the shares of the looks. The worst is named: the disc has its
 * colour, and how many have it stands beside.
 */
export function drawCluster(context: CanvasRenderingContext2D, item: ClusterItem, shade?: Rgb | null): void {
  const radius = clusterRadius(item);
  const worst = worstOf(item.looks);
  const trouble = outlines[worst] === '--ink-faint' ? undefined : outlines[worst];
  context.save();
  context.fillStyle = colourOf('--surface');
  disc(context, 0, 0, radius + 3.5);
  context.fillStyle = shade ? cssOf(shade) : colourOf(trouble ? `${trouble}-wash` : '--surface');
  disc(context, 0, 0, radius - 1);
  const shares = ringShares(item);
  let angle = -Math.PI / 2;
  for (const [look, colour, width, dash = []] of ring) {
    const share = shares[look];
    if (share === 0) continue;
    const gap = share === 1 ? 0 : 0.07;
    const end = angle + share * 2 * Math.PI;
    context.beginPath();
    context.arc(0, 0, radius, angle + gap, Math.max(angle + gap + 0.02, end - gap));
    context.strokeStyle = colourOf(colour);
    context.lineWidth = width;
    context.setLineDash(dash);
    context.stroke();
    angle = end;
  }
  context.fillStyle = shade ? inkOn(shade) : colourOf('--ink');
  writeCount(context, 0, 0, item.points.length);
  if (trouble && item.looks[worst] < item.points.length) {
    const [right, above] = [radius * 0.8, -radius * 0.8];
    context.setLineDash([]);
    context.fillStyle = colourOf(trouble);
    disc(context, right, above, 9);
    context.fillStyle = colourOf('--ink-inverse');
    writeCount(context, right, above, item.looks[worst], 10);
  }
  context.restore();
}

/** The shares of the looks, with room for each that is there. */
export function ringShares({ looks, points }: Pick<ClusterItem, 'looks' | 'points'>): Record<ShownLook, number> {
  const raised = ring.map(([look]) => {
    const share = looks[look] / points.length;
    return [look, share === 0 ? 0 : Math.max(share, leastShare)] as const;
  });
  const sum = raised.reduce((total, [, share]) => total + share, 0);
  return Object.fromEntries(raised.map(([look, share]) => [look, share / sum])) as Record<ShownLook, number>;
}

function writeCount(context: CanvasRenderingContext2D, x: number, y: number, count: number, size = 12): void {
  context.font = `600 ${size}px ${fontFamily()}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(formatNumber(count), x, y + 0.5);
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

const pulses: Partial<Record<ShownState, string>> = { online: '--good', late: '--late', offline: '--bad' };

/** `progress` runs from 0 to 1. */
export function drawPulse(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  state: ShownState,
  progress: number,
): void {
  const colour = colourOf(pulses[state] ?? '--ink-faint');
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
