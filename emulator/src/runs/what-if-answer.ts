// The result of a what-if in the format of the interface, cut to what may be sent.

import { modelVersion } from '@weft/contract/emulated-model';
import type { WhatIfAnswer } from '@weft/contract/lab';
import type { PlannedCommand } from '../what-if/future.ts';
import type { Amount } from '../what-if/interval.ts';
import type { TakeOver } from '../what-if/take-over.ts';
import { type Comparison, type FullComparison, type WhatIf, type WhatIfOptions, whatIf } from '../what-if/what-if.ts';
import type { World } from '../world/world.ts';

/** Weft takes bodies of 1 MiB. */
const maxAgentsBytes = 700 * 1024;

export type RunWhatIfAnswer = Omit<WhatIfAnswer, 'job_number'>;
type AgentAnswer = WhatIfAnswer['agents'][number];
type MetricAnswer = AgentAnswer['metrics'][string];

/** Throws as whatIf does. */
export function answerWhatIf(
  world: World,
  commands: readonly PlannedCommand[],
  options: WhatIfOptions,
  maxBytes = maxAgentsBytes,
): RunWhatIfAnswer {
  const found = whatIf(world, commands, options);
  const minutes = toMinutes(found.seconds);
  const agents = toAgents(found.predictions, new Set(commands.map(({ ap_id }) => ap_id)), maxBytes);
  const allAgents = found.predictions.size;
  return {
    model: modelVersion,
    model_time: new Date(world.time).toISOString(),
    minutes,
    exact: found.isExact,
    asked: { minutes: options.minutes, futures: options.futures, agents: allAgents },
    ran: { minutes, futures: found.futures, agents: agents.length },
    limited_by: [
      ...(found.isCutShort ? ['computing_time' as const] : []),
      ...(agents.length < allAgents ? ['answer_size' as const] : []),
    ],
    results: found.results.map((result, n) => ({ agent_id: commands[n]!.ap_id, name: commands[n]!.name, ...result })),
    totals: {
      devices: world.totals().devices,
      served: toComparison(found.served),
      power_w: toComparison(found.powerW),
      delivered_mbps: toComparison(found.deliveredMbps),
    },
    took_over: found.takeOvers.map(toTakeOver),
    agents,
    timeline: found.timeline.map(({ second, served, powerW, deliveredMbps }) => ({
      minute: toMinutes(second),
      served: toComparison(served),
      power_w: toComparison(powerW),
      delivered_mbps: toComparison(deliveredMbps),
    })),
  };
}

/** Where there are too many: first those that get commands, then those for whom something changes. */
export function toAgents(
  predictions: WhatIf['predictions'],
  commanded: ReadonlySet<string>,
  maxBytes = maxAgentsBytes,
): AgentAnswer[] {
  const agents = [...predictions].map(([agent_id, metrics], order) => {
    const answer: AgentAnswer = { agent_id, metrics: toMetrics(metrics) };
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

function rankOf(ap_id: string, metrics: ReadonlyMap<string, Comparison>, commanded: ReadonlySet<string>): number {
  if (commanded.has(ap_id)) return 0;
  return [...metrics.values()].some(({ change }) => change?.mean !== 0) ? 1 : 2;
}

function toMetrics(metrics: ReadonlyMap<string, Comparison>): AgentAnswer['metrics'] {
  return Object.fromEntries([...metrics].map(([name, comparison]) => [name, toMetric(comparison)]));
}

function toMetric(comparison: Comparison): MetricAnswer {
  const means: MetricAnswer = {};
  const plus_minus: NonNullable<MetricAnswer['plus_minus']> = {};
  const range: NonNullable<MetricAnswer['range']> = {};
  for (const side of ['with', 'without', 'change'] as const) {
    const amount = comparison[side];
    if (amount) means[side] = amount.mean;
    if (amount?.plusMinus !== undefined) plus_minus[side] = amount.plusMinus;
    if (amount?.range) range[side] = amount.range;
  }
  return Object.keys(plus_minus).length === 0 ? means : { ...means, plus_minus, range };
}

function toComparison(comparison: FullComparison): WhatIfAnswer['totals']['served'] {
  return toMetric(comparison) as WhatIfAnswer['totals']['served'];
}

function toTakeOver({
  ap_id,
  devices,
  deliveredMbps,
  to,
  others,
  unserved,
}: TakeOver): WhatIfAnswer['took_over'][number] {
  return {
    agent_id: ap_id,
    devices: toAmount(devices),
    delivered_mbps: toAmount(deliveredMbps),
    to: to.map((each) => ({
      agent_id: each.ap_id,
      devices: toAmount(each.devices),
      delivered_mbps: toAmount(each.deliveredMbps),
    })),
    ...(others && {
      others: {
        access_points: others.accessPoints,
        devices: toAmount(others.devices),
        delivered_mbps: toAmount(others.deliveredMbps),
      },
    }),
    unserved: toAmount(unserved),
  };
}

function toAmount({ mean, plusMinus, range }: Amount): WhatIfAnswer['took_over'][number]['devices'] {
  return plusMinus === undefined || !range ? { mean } : { mean, plus_minus: plusMinus, range };
}

/** To a second, about. */
function toMinutes(seconds: number): number {
  return Math.round((seconds / 60) * 100) / 100;
}
