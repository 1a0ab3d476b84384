// Finds the nearest of things that stand still without looking at all of them: squares as wide as the range, of which
// nine are searched.

export interface SpatialGrid {
  rangeM: number;
  squares: Map<number, Int32Array>;
}

/** The nearest ones of a search, by distance; reused from search to search. */
export interface Nearest {
  count: number;
  index: Int32Array;
  /** Squared distances in m². */
  distance2: Float64Array;
}

const stride = 67_108_864;
const offset = 33_554_432;

export function createGrid(members: readonly number[], x: Float64Array, y: Float64Array, rangeM: number): SpatialGrid {
  const lists = new Map<number, number[]>();
  for (const index of members) {
    const key = keyOf(Math.floor(x[index]! / rangeM), Math.floor(y[index]! / rangeM));
    const list = lists.get(key);
    if (list) list.push(index);
    else lists.set(key, [index]);
  }
  const squares = new Map<number, Int32Array>();
  for (const [key, list] of lists) squares.set(key, Int32Array.from(list));
  return { rangeM, squares };
}

export function createNearest(limit: number): Nearest {
  return { count: 0, index: new Int32Array(limit), distance2: new Float64Array(limit) };
}

/** Fills `found` with the nearest wanted members within the range; equal distances in order of index. */
export function findNearest(
  { rangeM, squares }: SpatialGrid,
  x: Float64Array,
  y: Float64Array,
  isWanted: Uint8Array,
  atX: number,
  atY: number,
  found: Nearest,
): void {
  found.count = 0;
  const column = Math.floor(atX / rangeM);
  const row = Math.floor(atY / rangeM);
  const reach2 = rangeM * rangeM;
  for (let right = -1; right <= 1; right++) {
    for (let up = -1; up <= 1; up++) {
      const members = squares.get(keyOf(column + right, row + up));
      if (members === undefined) continue;
      for (const index of members) {
        const dx = x[index]! - atX;
        const dy = y[index]! - atY;
        const distance2 = dx * dx + dy * dy;
        if (distance2 <= reach2 && isWanted[index] === 1) insert(found, index, distance2);
      }
    }
  }
}

function insert(found: Nearest, member: number, distance2: number): void {
  const { index, distance2: distances } = found;
  let at = found.count;
  if (at === index.length) {
    at--;
    if (!isBefore(distance2, member, distances[at]!, index[at]!)) return;
  } else {
    found.count++;
  }
  while (at > 0 && isBefore(distance2, member, distances[at - 1]!, index[at - 1]!)) {
    distances[at] = distances[at - 1]!;
    index[at] = index[at - 1]!;
    at--;
  }
  distances[at] = distance2;
  index[at] = member;
}

function isBefore(distance2: number, index: number, otherDistance2: number, otherIndex: number): boolean {
  return distance2 < otherDistance2 || (distance2 === otherDistance2 && index < otherIndex);
}

function keyOf(column: number, row: number): number {
  return column * stride + row + offset;
}
