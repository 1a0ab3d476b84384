// Access points that hear each other only in part: who sends how much of the time. The ideal CSMA network of Boorstyn et al.: the
// sets that may send at once are the independent sets of the graph of who hears whom, each as likely as the product of its
// members' activities. So those with fewer neighbours win, and the middle of a chain hardly ever finds the air free.
import { hash, streams } from '../randomness.ts';

/** Access points that are connected by hearing each other, directly or over others. */
export interface Component {
  members: Int32Array;
  /** By member: its neighbours, as positions in `members`. */
  neighbours: readonly Int32Array[];
  /** Everybody hears everybody. */
  isClique: boolean;
  /** All independent sets as bits of members, each after the one without its lowest; undefined where there are too many. */
  sets?: { bits: Int32Array; without: Int32Array; lowest: Uint8Array };
}

/** Beyond either, shares are found by playing turns instead of adding up sets. */
const mostExact = 15;
const mostSets = 4096;

/** Components of the graph with these neighbours; those without any are left out. */
export function findComponents(count: number, neighboursOf: (ap: number) => Int32Array): Component[] {
  const position = new Int32Array(count).fill(-1);
  const found: Component[] = [];
  for (let first = 0; first < count; first++) {
    if (position[first]! >= 0 || neighboursOf(first).length === 0) continue;
    const members = [first];
    position[first] = 0;
    for (let n = 0; n < members.length; n++) {
      for (const other of neighboursOf(members[n]!)) {
        if (position[other]! >= 0) continue;
        position[other] = members.length;
        members.push(other);
      }
    }
    const neighbours = members.map((ap) => Int32Array.from(neighboursOf(ap), (other) => position[other]!));
    const isClique = neighbours.every(({ length }) => length === members.length - 1);
    const sets = isClique || members.length > mostExact ? undefined : independentSets(neighbours);
    found.push({ members: Int32Array.from(members), neighbours, isClique, ...(sets && { sets }) });
  }
  return found;
}

export function independentSets(neighbours: readonly Int32Array[]): Component['sets'] {
  const masks = neighbours.map((others) => others.reduce((mask, other) => mask | (1 << other), 0));
  const bits = [0];
  const without = [-1];
  const lowest = [0];
  for (let member = neighbours.length - 1; member >= 0; member--) {
    // Those that exist have higher members only, so that this one becomes the lowest.
    const known = bits.length;
    for (let set = 0; set < known; set++) {
      if ((bits[set]! & masks[member]!) !== 0) continue;
      if (bits.length === mostSets) return undefined;
      bits.push(bits[set]! | (1 << member));
      without.push(set);
      lowest.push(member);
    }
  }
  return { bits: Int32Array.from(bits), without: Int32Array.from(without), lowest: Uint8Array.from(lowest) };
}

/** By member; filled by `shareExactly` and `playTurns`. */
export interface Shares {
  /** Of the time, in which it sends. */
  sends: Float64Array;
  /** In which it finds the air free: nobody it hears sends, nor itself. */
  free: Float64Array;
  /** At [member * count + neighbour]: how much of the time in which it finds the air free its neighbour does, too. */
  together: Float64Array;
}

export function createShares(count: number): Shares {
  return {
    sends: new Float64Array(count),
    free: new Float64Array(count),
    together: new Float64Array(count * count),
  };
}

const mostRounds = 60;
const accuracy = 1e-4;
let weights = new Float64Array(0);

/**
 * Everybody sends as much as it wants, or as much as its activity allows: how many times longer it sends than it counts down
 * while the air is free. Who wants less counts down the longer.
 */
