// A device on the map. Its position is unknown: it stands among the access points that serve it and that it hears, nearer to the
// stronger ones, with a solid line to each that serves it and a dotted one to those that it only hears.
import type { Device, Technology } from '../api/client.ts';
import { colourOf, withAlpha } from '../styles/theme.ts';
import { drawLabel, markerRadius, technologyColour } from './draw-items.ts';
import type { WorldPlace } from './mercator.ts';

export interface DeviceTie {
  ap_id: string;
  isServing: boolean;
  rssi_dbm: number | null;
}

export interface DrawnDevice {
  name: string;
  ties: readonly DeviceTie[];
}

/** Each access point once; one that serves it is not told again as heard. */
export function toDrawnDevice({ device, links, heard }: Pick<Device, 'device' | 'links' | 'heard'>): DrawnDevice {
  const ties = new Map<string, DeviceTie>();
  for (const { ap_id, rssi_dbm } of heard) {
    if (ap_id !== undefined && !ties.has(ap_id)) ties.set(ap_id, { ap_id, isServing: false, rssi_dbm });
  }
  for (const { ap_id, rssi_dbm } of links) ties.set(ap_id, { ap_id, isServing: true, rssi_dbm });
  return { name: device, ties: [...ties.values()] };
}

/** As loud as one that is hardly heard. */
const unknownDbm = -95;
/** Who serves it is near, whatever the others say. */
const servingShare = 3;

/** Undefined if none of its access points has a place. */
export function devicePlace(
  { ties }: DrawnDevice,
  placeOf: (ap_id: string) => WorldPlace | undefined,
): WorldPlace | undefined {
  let sum = 0;
  const place = { x: 0, y: 0 };
  for (const { ap_id, isServing, rssi_dbm } of ties) {
    const at = placeOf(ap_id);
    if (!at) continue;
    // The field falls with the distance: the root of the power.
    const weight = 10 ** ((rssi_dbm ?? unknownDbm) / 20) * (isServing ? servingShare : 1);
    sum += weight;
    place.x += at.x * weight;
    place.y += at.y * weight;
  }
  return sum > 0 ? { x: place.x / sum, y: place.y / sum } : undefined;
}

export const deviceRadius = 10;

/** On the canvas. */
export interface Spot {
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
