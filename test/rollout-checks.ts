// What must hold after a roll-out to access points with faults, of any number.
import { expect } from 'vitest';
import { draw } from './draw.ts';
import type { Fault, RolloutScene } from './rollout-rounds.ts';

const faults: readonly Fault[] = [
  'none',
  'none',
  'none',
  'none',
  'none',
  'refuses',
  'substitutes',
  'power_cut',
  'cut_off',
];
/** How each of them may end. Who is slow to be confirmed goes back, too. */
const ends: Record<Fault, readonly string[]> = {
  none: ['in_sync', 'reverted'],
  refuses: ['refused'],
  substitutes: ['substituted', 'reverted'],
  power_cut: ['in_sync', 'reverted'],
  cut_off: ['reverted'],
};

export async function expectAllSettled(scene: RolloutScene): Promise<void> {
  // Some of each kind, also among few.
  const faultOf = (at: number) => faults[at % faults.length]!;
  const waves = [{ percent: 1 }, { percent: 10 }, { percent: 100 }];
  const plan = { waves, failure_limit: { agents: 10_000 } };
  const { rollout, agents, aps, errors } = await scene.run(plan, faultOf, draw('losses'), 0.15);
  expect(errors).toEqual([]);
  expect(rollout.state).toBe('completed');
  expect(agents).toHaveLength(aps.size);
  const seen = new Map<string, number>();
  for (const { ap_id, state, detail } of agents) {
    const ap = aps.get(ap_id)!;
    seen.set(state, (seen.get(state) ?? 0) + 1);
    expect(ends[ap.fault], `${ap_id}, which ${ap.fault}: ${detail}`).toContain(state);
    // What Weft says is what is so.
    const isNew = ap.running.hash !== null;
    expect([ap_id, isNew, ap.isOnTrial]).toEqual([ap_id, state === 'in_sync' || state === 'substituted', false]);
    expect(ap.touched, `${ap_id} was given it more than once`).toBeLessThanOrEqual(1);
  }
  for (const state of ['in_sync', 'refused', 'substituted', 'reverted'])
    expect(seen.get(state), state).toBeGreaterThan(0);
}

export async function expectBadCanaryStops(scene: RolloutScene): Promise<void> {
  const waves = [{ percent: 1 }, { percent: 100 }];
  const { rollout, aps, errors } = await scene.run({ waves }, () => 'cut_off', draw('losses'), 0);
  expect(errors).toEqual([]);
  expect(rollout).toMatchObject({ state: 'stopped', reason: expect.stringContaining('reverted') });
  const touched = [...aps.values()].filter((ap) => ap.touched > 0);
  expect(touched).toHaveLength(Math.ceil(aps.size / 100));
  for (const ap of aps.values()) expect(ap.running.hash).toBeNull();
}
