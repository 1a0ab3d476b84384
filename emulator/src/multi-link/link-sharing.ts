// How the traffic of a device with several links is split among them before a second is served, and what came of it after.
import { baseMs } from '../traffic/scheduler.ts';
import { accessPointTypes, type LinkMode, linkModes } from '../world/world-spec.ts';
import type { WorldState } from '../world/world-state.ts';
import { rowOf } from './link-policies.ts';
import { linksEach } from './multi-link-table.ts';

/** Light before WiFi before 5G. */
const preference = [2, 1, 0];
/** A path that is there already takes over so fast. */
export const switchS = 0.05;
/** So long the first link must have been there before the traffic returns to it. */
const returnAfterSteps = 3;
/** What a single packet has, in bits. */
const packetBits = 12_000;
/** Of the newest second in what a link usually gives. */
const newest = 0.3;

/** By technology, what of the traffic goes there: sums to one, or is one for each with a copy; 0 where there is no link. */
export type Shares = number[];

export interface LinkView {
  isUsable: boolean;
  /** What it would give to somebody with data without end. */
  bps: number;
  /** For how long it could be used without a break. */
  usableSteps: number;
  weight: number;
}

export interface Choice {
  mode: LinkMode;
  /** Index into accessPointTypes, or -1. */
  primary: number;
  carrier: number;
  waitingBits: number;
  links: readonly LinkView[];
}

/** The decision of a policy, from what a device knows of its links. */
export function sharesOf({ mode, primary, carrier, waitingBits, links }: Choice): Shares {
  const shares = links.map(() => 0);
  const order = [primary, ...preference.filter((type) => type !== primary)].filter((type) => links[type]?.isUsable);
  const first = order[0];
  if (first === undefined) return shares;
  switch (mode) {
    case 'redundant':
      for (const type of order) shares[type] = 1;
      return shares;
    case 'load_balancing':
      return balanced(order, links, shares);
    case 'priority':
      return overflowing(order, links, waitingBits, shares);
    case 'smallest_delay':
      shares[fastest(order, links, waitingBits, carrier)] = 1;
      return shares;
    default:
      shares[standingBy(order, links, carrier)] = 1;
      return shares;
  }
}

/** The first link, unless it has only just come back and another one works. */
function standingBy(order: readonly number[], links: readonly LinkView[], carrier: number): number {
  const first = order[0]!;
  if (carrier === first || !order.includes(carrier)) return first;
  return links[first]!.usableSteps > returnAfterSteps ? first : carrier;
}

function fastest(order: readonly number[], links: readonly LinkView[], waitingBits: number, carrier: number): number {
  const bits = Math.max(packetBits, waitingBits);
  const delayMs = (type: number) => baseMs[type]! + (1000 * bits) / Math.max(1, links[type]!.bps);
  let best = order.includes(carrier) ? carrier : order[0]!;
  for (const type of order) if (delayMs(type) < delayMs(best)) best = type;
  return best;
}

/** By weight; without any, by what each can carry. A link without a weight gets nothing while another has one. */
function balanced(order: readonly number[], links: readonly LinkView[], shares: Shares): Shares {
  const isWeighted = order.some((type) => links[type]!.weight > 0);
  const amounts = order.map((type) => (isWeighted ? links[type]!.weight : links[type]!.bps));
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  for (const [n, type] of order.entries()) shares[type] = sum > 0 ? amounts[n]! / sum : 1 / order.length;
  return shares;
}

/** One link after the other is filled with what it can serve in a second; the last takes the rest. */
function overflowing(
  order: readonly number[],
  links: readonly LinkView[],
  waitingBits: number,
  shares: Shares,
): Shares {
  let left = 1;
  for (const [n, type] of order.entries()) {
    const isLast = n === order.length - 1;
    const share = isLast || waitingBits === 0 ? left : Math.min(left, links[type]!.bps / waitingBits);
    shares[type] = share;
    left -= share;
  }
  return shares;
}

/** Before the air is shared: the traffic of each device goes to the rows of its links. */
export function splitTraffic(state: WorldState): void {
  const { multi } = state;
  for (let entry = 0; entry < multi.count; entry++) if (multi.mode[entry] !== 0) split(state, entry);
}

function split(state: WorldState, entry: number): void {
  const { devices, multi } = state;
  const device = multi.device[entry]!;
  const links = viewLinks(state, entry);
  const shares =
    steeredShares(state, entry, links) ??
    sharesOf({
      mode: linkModes[multi.mode[entry]!]!,
      primary: multi.primary[entry]!,
      carrier: multi.carrier[entry]!,
      waitingBits: devices.backlogBits[device]!,
      links,
    });
  const carrier = mostOf(shares, multi.carrier[entry]!);
  const isCopied = linkModes[multi.mode[entry]!] === 'redundant';
  if (!isCopied) switchTo(state, entry, carrier);
  else multi.carrier[entry] = carrier;
  for (let type = 0; type < linksEach; type++) devices.arrivals[rowOf(state, entry, type)] = devices.arrivals[device]!;
  for (const column of ['backlogBits', 'upBacklogBits', 'streamBits', 'newBits'] as const) {
    const all = devices[column][device]!;
    let left = all;
    for (let type = 0; type < linksEach; type++) {
      const row = rowOf(state, entry, type);
      // The carrier takes what is left, so that nothing is lost to rounding.
      const part = isCopied ? all * shares[type]! : type === carrier ? 0 : Math.min(left, all * shares[type]!);
      devices[column][row] = part;
      if (!isCopied) left -= part;
    }
    if (carrier >= 0 && !isCopied) devices[column][rowOf(state, entry, carrier)] = left;
  }
}

