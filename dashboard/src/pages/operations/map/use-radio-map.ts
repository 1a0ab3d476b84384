// The radio map that the page shows: which network, layer and technology (in the address), the newest raster of it, and its
// picture. While a new raster is on its way the one before stays.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  type CoverageBounds,
  type CoverageLayer,
  call,
  type EmulatorRun,
  type Technology,
} from '../../../api/client.ts';
import { type PlannedDifference, readDifference } from '../../../components/look-ahead.tsx';
import { agentName, isOfNetwork } from '../../../data/agents.ts';
import type { FleetAgent } from '../../../data/fleet.ts';
import { useOperation, useQuery } from '../../../data/use-operation.ts';
import { categories } from '../../../map/radio-colours.ts';
import { paintDifference, paintRaster } from '../../../map/radio-picture.ts';
import { chooseColours, type RadioRaster, toRaster } from '../../../map/radio-raster.ts';
import { setQuery, useQueryState } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { themeInForce } from '../../../styles/theme.ts';
import {
  boundsToAsk,
  extentOf,
  isLayer,
  isTechnology,
  isTooFar,
  networkInView,
  sidesOf,
  technologyInView,
} from './radio-view.ts';

const refreshMs = 3000;
const usualOpacity = '80';

export type RadioMap = ReturnType<typeof useRadioMap>;

export interface ShownMap {
  raster: RadioRaster;
  /** For a difference: the two that it is made of. */
  after?: RadioRaster;
  without?: RadioRaster;
  modelTime: number;
  colours: ReadonlyMap<string, number>;
}

export function useRadioMap(agents: readonly FleetAgent[] | undefined) {
  const [layerName] = useQueryState('radio');
  const [technologyName, setTechnology] = useQueryState('radio_type');
  const [job_number, setRun] = useQueryState('network');
  const [differenceName, setDifference] = useQueryState('difference');
  const [opacityText, setOpacity] = useQueryState('opacity', usualOpacity);
  const [view, setView] = useState<CoverageBounds | undefined>(undefined);
  const isAdmin = session.value?.isAdmin ?? false;
  const { data: all } = useOperation(
    'list_emulator_runs',
    { query: { limit: 50, ...(isAdmin && { all: true }) } },
    { pollMs: 10_000 },
  );
  const runs = useMemo(() => (all ?? []).filter(({ state }) => state === 'running'), [all]);
  const run = useMemo(
    // A difference is of one network, wherever one looks.
    () => networkInView(runs, agents ?? [], differenceName === '' ? view : undefined, job_number),
    [runs, job_number, agents, view, differenceName],
  );
  const layer = run && isLayer(layerName) ? layerName : undefined;
  const offered = run ? Object.keys(run.by_type).filter(isTechnology) : [];
  const inView = useMemo(
    () => run && technologyInView(Object.keys(run.by_type).filter(isTechnology), agents ?? [], view, run.job_number),
    [run, agents, view],
  );
  const technology = offered.find((name) => name === technologyName) ?? inView;
  const planned = useMemo(
    () => (differenceName === '' || !run ? undefined : readDifference(run.job_number)),
    [differenceName, run?.job_number],
  );
  const extent = useMemo(
    () => run && technology && extentOf(agents ?? [], run.job_number, technology),
    [agents, run?.job_number, technology],
  );
  const asked = useRef<CoverageBounds | undefined>(undefined);
  // Two copies of the network run ahead for a difference: too much for every move of the map.
  const bounds = planned ? extent : view && extent && boundsToAsk(view, extent, asked.current);
  asked.current = planned ? undefined : bounds;
  const answer = useShownMap({ run, layer, technology, bounds, planned });
  const theme = themeInForce.value;
  const image = useMemo(() => answer.shown && paint(answer.shown, theme), [answer.shown, theme]);
  const opacity = Math.max(10, Math.min(100, Number(opacityText) || Number(usualOpacity))) / 100;
  const picture = useMemo(
    () => (layer && image && answer.shown ? { bounds: answer.shown.raster.bounds, image, opacity } : undefined),
    [layer, image, opacity],
  );
  return {
    /** Running networks, newest first; without one there is nothing to choose. */
    runs,
    run,
    /** The network that somebody chose; the map goes there. */
    chosen: job_number,
    setRun,
    /** The name of its first access point. */
    nameOf: (number: string) => agentName(agents?.find(({ ap_id }) => isOfNetwork(ap_id, number))?.ap_id ?? number),
    layer,
    // Somebody who turns it on wants to see it.
    setLayer: (name: string) => setQuery({ radio: name, ...(!layer && run && { network: run.job_number }) }),
    technology,
    setTechnology,
    opacity,
    setOpacity,
    /** The commands whose effect is shown instead of the present. */
    planned,
    leaveDifference: () => setDifference(''),
    ...answer,
    picture,
    /** Nothing of the technology is in the visible part of the world. */
    isOutside: layer !== undefined && view !== undefined && agents !== undefined && bounds === undefined,
    isTooFar: !planned && technology !== undefined && bounds !== undefined && isTooFar(bounds, technology),
    onBounds: setView,
  };
}

