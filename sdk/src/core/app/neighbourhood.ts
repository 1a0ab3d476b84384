// Which access points can take over from each other, by position and range.
import type { Technology } from '@weft/contract';
import type { Place } from './fleet.ts';

/** Maximum distance of neighbours of one technology, which can take over devices from each other. */
const reachM: Record<Technology, number> = { '5G': 350, WiFi: 30, LiFi: 3 };
/** Between technologies a device must be well within range, and only larger cells help smaller ones: LiFi, WiFi, 5G. */
const insideM: Record<Technology, number> = { '5G': 200, WiFi: 20, LiFi: 0 };
const width: Record<Technology, number> = { LiFi: 0, WiFi: 1, '5G': 2 };
const metresPerDegree = 111_320;

export function distanceM(a: Place, b: Place): number {
  const north = (a.latitude - b.latitude) * metresPerDegree;
  const east = (a.longitude - b.longitude) * metresPerDegree * Math.cos((a.latitude * Math.PI) / 180);
  return Math.hypot(north, east);
}

/** Whether devices of `from` are in range of `to`, by the map alone. */
export function canTakeOver(to: Place, from: Place): boolean {
  if (to.ap_id === from.ap_id) return false;
  if (to.technology === from.technology) return distanceM(to, from) <= reachM[to.technology];
  return width[to.technology] > width[from.technology] && distanceM(to, from) <= insideM[to.technology];
}

/** The access points of `others` that can take over from each, nearest first; by `ap_id`. */
export function helpersOf<Of extends Place>(places: readonly Of[], others = places): Map<string, Of[]> {
  return new Map(
    places.map((place) => {
      const near = others.filter((other) => canTakeOver(other, place));
      return [place.ap_id, near.sort((a, b) => distanceM(a, place) - distanceM(b, place))];
    }),
  );
}
