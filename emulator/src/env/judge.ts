// How good a policy is at a task: its return over the seeds for judging, with an interval, and what it is made of.
import { type Amount, toAmount } from '../what-if/interval.ts';
import type { Act } from './baselines.ts';
import { type Component, components, Environment, EnvironmentError } from './environment.ts';
import { firstJudgingSeed, judgingSeeds, type Task } from './tasks.ts';

/** The sums of an episode. */
export type Episode = Record<Component, number>;

export interface Verdict {
  task: string;
  policy: string;
  episodes: number;
  /** Means with half of their 90 % interval. */
  return: Amount;
  energy_kj: Amount;
  budgets_met_pct: Amount;
  minutes_without_service: Amount;
  delivered_mbit: Amount;
  hand_overs: Amount;
}

export function seedsFor(episodes = judgingSeeds): number[] {
  if (!(Number.isInteger(episodes) && episodes >= 1 && episodes <= judgingSeeds)) {
    throw new EnvironmentError('invalid_seeds', `a policy is judged on 1 to ${judgingSeeds} seeds`);
  }
  return Array.from({ length: episodes }, (_, n) => firstJudgingSeed + n);
}

/** One episode for each seed; `create` makes a policy for each. */
export async function play(task: Task, seeds: readonly number[], create: () => Act): Promise<Episode[]> {
  const environment = new Environment(task.spec, 1);
  const { access_points, columns, choices, neighbours } = environment.layout;
  const episodes: Episode[] = [];
  for (const seed of seeds) {
    const act = create();
    const sums = Object.fromEntries(components.map((name) => [name, 0])) as Episode;
    let answer = environment.reset([seed], task.warmup_seconds);
    while (!answer.truncated[0]) {
      const { observations: values, valid, masks } = answer;
      const chosen = await act({ access_points, columns, choices, neighbours, values, valid }, masks);
      answer = environment.step(task.step_seconds, chosen);
      for (const [index, name] of components.entries()) sums[name] += answer.components[index]!;
    }
    episodes.push(sums);
  }
  return episodes;
}

export function returnOf({ reward }: Pick<Task, 'reward'>, episode: Episode): number {
  return Object.entries(reward).reduce((sum, [name, weight]) => sum + weight * episode[name as Component], 0);
}

export function judge(task: Task, policy: string, episodes: readonly Episode[]): Verdict {
  const over = (read: (episode: Episode) => number) => toAmount(episodes.map(read))!;
  return {
    task: task.name,
    policy,
    episodes: episodes.length,
    return: over((episode) => returnOf(task, episode)),
    energy_kj: over((episode) => episode.energy_kj),
    budgets_met_pct: over(({ budget_met_s, data_s }) => (data_s === 0 ? 100 : (100 * budget_met_s) / data_s)),
    minutes_without_service: over((episode) => episode.minutes_without_service),
    delivered_mbit: over((episode) => episode.delivered_mbit),
    hand_overs: over((episode) => episode.hand_overs),
  };
}

/** The rows of a table in Markdown, with its head. */
export function tableOf(verdicts: readonly Verdict[]): string {
  const titles = [
    ...['task', 'policy', 'return', 'energy, kJ', 'within budget, %'],
    ...['minutes without service', 'delivered, Mbit', 'hand-overs', 'episodes'],
  ];
  const rows = verdicts.map((verdict) => {
    const { task, policy, episodes, ...amounts } = verdict;
    const { return: total, energy_kj, budgets_met_pct, minutes_without_service, delivered_mbit, hand_overs } = amounts;
    const shown = [total, energy_kj, budgets_met_pct, minutes_without_service, delivered_mbit, hand_overs];
    return [task, policy, ...shown.map(amountText), String(episodes)];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return line(titles) + line(titles.map(() => '---')) + rows.map(line).join('');
}

function amountText({ mean, plusMinus }: Amount): string {
  const digits = Math.abs(mean) >= 1000 ? 0 : 1;
  return plusMinus === undefined ? mean.toFixed(digits) : `${mean.toFixed(digits)} ± ${plusMinus.toFixed(digits)}`;
}
