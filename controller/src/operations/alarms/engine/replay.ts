// Replays stored samples through a tracker: how it is learned since when a condition has held, after a start and before
// anybody is told, and what a rule would have done in the past.
import type { Frame } from '../../../core/telemetry/store/telemetry-store.ts';
import type { AlarmTracker, Transition } from './alarm-tracker.ts';
import { activeMetric } from './metric-condition.ts';

/** Gives the rows to the tracker, in order. Rows without the metric say nothing, unless the access point slept. */
export function replay(
  tracker: AlarmTracker,
  { ts, columns }: Pick<Frame, 'ts' | 'columns'>,
  onDue?: (due: Transition) => void,
): void {
  const { metric, other, ignoresSleep } = tracker.condition;
  const values = columns.get(metric);
  const others = other === undefined ? undefined : columns.get(other);
  const active = ignoresSleep ? columns.get(activeMetric) : undefined;
  for (let row = 0; row < ts.length; row++) {
    const isAsleep = active?.[row] === 0;
    const value = values ? values[row]! : Number.NaN;
    const second = other === undefined ? 0 : others ? others[row]! : Number.NaN;
    if (!isAsleep && (Number.isNaN(value) || Number.isNaN(second))) continue;
    if (!tracker.add(ts[row]!, value, second, isAsleep) || !onDue) continue;
    const { due } = tracker;
    if (due) onDue(due);
  }
}
