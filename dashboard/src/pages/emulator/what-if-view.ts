// What a look ahead has shown, as charts and tables need it. Pure.
import type { WhatIfAnswer } from '../../api/operations.ts';
import type { ChartLine } from '../../components/chart/chart-shape.ts';

export interface Change {
  agent_id: string;
  metric: string;
  with: number;
  without: number;
  /** How much of itself it changes by; what the table is sorted by. */
  weight: number;
}

type TimelineKey = 'served' | 'power_w' | 'delivered_mbps';

/** Two lines over the time that was run ahead. */
export function timelineLines(
  { timeline, model_time }: Pick<WhatIfAnswer, 'timeline' | 'model_time'>,
  key: TimelineKey,
  labels: { with: string; without: string },
): ChartLine[] {
  const start = Date.parse(model_time) / 1000;
  const times = timeline.map(({ minute }) => start + minute * 60);
  return (['with', 'without'] as const).map((side) => ({
    name: side,
    label: labels[side],
    times,
    values: timeline.map((minute) => minute[key][side]),
  }));
}

export function meanOf({ timeline }: Pick<WhatIfAnswer, 'timeline'>, key: TimelineKey) {
  const mean = (side: 'with' | 'without') =>
    timeline.length === 0 ? 0 : timeline.reduce((sum, minute) => sum + minute[key][side], 0) / timeline.length;
  return { with: mean('with'), without: mean('without') };
}

/**
 * The metrics that change most, largest part of themselves first; small figures that only tremble come last. A few of each
 * access point, so that neighbours come into sight too.
 */
export function biggestChanges({ agents }: Pick<WhatIfAnswer, 'agents'>, count: number, perAgent = 3): Change[] {
  const byWeight = (a: Change, b: Change) => b.weight - a.weight;
  const changes = agents.flatMap(({ agent_id, metrics }) =>
    Object.entries(metrics)
      .flatMap(([metric, value]): Change[] => {
        const { with: after, without } = (value ?? {}) as { with?: unknown; without?: unknown };
        if (typeof after !== 'number' || typeof without !== 'number' || after === without) return [];
        const scale = Math.max(Math.abs(after), Math.abs(without), 1);
        return [{ agent_id, metric, with: after, without, weight: Math.abs(after - without) / scale }];
      })
      .sort(byWeight)
      .slice(0, perAgent),
  );
  return changes.sort(byWeight).slice(0, count);
}
