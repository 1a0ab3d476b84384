// Devices that hold a link of each technology at once. Each link is a row of its own behind those of the devices, in the
// columns that describe a link.
import { type Devices, linkColumns } from '../world/devices.ts';
import { accessPointTypes, linkModes } from '../world/world-spec.ts';
import type { WorldState } from '../world/world-state.ts';
import { type LinkPolicy, linksEach } from './multi-link-table.ts';

const byEntry = ['device', 'mode', 'primary', 'carrier', 'switches', 'duplicateBits'] as const;
const byLink = ['weights', 'usableSteps', 'usualBps'] as const;

/** Whether the device holds several links now. */
export function isMultiLink({ multi }: Pick<WorldState, 'multi'>, device: number): boolean {
  const entry = multi.entry[device]!;
  return entry >= 0 && multi.mode[entry] !== 0;
}

/** The row of an entry's link of a technology. */
export function rowOf({ devices }: Pick<WorldState, 'devices'>, entry: number, type: number): number {
  return devices.count + entry * linksEach + type;
}

/** Whose link a row is. */
export function ownerOf({ devices, multi }: Pick<WorldState, 'devices' | 'multi'>, row: number): number {
  return row < devices.count ? row : multi.device[Math.floor((row - devices.count) / linksEach)]!;
}

/** The row of the device's link to the access point, or -1. */
export function rowAt(state: WorldState, device: number, ap: number): number {
  const { devices, multi } = state;
  if (!isMultiLink(state, device)) return devices.serving[device] === ap ? device : -1;
  const row = rowOf(state, multi.entry[device]!, state.cells.type[ap]!);
  return devices.serving[row] === ap ? row : -1;
}

/** The access point that carries most of the device's traffic, or -1. */
export function carrierOf(state: WorldState, device: number): number {
  const { devices, multi } = state;
  if (!isMultiLink(state, device)) return devices.serving[device]!;
  const entry = multi.entry[device]!;
  const type = multi.carrier[entry]!;
  return type < 0 ? -1 : devices.serving[rowOf(state, entry, type)]!;
}

/** From now on the device's traffic uses its links so. What it is attached to stays; further links come with the next second. */
export function setLinkPolicy(state: WorldState, device: number, policy: LinkPolicy): void {
  const { devices, multi } = state;
  const wasMulti = isMultiLink(state, device);
  if (!wasMulti && policy.mode === 'single') return;
  if (wasMulti && policy.mode === 'single') {
    keepOne(state, device);
    return;
  }
  const entry = multi.entry[device]! < 0 ? addEntry(state, device) : multi.entry[device]!;
  multi.mode[entry] = linkModes.indexOf(policy.mode);
  multi.primary[entry] = policy.primary === undefined ? -1 : accessPointTypes.indexOf(policy.primary);
  for (const [type, name] of accessPointTypes.entries()) {
    multi.weights[entry * linksEach + type] = policy.weights?.[name] ?? 0;
  }
  if (wasMulti) return;
  multi.carrier[entry] = -1;
  for (let type = 0; type < linksEach; type++) clearLink(state, entry, type);
  const ap = devices.serving[device]!;
  if (ap < 0) return;
  const type = state.cells.type[ap]!;
  copyLink(devices, device, rowOf(state, entry, type));
  devices.serving[device] = -1;
  multi.carrier[entry] = type;
}

/** Back to one link: the one that carries, else the first there is. */
function keepOne(state: WorldState, device: number): void {
  const { cells, devices, multi } = state;
  const entry = multi.entry[device]!;
  let kept = multi.carrier[entry]!;
  for (let type = linksEach - 1; kept < 0 && type >= 0; type--) {
    if (devices.serving[rowOf(state, entry, type)]! >= 0) kept = type;
  }
  multi.mode[entry] = 0;
  for (let type = 0; type < linksEach; type++) {
    const row = rowOf(state, entry, type);
    const ap = devices.serving[row]!;
    if (type === kept) copyLink(devices, row, device);
    else if (ap >= 0) cells.attached[ap]! -= 1;
    clearLink(state, entry, type);
  }
}

/** Moves a link from one row to another; what waits stays with the device. */
function copyLink(devices: Devices, from: number, to: number): void {
  for (const name of [
    'serving',
    'sinceStep',
    'outUntilStep',
    'previous',
    'leftAtStep',
    'signal',
    'qualityDb',
  ] as const) {
    devices[name][to] = devices[name][from]!;
  }
}

function clearLink({ devices, multi }: WorldState, entry: number, type: number): void {
  const row = devices.count + entry * linksEach + type;
  for (const name of linkColumns) devices[name][row] = 0;
  devices.serving[row] = -1;
  devices.previous[row] = -1;
  devices.leftAtStep[row] = -1000;
  devices.trafficClass[row] = devices.trafficClass[multi.device[entry]!]!;
  multi.usableSteps[entry * linksEach + type] = 0;
  multi.usualBps[entry * linksEach + type] = 0;
}

function addEntry(state: WorldState, device: number): number {
  const { devices, multi } = state;
  if (multi.count === multi.device.length) reserve(state, Math.min(devices.count, Math.max(16, 2 * multi.count)));
  const entry = multi.count++;
  multi.entry[device] = entry;
  multi.device[entry] = device;
  return entry;
}

/** Makes room for so many devices with several links. */
export function reserve({ devices, multi }: WorldState, entries: number): void {
  if (entries <= multi.device.length) return;
  for (const name of byEntry) grow(multi, name, entries);
  for (const name of byLink) grow(multi, name, entries * linksEach);
  const before = devices.serving.length;
  for (const name of linkColumns) grow(devices, name, devices.count + entries * linksEach);
  devices.serving.fill(-1, before);
}

function grow<Of, Name extends keyof Of>(columns: Of, name: Name, length: number): void {
  const old = columns[name] as unknown as Float64Array;
  const larger = new (old.constructor as Float64ArrayConstructor)(length);
  larger.set(old);
  columns[name] = larger as unknown as Of[Name];
}
