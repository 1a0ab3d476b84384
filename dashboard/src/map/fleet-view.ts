// The map as an object: Leaflet for moving and zooming, one canvas for the ground and one for the access points.

import * as L from 'leaflet';
import type { CoverageBounds } from '../api/client.ts';
import { isOfNetwork } from '../data/agents.ts';
import type { FleetAgent } from '../data/fleet.ts';
import { addTiles, BaseMap, gridMetres, removeMap } from './base-map.ts';
import { citiesOf, type MapItem, type MapPoint } from './clusters.ts';
import type { DrawnDevice } from './draw-device.ts';
import { FleetLayer, widePicture } from './fleet-layer.ts';
import { MapCanvas } from './map-canvas.ts';
import { type GeoPlace, metresPerPixel, roundStep, toGeo, worldSize } from './mercator.ts';
import { paintPicture, type RadioPicture } from './radio-picture.ts';

export interface FleetViewOptions {
  /** A picture: it cannot be moved. */
  isStill: boolean;
  hasMotion: boolean;
  onSelect: (ap_id: string | undefined) => void;
  onPoint: (ap_id: string | undefined) => void;
  /** Where the pointer is, or a finger was last; undefined once the pointer has left. */
  onPlace: (place: GeoPlace | undefined) => void;
  /** After every move, and when more of the ground is known. */
  onMoved: () => void;
}

export interface MapScale {
  metres: number;
  pixels: number;
  gridMetres: number | undefined;
  /** The city or town around the middle. */
  near: string | undefined;
}

const minZoom = 1;
const maxZoom = 23;
const fitZoom = 19;
const scalePixels = 60;

export class FleetView {
  readonly #map: L.Map;
  readonly #options: FleetViewOptions;
  readonly #layer: FleetLayer;
  readonly #ground: MapCanvas;
  readonly #radio: MapCanvas;
  readonly #markers: MapCanvas;
  readonly #base: BaseMap;
  #picture: RadioPicture | undefined;

