// What lies under the access points, without any server of maps: land and borders of the whole world, names of places, and
// close up a grid of metres. Coarse shapes come first; finer ones when somebody looks closer.
import type { Map as LeafletMap } from 'leaflet';
import * as L from 'leaflet';
import { feature, mesh } from 'topojson-client';
import fineAddress from 'world-atlas/countries-50m.json?url';
import coarseAddress from 'world-atlas/countries-110m.json?url';
import { setup, wantSetup } from '../session/sign-in.ts';
import { colourOf, withAlpha } from '../styles/theme.ts';
import type { MapView } from './map-canvas.ts';
import { type Box, type GeoPlace, metresPerPixel, roundStep, toGeo, toWorld, worldPerMetre } from './mercator.ts';
import { PlaceNames } from './place-names.ts';

const maxNativeZoom = 19;

export async function addTiles(map: L.Map): Promise<void> {
  await wantSetup();
  const tiles = setup.peek()?.map_tiles;
  // It may have been removed meanwhile.
  if (!tiles || !map.getPane('mapPane')) return;
  // No address of a page, and so no name of an access point, goes to the map server.
  const options: L.TileLayerOptions = { maxNativeZoom, maxZoom: map.getMaxZoom(), referrerPolicy: 'no-referrer' };
  L.tileLayer(tiles.url, options).addTo(map);
}

/** Whose pictures they are, as the map server asks to be named. */
export function tileCredit(): string {
  return setup.value?.map_tiles?.attribution ?? '';
}

/** To be called when the element of the map leaves the page; the element cannot get another map. */
export function removeMap(map: LeafletMap): void {
  // Timers that were set before run before, and so do frames that were asked for before.
  setTimeout(() => {
    requestAnimationFrame(() => {
      const isZooming = map.getPane('mapPane')?.classList.contains('leaflet-zoom-anim');
      if (!isZooming) map.remove();
      // What comes with the end of the zoom comes first.
      else map.once('zoomend', () => queueMicrotask(() => map.remove()));
    });
  }, map.options.wheelDebounceTime);
}

type World = Parameters<typeof mesh>[0];
type Ring = number[][];
type Geometry = { type: 'Polygon'; coordinates: Ring[] } | { type: 'MultiPolygon'; coordinates: Ring[][] };

interface Shape extends Box {
  path: Path2D;
}

interface Shapes {
  land: Shape[];
  borders: Shape[];
}

/** Shapes are kept in units of this many to the world: fine enough for every zoom that shows them. */
const units = 4096;
const settleMs = 60;
const fineFromZoom = 4.5;
/** Coasts are right to a few kilometres: closer than this they would only mislead. */
const landUntilZoom = 9;
const groundFromZoom = 11;
const gridFromZoom = 11;
const gridPixels = 56;

export class BaseMap {
  readonly #onChange: () => void;
  readonly #shapes = new Map<string, Shapes | 'loading'>();
  readonly #names: PlaceNames;
  #wanted = coarseAddress;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    this.#names = new PlaceNames(onChange);
  }

  /** What the place is near to, for those who cannot see names on the map. */
  near(place: GeoPlace): string | undefined {
    return this.#names.near(place);
  }

  /** `avoid`: what will stand on it; names go beside. */
  paint(view: MapView, avoid: readonly Box[] = []): void {
    const { context, width, height, zoom } = view;
    const landShare = Math.max(0, Math.min(1, (groundFromZoom - zoom) / (groundFromZoom - landUntilZoom)));
    context.fillStyle = colourOf('--map-land');
    context.fillRect(0, 0, width, height);
    if (landShare > 0) this.#paintWorld(view, landShare);
    if (zoom >= gridFromZoom) paintGrid(view);
    this.#names.paint(view, avoid);
  }

  #paintWorld(view: MapView, share: number): void {
    const { context, width, height, zoom, scale, left, top } = view;
    const shapes = this.#get(zoom);
    context.save();
    context.fillStyle = withAlpha(colourOf('--map-sea'), share);
    context.fillRect(0, 0, width, height);
    if (shapes) {
      const unit = scale / units;
      context.translate(-left, -top);
      context.scale(unit, unit);
      const isVisible = (shape: Shape) =>
        shape.right * unit > left &&
        shape.left * unit < left + width &&
        shape.bottom * unit > top &&
        shape.top * unit < top + height;
      context.fillStyle = colourOf('--map-land');
      context.strokeStyle = withAlpha(colourOf('--map-coast'), share);
      context.lineWidth = 1 / unit;
      for (const shape of shapes.land.filter(isVisible)) {
        context.fill(shape.path);
        context.stroke(shape.path);
      }
      context.strokeStyle = withAlpha(colourOf('--map-border'), share);
      for (const shape of shapes.borders.filter(isVisible)) context.stroke(shape.path);
    }
    context.restore();
  }

  #get(zoom: number): Shapes | undefined {
    const [wanted, other] = zoom >= fineFromZoom ? [fineAddress, coarseAddress] : [coarseAddress, fineAddress];
    this.#wanted = wanted;
    // A map comes to its place in steps: what is wanted only on the way is not loaded.
    if (!this.#shapes.has(wanted)) this.#timer ??= setTimeout(() => this.#loadWanted(), settleMs);
    const found = this.#shapes.get(wanted);
    if (found && found !== 'loading') return found;
    const instead = this.#shapes.get(other);
    return instead === 'loading' ? undefined : instead;
  }

  #loadWanted(): void {
    this.#timer = undefined;
    if (!this.#shapes.has(this.#wanted)) void this.#load(this.#wanted);
  }

  async #load(address: string): Promise<void> {
    this.#shapes.set(address, 'loading');
    try {
      const response = await fetch(address, { credentials: 'omit' });
      if (!response.ok) throw new Error(`status ${response.status}`);
      this.#shapes.set(address, toShapes((await response.json()) as World));
      this.#onChange();
    } catch {
      // The access points are what matters; land is tried for again when it is next needed.
      this.#shapes.delete(address);
    }
  }
}

