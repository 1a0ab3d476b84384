// Technologies, states, severities and health as small shapes: the shape tells the technology or how bad it is, the filling tells
// whether it is there. Colour only repeats what the shape says.
import './glyph.css';
import type { HealthWord, Technology } from '../api/client.ts';
import type { ShownState } from '../data/agents.ts';
import { componentText } from '../text/components.ts';

export const glyphOutlines: Record<Technology | 'unknown', string> = {
  '5G': 'M8 2.2 14.6 13.6H1.4Z',
  WiFi: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2Z',
  LiFi: 'M8 1.2 14.8 8 8 14.8 1.2 8Z',
  unknown: 'M3 3h10v10H3Z',
};

/** The token of its colour (`styles/tokens.css`). */
export function technologyToken(technology: Technology | undefined): string {
  return `--tech-${technology?.toLowerCase() ?? 'unknown'}`;
}

interface GlyphProps {
  technology?: Technology | undefined;
  /** Solid for online, half for late, pale for asleep, hollow with a red outline for offline, with a grey one for the rest. */
  state?: ShownState;
  size?: number;
}

/** Drawn for the eye only; the words stand beside it. */
export function Glyph({ technology, state = 'online', size = 14 }: GlyphProps) {
  const shape = technology ?? 'unknown';
  return (
    <svg
      class={`glyph ${state}`}
      style={{ color: `var(${technologyToken(technology)})` }}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
    >
      <path class="filling" d={glyphOutlines[shape]} />
      <path class="outline" d={glyphOutlines[shape]} />
    </svg>
  );
}

export function TechnologyChip({ technology }: { technology: Technology | undefined }) {
  return (
    <span class="chip">
      <Glyph technology={technology} />
      {technology ?? componentText.unknownTechnology}
    </span>
  );
}

export function StateChip({ state }: { state: ShownState }) {
  return (
    <span class={`chip state ${state}`}>
      <StateDot state={state} />
      {componentText.states[state]}
    </span>
  );
}

/** The state alone, where the technology does not matter. */
export function StateDot({ state }: { state: ShownState }) {
  return (
    <svg class={`state-dot ${state}`} width="12" height="12" viewBox="0 0 16 16" aria-hidden="true">
      {state === 'online' && <circle cx="8" cy="8" r="6" fill="currentColor" />}
      {state === 'late' && <path d="M8 2a6 6 0 0 0 0 12z" fill="currentColor" />}
      {state === 'asleep' && <path d="M13.5 9.8A6 6 0 0 1 6.2 2.5a6 6 0 1 0 7.3 7.3z" fill="currentColor" />}
      {state !== 'online' && state !== 'asleep' && (
        <circle cx="8" cy="8" r="5.2" fill="none" stroke="currentColor" stroke-width="2" />
      )}
    </svg>
  );
}

export const severities = ['critical', 'major', 'minor', 'warning'] as const;
export type Severity = (typeof severities)[number] | 'info';

const severityShapes: Record<Severity, string> = {
  critical: 'M5 1h6l4 4v6l-4 4H5l-4-4V5z',
  major: 'M8 1.5 15 14H1z',
  minor: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2Z',
  warning: 'M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3Z',
  info: 'M8 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7Z',
};

export function SeverityMark({ severity, size = 14 }: { severity: Severity; size?: number }) {
  return (
    <svg class={`severity-mark ${severity}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={severityShapes[severity]} />
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

const healthShapes: Record<HealthWord, string> = {
  good: 'M7 12.5 10.5 16 17 8.5',
  degraded: 'M12 7v6M12 16.5v.01',
  bad: 'M8 8l8 8M16 8l-8 8',
  unknown: 'M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M12 16.5v.01',
};

export function HealthMark({ health, size = 18 }: { health: HealthWord; size?: number }) {
  return (
    <svg class={`health-mark ${health}`} width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="11" />
      <path d={healthShapes[health]} />
    </svg>
  );
}

const ring = 'M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9';
/** Of chips, in a square of 12. */
export const marks = {
  ring,
  clock: `${ring}M6 3.4V6l1.9 1.2`,
  tick: 'M1.8 6.4 4.8 9.4 10.4 2.8',
  cross: 'M2.2 2.2l7.6 7.6M9.8 2.2 2.2 9.8',
};

/** A word behind its mark, such as the state of a job; the class colours the mark. */
export function MarkChip({ class: look, mark, words }: { class: string; mark: string; words: string | undefined }) {
  return (
    <span class={`mark-chip ${look}`}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d={mark} />
      </svg>
      {words}
    </span>
  );
}
