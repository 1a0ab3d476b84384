// Sends single devices to another access point, of whatever technology, and remembers it for a while.
import { canUse } from './attachment.ts';
import type { WorldState } from './world-state.ts';

const holdSteps = 120;

export function deviceName(device: number): string {
  return `device-${device}`;
}

/**
 * Steers a device of the access point to another that it can use; without a name, the one that is served worst and can go.
 * The device's name, or why nothing was done.
 */
export function steer(
  state: WorldState,
  ap: number,
  name: string | undefined,
  target: number,
): { device: string } | { reason: string } {
  const { devices, step } = state;
  if (target < 0) return { reason: 'the target is not known here' };
  if (target === ap) return { reason: 'the target is this access point' };
  const device =
    name === undefined ? worstServed(state, ap, target) : Number(/^device-(\d{1,9})$/.exec(name)?.[1] ?? -1);
  if (name === undefined && device < 0) return { reason: 'no device here can use the target' };
  if (devices.serving[device] !== ap) return { reason: 'the device is not attached here' };
  if (!canUse(state, device, target)) return { reason: 'the device cannot use the target' };
  devices.steeredTo[device] = target;
  devices.steeredUntilStep[device] = step + 1 + holdSteps;
  return { device: deviceName(device) };
}

function worstServed(state: WorldState, ap: number, target: number): number {
  const { count, serving, steeredTo, rateBps } = state.devices;
  let worst = -1;
  for (let device = 0; device < count; device++) {
    if (serving[device] !== ap || steeredTo[device] === target) continue;
    if (worst >= 0 && rateBps[device]! >= rateBps[worst]!) continue;
    if (canUse(state, device, target)) worst = device;
  }
  return worst;
}
