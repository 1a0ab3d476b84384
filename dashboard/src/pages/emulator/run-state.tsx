// The state of a run in a word and a shape, and what it is made of as glyphs.
import type { EmulatorRun } from '../../api/operations.ts';
import { Glyph } from '../../components/glyph.tsx';
import { formatNumber } from '../../format/numbers.ts';
import { emulatorText } from '../../text/emulator.ts';
import './run-state.css';
import { countsByType } from './run-words.ts';

const ring = 'M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9';
const shapes: Record<EmulatorRun['state'], string> = {
  queued: `${ring}M6 3.4V6l1.9 1.2`,
  running: 'M3 1.8v8.4l7-4.2z',
  succeeded: 'M1.8 6.4 4.8 9.4 10.4 2.8',
  failed: 'M2.2 2.2l7.6 7.6M9.8 2.2 2.2 9.8',
  expired: 'M2.2 2.2l7.6 7.6M9.8 2.2 2.2 9.8',
  cancelled: 'M2.5 2.5h7v7h-7z',
};

export function RunStateChip({ state }: { state: EmulatorRun['state'] }) {
  return (
    <span class={`chip run-state ${state}`}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d={shapes[state]} />
      </svg>
      {emulatorText.states[state]}
    </span>
  );
}

export function RunKinds({ run }: { run: Pick<EmulatorRun, 'by_type'> }) {
  return (
    <span class="run-kinds">
      {countsByType(run).map(([technology, count]) => (
        <span key={technology} class="chip">
          <Glyph technology={technology} />
          {emulatorText.kind(formatNumber(count), technology)}
        </span>
      ))}
    </span>
  );
}
