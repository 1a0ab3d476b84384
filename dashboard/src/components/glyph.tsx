// Technologies and states as small shapes: the shape tells the technology, the filling tells whether it is there. Colour
// only repeats what the shape says.
import type { Presence, Technology } from '../api/operations.ts';
import { componentText } from '../text/components.ts';
import './glyph.css';

export const glyphOutlines: Record<Technology | 'unknown', string> = {
  '5G': 'M8 2.2 14.6 13.6H1.4Z',
  WiFi: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2Z',
  LiFi: 'M8 1.2 14.8 8 8 14.8 1.2 8Z',
  unknown: 'M3 3h10v10H3Z',
};

const colours: Record<Technology | 'unknown', string> = {
  '5G': 'tech-5g',
  WiFi: 'tech-wifi',
  LiFi: 'tech-lifi',
  unknown: 'tech-unknown',
};

interface GlyphProps {
  technology?: Technology | undefined;
  /** Solid for online, half for late, hollow with a red outline for offline. */
  presence?: Presence;
  size?: number;
}

/** Drawn for the eye only; the words stand beside it. */
export function Glyph({ technology, presence = 'online', size = 14 }: GlyphProps) {
  const shape = technology ?? 'unknown';
  return (
    <svg
      class={`glyph ${colours[shape]} ${presence}`}
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

export function PresenceChip({ presence, technology }: { presence: Presence; technology?: Technology | undefined }) {
  return (
    <span class={`chip presence ${presence}`}>
      {technology === undefined ? (
        <PresenceDot presence={presence} />
      ) : (
        <Glyph technology={technology} presence={presence} />
      )}
      {componentText.presence[presence]}
    </span>
  );
}

/** The state alone, where the technology does not matter. */
export function PresenceDot({ presence, size = 12 }: { presence: Presence; size?: number }) {
  return (
    <svg class={`presence-dot ${presence}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {presence === 'online' && <circle cx="8" cy="8" r="6" fill="currentColor" />}
      {presence === 'late' && <path d="M8 2a6 6 0 0 0 0 12z" fill="currentColor" />}
      {presence !== 'online' && <circle cx="8" cy="8" r="5.2" fill="none" stroke="currentColor" stroke-width="2" />}
    </svg>
  );
}
