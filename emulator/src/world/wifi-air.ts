// Who shares the air with whom: access points that hear each other take turns, one that hears another and is not heard waits
// for it, and those that do not hear each other disturb each other's devices.
import { fromDb } from '@weft/contract/exact-math';
import { activityRatio, collisionShare, contentionEfficiency, usualRtsAboveBytes } from '../radio/medium-access.ts';
import { type Band, coupling, overlaps } from '../radio/spectrum.ts';
import { bandOf, clearChannelDbm, energyDetectionDbm, type WifiWidth } from '../radio/wifi.ts';
import { WaterLevel } from '../traffic/water-level.ts';
import { type Component, createShares, findComponents, playTurns, type Shares, shareExactly } from './csma-network.ts';
import { accessPointTypes } from './world-spec.ts';
import type { WorldState } from './world-state.ts';

interface Relations {
  /** Take turns with it. */
  peers: Int32Array;
  /** It waits for these, and they do not hear it. */
  louder: Int32Array;
  /** Neither hears the other: each one's share in its band, and the gain between the two. */
  hidden: Int32Array;
  hiddenCoupling: Float64Array;
  hiddenGain: Float64Array;
}

interface Air {
  version: number;
  bands: Band[];
  relations: Relations[];
  /** Those that take turns with others; and memory for their shares. */
  components: { component: Component; wants: Float64Array; activities: Float64Array; shares: Shares }[];
}

const wifi = accessPointTypes.indexOf('WiFi');
const readableMw = fromDb(clearChannelDbm);
const energyMw = fromDb(energyDetectionDbm);
/** What arrives below this share of the noise is not counted. */
const faintMw = fromDb(-115);
const none: Relations = {
  peers: new Int32Array(),
  louder: new Int32Array(),
  hidden: new Int32Array(),
  hiddenCoupling: new Float64Array(),
  hiddenGain: new Float64Array(),
};

/** Follows from the state, so that it is not a part of it: remembered until a channel, a width or a power changes. */
const airs = new WeakMap<WorldState, Air>();

export function airOf(state: WorldState): Air {
  let air = airs.get(state);
  if (!air || air.version !== state.wifiVersion) {
    air = relate(state);
    airs.set(state, air);
  }
  return air;
}

export function bandOfCell({ cells }: WorldState, ap: number): Band {
  return bandOf(cells.channel[ap]!, cells.widthMhz[ap] as WifiWidth);
}

function relate(state: WorldState): Air {
  const { cells, neighbours } = state;
  const bands = Array.from(cells.type, (type, ap) =>
    type === wifi ? bandOfCell(state, ap) : { lowMhz: 0, highMhz: 0 },
  );
  const hears = (ap: number, other: number, gain: number) => {
    const mw = cells.power[other]! * gain * coupling(bands[other]!, bands[ap]!);
    return mw >= (overlaps(bands[ap]!, bands[other]!) ? readableMw : energyMw);
  };
  const relations = bands.map((band, ap): Relations => {
    if (cells.type[ap] !== wifi) return none;
    const { index, gain } = neighbours[ap]!;
    const [peers, louder, hidden]: number[][] = [[], [], []];
    const [couplings, gains]: number[][] = [[], []];
    for (let n = 0; n < index.length; n++) {
      const other = index[n]!;
      const share = coupling(bands[other]!, band);
      if (cells.isOnAir[other] === 0 || share === 0) continue;
      if (hears(ap, other, gain[n]!)) {
        if (hears(other, ap, gain[n]!)) peers!.push(other);
        else louder!.push(other);
      } else if (!hears(other, ap, gain[n]!) && cells.power[other]! * gain[n]! * share > faintMw) {
        hidden!.push(other);
        couplings!.push(share);
        gains!.push(gain[n]!);
      }
    }
    return {
      peers: Int32Array.from(peers!),
      louder: Int32Array.from(louder!),
      hidden: Int32Array.from(hidden!),
      hiddenCoupling: Float64Array.from(couplings!),
      hiddenGain: Float64Array.from(gains!),
    };
  });
  const components = findComponents(cells.count, (ap) => relations[ap]!.peers).map((component) => {
    const { length } = component.members;
    const numbers = () => new Float64Array(length);
    return {
      component,
      wants: numbers(),
      activities: numbers(),
      shares: createShares(component.isClique ? 0 : length),
    };
  });
  return { version: state.wifiVersion, bands, relations, components };
}

const water = new WaterLevel();

/** How much of the air each access point could have in this second. A whole one is what a lone sender has, backoff included. */
export function shareAir(state: WorldState): void {
  const { cells } = state;
  const { components } = airOf(state);
  for (let ap = 0; ap < cells.count; ap++) {
    if (cells.type[ap] !== wifi) continue;
    cells.capacity[ap] = roomOf(state, ap) * cells.efficiency[ap]!;
  }
  for (const { component, wants, activities, shares } of components) {
    if (component.isClique) shareTurns(state, component.members);
    else shareParts(state, component, wants, activities, shares);
  }
}

