// Health as a shape: a tick, a half, a cross, a question. Colour only repeats it.
import type { HealthWord } from '../api/operations.ts';
import './health.css';

const shapes: Record<HealthWord, string> = {
  good: 'M7 12.5 10.5 16 17 8.5',
  degraded: 'M12 7v6M12 16.5v.01',
  bad: 'M8 8l8 8M16 8l-8 8',
  unknown: 'M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M12 16.5v.01',
};

export function HealthMark({ health, size = 18 }: { health: HealthWord; size?: number }) {
  return (
    <svg class={`health-mark ${health}`} width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="11" />
      <path d={shapes[health]} />
    </svg>
  );
}