interface Question {
  run: EmulatorRun | undefined;
  layer: CoverageLayer | undefined;
  technology: Technology | undefined;
  bounds: CoverageBounds | undefined;
  planned: PlannedDifference | undefined;
}

function useShownMap({ run, layer, technology, bounds, planned }: Question) {
  const isWanted = run !== undefined && layer !== undefined && technology !== undefined && bounds !== undefined;
  const query = {
    layer: layer ?? 'signal',
    technology: technology ?? '5G',
    ...(bounds && { bounds: [bounds.south, bounds.west, bounds.north, bounds.east].join(), ...sidesOf(bounds) }),
  };
  const path = { job_number: run?.job_number ?? '' };
  const present = useOperation(
    'emulator_coverage',
    { path, query },
    { pollMs: refreshMs, isWanted: isWanted && !planned },
  );
  const commands = planned?.commands ?? [];
  const after_seconds = planned?.after_seconds ?? 30;
  const ahead = useQuery(`difference:${JSON.stringify([path, query, planned])}`, {
    fetch: (signal) =>
      isWanted && planned
        ? call('emulator_coverage_difference', { path, json: { ...query, commands, after_seconds } }, { signal })
        : Promise.resolve(undefined),
  });
  const colours = useRef<ReadonlyMap<string, number>>(new Map());
  const kept = useRef<ShownMap | undefined>(undefined);
  const fresh = useMemo((): ShownMap | undefined => {
    if (planned) {
      if (!ahead.data) return undefined;
      const { difference, with: after, without, ...heading } = ahead.data;
      return {
        raster: toRaster(heading, difference),
        after: toRaster(heading, after),
        without: toRaster(heading, without),
        modelTime: Date.parse(heading.model_time),
        colours: new Map(),
      };
    }
    if (!present.data) return undefined;
    const raster = toRaster(present.data, present.data);
    if (raster.layer === 'best_server')
      colours.current = chooseColours(raster, colours.current, categories.light.length);
    return { raster, modelTime: Date.parse(present.data.model_time), colours: colours.current };
  }, [planned, ahead.data, present.data]);
  // One of another layer would be read with the wrong legend.
  const isSame = (map: ShownMap | undefined) =>
    map?.raster.layer === layer && map?.raster.technology === technology && !map?.after === !planned;
  const shown = isWanted ? (fresh ?? (isSame(kept.current) ? kept.current : undefined)) : undefined;
  useEffect(() => {
    kept.current = shown;
  }, [shown]);
  const state = planned ? ahead : present;
  return {
    shown,
    isLoading: isWanted && !fresh && state.failure === undefined,
    failure: isWanted ? state.failure : undefined,
  };
}

function paint({ raster, after, without, colours }: ShownMap, theme: 'light' | 'dark'): HTMLCanvasElement {
  return after && without ? paintDifference(raster, after, without, theme) : paintRaster(raster, theme, colours);
}
