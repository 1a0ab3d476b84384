// The access points on the map: what is drawn of them at the present zoom, which of them lies under the pointer, and the one
// pulse of a marker whose state has changed.
import type { PlannedMove } from '../components/look-ahead.tsx';
import { agentName, coverageOf, isInService, lookOf, type ShownState } from '../data/agents.ts';
import type { FleetAgent } from '../data/fleet.ts';
import { cityZoom, clusterPoints, type MapItem, type MapPoint } from './clusters.ts';
import { DevicePoints } from './device-points.ts';
import { besideMarkers, type DrawnDevice, devicePlace, drawDevice, drawTie } from './draw-device.ts';
import {
  clusterRadius,
  drawCluster,
  drawCoverage,
  drawLabel,
  drawMarker,
  drawPulse,
  drawSelection,
  markerRadius,
} from './draw-items.ts';
import { drawMove, moveShapes } from './draw-moves.ts';
import type { MapView } from './map-canvas.ts';
import {
  type Box,
  boxAround,
  overlaps,
  toGeo,
  toWorld,
  type WorldPlace,
  worldPerMetre,
  worldSize,
} from './mercator.ts';
import { type Shading, shadeOf } from './radio-colours.ts';
import type { RadioPicture } from './radio-picture.ts';

const pulseMs = 900;
const labelsFromZoom = 17;
const maxLabels = 60;
const reachPixels = 8;
/** A radio map is to be seen: on one that is as wide as this, in pixels, markers are small, and only those that overlap are one. */
export const widePicture = 160;
const apartOnPicture = 14;
const sizesOnPicture = { marker: 0.55, cluster: 0.7 };

interface PlacedItem {
  item: MapItem;
  /** On the canvas. */
  x: number;
  y: number;
  size: number;
}

export class FleetLayer {
  #agents = new Map<string, FleetAgent>();
  #points: MapPoint[] = [];
  #placed = new Map<string, MapPoint>();
  readonly #items = new Map<number, MapItem[]>();
  readonly #pulses = new Map<string, { from: number; state: ShownState }>();
  /** Marked: the chosen one has a ring; those that are pointed at show how far they reach. */
  selected: string | undefined;
  pointed: string | undefined;
  /** A device that was chosen, with its links. */
  device: DrawnDevice | undefined;
  moves: readonly PlannedMove[] = [];
  readonly #devicePoints = new DevicePoints();
  /** Colours by a metric instead of by technology. */
  shading: Shading | undefined;
  /** The part of the world's width that a picture under the access points has. */
  #pictureWidth = 0;
  /** Whether those that are marked show how far they reach. */
  readonly #hasCoverage: boolean;

  constructor({ hasCoverage }: { hasCoverage: boolean }) {
    this.#hasCoverage = hasCoverage;
  }

  get points(): readonly MapPoint[] {
    return this.#points;
  }

