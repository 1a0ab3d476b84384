// Light on the desks: what falls below each lamp from itself and its neighbours, and what comes in from outside.
import { faultOf } from '../access-points/faults.ts';
import { axialIntensityCd, illuminanceLx } from '../radio/lifi.ts';
import { lampHeightM } from './bodies.ts';
import type { WorldState } from './world-state.ts';

const fluxLm = 3500;

/** Lux on the desk under this lamp, without daylight. */
export function deskLightLx({ accessPoints, cells, neighbours }: WorldState, lamp: number): number {
  const lightOf = (index: number, beside: number) => {
    const { actual, faults } = accessPoints[index]!;
    if (actual.dimming_pct === 0 || faultOf(faults, 'crash')) return 0;
    const distanceM = Math.sqrt(beside * beside + lampHeightM * lampHeightM);
    const order = cells.shape[index]!;
    const intensity = axialIntensityCd((fluxLm * actual.dimming_pct) / 100, order);
    return illuminanceLx(intensity, order, distanceM, lampHeightM / distanceM, lampHeightM / distanceM);
  };
  const { index, distanceM } = neighbours[lamp]!;
  return index.reduce((sum, other, n) => sum + lightOf(other, distanceM[n]!), lightOf(lamp, 0));
}
