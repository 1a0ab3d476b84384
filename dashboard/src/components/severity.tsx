// How bad something is, as a shape and a word: the fuller the shape, the worse. Colour only repeats it.
import { componentText } from '../text/components.ts';
import './glyph.css';
import './severity.css';

export const severities = ['critical', 'major', 'minor', 'warning'] as const;
export type Severity = (typeof severities)[number] | 'info';

const shapes: Record<Severity, string> = {
  critical: 'M5 1h6l4 4v6l-4 4H5l-4-4V5z',
  major: 'M8 1.5 15 14H1z',
  minor: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2Z',
  warning: 'M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3Z',
  info: 'M8 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7Z',
};

export function SeverityMark({ severity, size = 14 }: { severity: Severity; size?: number }) {
  return (
    <svg class={`severity-mark ${severity}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapes[severity]} />
    </svg>
  );
}

export function SeverityChip({ severity }: { severity: Severity }) {
  return (
    <span class={`chip severity ${severity}`}>
      <SeverityMark severity={severity} />
      {componentText.severities[severity]}
    </span>
  );
}