function viewLinks(state: WorldState, entry: number): LinkView[] {
  const { cells, devices, multi } = state;
  return accessPointTypes.map((_, type) => {
    const row = rowOf(state, entry, type);
    const link = entry * linksEach + type;
    const ap = devices.serving[row]!;
    const rate = devices.rateBps[row]!;
    const isUsable = ap >= 0 && rate > 0 && cells.hasBackhaul[ap] === 1 && cells.quota[ap]! > 0;
    multi.usableSteps[link] = isUsable ? multi.usableSteps[link]! + 1 : 0;
    const usual = multi.usualBps[link]!;
    const bps = usual > 0 ? Math.min(usual, rate) : rate;
    return { isUsable, bps, usableSteps: multi.usableSteps[link]!, weight: multi.weights[link]! };
  });
}

/** A device goes where it is steered, as long as that link works. */
function steeredShares({ cells, devices, multi }: WorldState, entry: number, links: readonly LinkView[]) {
  const target = devices.steeredTo[multi.device[entry]!]!;
  if (target < 0) return undefined;
  const type = cells.type[target]!;
  const row = devices.count + entry * linksEach + type;
  if (devices.serving[row] !== target || !links[type]!.isUsable) return undefined;
  return links.map((_, other) => (other === type ? 1 : 0));
}

/** The technology with the largest share; of equal ones that which had it. */
function mostOf(shares: Shares, before: number): number {
  let most = before >= 0 && shares[before]! > 0 ? before : -1;
  for (const type of preference) if (shares[type]! > (most < 0 ? 0 : shares[most]!)) most = type;
  return most;
}

function switchTo(state: WorldState, entry: number, carrier: number): void {
  const { devices, multi } = state;
  const before = multi.carrier[entry]!;
  multi.carrier[entry] = carrier;
  if (carrier < 0 || before < 0 || carrier === before) return;
  multi.switches[entry]! += 1;
  const row = rowOf(state, entry, carrier);
  devices.lostS[row] = Math.max(devices.lostS[row]!, switchS);
  devices.rateBps[row]! *= 1 - switchS;
}

/** After a second: what was delivered counts once, what was not waits at the device again. */
export function collectTraffic(state: WorldState): void {
  const { multi } = state;
  for (let entry = 0; entry < multi.count; entry++) if (multi.mode[entry] !== 0) collect(state, entry);
}

function collect(state: WorldState, entry: number): void {
  const { cells, devices, multi, balance, uplink } = state;
  const device = multi.device[entry]!;
  const isCopied = linkModes[multi.mode[entry]!] === 'redundant';
  const { backlogBits, latencyMs, rateBps, lostS, serviceBps } = devices;
  const hadData = backlogBits[device]! > 0;
  let weighted = 0;
  let delivered = 0;
  let most = 0;
  let isServed = false;
  latencyMs[device] = hadData ? Infinity : 0;
  rateBps[device] = 0;
  lostS[device] = 1;
  for (let type = 0; type < linksEach; type++) {
    const row = rowOf(state, entry, type);
    const ap = devices.serving[row]!;
    const link = entry * linksEach + type;
    if (ap < 0) {
      multi.usualBps[link] = 0;
      continue;
    }
    const usual = multi.usualBps[link]!;
    multi.usualBps[link] = usual === 0 ? serviceBps[row]! : usual + newest * (serviceBps[row]! - usual);
    if (rateBps[row]! > 0 && cells.capacity[ap]! > 0) {
      isServed = true;
      if (isCopied || type === multi.carrier[entry]) lostS[device] = Math.min(lostS[device]!, lostS[row]!);
      rateBps[device] = Math.max(rateBps[device]!, rateBps[row]!);
    }
    const bits = devices.sentBits[row]!;
    if (bits === 0) continue;
    delivered += bits;
    weighted += bits * latencyMs[row]!;
    const isSooner = bits === most && latencyMs[row]! < latencyMs[device]!;
    if (bits > most || isSooner) {
      most = bits;
      if (isCopied) latencyMs[device] = latencyMs[row]!;
    }
  }
  if (isServed) state.served++;
  if (delivered > 0 && !isCopied) latencyMs[device] = weighted / delivered;
  if (isCopied) multi.duplicateBits[entry]! += delivered - most;
  balance.deliveredBits += settle(state, entry, 'backlogBits', isCopied);
  uplink.deliveredBits += settle(state, entry, 'upBacklogBits', isCopied);
}

/** What waits is with the device again, and the rows are empty; returns what was delivered. */
function settle(state: WorldState, entry: number, column: 'backlogBits' | 'upBacklogBits', isCopied: boolean): number {
  const { devices, multi } = state;
  const device = multi.device[entry]!;
  const before = devices[column][device]!;
  let left = isCopied ? before : 0;
  let isSplit = false;
  for (let type = 0; type < linksEach; type++) {
    const row = rowOf(state, entry, type);
    const isUsed = multi.usableSteps[entry * linksEach + type]! > 0;
    if (isUsed && isCopied) left = Math.min(left, devices[column][row]!);
    if (isUsed) isSplit = true;
    if (!isCopied) left += devices[column][row]!;
    devices[column][row] = 0;
  }
  if (!isSplit) return 0;
  devices[column][device] = left;
  return before - left;
}