function toShapes(world: World): Shapes {
  const land = feature(world, world.objects.land!) as unknown as { features: { geometry: Geometry }[] };
  const polygons = land.features.flatMap(({ geometry }) =>
    geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates,
  );
  const borders = mesh(world, world.objects.countries as Parameters<typeof mesh>[1], (a, b) => a !== b).coordinates;
  return {
    land: polygons.flatMap((rings) => toShape(rings, true)),
    borders: borders.flatMap((line) => toShape([line], false)),
  };
}

/** A shape that goes over the edge of the flat world is there twice, once at either edge. */
function toShape(lines: number[][][], isClosed: boolean): Shape[] {
  const unwrapped = lines.map((line) => unwrap(line));
  const xs = unwrapped.flat().map(([x]) => x);
  const left = Math.min(...xs);
  const right = Math.max(...xs);
  const shifts = [0, ...(left < 0 ? [units] : []), ...(right > units ? [-units] : [])];
  return shifts.map((shift) => {
    const shape: Shape = { path: new Path2D(), left: left + shift, right: right + shift, top: units, bottom: 0 };
    for (const line of unwrapped) {
      for (const [index, [x, y]] of line.entries()) {
        if (index === 0) shape.path.moveTo(x + shift, y);
        else shape.path.lineTo(x + shift, y);
        shape.top = Math.min(shape.top, y);
        shape.bottom = Math.max(shape.bottom, y);
      }
      if (isClosed) shape.path.closePath();
    }
    return shape;
  });
}

/** Steps of more than half the world go round the other way. What goes round a pole is closed along the edge there. */
function unwrap(line: number[][]): [x: number, y: number][] {
  let turn = 0;
  let before: number | undefined;
  const points = line.map(([longitude, latitude]): [number, number] => {
    if (before !== undefined && Math.abs(longitude! - before) > 180) turn += longitude! > before ? -360 : 360;
    before = longitude!;
    const { x, y } = toWorld({ latitude: latitude!, longitude: longitude! + turn });
    return [x * units, y * units];
  });
  if (turn !== 0 && line.length > 3 && String(line[0]) === String(line.at(-1))) {
    const edge = points[0]![1] > units / 2 ? units : 0;
    points.push([points.at(-1)![0], edge], [points[0]![0], edge]);
  }
  return points;
}

/** Metres between two lines of the grid at this place and zoom; undefined where none is drawn. */
export function gridMetres(latitude: number, zoom: number): number | undefined {
  return zoom < gridFromZoom ? undefined : roundStep(metresPerPixel(latitude, zoom) * gridPixels);
}

function paintGrid({ context, width, height, zoom, scale, left, top }: MapView): void {
  const { latitude } = toGeo({ x: 0.5, y: (top + height / 2) / scale });
  // A metre is drawn larger in the north; the grid keeps to one size and one origin within a tenth of a degree.
  const reference = Math.round(latitude * 10) / 10;
  const step = (gridMetres(reference, zoom) ?? 1) * worldPerMetre(reference) * scale;
  const origin = toWorld({ latitude: reference, longitude: 0 });
  const lines = (start: number, size: number, offset: number, draw: (at: number, isMain: boolean) => void) => {
    const first = Math.ceil((start - offset) / step);
    const last = Math.floor((start + size - offset) / step);
    for (let index = first; index <= last; index++) {
      draw(Math.round(offset + index * step - start) + 0.5, index % 5 === 0);
    }
  };
  for (const isMainTurn of [false, true]) {
    context.strokeStyle = colourOf(isMainTurn ? '--map-grid-main' : '--map-grid');
    context.lineWidth = 1;
    context.beginPath();
    lines(left, width, origin.x * scale, (x, isMain) => {
      if (isMain !== isMainTurn) return;
      context.moveTo(x, 0);
      context.lineTo(x, height);
    });
    lines(top, height, origin.y * scale, (y, isMain) => {
      if (isMain !== isMainTurn) return;
      context.moveTo(0, y);
      context.lineTo(width, y);
    });
    context.stroke();
  }
}
