// In which wave an access point gets a change: chosen once, when the roll-out starts, and the same whoever calculates it.

import { createHash } from 'node:crypto';
import type { RolloutPlan } from '@weft/contract/operations';
import { matchesSelector, parseSelector } from '@weft/contract/selector';
import { invalidValue } from '../../../core/base/input/value-rules.ts';
import type { RenderedAgent } from '../model/layer.ts';

type Waves = NonNullable<RolloutPlan['waves']>;

export const oneWave: Waves = [{ percent: 100 }];

/** Throws ValidationError for waves that make no sense. */
export function requireWaves(waves: Waves): void {
  let reached = 0;
  for (const [index, { select, percent }] of waves.entries()) {
    const loc = ['body', 'waves', index];
    if ((select === undefined) === (percent === undefined))
      throw invalidValue(loc, 'a wave has either select or percent');
    if (percent === undefined) continue;
    if (percent <= reached) throw invalidValue([...loc, 'percent'], 'each percent is above that of the waves before');
    reached = percent;
  }
  if (reached !== 100)
    throw invalidValue(['body', 'waves'], 'the last wave should have percent 100, so that nobody is left out');
}

/** The wave of each, counted from 0, in the order of the agents. A percent is of all agents, up to and with its wave. */
export function assignWaves(rollout_id: string, waves: Waves, agents: readonly RenderedAgent[]): number[] {
  const assigned = new Map<string, number>();
  const order = agents
    .map(({ ap_id }) => ({ ap_id, key: createHash('sha256').update(`${rollout_id} ${ap_id}`).digest('hex') }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const [wave, { select, percent }] of waves.entries()) {
    if (select !== undefined) {
      const selector = parseSelector(select);
      for (const agent of agents) {
        const isMeant = matchesSelector(selector, { ...agent, display_name: null, access_point_type: null });
        if (isMeant && !assigned.has(agent.ap_id)) assigned.set(agent.ap_id, wave);
      }
      continue;
    }
    const upTo = Math.ceil((agents.length * percent!) / 100);
    for (const { ap_id } of order) {
      if (assigned.size >= upTo) break;
      if (!assigned.has(ap_id)) assigned.set(ap_id, wave);
    }
  }
  return agents.map(({ ap_id }) => assigned.get(ap_id)!);
}
