// One canvas over the whole map, and beyond its edges, so that small moves need no drawing. It follows moves and animated
// zooms of the map, and asks to be painted again when they end or the edge comes into sight.
import * as L from 'leaflet';
import { worldSize } from './mercator.ts';

export interface MapView {
  context: CanvasRenderingContext2D;
  width: number;
  height: number;
  zoom: number;
  /** Pixels that the world is wide. */
  scale: number;
  /** Where the left upper corner of the canvas lies, in pixels of that world. */
  left: number;
  top: number;
}

/** How far the canvas goes beyond the map, as a share of its size, on every side. */
const margin = 0.25;

export class MapCanvas {
  readonly #map: L.Map;
  readonly #canvas: HTMLCanvasElement;
  readonly #paint: (view: MapView) => void;
  #frame = 0;
  #isZooming = false;
  #isRemoved = false;
  /** What was painted last: at which zoom, around which place, and where in the layers of the map. */
  #painted: { zoom: number; centre: L.LatLng; bounds: L.Bounds } | undefined;

  constructor(map: L.Map, paint: (view: MapView) => void, pane = 'overlayPane') {
    this.#map = map;
    this.#paint = paint;
    this.#canvas = L.DomUtil.create('canvas', 'leaflet-zoom-animated', map.getPane(pane));
    this.#canvas.setAttribute('aria-hidden', 'true');
    map.on('moveend zoomend viewreset resize', this.#onEnd, this);
    map.on('move zoom', this.#onMove, this);
    map.on('zoomanim', this.#onZoomAnimation, this);
  }

  /** Paints in the next frame, once however often it is called. Nothing happens any more once it is removed. */
  schedule(): void {
    if (this.#isRemoved) return;
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      if (!this.#isZooming) this.#paintNow();
    });
  }

  remove(): void {
    this.#isRemoved = true;
    cancelAnimationFrame(this.#frame);
    this.#map.off('moveend zoomend viewreset resize', this.#onEnd, this);
    this.#map.off('move zoom', this.#onMove, this);
    this.#map.off('zoomanim', this.#onZoomAnimation, this);
    this.#canvas.remove();
  }

  #onEnd(): void {
    this.#isZooming = false;
    this.schedule();
  }

  #onMove(): void {
    if (this.#isZooming) return;
    const size = this.#map.getSize();
    const corner = this.#map.containerPointToLayerPoint([0, 0]);
    const isInside = this.#painted?.bounds.contains(L.bounds(corner, corner.add(size)));
    if (!isInside || this.#painted?.zoom !== this.#map.getZoom()) this.schedule();
  }

  #onZoomAnimation({ center, zoom }: L.ZoomAnimEvent): void {
    if (!this.#painted) return;
    this.#isZooming = true;
    const map = this.#map;
    const scale = map.getZoomScale(zoom, this.#painted.zoom);
    const pane = L.DomUtil.getPosition(map.getPanes().mapPane);
    const origin = map.project(center, zoom).subtract(map.getSize().divideBy(2)).add(pane).round();
    const offset = map
      .project(this.#painted.centre, zoom)
      .subtract(
        map
          .getSize()
          .multiplyBy(0.5 + margin)
          .multiplyBy(scale),
      )
      .subtract(origin);
    L.DomUtil.setTransform(this.#canvas, offset, scale);
  }

  #paintNow(): void {
    const map = this.#map;
    const size = map.getSize();
    if (size.x === 0 || size.y === 0) return;
    const canvas = this.#canvas;
    const spare = size.multiplyBy(margin).round();
    const width = size.x + 2 * spare.x;
    const height = size.y + 2 * spare.y;
    const density = Math.min(2, devicePixelRatio);
    if (canvas.width !== width * density || canvas.height !== height * density) {
      canvas.width = width * density;
      canvas.height = height * density;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const corner = map.containerPointToLayerPoint([0, 0]).subtract(spare).round();
    L.DomUtil.setTransform(canvas, corner, 1);
    const origin = map.getPixelOrigin();
    this.#painted = {
      zoom: map.getZoom(),
      centre: map.layerPointToLatLng(corner.add([width / 2, height / 2])),
      bounds: L.bounds(corner, corner.add([width, height])),
    };
    const context = canvas.getContext('2d')!;
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, height);
    this.#paint({
      context,
      width,
      height,
      zoom: map.getZoom(),
      scale: worldSize(map.getZoom()),
      left: origin.x + corner.x,
      top: origin.y + corner.y,
    });
  }
}
