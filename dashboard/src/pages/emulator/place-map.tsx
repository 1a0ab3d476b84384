// A map to pick places from: a click adds one. Loaded when it is first opened.
import L from 'leaflet';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from '../../components/button.tsx';
import { colourOf } from '../../components/colours.ts';
import { BaseMap } from '../../map/base-map.ts';
import '../../map/fleet-map.css';
import { MapCanvas, type MapView } from '../../map/map-canvas.ts';
import { toWorld } from '../../map/mercator.ts';
import { removeMap } from '../../map/remove-map.ts';
import { themeInForce } from '../../styles/theme.ts';
import { emulatorText } from '../../text/emulator.ts';
import { mapText } from '../../text/map.ts';
import { readCoordinates, writeCoordinates } from './coordinates.ts';

const text = emulatorText.form;

interface PlaceMapProps {
  places: readonly string[];
  onPick: (place: string) => void;
}

export function PlaceMap({ places, onPick }: PlaceMapProps) {
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
      center: [51.45, -2.59],
      zoom: 4,
    });
    const base = new BaseMap(() => ground.schedule());
    const ground: MapCanvas = new MapCanvas(made, (view) => {
      base.paint(view);
      paintPins(view, latest.current.places);
    });
    made.on('click', ({ latlng }) => pick(latlng));
    const observer = new ResizeObserver(() => made.invalidateSize({ animate: false }));
    observer.observe(frame.current!);
    map.current = made;
    paintAgain.current = () => ground.schedule();
    ground.schedule();
    return () => {
      observer.disconnect();
      ground.remove();
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
          aria-label={text.mapLabel}
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
      <p class="faint small">{text.mapHint}</p>
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