  /** `hasMotion` false: a change of state shows at once and nothing moves. */
  set(agents: readonly FleetAgent[], hasMotion: boolean): void {
    const before = this.#placed;
    this.#agents = new Map(agents.map((agent) => [agent.ap_id, agent]));
    this.#points = agents.flatMap(({ ap_id, technology, state, health, geolocation }) =>
      geolocation ? [{ ap_id, technology, state, look: lookOf(state, health), ...toWorld(geolocation) }] : [],
    );
    this.#placed = new Map(this.#points.map((point) => [point.ap_id, point]));
    this.#items.clear();
    if (!hasMotion) return;
    const from = performance.now();
    for (const { ap_id, state } of this.#points) {
      const known = before.get(ap_id);
      if (known && known.state !== state) this.#pulses.set(ap_id, { from, state });
    }
  }

  placeOf(ap_id: string): MapPoint | undefined {
    return this.#placed.get(ap_id);
  }

  setDevices(devices: readonly DrawnDevice[], hasMotion: boolean): void {
    this.#devicePoints.set(devices, (ap_id) => this.#placed.get(ap_id), hasMotion);
  }

  /** Returns whether it makes a difference to the access points. */
  setPicture(picture: RadioPicture | undefined): boolean {
    const width = picture ? (picture.bounds.east - picture.bounds.west) / 360 : 0;
    const isOther = width !== this.#pictureWidth;
    this.#pictureWidth = width;
    if (isOther) this.#items.clear();
    return isOther;
  }

  items(zoom: number): MapItem[] {
    const whole = Math.floor(zoom);
    let items = this.#items.get(whole);
    if (!items) {
      items = clusterPoints(this.#points, whole, this.#isOnPicture(whole) ? apartOnPicture : undefined);
      this.#items.set(whole, items);
    }
    return items;
  }

  #isOnPicture(zoom: number): boolean {
    return zoom > cityZoom && this.#pictureWidth * worldSize(Math.floor(zoom)) >= widePicture;
  }

  #sizeOf({ kind }: MapItem, zoom: number): number {
    return this.#isOnPicture(zoom) ? sizesOnPicture[kind] : 1;
  }

  /** What lies at this place of the world, given in its pixels at this zoom. */
  find(x: number, y: number, zoom: number): MapItem | undefined {
    const scale = worldSize(zoom);
    let found: MapItem | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const item of this.items(zoom)) {
      const isMarker = item.kind === 'marker';
      const distance = Math.hypot(
        item.x * scale + (isMarker ? item.dx : 0) - x,
        item.y * scale + (isMarker ? item.dy : 0) - y,
      );
      const reach = radiusOf(item) * this.#sizeOf(item, zoom) + reachPixels;
      if (distance <= reach && distance < least) {
        least = distance;
        found = item;
      }
    }
    return found;
  }

  /** Returns true while something moves and the next frame has to be painted too. */
  paint(view: MapView): boolean {
    const { context } = view;
    const visible = this.#visible(view);
    if (this.#hasCoverage) {
      for (const ap_id of new Set([this.selected, this.pointed])) this.#paintCoverage(view, ap_id);
    }
    const alone = new Set(visible.flatMap(({ item }) => (item.kind === 'marker' ? [item.point.ap_id] : [])));
    const areMoving = this.#devicePoints.paint(view, (ap_id) => alone.has(ap_id));
    const spot = this.#paintTies(view);
    for (const { item, x, y, size } of visible) {
      const ap_ids = item.kind === 'cluster' ? item.points.map(({ ap_id }) => ap_id) : [item.point.ap_id];
      const shade = this.shading && (shadeOf(this.shading, ap_ids) ?? null);
      context.save();
      context.translate(x, y);
      context.scale(size, size);
      if (item.kind === 'cluster') drawCluster(context, item, shade);
      else drawMarker(context, item.point, shade);
      context.restore();
    }
    const moved = this.#paintPulses(view, visible);
    for (const { item, x, y, size } of visible) {
      const isPointedCluster = item.kind === 'cluster' && holds(item, this.pointed);
      if (isPointedCluster || holds(item, this.selected)) drawSelection(context, x, y, radiusOf(item) * size);
    }
    this.#paintNames(view, visible);
    this.#paintMoves(view, visible);
    if (spot && this.device) drawDevice(context, spot, this.device.name);
    return moved || areMoving;
  }

  /** Where access points stand on the canvas. */
  boxes(view: MapView): Box[] {
    return this.#visible(view).map(({ item, x, y, size }) => boxAround(x, y, radiusOf(item) * size));
  }

  #visible({ width, height, zoom, scale, left, top }: MapView): PlacedItem[] {
    const slack = 40;
    return this.items(zoom)
      .map((item) => ({
        item,
        size: this.#sizeOf(item, zoom),
        x: item.x * scale - left + (item.kind === 'marker' ? item.dx : 0),
        y: item.y * scale - top + (item.kind === 'marker' ? item.dy : 0),
      }))
      .filter(({ x, y }) => x > -slack && y > -slack && x < width + slack && y < height + slack);
  }

  /** Close up every marker carries its name where there is room for it; the one that is pointed at always does. */
  #paintNames({ context, zoom }: MapView, visible: readonly PlacedItem[]): void {
    const markers = visible.filter(({ item }) => item.kind === 'marker');
    const areNamed = zoom >= labelsFromZoom && markers.length <= maxLabels;
    const boxes = visible.map(({ item, x, y, size }) => boxAround(x, y, radiusOf(item) * size));
    for (const { item, x, y, size } of markers) {
      const isPointed = holds(item, this.pointed) || holds(item, this.selected);
      if (item.kind !== 'marker' || !(isPointed || areNamed)) continue;
      const text = agentName(item.point.ap_id);
      const top = y + markerRadius * size + 4;
      const half = (text.length * 6.6) / 2;
      const box = { left: x - half, right: x + half, top: top + 1, bottom: top + 14 };
      if (!isPointed && boxes.some((other) => overlaps(box, other))) continue;
      boxes.push(box);
      drawLabel(context, x, top, text);
    }
  }

  #paintCoverage({ context, scale, left, top }: MapView, ap_id: string | undefined): void {
    const point = ap_id === undefined ? undefined : this.#placed.get(ap_id);
    const agent = ap_id === undefined ? undefined : this.#agents.get(ap_id);
    const coverage = agent && coverageOf(agent.technology, agent.configuration);
    // Who serves no devices covers nothing.
    if (!point || !coverage || !isInService(point.state)) return;
    const radius = coverage.metres * worldPerMetre(toGeo(point).latitude) * scale;
    if (radius > markerRadius) {
      drawCoverage(context, point.x * scale - left, point.y * scale - top, radius, point.technology);
    }
  }

  /** The links of the chosen device; returns where it stands on the canvas. */
  #paintTies({ context, scale, left, top }: MapView): WorldPlace | undefined {
    const { device } = this;
    const place = device && devicePlace(device, (ap_id) => this.#placed.get(ap_id));
    if (!device || !place) return undefined;
    const onCanvas = ({ x, y }: WorldPlace) => ({ x: x * scale - left, y: y * scale - top });
    const ties = device.ties.flatMap((tie) => {
      const point = this.#placed.get(tie.ap_id);
      return point ? [{ isServing: tie.isServing, technology: point.technology, at: onCanvas(point) }] : [];
    });
    const spot = besideMarkers(
      onCanvas(place),
      ties.map(({ at }) => at),
    );
    for (const { at, ...tie } of ties) drawTie(context, at, spot, tie);
    return spot;
  }

  /** Between what is drawn of them: a marker beside its place, or a cluster. */
  #paintMoves({ context, scale, left, top }: MapView, visible: readonly PlacedItem[]): void {
    const spotOf = (ap_id: string) => {
      const point = this.#placed.get(ap_id);
      const drawn = visible.find(({ item }) => holds(item, ap_id));
      return drawn ?? (point && { x: point.x * scale - left, y: point.y * scale - top });
    };
    for (const shape of moveShapes(this.moves, spotOf)) drawMove(context, shape);
  }

  #paintPulses({ context }: MapView, visible: readonly PlacedItem[]): boolean {
    const at = performance.now();
    for (const [ap_id, { from }] of this.#pulses) if (at - from > pulseMs) this.#pulses.delete(ap_id);
    if (this.#pulses.size === 0) return false;
    for (const { item, x, y } of visible) {
      const points = item.kind === 'marker' ? [item.point] : item.points;
      const pulse = points.map(({ ap_id }) => this.#pulses.get(ap_id)).find((known) => known !== undefined);
      if (pulse) drawPulse(context, x, y, pulse.state, (at - pulse.from) / pulseMs);
    }
    return true;
  }
}

function holds(item: MapItem, ap_id: string | undefined): boolean {
  if (ap_id === undefined) return false;
  return item.kind === 'marker' ? item.point.ap_id === ap_id : item.points.some((point) => point.ap_id === ap_id);
}

function radiusOf(item: MapItem): number {
  return item.kind === 'marker' ? markerRadius : clusterRadius(item) + 4;
}