  constructor(element: HTMLElement, options: FleetViewOptions) {
    this.#options = options;
    this.#layer = new FleetLayer({ hasCoverage: !options.isStill });
    const canMove = !options.isStill;
    this.#map = L.map(element, {
      attributionControl: false,
      zoomControl: false,
      minZoom,
      maxZoom,
      zoomSnap: canMove ? 0.5 : 0.1,
      zoomDelta: 1,
      wheelPxPerZoomLevel: 90,
      zoomAnimation: options.hasMotion,
      inertia: options.hasMotion,
      keyboard: canMove,
      dragging: canMove,
      scrollWheelZoom: canMove,
      doubleClickZoom: canMove,
      boxZoom: canMove,
      touchZoom: canMove,
      maxBounds: [
        [-85, -220],
        [85, 220],
      ],
      maxBoundsViscosity: 0.8,
      center: [30, 0],
      zoom: 2,
    });
    this.#base = new BaseMap(() => {
      this.#ground.schedule();
      options.onMoved();
    });
    addTiles(this.#map);
    this.#ground = new MapCanvas(this.#map, (view) => this.#base.paint(view, this.#layer.boxes(view)), 'tilePane');
    this.#radio = new MapCanvas(this.#map, (view) => {
      if (this.#picture) paintPicture(view, this.#picture);
    });
    this.#markers = new MapCanvas(this.#map, (view) => {
      if (this.#layer.paint(view)) this.#markers.schedule();
    });
    this.#map.on('moveend', () => options.onMoved());
    if (canMove) this.#listen();
    this.redraw();
  }

  redraw(): void {
    this.#ground.schedule();
    this.#markers.schedule();
  }

  /** What is shown between the ground and the access points. */
  setPicture(picture: RadioPicture | undefined): void {
    if (picture === this.#picture) return;
    this.#picture = picture;
    this.#radio.schedule();
    if (this.#layer.setPicture(picture)) this.redraw();
  }

  bounds(): CoverageBounds {
    const bounds = this.#map.getBounds();
    return {
      south: bounds.getSouth(),
      west: bounds.getWest(),
      north: bounds.getNorth(),
      east: bounds.getEast(),
    };
  }

  /** Points around the access points that serve them. */
  setDevices(devices: readonly DrawnDevice[]): void {
    this.#layer.setDevices(devices, this.#options.hasMotion);
    this.#markers.schedule();
  }

  setAgents(agents: readonly FleetAgent[]): void {
    const before = this.#layer.points.length;
    this.#layer.set(agents, this.#options.hasMotion);
    this.#markers.schedule();
    // Names on the ground make room for who is new.
    if (this.#layer.points.length !== before) this.#ground.schedule();
  }

  /** Which of them are chosen or pointed at, and what is drawn with them. */
  mark(shown: Partial<Pick<FleetLayer, 'selected' | 'pointed' | 'shading' | 'device' | 'moves'>>): void {
    Object.assign(this.#layer, shown);
    this.#markers.schedule();
  }

  /** Shows all access points, or these or the largest city of this network, if there are any; one alone with its surroundings. */
  fit(hasMotion = false, only?: ReadonlySet<string> | string): void {
    const isGiven = ({ ap_id }: MapPoint) => typeof only === 'object' && only.has(ap_id);
    const city = typeof only === 'string' && only !== '' ? this.#cities(only)[0] : undefined;
    const meant = city ?? this.#layer.points.filter(isGiven);
    const places = (meant.length > 0 ? meant : this.#layer.points).map((point) => toGeo(point));
    if (places.length === 0) return;
    const bounds = L.latLngBounds(places.map(({ latitude, longitude }) => [latitude, longitude]));
    const isMoving = hasMotion && this.#options.hasMotion;
    const { x, y } = this.#map.getSize();
    const padding = Math.min(64, Math.min(x, y) / 6);
    // What arrows say stands beside the outermost.
    const beside = this.#layer.moves.length > 0 ? Math.min(110, x / 3) : padding;
    this.#map.fitBounds(bounds, { padding: [beside, padding], maxZoom: fitZoom, animate: isMoving });
  }

  /** Whether a city of this emulated network is visible, and large enough for a radio map of it. */
  shows(network: string): boolean {
    const visible = this.visible();
    return this.#cities(network).some((own) => {
      const xs = own.map(({ x }) => x * worldSize(this.#map.getZoom()));
      return own.some(({ ap_id }) => visible.has(ap_id)) && Math.max(...xs) - Math.min(...xs) >= widePicture;
    });
  }

  #cities(network: string): MapPoint[][] {
    return citiesOf(this.#layer.points.filter(({ ap_id }) => isOfNetwork(ap_id, network)));
  }

  /** Brings an access point into sight; closer than now only if it would be lost among others. */
  show(ap_id: string): void {
    const point = this.#layer.placeOf(ap_id);
    if (!point) return;
    const { latitude, longitude } = toGeo(point);
    let zoom = this.#map.getZoom();
    while (zoom < maxZoom && this.#isHidden(ap_id, zoom)) zoom++;
    this.#map.setView([latitude, longitude], zoom, { animate: this.#options.hasMotion });
  }

  zoomBy(steps: number): void {
    this.#map.setZoom(this.#map.getZoom() + steps);
  }

  /** `51.45523,-2.59665,16`: how an address writes the visible part of the world. */
  get place(): string {
    const { lat, lng } = this.#map.getCenter();
    const zoom = this.#map.getZoom();
    const digits = Math.min(6, Math.max(2, Math.round(zoom / 3)));
    return [lat.toFixed(digits), lng.toFixed(digits), Number(zoom.toFixed(1))].join(',');
  }

  /** False if the text names no place. */
  goTo(place: string): boolean {
    const [latitude, longitude, zoom, ...rest] = place.split(',').map(Number);
    if (rest.length > 0 || ![latitude, longitude, zoom].every(Number.isFinite) || Math.abs(latitude!) > 85)
      return false;
    this.#map.setView([latitude!, longitude!], zoom!, { animate: false });
    return true;
  }

  visible(): Set<string> {
    const bounds = this.#map.getBounds();
    return new Set(
      this.#layer.points
        .filter((point) => {
          const { latitude, longitude } = toGeo(point);
          return bounds.contains([latitude, longitude]);
        })
        .map(({ ap_id }) => ap_id),
    );
  }

  scale(): MapScale {
    const { lat, lng } = this.#map.getCenter();
    const perPixel = metresPerPixel(lat, this.#map.getZoom());
    const metres = roundStep(perPixel * scalePixels);
    return {
      metres,
      pixels: metres / perPixel,
      gridMetres: gridMetres(lat, this.#map.getZoom()),
      near: this.#base.near({ latitude: lat, longitude: lng }),
    };
  }

  resize(): void {
    this.#map.invalidateSize({ animate: false });
  }

  remove(): void {
    for (const canvas of [this.#ground, this.#radio, this.#markers]) canvas.remove();
    removeMap(this.#map);
  }

  #listen(): void {
    const element = this.#map.getContainer();
    const placeOf = ({ latlng }: L.LeafletMouseEvent) => ({ latitude: latlng.lat, longitude: latlng.lng });
    // After a tap the browser may say that a mouse, which is elsewhere, has left: the finger's place stays.
    let isTouched = false;
    this.#map.on('click', (event) => {
      isTouched = (event.originalEvent as PointerEvent).pointerType === 'touch';
      this.#options.onPlace(placeOf(event));
      const item = this.#under(event.containerPoint);
      if (!item) this.#options.onSelect(undefined);
      else if (item.kind === 'marker') this.#options.onSelect(item.point.ap_id);
      else this.#open(item.points.map((point) => toGeo(point)));
    });
    this.#map.on('mousemove', (event) => {
      isTouched = false;
      const item = this.#under(event.containerPoint);
      element.classList.toggle('is-over', item !== undefined);
      this.#options.onPlace(placeOf(event));
      this.#options.onPoint(item?.kind === 'marker' ? item.point.ap_id : undefined);
    });
    this.#map.on('mouseout', () => {
      this.#options.onPoint(undefined);
      if (!isTouched) this.#options.onPlace(undefined);
    });
  }

  /** A cluster opens by going closer until it comes apart. */
  #open(places: { latitude: number; longitude: number }[]): void {
    const bounds = L.latLngBounds(places.map(({ latitude, longitude }) => [latitude, longitude]));
    const zoom = Math.max(this.#map.getZoom() + 1, this.#map.getBoundsZoom(bounds.pad(0.3)));
    this.#map.setView(bounds.getCenter(), Math.min(maxZoom, zoom), { animate: this.#options.hasMotion });
  }

  #isHidden(ap_id: string, zoom: number): boolean {
    return this.#layer
      .items(zoom)
      .some((item) => item.kind === 'cluster' && item.points.some((point) => point.ap_id === ap_id));
  }

  #under(point: L.Point): MapItem | undefined {
    const corner = this.#map.getPixelBounds().min!;
    return this.#layer.find(corner.x + point.x, corner.y + point.y, this.#map.getZoom());
  }
}
