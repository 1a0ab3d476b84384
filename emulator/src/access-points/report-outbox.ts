// Between measuring and sending: what cut lines, wrong clocks and slow paths make of an access point's samples.
import { streams, uniform } from '../randomness.ts';
import { type AccessPoint, isAgentUp } from './access-point.ts';
import { faultOf } from './faults.ts';
import type { HeldSample, Sample } from './sample.ts';

/** An access point remembers so many samples while it cannot send; then it forgets the oldest. */
export const mostHeld = 600;

/** Puts a new sample in, late or twice if it must be so. */
export function post(ap: AccessPoint, sample: Sample, seed: number, index: number, step: number): void {
  const skewS = faultOf(ap.faults, 'clock_skew')?.amount ?? 0;
  const late = faultOf(ap.faults, 'late_samples');
  const twice = faultOf(ap.faults, 'duplicate_samples');
  const held = {
    sample: { ...sample, ts: sample.ts + Math.round(skewS * 1000) },
    leavesAtStep: late ? step + Math.ceil(late.amount) : step,
  };
  ap.held.push(held);
  if (twice && uniform(seed, streams.duplicate, index, step) < twice.amount) ap.held.push(held);
  if (ap.held.length > mostHeld) ap.held.splice(0, ap.held.length - mostHeld);
}

/** Takes out what leaves in this second. A crash loses what was held: it was in memory. */
export function collect(ap: AccessPoint, step: number, into: Sample[]): void {
  if (!isAgentUp(ap)) {
    ap.held = [];
    return;
  }
  if (ap.held.length === 0 || faultOf(ap.faults, 'backhaul_cut')) return;
  const staying: HeldSample[] = [];
  for (const held of ap.held) {
    if (held.leavesAtStep <= step) into.push(held.sample);
    else staying.push(held);
  }
  ap.held = staying;
}
