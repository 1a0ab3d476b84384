// How an attempt to move a device ended, as a shape; the words stand beside it.
import type { SteeringOutcome } from './steering.ts';

const signs: Record<SteeringOutcome, string> = {
  moved: 'M4.4 7.2l1.9 1.9 3.4-3.9',
  refused: 'M5 5l4 4M9 5 5 9',
  unreachable: 'M7 4v3.6M7 9.8v.1',
  ignored: 'M4.6 7h4.8',
};

export function OutcomeMark({ outcome }: { outcome: SteeringOutcome }) {
  return (
    <svg class={`outcome-mark ${outcome}`} width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
      <circle cx="7" cy="7" r="6" />
      <path d={signs[outcome]} />
    </svg>
  );
}
