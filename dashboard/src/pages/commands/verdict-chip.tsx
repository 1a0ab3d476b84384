// What was decided about a command, in one word with a shape of its own.
import type { VerdictWord } from '../../api/operations.ts';
import { commandsText } from '../../text/commands.ts';
import './command-form.css';

const shapes: Record<VerdictWord, string> = {
  accepted: 'M1.8 6.4 4.8 9.4 10.4 2.8',
  accepted_modified: 'M1.5 4.2c2-2 3.5-2 4.5 0s2.5 2 4.5 0M1.5 8.4c2-2 3.5-2 4.5 0s2.5 2 4.5 0',
  queued: 'M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9M6 3.4V6l1.9 1.2',
  rejected: 'M2.2 2.2l7.6 7.6M9.8 2.2 2.2 9.8',
};

export function VerdictChip({ verdict }: { verdict: VerdictWord }) {
  return (
    <span class={`verdict-chip ${verdict}`}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d={shapes[verdict]} />
      </svg>
      {commandsText.verdicts[verdict]}
    </span>
  );
}
