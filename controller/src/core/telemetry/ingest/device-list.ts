// The devices of a report: what is attached to the access point at the time of a sample. Part of the parser; what the list
// means is decided by devices/, which gets it once the report is stored.
import { maxDevicesPerReport, maxHeardPerDevice, maxIdentityLength } from '@weft/contract';
import { isObject } from '@weft/contract/is-object';
import { toPlainDecimal } from '../../base/input/plain-decimal.ts';
import type { Loc } from '../../base/input/value-rules.ts';
import { findCredential } from './credentials.ts';
import { ignore, type ReportRun, reportValue } from './sample-fields.ts';

/** Numbers that were not given are NaN. */
export interface ReportedDevice {
  /** As the agent knows it; personal data: it must not be stored, logged or answered. */
  identity: string;
  rssi_dbm: number;
  snr_db: number;
  rx_mbps: number;
  tx_mbps: number;
  connected_seconds: number;
  heard: readonly ReportedNeighbour[];
}

export interface ReportedNeighbour {
  /** The ap_id, or the address of a radio. */
  name: string;
  isBssid: boolean;
  rssi_dbm: number;
}

/** The whole list of what is attached at that time. */
export interface DeviceList {
  /** NaN: the time of the report's arrival. */
  ts: number;
  devices: readonly ReportedDevice[];
}

/** What a device hears is often nothing. */
export const hearsNothing: readonly ReportedNeighbour[] = [];
/** No control characters, no half of a pair. */
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]|^\s|\s$/;
const maxNameLength = 128;

/**
 * The list under the key `devices`. What is invalid is ignored: a device without an identity, the second of two with the
 * same, a value that is not a number. A list that is too long is a problem.
 */
export function readDevices(value: unknown, loc: Loc, ts: number, run: ReportRun): DeviceList | undefined {
  run.credential ??= findCredential(value, loc);
  if (!Array.isArray(value)) {
    ignore(run, 'devices', 'not_a_list');
    return undefined;
  }
  if (value.length > maxDevicesPerReport) {
    return reportValue(run, loc, `a report has at most ${maxDevicesPerReport} devices`);
  }
  const devices: ReportedDevice[] = [];
  const known = new Set<string>();
  for (const [index, item] of value.entries()) {
    const device = readDevice(item, [...loc, index], run);
    if (!device) continue;
    if (known.has(device.identity)) ignore(run, 'devices', 'repeated');
    else devices.push(device);
    known.add(device.identity);
  }
  return { ts, devices };
}

function readDevice(item: unknown, loc: Loc, run: ReportRun): ReportedDevice | undefined {
  const identity = isObject(item) ? item.device : undefined;
  if (!isObject(item) || !isIdentity(identity)) {
    ignore(run, 'devices', 'no_device');
    return undefined;
  }
  return {
    identity,
    rssi_dbm: numberOf(item, 'rssi_dbm', run),
    snr_db: numberOf(item, 'snr_db', run),
    rx_mbps: numberOf(item, 'rx_mbps', run),
    tx_mbps: numberOf(item, 'tx_mbps', run),
    connected_seconds: numberOf(item, 'connected_seconds', run),
    heard: readHeard(item.heard, [...loc, 'heard'], run),
  };
}

function readHeard(value: unknown, loc: Loc, run: ReportRun): readonly ReportedNeighbour[] {
  if (value === undefined || value === null) return hearsNothing;
  if (!Array.isArray(value)) {
    ignore(run, 'devices.heard', 'not_a_list');
    return hearsNothing;
  }
  if (value.length > maxHeardPerDevice) {
    reportValue(run, loc, `a device has at most ${maxHeardPerDevice} heard access points`);
    return hearsNothing;
  }
  const heard: ReportedNeighbour[] = [];
  for (const item of value) {
    const { ap_id, bssid } = isObject(item) ? item : {};
    const name = ap_id ?? bssid;
    if (!isObject(item) || !isName(name)) ignore(run, 'devices.heard', 'no_device');
    else heard.push({ name, isBssid: name !== ap_id, rssi_dbm: numberOf(item, 'rssi_dbm', run) });
  }
  return heard;
}

function numberOf(item: Record<string, unknown>, key: string, run: ReportRun): number {
  const value = item[key];
  if (value === undefined || value === null) return Number.NaN;
  const number = typeof value === 'number' ? value : typeof value === 'string' ? toPlainDecimal(value) : undefined;
  if (number !== undefined && Number.isFinite(number)) return number;
  ignore(run, `devices.${key}`, 'not_a_number');
  return Number.NaN;
}

function isIdentity(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= maxIdentityLength &&
    !unprintable.test(value) &&
    value.isWellFormed()
  );
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= maxNameLength && !unprintable.test(value);
}
