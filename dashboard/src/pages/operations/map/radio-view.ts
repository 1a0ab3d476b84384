// Which part of the world a radio map is asked for, and how fine.
import { type EmulatedTechnology, emulatedTechnologies } from '@weft/contract/emulated-model';
import type { CoverageBounds, CoverageLayer } from '../../../api/client.ts';
import { isOfNetwork } from '../../../data/agents.ts';
import type { FleetAgent } from '../../../data/fleet.ts';
import { areaOf, contains, intersect, padded } from '../../../map/radio-raster.ts';

const layers: readonly string[] = ['best_server', 'signal', 'sinr', 'rate'] satisfies CoverageLayer[];
const metresPerDegree = 111_320;
/** How far around the outermost access points something is to be seen. */
const reachM: Record<EmulatedTechnology, number> = { '5G': 600, WiFi: 90, LiFi: 6 };
const longSide = 192;
const maxSide = 256;
/** A raster that shows so many times more than is visible is too coarse. */
const coarse = 9;

export function isLayer(name: string): name is CoverageLayer {
  return layers.includes(name);
}

export function isTechnology(name: string): name is EmulatedTechnology {
  return (emulatedTechnologies as readonly string[]).includes(name);
}

/** The chosen network as long as something of it is visible, else the one with most access points there; without any, the chosen or first. */
export function networkInView<Run extends { job_number: string }>(
  runs: readonly Run[],
  agents: readonly Pick<FleetAgent, 'ap_id' | 'geolocation'>[],
  view: CoverageBounds | undefined,
  chosen = '',
): Run | undefined {
  const visible = agents.filter((agent) => isIn(view, agent));
  const rankOf = ({ job_number }: Run) => {
    const count = visible.filter(({ ap_id }) => isOfNetwork(ap_id, job_number)).length;
    if (job_number !== chosen) return count;
    return count > 0 ? Number.POSITIVE_INFINITY : 0.5;
  };
  return runs.map((run) => ({ run, rank: rankOf(run) })).sort((a, b) => b.rank - a.rank)[0]?.run;
}

/** The first technology that has access points of the network in view; without any there, the first. */
export function technologyInView(
  offered: readonly EmulatedTechnology[],
  agents: readonly Pick<FleetAgent, 'ap_id' | 'technology' | 'geolocation'>[],
  view: CoverageBounds | undefined,
  job_number: string,
): EmulatedTechnology | undefined {
  const visible = agents.filter((agent) => isIn(view, agent) && isOfNetwork(agent.ap_id, job_number));
  return offered.find((name) => visible.some(({ technology }) => technology === name)) ?? offered[0];
}

function isIn(view: CoverageBounds | undefined, { geolocation }: Pick<FleetAgent, 'geolocation'>): boolean {
  if (!view || !geolocation) return false;
  const { latitude, longitude } = geolocation;
  return latitude >= view.south && latitude <= view.north && longitude >= view.west && longitude <= view.east;
}

/** Around the access points of the network and the technology; undefined if there are none. */
export function extentOf(
  agents: readonly Pick<FleetAgent, 'ap_id' | 'technology' | 'geolocation'>[],
  job_number: string,
  technology: EmulatedTechnology,
): CoverageBounds | undefined {
  const places = agents.flatMap((agent) =>
    agent.technology === technology && isOfNetwork(agent.ap_id, job_number) && agent.geolocation
      ? [agent.geolocation]
      : [],
  );
  const [first] = places;
  if (!first) return undefined;
  const up = reachM[technology] / metresPerDegree;
  const right = up / Math.max(0.01, Math.cos((first.latitude * Math.PI) / 180));
  const latitudes = places.map(({ latitude }) => latitude);
  const longitudes = places.map(({ longitude }) => longitude);
  return {
    south: Math.max(-85, Math.min(...latitudes) - up),
    west: Math.min(...longitudes) - right,
    north: Math.min(85, Math.max(...latitudes) + up),
    east: Math.max(...longitudes) + right,
  };
}

/**
 * The visible part with some around it, so that small moves need no other; what was asked for before as long as it does.
 * Undefined if nothing of the network is visible.
 */
export function boundsToAsk(
  view: CoverageBounds,
  extent: CoverageBounds,
  before: CoverageBounds | undefined,
): CoverageBounds | undefined {
  const visible = intersect(view, extent);
  if (!visible) return undefined;
  const isFine = before && areaOf(before) <= coarse * areaOf(visible);
  if (before && isFine && contains(before, visible) && contains(extent, before)) return before;
  const wanted = intersect(padded(view, 0.35), extent)!;
  return {
    south: rounded(wanted.south),
    west: rounded(wanted.west),
    north: rounded(wanted.north),
    east: rounded(wanted.east),
  };
}

/** To a centimetre, and inside of the extent still, up to that. */
function rounded(degrees: number): number {
  return Math.round(degrees * 1e7) / 1e7;
}

/** Cells that are smaller than the points of the raster fall between them. */
export function isTooFar(bounds: CoverageBounds, technology: EmulatedTechnology): boolean {
  return ((bounds.north - bounds.south) * metresPerDegree) / sidesOf(bounds).rows > reachM[technology];
}

/** Pixels about as high as wide. */
export function sidesOf({ south, west, north, east }: CoverageBounds): { columns: number; rows: number } {
  const wide = (east - west) * Math.cos((((south + north) / 2) * Math.PI) / 180);
  const high = north - south;
  const side = (share: number) => Math.max(8, Math.min(maxSide, Math.round(longSide * share)));
  return wide >= high ? { columns: longSide, rows: side(high / wide) } : { columns: side(wide / high), rows: longSide };
}
