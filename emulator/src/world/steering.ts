// Sends single devices to another access point, of whatever technology, and remembers it for a while.

import type { SteeringAnswer } from '../access-points/commands.ts';
import { rowAt, setLinkPolicy } from '../multi-link/link-policies.ts';
import type { LinkPolicy } from '../multi-link/multi-link-table.ts';
import { brightestLx, daylightLx, localHour } from '../traffic/demand.ts';
import { canUse } from './attachment.ts';
import { lifiNoiseA2, lifiProblem } from './lifi-layer.ts';
import { nrProblem } from './nr-layer.ts';
import { wifiProblem } from './wifi-layer.ts';
import { policyProblem } from './world-spec.ts';
import type { WorldState } from './world-state.ts';

const holdSteps = 120;

export function deviceName({ devicePrefix }: Pick<WorldState, 'devicePrefix'>, device: number): string {
  return `${devicePrefix}device-${device}`;
}

/** The device with this name, with or without the prefix of the world; -1 if there is none. */
function deviceOf({ devicePrefix, devices }: WorldState, name: string): number {
  const bare = name.startsWith(devicePrefix) ? name.slice(devicePrefix.length) : name;
  const device = Number(/^device-(\d{1,9})$/.exec(bare)?.[1] ?? -1);
  return device < devices.count ? device : -1;
}

/**
 * Steers a device of the access point to another that is of use to it; without a name, the one that is served worst and can
 * go. With `isForced` also where it would have no service, as long as it hears the target. The device's name, or why nothing
 * was done, and whether the device itself did not want it.
 */
export function steer(
  state: WorldState,
  ap: number,
  name: string | undefined,
  target: number,
  isForced: boolean,
): SteeringAnswer {
  const { cells, devices, step } = state;
  if (target < 0) return { reason: 'the target is not known here' };
  if (target === ap) return { reason: 'the target is this access point' };
  if (cells.isOpen[target] === 0) return { reason: 'the target takes no devices now' };
  const device = name === undefined ? worstServed(state, ap, target) : deviceOf(state, name);
  if (name === undefined && device < 0) return { reason: 'no device here can use the target', answer: 'refused' };
  if (device < 0 || rowAt(state, device, ap) < 0)
    return { reason: 'the device is not attached here', answer: 'not_here' };
  const problem = problemAt(state, device, target);
  const named = deviceName(state, device);
  if (problem?.startsWith('does not')) return { reason: `${named} ${problem}`, answer: 'refused' };
  if (problem && !isForced) {
    return { reason: `${named} ${problem}; send it anyway with "force": true`, answer: 'refused' };
  }
  devices.steeredTo[device] = target;
  devices.steeredUntilStep[device] = step + 1 + holdSteps;
  devices.isForced[device] = isForced ? 1 : 0;
  return { device: named };
}

/** How the device's traffic uses its links from now on; the device's name, or why nothing was done. */
export function changePolicy(
  state: WorldState,
  ap: number,
  name: string,
  policy: Record<string, unknown>,
): SteeringAnswer {
  const problem = policyProblem(policy);
  if (problem !== undefined) return { reason: problem };
  const device = deviceOf(state, name);
  if (device < 0 || rowAt(state, device, ap) < 0) {
    return { reason: 'the device is not attached here', answer: 'not_here' };
  }
  setLinkPolicy(state, device, policy as unknown as LinkPolicy);
  return { device: deviceName(state, device) };
}

/** Why the access point is of no use to the device, in what it hears there; undefined if it is. */
function problemAt(state: WorldState, device: number, ap: number): string | undefined {
  const { type, longitude } = state.accessPoints[ap]!;
  if (type === '5G') return nrProblem(state, device, ap);
  if (type === 'WiFi') return wifiProblem(state, device, ap);
  const hour = localHour(state.startMs + state.step * 1000, longitude);
  return lifiProblem(state, device, ap, lifiNoiseA2(daylightLx(hour) / brightestLx));
}

function worstServed(state: WorldState, ap: number, target: number): number {
  const { count, steeredTo, rateBps } = state.devices;
  let worst = -1;
  let worstBps = Infinity;
  for (let device = 0; device < count; device++) {
    const row = rowAt(state, device, ap);
    if (row < 0 || steeredTo[device] === target || rateBps[row]! >= worstBps) continue;
    if (!canUse(state, device, target) || problemAt(state, device, target) !== undefined) continue;
    worst = device;
    worstBps = rateBps[row]!;
  }
  return worst;
}
