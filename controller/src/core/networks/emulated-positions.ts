// Distributes access points over the requested places, and spreads those of one place at the usual distance of
// their type. Uses the result of `locations`; the result is the position of each emulated agent. With the mathematics of
// the model: positions are the same on every machine.
import { atan2, cos, degrees, hypot, radians, sin } from '@weft/contract/exact-math';
import type { Location } from './coordinates.ts';

interface Offset {
  eastM: number;
  northM: number;
}

const patterns: Record<string, (n: number) => Offset> = {
  '5G': (n) => hexagonalRings(n, 300),
  // As in the indoor office of TR 38.901 table 7.2-2.
  InH: (n) => squareSpiral(n, 20),
  WiFi: (n) => squareSpiral(n, 20),
  LiFi: (n) => squareSpiral(n, 2.75),
};
const earthRadiusM = 111_320 * degrees(1);
/** A centimetre. */
const decimals = 7;

/**
 * Uses the places in turn. The first access point of a place is exactly there, the others around it, further and further
 * out; a place that is named twice gets two turns. Deterministic, with valid coordinates at the
 * poles and the date line too. `type` is 5G, WiFi or LiFi; throws RangeError for others. Cells of the scenario InH stand
 * as close as in an office.
 */
export function emulatedPositions(
  places: readonly Location[],
  count: number,
  type: string,
  scenario?: string,
): Location[] {
  const pattern = patterns[type === '5G' && scenario === 'InH' ? scenario : type];
  if (pattern === undefined || type === 'InH') throw new RangeError(`No access points are of type ${type}`);
  const turns = new Map<string, number>();
  return Array.from({ length: count }, (_, n) => {
    const place = places[n % places.length]!;
    const key = `${place.latitude} ${place.longitude}`;
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    return rounded(turn === 0 ? place : moved(place, pattern(turn)));
  });
}

/** The centre, then rings of 6, 12, 18 and so on, neighbours as far from one another as from the ring inside. */
function hexagonalRings(n: number, spacingM: number): Offset {
  if (n === 0) return { eastM: 0, northM: 0 };
  // The first k rings have 3k(k + 1) members.
  let ring = 1;
  while (3 * ring * (ring + 1) < n) ring++;
  const along = n - 1 - 3 * ring * (ring - 1);
  const side = Math.floor(along / ring);
  const corner = (index: number) => ({
    eastM: ring * spacingM * cos(radians(index * 60)),
    northM: ring * spacingM * sin(radians(index * 60)),
  });
  const [from, to] = [corner(side), corner(side + 1)];
  const share = (along % ring) / ring;
  return {
    eastM: from.eastM + (to.eastM - from.eastM) * share,
    northM: from.northM + (to.northM - from.northM) * share,
  };
}

/** A square grid, from its centre outwards in rings of 8, 16, 24 and so on. */
function squareSpiral(n: number, spacingM: number): Offset {
  const ring = Math.ceil((Math.sqrt(n + 1) - 1) / 2);
  if (ring === 0) return { eastM: 0, northM: 0 };
  const inside = 2 * ring - 1;
  const along = n - inside * inside;
  const step = along % (2 * ring);
  const sides: [number, number][] = [
    [ring, step - ring + 1],
    [ring - 1 - step, ring],
    [-ring, ring - 1 - step],
    [step - ring + 1, -ring],
  ];
  const [east, north] = sides[Math.floor(along / (2 * ring))]!;
  return { eastM: east * spacingM, northM: north * spacingM };
}

/** Along the great circle, in 3D coordinates: correct at the poles and the date line too. */
function moved({ latitude, longitude }: Location, { eastM, northM }: Offset): Location {
  const [north, east] = [radians(latitude), radians(longitude)];
  const far = hypot(eastM, northM);
  const angle = far / earthRadiusM;
  const out = cos(north) * cos(angle) - sin(north) * sin(angle) * (northM / far);
  const up = sin(north) * cos(angle) + cos(north) * sin(angle) * (northM / far);
  const aside = sin(angle) * (eastM / far);
  const x = out * cos(east) - aside * sin(east);
  const y = out * sin(east) + aside * cos(east);
  return { latitude: degrees(atan2(up, hypot(x, y))), longitude: degrees(atan2(y, x)) };
}

function rounded({ latitude, longitude }: Location): Location {
  const round = (degrees: number) => Number(degrees.toFixed(decimals)) + 0;
  return { latitude: round(latitude), longitude: round(longitude) };
}