/** What others than the network, and those who do not hear it, leave of the time. */
function roomOf(state: WorldState, ap: number): number {
  let room = 1 - state.cells.foreignShare[ap]!;
  for (const other of airOf(state).relations[ap]!.louder) room -= want(state, other);
  return Math.max(0, room);
}

/** All hear each other: an equal chance for everybody that has something to send. */
function shareTurns(state: WorldState, members: Int32Array): void {
  const { cells } = state;
  let room = 1;
  water.begin();
  for (const ap of members) {
    room = Math.min(room, roomOf(state, ap));
    water.add(want(state, ap) / cells.efficiency[ap]!);
  }
  water.settle(room);
  for (const ap of members) {
    const share = water.shareOf(want(state, ap) / cells.efficiency[ap]!);
    cells.capacity[ap] = Math.min(room, share) * cells.efficiency[ap]!;
  }
}

/** They hear each other in part: how much of the time each sends, and how much more it could. */
function shareParts(
  state: WorldState,
  component: Component,
  wants: Float64Array,
  activities: Float64Array,
  shares: Shares,
): void {
  const { cells, chance, step } = state;
  const { members, sets } = component;
  for (const [n, ap] of members.entries()) {
    activities[n] = activityRatio(cells.cycleUs[ap]!);
    const most = roomOf(state, ap) * cells.efficiency[ap]!;
    // A lone sender that sends all the time counts down for the rest of it.
    const sending = sets ? activities[n]! / (1 + activities[n]!) : 1;
    wants[n] = most > 0 ? Math.min(1, want(state, ap) / most) * sending : 0;
  }
  if (sets) shareExactly(component, wants, activities, shares);
  else playTurns(component, wants, shares, cells.holdsAir, chance, step);
  for (const [n, ap] of members.entries()) {
    cells.capacity[ap] = roomOf(state, ap) * cells.efficiency[ap]! * Math.min(1, shares.sends[n]! + shares.free[n]!);
  }
}

/**
 * What contention costs everybody from the next second on, by who had data waiting in this one: of n that always have, n - 1
 * besides the one that sends; of a lone one, however seldom it sends, none.
 */
function measureContention(state: WorldState): void {
  const { cells } = state;
  const { relations, components } = airOf(state);
  for (let ap = 0; ap < cells.count; ap++) {
    if (cells.type[ap] === wifi && relations[ap]!.peers.length === 0) contend(state, ap, 0, 0);
  }
  for (const { component, shares } of components) {
    const { members, neighbours, isClique } = component;
    for (const [n, ap] of members.entries()) {
      let [senders, squared] = [0, 0];
      for (const other of neighbours[n]!) {
        const share = isClique ? 1 : shares.together[n * members.length + other]!;
        senders += share * cells.senders[members[other]!]!;
        squared += share * cells.sendersSquared[members[other]!]!;
      }
      contend(state, ap, senders, squared);
    }
  }
}

function contend({ cells, wifiRadio }: WorldState, ap: number, others: number, othersSquared: number): void {
  const senders = cells.senders[ap]! + others;
  const rivals = senders > 0 ? Math.max(0, senders - (cells.sendersSquared[ap]! + othersSquared) / senders) : 0;
  const withRts = wifiRadio.rtsAboveBytes < usualRtsAboveBytes;
  cells.efficiency[ap] = contentionEfficiency(1 + rivals, cells.cycleUs[ap]!, withRts);
  cells.collisionShare[ap] = collisionShare(1 + rivals, withRts);
}

/** How full each access point finds the air, once the airtime of all is known. */
export function measureAir(state: WorldState): void {
  const { cells } = state;
  const { relations } = airOf(state);
  for (let ap = 0; ap < cells.count; ap++) {
    if (cells.type[ap] !== wifi) continue;
    const { peers, louder } = relations[ap]!;
    let busy = cells.load[ap]!;
    for (const other of peers) busy += cells.load[other]!;
    for (const other of louder) busy += cells.load[other]!;
    cells.utilisation[ap] = Math.min(1, busy + cells.foreignShare[ap]!);
  }
  measureContention(state);
}

/** What access points that do not hear the serving one send into its band, as the device hears it, by their airtime. */
export function hiddenMw(state: WorldState, device: number, serving: number): number {
  const { cells, wifi: layer } = state;
  const { hidden, hiddenCoupling, hiddenGain } = airOf(state).relations[serving]!;
  if (hidden.length === 0) return 0;
  const { links } = layer;
  const from = device * links.slots;
  let mw = 0;
  for (let n = 0; n < hidden.length; n++) {
    const other = hidden[n]!;
    const load = cells.load[other]!;
    if (load === 0) continue;
    // One that the device does not follow is far away: there it sounds as it does at the access point.
    let gain = hiddenGain[n]!;
    for (let slot = from; slot < from + links.slots; slot++) {
      if (links.ap[slot] === other) {
        gain = links.gain[slot]!;
        break;
      }
    }
    mw += cells.power[other]! * gain * hiddenCoupling[n]! * load;
  }
  return mw;
}

function want({ cells }: WorldState, ap: number): number {
  return cells.isOnAir[ap] === 0 ? 0 : Math.min(1, cells.wanted[ap]!);
}
