// The map for pages: access points on the ground, a scale, buttons. Loaded when it is first shown (see `lazy-fleet-map`).

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CoverageBounds } from '../api/client.ts';
import { IconButton } from '../components/button.tsx';
import type { PlannedMove } from '../components/look-ahead.tsx';
import type { FleetAgent } from '../data/fleet.ts';
import { formatValue } from '../format.ts';
import { motionChoice, themeInForce } from '../styles/theme.ts';
import { mapText } from '../text/components.ts';
import './fleet-map.css';
import { tileCredit } from './base-map.ts';
import type { DrawnDevice } from './draw-device.ts';
import { FleetView, type MapScale } from './fleet-view.ts';
import type { GeoPlace } from './mercator.ts';
import type { Shading } from './radio-colours.ts';
import type { RadioPicture } from './radio-picture.ts';

export interface FleetMapProps {
  agents: readonly FleetAgent[];
  /** A picture of the fleet that always shows all of it. */
  isStill?: boolean;
  selected?: string | undefined;
  pointed?: string | undefined;
  /** What was visible when the address was written; empty: all. */
  place?: string;
  onSelect?: (ap_id: string | undefined) => void;
  onPoint?: (ap_id: string | undefined) => void;
  onMoved?: (place: string, visible: ReadonlySet<string>) => void;
  /** Between the ground and the access points. */
  picture?: RadioPicture | undefined;
  /** Colours by a metric; absent: by technology. */
  shading?: Shading | undefined;
  /** A device that was chosen; its links are drawn, and brought into sight once. */
  device?: DrawnDevice | undefined;
  /** All devices in view, as points. */
  devices?: readonly DrawnDevice[] | undefined;
  /** Devices that would change their access point. */
  moves?: readonly PlannedMove[] | undefined;
  /** What was searched for: once it changes, the map goes to what is left. */
  sought?: string;
  /** An emulated network that was chosen: the map goes to it. */
  network?: string;
  onBounds?: (bounds: CoverageBounds) => void;
  onPlace?: (place: GeoPlace | undefined) => void;
}

export function FleetMap(props: FleetMapProps) {
  const { agents, isStill = false, selected, pointed, picture, shading, device, devices, moves } = props;
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<FleetView | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [scale, setScale] = useState<MapScale | undefined>(undefined);
  const theme = themeInForce.value;
  const hasFitted = useRef(false);

  useLayoutEffect(() => {
    const element = frame.current!;
    const report = () => {
      const made = view.current;
      if (!made) return;
      setScale(made.scale());
      if (!hasFitted.current) return;
      latest.current.onMoved?.(made.place, made.visible());
      latest.current.onBounds?.(made.bounds());
    };
    const made = new FleetView(element, {
      isStill,
      hasMotion: motionChoice.peek() === 'system' && !matchMedia('(prefers-reduced-motion: reduce)').matches,
      onSelect: (ap_id) => latest.current.onSelect?.(ap_id),
      onPoint: (ap_id) => latest.current.onPoint?.(ap_id),
      onPlace: (place) => latest.current.onPlace?.(place),
      onMoved: report,
    });
    view.current = made;
    const observer = new ResizeObserver(() => {
      made.resize();
      if (isStill) made.fit();
      report();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      view.current = undefined;
      made.remove();
    };
  }, [isStill]);

  // Where the fleet stands; a change of states alone leaves the view where it is.
  const where = isStill ? agents.map(({ geolocation }) => Object.values(geolocation ?? {}).join()).join(' ') : '';
  useEffect(() => {
    const made = view.current!;
    made.setAgents(agents);
    if (!hasFitted.current && agents.some(({ geolocation }) => geolocation)) {
      hasFitted.current = true;
      if (!made.goTo(latest.current.place ?? '')) made.fit(false, latest.current.network);
    }
    if (!hasFitted.current) return;
    latest.current.onMoved?.(made.place, made.visible());
    latest.current.onBounds?.(made.bounds());
  }, [agents]);
  const { sought, network } = props;
  const before = useRef({ sought, network });
  useEffect(() => {
    if (before.current.sought !== sought) view.current!.fit(true);
    else if (before.current.network !== network && network && !view.current!.shows(network))
      view.current!.fit(true, network);
    before.current = { sought, network };
  }, [sought, network]);
  useEffect(() => {
    if (isStill) view.current!.fit();
  }, [where, isStill]);
  useEffect(() => view.current!.mark({ selected, pointed }), [selected, pointed]);
  useEffect(() => view.current!.redraw(), [theme]);
  useEffect(() => view.current!.setPicture(picture), [picture]);
  useEffect(() => view.current!.mark({ shading }), [shading]);
  useEffect(() => view.current!.setDevices(devices ?? []), [devices]);
  useEffect(() => {
    const ends = new Set(moves?.flatMap(({ from, to }) => (to === undefined ? [from] : [from, to])));
    view.current!.mark({ moves: moves ?? [] });
    if (ends.size > 0) view.current!.fit(false, ends);
  }, [moves]);
  const shownDevice = useRef<string | undefined>(undefined);
  useEffect(() => {
    const made = view.current!;
    made.mark({ device });
    const ap_ids = new Set(device?.ties.map(({ ap_id }) => ap_id));
    const isReady = agents.some(({ ap_id, geolocation }) => geolocation && ap_ids.has(ap_id));
    if (device && isReady && shownDevice.current !== device.name) made.fit(false, ap_ids);
    if (!device || isReady) shownDevice.current = device?.name;
  }, [device, agents]);
  // One that is chosen elsewhere, in a list or by an address, is brought into sight.
  const isFirst = useRef(true);
  useEffect(() => {
    const made = view.current!;
    const isPlaced = isFirst.current && latest.current.place !== '';
    isFirst.current = false;
    if (selected === undefined || latest.current.pointed === selected) return;
    if (!isPlaced || !made.visible().has(selected)) made.show(selected);
  }, [selected]);

  return (
    <>
      <div
        ref={frame}
        class={`fleet-map ${isStill ? 'is-still' : ''}`}
        role="application"
        aria-label="Map of the access points. Use the arrow keys to move, plus and minus to zoom. The list contains the visible access points."
        aria-hidden={isStill}
        tabIndex={isStill ? -1 : 0}
      />
      {scale && <ScaleBar {...scale} />}
      {!isStill && (
        <div class="map-buttons">
          <IconButton icon="plus" label={mapText.zoomIn} onClick={() => view.current?.zoomBy(1)} />
          <IconButton icon="minus" label={mapText.zoomOut} onClick={() => view.current?.zoomBy(-1)} />
          <IconButton icon="fit" label="Show all access points" onClick={() => view.current?.fit(true)} />
        </div>
      )}
    </>
  );
}

function ScaleBar({ metres, pixels, gridMetres, near }: MapScale) {
  const credit = tileCredit();
  return (
    <div class="map-scale">
      {credit && <span>{credit}</span>}
      <span>
        {near && `${near} · `}
        {formatMetres(metres)}
        {gridMetres !== undefined && ` · grid ${formatMetres(gridMetres)}`}
      </span>
      <i style={{ width: `${pixels}px` }} aria-hidden="true" />
    </div>
  );
}

function formatMetres(metres: number): string {
  if (metres >= 1000) return formatValue(metres / 1000, 'km');
  return metres >= 1 ? formatValue(metres, 'm') : formatValue(Math.round(metres * 100), 'cm');
}
