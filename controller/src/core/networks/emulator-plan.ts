// Turns a request into a plan: the access points and their positions, the duration of the network, and all problems of
// the request. Pure, except for the gazetteer.
import {
  type EmulatorDemand,
  type EmulatorProfile,
  type EmulatorSpec,
  type EmulatorSpinupRequest,
  maxEmulatedDevices,
  type ResolvedPlace,
  type SiteCreate,
} from '@weft/contract';
import { emulatedTechnologies, trafficClasses, usualMix } from '@weft/contract/emulated-model';
import type { Problem } from '../base/errors.ts';
import { MAX_PROBLEMS } from '../base/input/json-scanner.ts';
import { type Loc, valueError } from '../base/input/value-rules.ts';
import { emulatedPositions } from './emulated-positions.ts';
import { type FoundLocation, parseLocation, siteAt, stemOf } from './locations.ts';

export interface PlanLimits {
  /** Limit of one request. */
  maxAccessPoints: number;
  /** Limits of one caller, whatever it has now. */
  maxAccessPointsPerCaller: number;
  maxDeviceSeconds: number;
  maxDurationSeconds: number;
  /** The maximum age of samples. */
  retentionDays: number;
}

export interface PlannedAccessPoint {
  /** Index in `emulators`. */
  emulator: number;
  spec: EmulatorSpec;
  location: { latitude: number; longitude: number };
  /** The beginning of its display name. */
  stem: string;
  /** Of its place, if it is to stand at one. */
  site: SiteCreate | undefined;
}

/** The traffic that an entry gets if it does not say. */
export function profileOf({ profile, access_point_type }: EmulatorSpec): EmulatorProfile {
  return profile ?? (access_point_type === '5G' ? 'city' : 'office');
}

const defaultMbpsPerDevice = 0.8;
const emulated: ReadonlySet<string> = new Set(emulatedTechnologies);

/** What the devices of an entry ask for; shares sum to one, each to six digits. */
export function demandOf({ mbps_per_device = defaultMbpsPerDevice, mix = usualMix }: EmulatorSpec): EmulatorDemand {
  const sum = Object.values(mix).reduce((total, share) => total + share, 0);
  const shares = Object.entries(mix).map(([name, share]) => [name, Number((share / sum).toPrecision(6))] as const);
  return { mbps_per_device, mix: Object.fromEntries(shares.filter(([, share]) => share > 0)) };
}

