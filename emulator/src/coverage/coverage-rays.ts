// The two passes over a raster: which access point is received best at each point, and what all others disturb there. Each
// access point is looked at only as far as it reaches, with its gain from a table over the distance.

import { sightAt } from '../radio/sight-field.ts';
import type { RadioState } from '../world/world-state.ts';
import { type Air, lookUp, type Reach } from './coverage-air.ts';
import type { Frame } from './coverage-frame.ts';

export interface Best {
  /** As `cells.power` counts, at the receiver. */
  power: Float64Array;
  /** Index of the access point, -1 where none is heard. */
  server: Int32Array;
}

export function findBest(state: RadioState, frame: Frame, members: readonly number[], air: Air): Best {
  const size = frame.columns * frame.rows;
  const power = new Float64Array(size).fill(air.leastPower);
  const server = new Int32Array(size).fill(-1);
  for (const ap of members) {
    if (state.cells.isOnAir[ap] === 0) continue;
    eachRow(state, frame, ap, air.reach(ap), (first, received) => {
      for (let n = 0; n < received.length; n++) {
        const point = first + n;
        // Of equal ones the first.
        if (received[n]! > power[point]!) {
          power[point] = received[n]!;
          server[point] = ap;
        }
      }
    });
  }
  return { power, server };
}

/** What the other access points disturb the best server at each point, in the unit of `air.noise`. */
export function sumInterference(
  state: RadioState,
  frame: Frame,
  members: readonly number[],
  air: Air,
  server: Int32Array,
): Float64Array {
  const sum = new Float64Array(server.length);
  const servers = [...new Set(server)].filter((index) => index >= 0);
  const weights = new Float64Array(state.cells.count);
  const beyond = new Float64Array(state.cells.count);
  const everywhere = new Float64Array(state.cells.count);
  for (const ap of members) {
    if (state.cells.isOnAir[ap] === 0) continue;
    let isHeard = false;
    for (const index of servers) {
      weights[index] = index === ap ? 0 : air.weight(index, ap);
      if (weights[index] === 0) continue;
      isHeard = true;
      beyond[index] = air.electrical(air.beyond?.(index, ap) ?? 0);
      everywhere[index]! += weights[index]! * beyond[index]!;
    }
    if (!isHeard) continue;
    eachRow(state, frame, ap, air.reach(ap), (first, received) => {
      for (let n = 0; n < received.length; n++) {
        const index = server[first + n]!;
        if (index < 0 || weights[index] === 0) continue;
        sum[first + n]! += weights[index]! * (air.electrical(received[n]!) - beyond[index]!);
      }
    });
  }
  for (let point = 0; point < sum.length; point++) {
    // What rounding leaves may be below nothing.
    if (server[point]! >= 0) sum[point] = Math.max(0, sum[point]! + everywhere[server[point]!]!);
  }
  return sum;
}

/** Visits the part of each row that the access point reaches, with what is received there; the array is used again. */
function eachRow(
  state: RadioState,
  { columns, rows, window }: Frame,
  ap: number,
  { rangeM, clear, blocked, chance, sightCorrelationM, left }: Reach,
  visit: (first: number, received: Float64Array) => void,
): void {
  const { seed, cells } = state;
  const { firstX, firstY, stepX, stepY } = window(ap);
  const [atX, atY, power] = [cells.x[ap]!, cells.y[ap]!, cells.power[ap]!];
  const range2 = rangeM * rangeM;
  const half = rangeM / 2;
  const buffer = new Float64Array(columns);
  for (let row = 0; row < rows; row++) {
    const y = firstY + row * stepY;
    const left2 = range2 - y * y;
    if (left2 < 0) continue;
    const reachX = Math.sqrt(left2);
    const from = Math.max(0, Math.ceil((-reachX - firstX) / stepX));
    const to = Math.min(columns - 1, Math.floor((reachX - firstX) / stepX));
    for (let column = from; column <= to; column++) {
      const x = firstX + column * stepX;
      const distanceM = Math.sqrt(x * x + y * y);
      const place = (distanceM * lookUp) / (distanceM + half);
      const index = Math.trunc(place);
      const rest = place - index;
      let gains = clear;
      if (chance && blocked) {
        const likely = chance[index]! + rest * (chance[index + 1]! - chance[index]!);
        if (sightAt(seed, ap, sightCorrelationM ?? 1, atX + x, atY + y) >= likely) gains = blocked;
      }
      const received = power * (gains[index]! + rest * (gains[index + 1]! - gains[index]!));
      buffer[column - from] = left ? received * left(x, y) : received;
    }
    if (from <= to) visit(row * columns + from, buffer.subarray(0, to - from + 1));
  }
}
