// A small town to try things in: access points of each kind around one place, on square grids as close as is usual for the
// kind.
import type { AccessPointSpec, AccessPointType, WorldSpec } from './world/world-spec.ts';

export interface Town {
  counts: Partial<Record<AccessPointType, number>>;
  devicesEach: number;
  seed?: number;
}

const spacingsM: Record<AccessPointType, number> = { '5G': 300, WiFi: 20, LiFi: 2.75 };
const centre = { latitude: 51.4545, longitude: -2.5879 };
const metresPerDegree = { north: 111_320, east: 69_350 };

/** Access points are named by kind and number: 5g-0, wifi-3, lifi-8. It is ten o'clock on a Wednesday. */
export function town({ counts, devicesEach, seed = 1 }: Town): WorldSpec {
  const accessPoints = Object.entries(counts).flatMap(([type, count]) =>
    grid(type as AccessPointType, count, devicesEach),
  );
  return { seed, startMs: Date.UTC(2026, 0, 7, 10), accessPoints };
}

function grid(type: AccessPointType, count: number, devices: number): AccessPointSpec[] {
  const side = Math.ceil(Math.sqrt(count));
  const offsetM = (n: number) => (n - (side - 1) / 2) * spacingsM[type];
  return Array.from({ length: count }, (_, n) => ({
    ap_id: `${type.toLowerCase()}-${n}`,
    type,
    latitude: centre.latitude + offsetM(Math.floor(n / side)) / metresPerDegree.north,
    longitude: centre.longitude + offsetM(n % side) / metresPerDegree.east,
    devices,
  }));
}
