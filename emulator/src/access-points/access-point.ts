// One access point between commands, faults and physics: its settings as wished and as they are by now, and whether it is
// on, asleep or on the way.
import { fromDb } from '@weft/contract/exact-math';
import { lambertianOrder } from '../radio/lifi.ts';
import { horizonGain, type NrScenario, resourceElementDbm } from '../radio/nr.ts';
import { carrierPrbs } from '../radio/nr-cqi.ts';
import type { Cells } from '../world/cells.ts';
import type { AccessPointSpec, AccessPointType, Profile } from '../world/world-spec.ts';
import { type Fault, type FaultRequest, faultOf, toFault } from './faults.ts';
import type { HeldSample } from './sample.ts';
import { pace, type Settings } from './settings.ts';

const paced = Object.keys(pace) as (keyof Settings)[];

/** draining: serves, but takes nobody new; dozing: in light sleep (5G); starting: awake, not yet serving; down: crashed, or in the middle of a reboot. */
export type PowerState = 'on' | 'draining' | 'asleep' | 'dozing' | 'starting' | 'down';

export interface AccessPoint extends Pick<AccessPointSpec, 'ap_id' | 'type' | 'latitude' | 'longitude'> {
  scenario: NrScenario;
  profile: Profile;
  power_state: PowerState;
  /** When the state leads on to the next. */
  nextStateAtStep: number;
  /** What it drains or wakes for: deep or light sleep; and when it woke last. */
  depth: 'deep' | 'light';
  wokeAtStep: number;
  wished: Settings;
  actual: Settings;
  /** While it changes channel nobody hears it. */
  retunesUntilStep: number;
  report_interval_seconds: number;
  nextReportAtStep: number;
  energyJ: number;
  faults: Fault[];
  held: HeldSample[];
  /** What it measured last, and when. */
  latest: Readonly<Record<string, number>>;
  latestAtStep: number;
}

export const never = 2_147_483_647;
export const maxOpticalW = 3.5;

export const durations: Record<AccessPointType, { drainS: number; wakeS: number; rebootS: number; retuneS: number }> = {
  '5G': { drainS: 5, wakeS: 15, rebootS: 60, retuneS: 0 },
  WiFi: { drainS: 3, wakeS: 8, rebootS: 30, retuneS: 3 },
  LiFi: { drainS: 2, wakeS: 2, rebootS: 10, retuneS: 1 },
};

/** How soon a 5G cell is back from light sleep, in whole seconds. */
export const dozeWakeS = 1;

export function isAgentUp({ power_state }: AccessPoint): boolean {
  return power_state !== 'down';
}

export function isReachable(ap: AccessPoint): boolean {
  return isAgentUp(ap) && !faultOf(ap.faults, 'backhaul_cut');
}

/** Does not hear commands, or behaves so. */
export function isDeaf(ap: AccessPoint): boolean {
  return !isReachable(ap) || faultOf(ap.faults, 'command_ignored') !== undefined;
}

export function enter(ap: AccessPoint, state: PowerState, untilStep = never): void {
  ap.power_state = state;
  ap.nextStateAtStep = untilStep;
}

/** A fault of the same kind as one that holds already replaces it. */
export function addFault(ap: AccessPoint, request: FaultRequest, step: number): void {
  const fault = toFault(request, step);
  // A jammer stays on the channel on which it was set up.
  if (fault.kind === 'jammed_channel') {
    fault.channel = ap.actual.channel;
    fault.widthMhz = ap.actual.channel_width_mhz;
  }
  ap.faults = [...ap.faults.filter(({ kind }) => kind !== fault.kind), fault];
  if (fault.kind === 'crash') enter(ap, 'down', fault.untilStep + durations[ap.type].wakeS);
}

/** One second later: faults end, states follow one another, settings come closer to what was wished. */
export function advance(ap: AccessPoint, step: number): void {
  if (ap.faults.length > 0) ap.faults = ap.faults.filter(({ untilStep }) => step < untilStep);
  if (step >= ap.nextStateAtStep) {
    if (ap.power_state === 'draining') enter(ap, ap.depth === 'light' ? 'dozing' : 'asleep');
    else {
      if (ap.power_state === 'starting') ap.wokeAtStep = step;
      enter(ap, 'on');
    }
  }
  for (const name of paced) {
    const gap = ap.wished[name] - ap.actual[name];
    if (gap === 0) continue;
    const most = pace[name];
    ap.actual[name] = Math.abs(gap) <= most ? ap.wished[name] : ap.actual[name] + (gap > 0 ? most : -most);
  }
}

/** Tells the radio models how it is now; true if devices must look around again. */
export function project(ap: AccessPoint, index: number, cells: Cells, step: number): boolean {
  const isOnAir = (ap.power_state === 'on' || ap.power_state === 'draining') && step >= ap.retunesUntilStep ? 1 : 0;
  const power = radiatedPower(ap);
  const shape = ap.type === '5G' ? ap.actual.tilt_degrees : lambertianOrder(ap.actual.beam_angle_degrees);
  const hasChanged = cells.isOnAir[index] !== isOnAir || cells.power[index] !== power || cells.shape[index] !== shape;
  cells.isOnAir[index] = isOnAir;
  cells.isOpen[index] = isOnAir === 1 && ap.power_state === 'on' ? 1 : 0;
  cells.power[index] = power;
  cells.shape[index] = shape;
  cells.channel[index] = ap.actual.channel;
  cells.widthMhz[index] = ap.actual.channel_width_mhz;
  if (hasChanged && ap.type === '5G') cells.farGain[index] = horizonGain(ap.scenario, ap.actual.tilt_degrees);
  cells.quota[index] = ap.type === '5G' ? ap.actual.prb_quota_pct / 100 : 1;
  cells.hasBackhaul[index] = faultOf(ap.faults, 'backhaul_cut') ? 0 : 1;
  return hasChanged;
}

function radiatedPower({ type, actual }: AccessPoint): number {
  if (type === 'LiFi') return (maxOpticalW * actual.dimming_pct) / 100;
  return fromDb(type === '5G' ? resourceElementDbm(actual.tx_power_dbm, carrierPrbs) : actual.tx_power_dbm);
}