export function shareExactly(
  { members, neighbours, sets }: Component,
  wants: Float64Array,
  activities: Float64Array,
  shares: Shares,
): void {
  const { bits, without, lowest } = sets!;
  const count = members.length;
  const { sends, free, together } = shares;
  if (weights.length < bits.length) weights = new Float64Array(bits.length);
  const active = activities.slice(0, count);
  for (let n = 0; n < count; n++) if (wants[n] === 0) active[n] = 0;
  let total = 1;
  for (let round = 0; round < mostRounds; round++) {
    sends.fill(0, 0, count);
    weights[0] = 1;
    total = 1;
    for (let set = 1; set < bits.length; set++) {
      weights[set] = weights[without[set]!]! * active[lowest[set]!]!;
      total += weights[set]!;
    }
    for (let set = 1; set < bits.length; set++) {
      for (let at = set; at > 0; at = without[at]!) sends[lowest[at]!]! += weights[set]!;
    }
    let isSettled = true;
    for (let n = 0; n < count; n++) {
      sends[n]! /= total;
      if (sends[n] === 0) continue;
      const ratio = wants[n]! / sends[n]!;
      const next = Math.min(activities[n]!, active[n]! * ratio);
      if (Math.abs(next - active[n]!) > accuracy * active[n]!) isSettled = false;
      active[n] = next;
    }
    if (isSettled) break;
  }
  free.fill(0);
  together.fill(0);
  const closed = neighbours.map((others, n) => others.reduce((mask, other) => mask | (1 << other), 1 << n));
  for (let set = 0; set < bits.length; set++) {
    const weight = weights[set]! / total;
    for (let n = 0; n < count; n++) {
      if ((bits[set]! & closed[n]!) !== 0) continue;
      free[n]! += weight;
      for (const other of neighbours[n]!)
        if ((bits[set]! & closed[other]!) === 0) together[n * count + other]! += weight;
    }
  }
  divide(shares, free, count);
}

function divide({ together }: Shares, by: Float64Array, count: number): void {
  for (let n = 0; n < count * count; n++) if (together[n]! > 0) together[n]! /= by[Math.floor(n / count)]!;
}

const turns = 96;
/** A turn ends so that who follows another one has it for about so many. */
const turnsHeld = 10;

/**
 * The same for large components, by chance: in each turn some of those that send let go, then everybody that hears nobody
 * begins, one after the other in a new order. `holds` says who sent at the end of the second before. On random graphs of up
 * to 15 access points a share is off by 0.03 on average.
 */
export function playTurns(
  { members, neighbours }: Component,
  wants: Float64Array,
  shares: Shares,
  holds: Uint8Array,
  chance: number,
  step: number,
): void {
  const count = members.length;
  const { sends, free, together } = shares;
  sends.fill(0);
  free.fill(0);
  together.fill(0);
  const tries = new Float64Array(count);
  const isTrying = new Uint8Array(count);
  const order = Array.from({ length: count }, (_, n) => n);
  const keys = new Float64Array(count);
  const isBlocked = (n: number) => {
    for (const other of neighbours[n]!) if (holds[members[other]!] === 1) return true;
    return false;
  };
  for (let turn = 0; turn < turns; turn++) {
    for (let n = 0; n < count; n++) {
      keys[n] = hash(chance, streams.turn, members[n]!, step * turns + turn);
      const isDone = sends[n]! >= wants[n]!;
      if (isDone || keys[n]! % turnsHeld === 0) holds[members[n]!] = 0;
    }
    for (let n = 0; n < count; n++) {
      isTrying[n] = holds[members[n]!] === 0 && sends[n]! < wants[n]! && !isBlocked(n) ? 1 : 0;
      tries[n]! += isTrying[n]!;
    }
    for (let n = 0; n < count; n++) {
      if (isTrying[n] === 0) continue;
      for (const other of neighbours[n]!) together[n * count + other]! += isTrying[other]!;
    }
    order.sort((one, other) => keys[one]! - keys[other]!);
    for (const n of order) {
      if (holds[members[n]!] === 0 && sends[n]! < wants[n]! && !isBlocked(n)) holds[members[n]!] = 1;
    }
    for (let n = 0; n < count; n++) {
      if (holds[members[n]!] === 1) sends[n]! += 1 / turns;
      else if (!isBlocked(n)) free[n]! += 1 / turns;
    }
  }
  divide(shares, tries, count);
}
