// Which access points stand for themselves at a zoom, and which are drawn as one. Pure: 5,000 points take a few milliseconds.
import type { Technology } from '../api/client.ts';
import type { ShownLook, ShownState } from '../data/agents.ts';
import { type WorldPlace, worldSize } from './mercator.ts';

export interface MapPoint extends WorldPlace {
  ap_id: string;
  technology: Technology | undefined;
  state: ShownState;
  look: ShownLook;
}

export interface MarkerItem extends WorldPlace {
  kind: 'marker';
  point: MapPoint;
  /** Pixels beside the place, for access points that share one. */
  dx: number;
  dy: number;
}

export interface ClusterItem extends WorldPlace {
  kind: 'cluster';
  points: MapPoint[];
  looks: Record<ShownLook, number>;
}

export type MapItem = MarkerItem | ClusterItem;

/** Access points at exactly the same place that can be shown side by side. */
const maxFan = 8;
const fanPixels = 14;
const closeUpZoom = 19;

/** From here outwards a city is a point, and its cells are not seen. */
export const cityZoom = 8;

/** Those of one city together, the largest first. */
export function citiesOf(points: readonly MapPoint[]): MapPoint[][] {
  return clusterPoints(points, cityZoom)
    .map((item) => (item.kind === 'cluster' ? item.points : [item.point]))
    .sort((a, b) => b.length - a.length);
}

/** Items in the order of their first point, so that the same points give the same items. `apart`: pixels that keep two from being one. */
export function clusterPoints(points: readonly MapPoint[], zoom: number, apart?: number): MapItem[] {
  // Close up, only what would overlap is drawn as one.
  const radius = (apart ?? (zoom >= closeUpZoom ? 24 : 42)) / worldSize(zoom);
  const grid = gridOf(points, radius);
  const isTaken = new Uint8Array(points.length);
  const items: MapItem[] = [];
  for (const [index, point] of points.entries()) {
    if (isTaken[index]) continue;
    const members: MapPoint[] = [];
    for (const other of neighbours(grid, point, radius)) {
      const candidate = points[other]!;
      if (isTaken[other] || Math.hypot(candidate.x - point.x, candidate.y - point.y) > radius) continue;
      isTaken[other] = 1;
      members.push(candidate);
    }
    items.push(...toItems(members));
  }
  return items;
}

function toItems(members: MapPoint[]): MapItem[] {
  const [first] = members as [MapPoint, ...MapPoint[]];
  const isOnePlace = members.every(({ x, y }) => x === first.x && y === first.y);
  if (members.length === 1 || (isOnePlace && members.length <= maxFan)) return fanOut(members);
  const gone = { offline: 0, asleep: 0, never: 0, ended: 0 };
  const looks: ClusterItem['looks'] = { online: 0, late: 0, bad: 0, degraded: 0, ...gone };
  let x = 0;
  let y = 0;
  for (const point of members) {
    looks[point.look]++;
    x += point.x / members.length;
    y += point.y / members.length;
  }
  return [{ kind: 'cluster', x, y, points: members, looks }];
}

function fanOut(members: readonly MapPoint[]): MarkerItem[] {
  return members.map((point, index) => {
    const angle = (2 * Math.PI * index) / members.length + (members.length === 2 ? 0 : -Math.PI / 2);
    const distance = members.length === 1 ? 0 : Math.max(fanPixels, members.length * 3.6);
    return {
      kind: 'marker',
      x: point.x,
      y: point.y,
      point,
      dx: distance * Math.cos(angle),
      dy: distance * Math.sin(angle),
    };
  });
}

type Grid = Map<string, number[]>;

function gridOf(points: readonly MapPoint[], size: number): Grid {
  const keyOf = ({ x, y }: MapPoint) => `${Math.floor(x / size)} ${Math.floor(y / size)}`;
  return Map.groupBy(points.keys(), (index) => keyOf(points[index]!));
}

function* neighbours(grid: Grid, { x, y }: WorldPlace, size: number): Generator<number> {
  const column = Math.floor(x / size);
  const row = Math.floor(y / size);
  for (let down = -1; down <= 1; down++) {
    for (let right = -1; right <= 1; right++) yield* grid.get(`${column + right} ${row + down}`) ?? [];
  }
}