export interface RunPlan {
  accessPoints: PlannedAccessPoint[];
  places: ResolvedPlace[];
  devices: number;
  seed: number;
  speed: number;
  /** Seconds of model time of the longest entry. */
  duration: number;
  modelStartMs: number;
  endsAtMs: number;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Samples this much ahead of the clock are still accepted. */
const slackMs = 60_000;

/** `problems` is empty if the plan is valid; else the plan must not be used. */
export function planRun(
  request: EmulatorSpinupRequest,
  limits: PlanLimits,
  nowMs: number,
  randomSeed: () => number,
): { plan: RunPlan; problems: Problem[] } {
  const problems: Problem[] = [];
  const { emulators, speed = 1, pace } = request;
  const refuse = (loc: Loc, error: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push(valueError(['body', ...loc], error));
  };
  if (emulators.length === 0) refuse(['emulators'], 'at least one emulator is needed');
  checkSizes(request, limits, refuse);
  checkMixes(emulators, refuse);
  checkWeights(emulators, refuse);
  const duration = emulators.reduce((longest, { duration }) => Math.max(longest, duration), 0);
  const isStepped = pace === 'stepped';
  const endsAtMs = nowMs + Math.max(isStepped ? hourMs : 0, Math.ceil((duration * 1000) / speed));
  // In steps it may be at its end at once.
  const latestMs = isStepped ? nowMs : endsAtMs;
  const modelStartMs = request.start_time === undefined ? latestMs - duration * 1000 : Date.parse(request.start_time);
  if (modelStartMs + duration * 1000 > latestMs + slackMs) {
    refuse(['start_time'], 'the model would be ahead of the clock at the end: begin earlier, or take less speed');
  }
  if (modelStartMs < nowMs - (limits.retentionDays - 1) * dayMs) {
    const where = request.start_time === undefined ? ['emulators'] : ['start_time'];
    refuse(where, `the model would begin more than ${limits.retentionDays - 1} days ago, where nothing is kept`);
  }
  const plan: RunPlan = {
    accessPoints: [],
    places: [],
    devices: emulators.reduce((sum, spec) => sum + spec.num_access_points * spec.num_devices, 0),
    seed: request.seed ?? randomSeed(),
    speed,
    duration,
    modelStartMs,
    endsAtMs,
  };
  // Do not place a hundred thousand access points that will not be created.
  if (problems.length === 0) place(request, plan, refuse);
  checkFaults(request, plan.accessPoints.length, refuse);
  return { plan, problems };
}

type Refuse = (loc: (string | number)[], error: string) => void;

function checkSizes(
  { emulators }: EmulatorSpinupRequest,
  { maxAccessPoints, maxAccessPointsPerCaller, maxDeviceSeconds, maxDurationSeconds }: PlanLimits,
  refuse: Refuse,
): void {
  let total = 0;
  let devices = 0;
  for (const [index, { num_access_points, num_devices, duration, locations }] of emulators.entries()) {
    const before = { total, devices };
    total += num_access_points;
    devices += num_access_points * num_devices;
    const at = (field: string) => ['emulators', index, field];
    if (locations.length === 0) refuse(at('locations'), 'at least one location is needed');
    if (duration > maxDurationSeconds) refuse(at('duration'), `a run lasts at most ${maxDurationSeconds} seconds`);
    // Reported once, at the entry that exceeds the limit.
    if (total > maxAccessPoints && before.total <= maxAccessPoints) {
      refuse(at('num_access_points'), `a request may ask for at most ${maxAccessPoints} access points in all`);
    } else if (total > maxAccessPointsPerCaller && before.total <= maxAccessPointsPerCaller) {
      refuse(at('num_access_points'), `you may have at most ${maxAccessPointsPerCaller} access points at once`);
    }
    if (devices > maxEmulatedDevices && before.devices <= maxEmulatedDevices) {
      refuse(at('num_devices'), `a request may ask for at most ${maxEmulatedDevices} devices in all`);
    }
  }
  const longest = emulators.reduce(
    (best, spec, index) => (spec.duration > emulators[best]!.duration ? index : best),
    0,
  );
  const deviceSeconds = devices * (emulators[longest]?.duration ?? 0);
  // Not beside what is wrong with one of the two.
  const isPlausible = devices <= maxEmulatedDevices && (emulators[longest]?.duration ?? 0) <= maxDurationSeconds;
  if (isPlausible && deviceSeconds > maxDeviceSeconds) {
    refuse(
      ['emulators', longest, 'duration'],
      `you may have at most ${maxDeviceSeconds} device-seconds at once, and this would be ${deviceSeconds}`,
    );
  }
}

function checkMixes(emulators: readonly EmulatorSpec[], refuse: Refuse): void {
  for (const [index, { mix }] of emulators.entries()) {
    if (mix === undefined) continue;
    const at = ['emulators', index, 'mix'];
    for (const name of Object.keys(mix)) {
      if (isClass(name)) continue;
      refuse([...at, name], `traffic classes are ${trafficClasses.join(', ')}`);
    }
    const sum = Object.values(mix).reduce((total, share) => total + share, 0);
    if (!(sum > 0 && Number.isFinite(sum))) refuse(at, 'at least one share must be above 0, and all must have a sum');
  }
}

function checkWeights(emulators: readonly EmulatorSpec[], refuse: Refuse): void {
  for (const [index, { link_policy }] of emulators.entries()) {
    if (link_policy?.weights === undefined) continue;
    const at = ['emulators', index, 'link_policy', 'weights'];
    for (const name of Object.keys(link_policy.weights)) {
      if (!emulated.has(name)) refuse([...at, name], `technologies are ${emulatedTechnologies.join(', ')}`);
    }
    if (!Object.values(link_policy.weights).some((weight) => weight > 0)) refuse(at, 'one weight must be above 0');
  }
}

function isClass(name: string): boolean {
  return (trafficClasses as readonly string[]).includes(name);
}

function place({ emulators, sites }: EmulatorSpinupRequest, plan: RunPlan, refuse: Refuse): void {
  for (const [emulator, spec] of emulators.entries()) {
    const found: FoundLocation[] = [];
    for (const [index, text] of spec.locations.entries()) {
      const location = parseLocation(text);
      if ('problem' in location) {
        refuse(['emulators', emulator, 'locations', index], location.problem);
        continue;
      }
      found.push(location);
      const { latitude, longitude, place } = location;
      if (place) plan.places.push({ emulator, location: index, given: String(text), ...place, latitude, longitude });
    }
    if (found.length < spec.locations.length) continue;
    // Access points take the places in turn. Each place is looked up once, and there are no more than access points.
    const around = found.slice(0, spec.num_access_points).map((each) => ({
      stem: stemOf(each, spec.access_point_type),
      site: sites ? siteAt(each) : undefined,
    }));
    const locations = emulatedPositions(found, spec.num_access_points, spec.access_point_type, spec.scenario);
    for (const [index, location] of locations.entries()) {
      plan.accessPoints.push({ emulator, spec, location, ...around[index % around.length]! });
    }
  }
}

function checkFaults({ faults = [] }: EmulatorSpinupRequest, accessPoints: number, refuse: Refuse): void {
  if (accessPoints === 0) return;
  for (const [index, { access_point }] of faults.entries()) {
    if (access_point > accessPoints) {
      refuse(['faults', index, 'access_point'], `there are only ${accessPoints} access points`);
    }
  }
}
