// The result of a what-if in the format of the interface, cut to what may be sent.
import type { WhatIfAnswer } from '@weft/contract';
import { type PlannedCommand, type Prediction, type WhatIf, whatIf } from '../what-if.ts';
import type { World } from '../world/world.ts';

/** Weft takes bodies of 1 MiB. */
const maxAgentsBytes = 700 * 1024;

export type RunWhatIfAnswer = Omit<WhatIfAnswer, 'job_number'>;
type AgentAnswer = WhatIfAnswer['agents'][number];

/** Throws as whatIf does. */
export function answerWhatIf(world: World, commands: readonly PlannedCommand[], minutes: number): RunWhatIfAnswer {
  const { results, predictions, served, powerW, timeline } = whatIf(world, commands, minutes);
  return {
    model_time: new Date(world.time).toISOString(),
    minutes,
    results: results.map((result, n) => ({ agent_id: commands[n]!.ap_id, name: commands[n]!.name, ...result })),
    totals: { devices: world.totals().devices, served, power_w: powerW },
    agents: toAgents(predictions, new Set(commands.map(({ ap_id }) => ap_id))),
    timeline: timeline.map(({ minute, served, powerW, deliveredMbps }) => {
      return { minute, served, power_w: powerW, delivered_mbps: deliveredMbps };
    }),
  };
}

/** Where there are too many: first those that get commands, then those for whom something changes. */
export function toAgents(
  predictions: WhatIf['predictions'],
  commanded: ReadonlySet<string>,
  maxBytes = maxAgentsBytes,
): AgentAnswer[] {
  const agents = [...predictions].map(([agent_id, metrics], order) => {
    const answer: AgentAnswer = { agent_id, metrics: Object.fromEntries(metrics) };
    return { order, answer, bytes: JSON.stringify(answer).length, rank: rankOf(agent_id, metrics, commanded) };
  });
  let left = maxBytes;
  return agents
    .sort((a, b) => a.rank - b.rank)
    .filter(({ bytes }) => {
      left -= bytes + 1;
      return left >= 0;
    })
    .sort((a, b) => a.order - b.order)
    .map(({ answer }) => answer);
}

function rankOf(ap_id: string, metrics: ReadonlyMap<string, Prediction>, commanded: ReadonlySet<string>): number {
  if (commanded.has(ap_id)) return 0;
  return [...metrics.values()].some(({ with: one, without }) => one !== without) ? 1 : 2;
}
