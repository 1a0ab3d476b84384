// What a world is made from, and the check of it: a world that cannot be built is refused before anything is made.

import {
  type EmulatedTechnology,
  emulatedTechnologies,
  type TrafficMix,
  trafficClasses,
} from '@weft/contract/emulated-model';
import type { NrScenario } from '../radio/nr.ts';
import type { WifiRadio } from '../radio/wifi.ts';
import type { Imported } from '../traffic/imported.ts';

export const accessPointTypes = emulatedTechnologies;
export type AccessPointType = EmulatedTechnology;

/** How traffic uses the links of a device (TS 23.501, 5.32.8); the first: one link, the best technology first. */
export const linkModes = [
  'single',
  'active_standby',
  'priority',
  'load_balancing',
  'smallest_delay',
  'redundant',
] as const;
export type LinkMode = (typeof linkModes)[number];

/** How the wish for traffic runs through a day. */
export const profiles = ['office', 'home', 'city', 'stadium', 'always'] as const;
export type Profile = (typeof profiles)[number];

export interface AccessPointSpec {
  ap_id: string;
  type: AccessPointType;
  latitude: number;
  longitude: number;
  /** Devices that live around it; they may attach to any access point they can hear. */
  devices: number;
  /** Where a 5G cell stands; default: UMi. */
  scenario?: NrScenario;
  /** Default: city for 5G, office for WiFi and LiFi. */
  profile?: Profile;
  /** What one of its devices asks for on average in the busiest hour; default: that of the world. */
  mbpsPerDevice?: number;
  /** What its devices do, as shares of devices; default: usualMix. */
  mix?: TrafficMix;
  /** How its devices use several links, and which share of them does (default: all); default: one link each. */
  linkPolicy?: {
    mode: string;
    primary?: string;
    weights?: Readonly<Record<string, number>>;
    share?: number;
  };
}

export interface WorldSpec {
  /** A whole number from 0 to 2^32 - 1; the same seed gives the same world. */
  seed: number;
  /** Time of the model at its beginning, in milliseconds since 1970. */
  startMs: number;
  accessPoints: readonly AccessPointSpec[];
  /** 1 to 3600; default: 1. */
  reportIntervalSeconds?: number;
  /** What one device asks for on average in the busiest hour; default: 0.8. */
  peakMbpsPerDevice?: number;
  /** Receivers and senders of WiFi that differ from the usual ones. */
  wifiRadio?: Partial<WifiRadio>;
  /** Measurements in the place of chance. */
  imported?: Imported;
}

export const maxAccessPoints = 20_000;
export const maxDevices = 1_000_000;
export const maxReportIntervalSeconds = 3600;

/** Throws RangeError with the first thing that is wrong. */
export function checkSpec(spec: WorldSpec): void {
  const { seed, startMs, accessPoints, reportIntervalSeconds = 1, peakMbpsPerDevice = 0.8 } = spec;
  need(Number.isInteger(seed) && seed >= 0 && seed < 4_294_967_296, 'seed must be a whole number below 2^32');
  need(Number.isSafeInteger(startMs) && startMs >= 0, 'startMs must be milliseconds since 1970');
  need(
    Number.isInteger(reportIntervalSeconds) &&
      reportIntervalSeconds >= 1 &&
      reportIntervalSeconds <= maxReportIntervalSeconds,
    `reportIntervalSeconds must be 1 to ${maxReportIntervalSeconds}`,
  );
  need(peakMbpsPerDevice >= 0 && peakMbpsPerDevice <= 1000, 'peakMbpsPerDevice must be 0 to 1000');
  need(accessPoints.length > 0, 'a world needs an access point');
  need(accessPoints.length <= maxAccessPoints, `a world has at most ${maxAccessPoints} access points`);
  const names = new Set<string>();
  let devices = 0;
  for (const [index, ap] of accessPoints.entries()) {
    const where = `accessPoints[${index}]`;
    need(typeof ap.ap_id === 'string' && ap.ap_id !== '' && !names.has(ap.ap_id), `${where} needs an ap_id of its own`);
    need(accessPointTypes.includes(ap.type), `${where}: type must be one of ${accessPointTypes.join(', ')}`);
    need(Math.abs(ap.latitude) <= 90, `${where}: latitude must be -90 to 90`);
    need(Math.abs(ap.longitude) <= 180, `${where}: longitude must be -180 to 180`);
    need(Number.isInteger(ap.devices) && ap.devices >= 0, `${where}: devices must be a whole number`);
    need(ap.scenario === undefined || ['UMa', 'UMi', 'InH'].includes(ap.scenario), `${where}: unknown scenario`);
    need(ap.profile === undefined || profiles.includes(ap.profile), `${where}: unknown profile`);
    const { mbpsPerDevice = 0, mix, linkPolicy } = ap;
    const problem = linkPolicy && policyProblem(linkPolicy);
    need(problem === undefined, `${where}: linkPolicy: ${problem}`);
    const { share = 1 } = linkPolicy ?? {};
    need(share >= 0 && share <= 1, `${where}: linkPolicy: share must be 0 to 1`);
    need(mbpsPerDevice >= 0 && mbpsPerDevice <= 1000, `${where}: mbpsPerDevice must be 0 to 1000`);
    need(mix === undefined || isMix(mix), `${where}: mix must give shares of ${trafficClasses.join(', ')}`);
    names.add(ap.ap_id);
    devices += ap.devices;
  }
  need(devices <= maxDevices, `a world has at most ${maxDevices} devices`);
}

/** Why this is no policy for the links of a device; undefined if it is one. */
export function policyProblem({ mode, primary, weights = {} }: Record<string, unknown>): string | undefined {
  const technologies = accessPointTypes.join(', ');
  const isTechnology = (name: unknown) => accessPointTypes.some((type) => type === name);
  if (!linkModes.some((known) => known === mode)) return `mode must be one of ${linkModes.join(', ')}`;
  if (primary !== undefined && !isTechnology(primary)) return `primary must be one of ${technologies}`;
  if (typeof weights !== 'object' || weights === null) return 'weights must be an object';
  const entries = Object.entries(weights);
  if (!entries.every(([name]) => isTechnology(name))) return `weights must be by technology: ${technologies}`;
  if (!entries.every(([, weight]) => weight >= 0 && weight <= 1e6)) return 'weights must be 0 to 1000000';
  if (entries.length > 0 && !entries.some(([, weight]) => weight > 0)) return 'one weight must be above 0';
  return undefined;
}

function isMix(mix: TrafficMix): boolean {
  const shares = Object.entries(mix);
  return (
    shares.every(([name, share]) => trafficClasses.some((known) => known === name) && share >= 0 && share <= 1e6) &&
    shares.some(([, share]) => share > 0)
  );
}

function need(isMet: boolean, message: string): void {
  if (!isMet) throw new RangeError(message);
}
