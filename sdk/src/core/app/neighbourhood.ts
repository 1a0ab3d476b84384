// Which access points can take over from each other, by position and range.
import { technologies } from '@weft/contract/technologies';
import type { Place } from './fleet.ts';

const metresPerDegree = 111_320;

export function distanceM(a: Place, b: Place): number {
  const north = (a.latitude - b.latitude) * metresPerDegree;
  const east = (a.longitude - b.longitude) * metresPerDegree * Math.cos((a.latitude * Math.PI) / 180);
  return Math.hypot(north, east);
}

/** Whether devices of `from` are in range of `to`, by the map alone. */
export function canTakeOver(to: Place, from: Place): boolean {
  if (to.ap_id === from.ap_id) return false;
  const [own, other] = [technologies[to.technology], technologies[from.technology]];
  if (own === other) return distanceM(to, from) <= own.takesOverM;
  // Only larger cells help smaller ones.
  return own.takesOverM > other.takesOverM && distanceM(to, from) <= own.helpsM;
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
