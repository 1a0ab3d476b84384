// Devices as small points around the access points that serve them. Where they really are is unknown: a point stands where the
// strength of what the device hears puts it, and goes there when that changes or another access point takes over.
import type { Technology } from '../api/client.ts';
import { colourOf } from '../styles/theme.ts';
import { type DrawnDevice, devicePlace } from './draw-device.ts';
import { technologyColour } from './draw-items.ts';
import type { MapView } from './map-canvas.ts';
import type { WorldPlace } from './mercator.ts';

const moveMs = 1_200;
const radius = 3;
/** Away from the middle of a marker, so that the points of one access point are a cloud around it. */
const around = { least: 15, more: 14 };

interface MovingPoint {
  servedBy: string;
  technology: Technology | undefined;
  from: WorldPlace;
  to: WorldPlace;
  since: number;
  /** On the canvas. */
  dx: number;
  dy: number;
}

export type PlaceOf = (ap_id: string) => (WorldPlace & { technology: Technology | undefined }) | undefined;

export class DevicePoints {
  #points = new Map<string, MovingPoint>();

  /** Those that are not attached have no point. Without motion they are where they go at once. */
  set(devices: readonly DrawnDevice[], placeOf: PlaceOf, hasMotion: boolean, now = performance.now()): void {
    const before = this.#points;
    this.#points = new Map();
    for (const device of devices) {
      const servedBy = device.ties.find(({ isServing }) => isServing)?.ap_id;
      const to = servedBy === undefined ? undefined : devicePlace(device, placeOf);
      if (servedBy === undefined || !to) continue;
      const known = before.get(device.name);
      const from = hasMotion && known ? placeAt(known, now) : to;
      const { technology } = placeOf(servedBy) ?? {};
      this.#points.set(device.name, { servedBy, technology, from, to, since: now, ...offsetOf(device.name) });
    }
  }

  /** Where they are on the canvas, of access points that are shown by themselves, and whether they are on their way. */
  *spots(
    { scale, left, top, width, height }: Omit<MapView, 'context'>,
    isShown: (ap_id: string) => boolean,
    now: number,
  ) {
    for (const point of this.#points.values()) {
      if (!isShown(point.servedBy)) continue;
      const { technology, from, to, since, dx, dy } = point;
      const at = placeAt(point, now);
      const [x, y] = [at.x * scale - left + dx, at.y * scale - top + dy];
      if (x < 0 || y < 0 || x > width || y > height) continue;
      yield { x, y, technology, isMoving: now - since < moveMs && (from.x !== to.x || from.y !== to.y) };
    }
  }

  /** Returns whether one is on its way. */
  paint(view: MapView, isShown: (ap_id: string) => boolean): boolean {
    const { context } = view;
    let areMoving = false;
    const dots = new Map<Technology | undefined, Path2D>();
    for (const { x, y, technology, isMoving } of this.spots(view, isShown, performance.now())) {
      areMoving ||= isMoving;
      const path = dots.get(technology) ?? new Path2D();
      dots.set(technology, path);
      path.moveTo(x + radius, y);
      path.arc(x, y, radius, 0, 2 * Math.PI);
    }
    context.save();
    context.lineWidth = 1.5;
    context.strokeStyle = colourOf('--surface');
    for (const [technology, path] of dots) {
      context.fillStyle = technologyColour(technology);
      context.stroke(path);
      context.fill(path);
    }
    context.restore();
    return areMoving;
  }
}

function placeAt({ from, to, since }: MovingPoint, now: number): WorldPlace {
  const share = Math.min(1, Math.max(0, (now - since) / moveMs));
  const eased = share * share * (3 - 2 * share);
  return { x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased };
}

/** The same for a device whenever it is drawn. */
function offsetOf(name: string): { dx: number; dy: number } {
  let hash = 2_166_136_261;
  for (let n = 0; n < name.length; n++) hash = Math.imul(hash ^ name.charCodeAt(n), 16_777_619) >>> 0;
  const angle = ((hash % 360) * Math.PI) / 180;
  const distance = around.least + ((hash >>> 9) % around.more);
  return { dx: Math.cos(angle) * distance, dy: Math.sin(angle) * distance };
}
