// A map to pick places from: a click adds one. Loaded when it is first opened.
import * as L from 'leaflet';
import './fleet-map.css';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from '../components/button.tsx';
import { readCoordinates, writeCoordinates } from '../data/agents.ts';
import { colourOf, themeInForce } from '../styles/theme.ts';
import { mapText } from '../text/components.ts';
import { addTiles, BaseMap, removeMap } from './base-map.ts';
import { MapCanvas, type MapView } from './map-canvas.ts';
import { type GeoPlace, toWorld } from './mercator.ts';

export interface PlaceMapProps {
  places: readonly string[];
  /** Where the network is: the map opens there. */
  around: readonly GeoPlace[];
  onPick: (place: string) => void;
}

export function PlaceMap({ places, around, onPick }: PlaceMapProps) {
  const frame = useRef<HTMLDivElement>(null);
  const map = useRef<L.Map | undefined>(undefined);
  const paintAgain = useRef(() => {});
  const latest = useRef({ places, onPick });
  latest.current = { places, onPick };
  const theme = themeInForce.value;
  const pick = ({ lat, lng }: L.LatLng) =>
    latest.current.onPick(writeCoordinates(lat, L.Util.wrapNum(lng, [-180, 180])));

  useLayoutEffect(() => {
    const hasMotion = !matchMedia('(prefers-reduced-motion: reduce)').matches;
    const made = L.map(frame.current!, {
      attributionControl: false,
      zoomControl: false,
      minZoom: 1,
      maxZoom: 20,
      zoomAnimation: hasMotion,
      inertia: hasMotion,
      center: [30, 0],
      zoom: 2,
    });
    const chosen = places.flatMap((place) => readCoordinates(place) ?? []);
    const first = (chosen.length > 0 ? chosen : around).map(({ latitude, longitude }): [number, number] => [
      latitude,
      longitude,
    ]);
    if (first.length > 0) made.fitBounds(L.latLngBounds(first), { maxZoom: 13, padding: [24, 24], animate: false });
    addTiles(made);
    const base = new BaseMap(() => ground.schedule());
    const ground = new MapCanvas(made, (view) => base.paint(view), 'tilePane');
    const pins = new MapCanvas(made, (view) => paintPins(view, latest.current.places));
    made.on('click', ({ latlng }) => pick(latlng));
    const observer = new ResizeObserver(() => made.invalidateSize({ animate: false }));
    observer.observe(frame.current!);
    map.current = made;
    paintAgain.current = () => {
      ground.schedule();
      pins.schedule();
    };
    paintAgain.current();
    return () => {
      observer.disconnect();
      for (const canvas of [ground, pins]) canvas.remove();
      removeMap(made);
      map.current = undefined;
    };
  }, []);
  // A picture of what is chosen: it is painted again with every change, and in the other theme.
  useEffect(() => paintAgain.current(), [places, theme]);

  return (
    <div>
      <div class="place-map">
        <div
          ref={frame}
          class="fleet-map"
          role="application"
          aria-label="Map for choosing locations: click to add one"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move the map and pick its middle
          tabIndex={0}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.target !== frame.current) return;
            event.preventDefault();
            pick(map.current!.getCenter());
          }}
        />
        <div class="map-buttons">
          <IconButton icon="plus" label={mapText.zoomIn} onClick={() => map.current?.zoomIn()} />
          <IconButton icon="minus" label={mapText.zoomOut} onClick={() => map.current?.zoomOut()} />
        </div>
      </div>
      <p class="faint small">
        Click to add a location. With the keyboard: move the map with the arrow keys, press Enter to add its centre.
      </p>
    </div>
  );
}

/** Names are looked up by Weft only: the map shows what has coordinates. */
function paintPins({ context, scale, left, top }: MapView, places: readonly string[]): void {
  for (const place of places) {
    const spot = readCoordinates(place);
    if (!spot) continue;
    const { x, y } = toWorld(spot);
    context.beginPath();
    context.arc(x * scale - left, y * scale - top, 7, 0, 2 * Math.PI);
    context.fillStyle = colourOf('--primary');
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = colourOf('--surface');
    context.stroke();
  }
}
