// The paths between each device and the few access points it hears best, for one technology. Paths are worked out again
// only where something moved or changed, and searched for again only after a way that matters.
import { fromDb } from '@weft/contract/exact-math';
import { correlatedShadowDb } from '../radio/nr.ts';
import { normal, streams } from '../randomness.ts';
import { wallGain } from '../traffic/imported.ts';
import { type Links, slotOf } from './link-table.ts';
import { createNearest, findNearest, type Nearest } from './spatial-grid.ts';
import type { Layer, WorldState } from './world-state.ts';

/** What differs from technology to technology. */
export interface LinkModel {
  slots: number;
  /** How many of the nearest are looked at. */
  candidates: number;
  rangeM: number;
  searchAfterM: number;
  canHear(state: WorldState, device: number): boolean;
  /** Puts the path between the two, as it is now, into `traced`. `slot` is where it was followed before, or -1. */
  trace(state: WorldState, device: number, ap: number, slot: number): void;
}

/**
 * The path that was traced last: its gain, its shadow in deviations, and 1 where nothing stands in the way. Written to, because
 * numbers that go in and out of functions that differ from call to call are put on the heap, and paths are most of a second.
 */
export const traced = new Float64Array(3);

interface Scratch {
  nearest: Nearest;
  ap: Int32Array;
  strength: Float64Array;
  gain: Float64Array;
  shadow: Float64Array;
  hasSight: Uint8Array;
}

const scratches = new Map<LinkModel, Scratch>();

/** Brings the paths of all devices up to where everybody is now. */
export function updateLinks(state: WorldState, { grid, links }: Layer, model: LinkModel): void {
  if (grid.squares.size === 0) return;
  const { count, x, y, movedM } = state.devices;
  const { searchedX, searchedY, isStale } = links;
  const far2 = model.searchAfterM * model.searchAfterM;
  for (let device = 0; device < count; device++) {
    if (isStale[device] === 0) {
      if (movedM[device] === 0) continue;
      const dx = x[device]! - searchedX[device]!;
      const dy = y[device]! - searchedY[device]!;
      if (dx * dx + dy * dy < far2) {
        if (model.canHear(state, device)) follow(state, links, model, device);
        continue;
      }
    }
    isStale[device] = 0;
    searchedX[device] = x[device]!;
    searchedY[device] = y[device]!;
    if (model.canHear(state, device)) search(state, grid, links, model, device);
  }
}

/** All devices that may hear the access point look around again in this second. */
export function markStale(state: WorldState, { grid, links }: Layer, ap: number): void {
  const { count, x, y } = state.devices;
  const [atX, atY] = [state.cells.x[ap]!, state.cells.y[ap]!];
  const reach2 = grid.rangeM * grid.rangeM;
  for (let device = 0; device < count; device++) {
    const dx = x[device]! - atX;
    const dy = y[device]! - atY;
    if (dx * dx + dy * dy <= reach2) links.isStale[device] = 1;
  }
}

function follow(state: WorldState, links: Links, model: LinkModel, device: number): void {
  const { ap, shadow, hasSight, gain } = links;
  const from = device * links.slots;
  for (let slot = from; slot < from + links.slots; slot++) {
    const at = ap[slot]!;
    if (at < 0) return;
    model.trace(state, device, at, slot);
    gain[slot] = traced[0]! * wallGain(state, device, at);
    shadow[slot] = traced[1]!;
    hasSight[slot] = traced[2]!;
  }
}

function search(state: WorldState, grid: Layer['grid'], links: Links, model: LinkModel, device: number): void {
  const { cells, devices } = state;
  const best = scratchFor(model);
  const { nearest } = best;
  findNearest(grid, cells.x, cells.y, cells.isOnAir, devices.x[device]!, devices.y[device]!, nearest);
  let kept = 0;
  let rest = 0;
  for (let n = 0; n < nearest.count; n++) {
    const ap = nearest.index[n]!;
    model.trace(state, device, ap, slotOf(links, device, ap));
    const gain = traced[0]! * wallGain(state, device, ap);
    const strength = gain * cells.power[ap]!;
    let at = kept;
    if (kept < model.slots) kept++;
    else if (strength <= best.strength[--at]!) {
      rest += strength;
      continue;
    } else rest += best.strength[at]!;
    for (; at > 0 && strength > best.strength[at - 1]!; at--) move(best, at - 1, at);
    best.ap[at] = ap;
    best.strength[at] = strength;
    best.gain[at] = gain;
    best.shadow[at] = traced[1]!;
    best.hasSight[at] = traced[2]!;
  }
  links.rest[device] = rest;
  const from = device * model.slots;
  for (let n = 0; n < model.slots; n++) {
    links.ap[from + n] = n < kept ? best.ap[n]! : -1;
    links.gain[from + n] = best.gain[n]!;
    links.shadow[from + n] = best.shadow[n]!;
    links.hasSight[from + n] = best.hasSight[n]!;
  }
}

function move(best: Scratch, from: number, to: number): void {
  best.ap[to] = best.ap[from]!;
  best.strength[to] = best.strength[from]!;
  best.gain[to] = best.gain[from]!;
  best.shadow[to] = best.shadow[from]!;
  best.hasSight[to] = best.hasSight[from]!;
}

/** Squared metres between the two, on the ground. */
export function squaredM({ cells, devices }: WorldState, device: number, ap: number): number {
  const dx = cells.x[ap]! - devices.x[device]!;
  const dy = cells.y[ap]! - devices.y[device]!;
  return dx * dx + dy * dy;
}

/** In deviations: the first one (`slot` is -1), or what the way of this second has left of the one in the slot. */
export function shadowOf(
  state: WorldState,
  { shadow }: Links,
  device: number,
  ap: number,
  slot: number,
  decorrelationM: number,
): number {
  if (slot < 0) return normal(state.seed, streams.firstShadow, device, ap);
  const movedM = state.devices.movedM[device]!;
  if (movedM === 0) return shadow[slot]!;
  const draw = normal(state.chance, streams.shadow, device, Math.imul(state.step, 0x9e3779b1) ^ ap);
  return correlatedShadowDb(shadow[slot]!, movedM, decorrelationM, 1, draw);
}

/** A link's gain from its loss in decibels. */
export function gainOfLossDb(lossDb: number): number {
  return fromDb(-lossDb);
}

function scratchFor(model: LinkModel): Scratch {
  let scratch = scratches.get(model);
  if (!scratch) {
    scratch = {
      nearest: createNearest(model.candidates),
      ap: new Int32Array(model.slots),
      strength: new Float64Array(model.slots),
      gain: new Float64Array(model.slots),
      shadow: new Float64Array(model.slots),
      hasSight: new Uint8Array(model.slots),
    };
    scratches.set(model, scratch);
  }
  return scratch;
}

/** The open access point that the device hears best (or -1), and how well it hears the one that serves it. */
export function strongestOf({ cells }: WorldState, links: Links, device: number, serving: number) {
  const from = device * links.slots;
  let best = -1;
  let bestMw = 0;
  let servingMw = 0;
  for (let slot = from; slot < from + links.slots; slot++) {
    const ap = links.ap[slot]!;
    if (ap < 0) break;
    if (cells.isOpen[ap] === 0) continue;
    const mw = cells.power[ap]! * links.gain[slot]!;
    if (ap === serving) servingMw = mw;
    if (mw > bestMw) {
      best = ap;
      bestMw = mw;
    }
  }
  return { best, bestMw, servingMw };
}
