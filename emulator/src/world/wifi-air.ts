// Who shares the air with whom: access points that hear each other take turns, one that hears another and is not heard waits
// for it, and those that do not hear each other disturb each other's devices.
import { fromDb } from '../exact-math.ts';
import { type Band, coupling, overlaps } from '../radio/spectrum.ts';
import { bandOf, clearChannelDbm, energyDetectionDbm, maxUtilisation, type WifiWidth } from '../radio/wifi.ts';
import { WaterLevel } from '../traffic/water-level.ts';
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
  return { version: state.wifiVersion, bands, relations };
}

const water = new WaterLevel();

/** How much of the air each access point could have in this second: an equal chance wherever it is full. */
export function shareAir(state: WorldState): void {
  const { cells } = state;
  const { relations } = airOf(state);
  for (let ap = 0; ap < cells.count; ap++) if (cells.type[ap] === wifi) cells.capacity[ap] = maxUtilisation;
  for (let ap = 0; ap < cells.count; ap++) {
    if (cells.type[ap] !== wifi) continue;
    const { peers, louder } = relations[ap]!;
    let free = maxUtilisation - cells.foreignShare[ap]!;
    for (const other of louder) free -= want(state, other);
    water.begin();
    water.add(want(state, ap));
    for (const other of peers) water.add(want(state, other));
    water.settle(Math.max(0, free));
    limit(state, ap);
    for (const other of peers) limit(state, other);
  }
}

/** How full each access point finds the air, once the airtime of all is known. */
export function measureAir(state: WorldState): void {
  const { cells } = state;
  const { relations } = airOf(state);
  for (let ap = 0; ap < cells.count; ap++) {
    if (cells.type[ap] !== wifi) continue;
    const { peers, louder } = relations[ap]!;
    let busy = cells.load[ap]! + cells.foreignShare[ap]!;
    for (const other of peers) busy += cells.load[other]!;
    for (const other of louder) busy += cells.load[other]!;
    cells.utilisation[ap] = Math.min(1, busy);
  }
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

function limit(state: WorldState, ap: number): void {
  const share = water.shareOf(want(state, ap));
  if (share < state.cells.capacity[ap]!) state.cells.capacity[ap] = share;
}
