// How much of its time a network has behind it, and how much is left. Moves with the clock.
import type { EmulatorRun } from '../../api/operations.ts';
import { now } from '../../data/freshness.ts';
import { formatSpan } from '../../format/times.ts';
import { emulatorText } from '../../text/emulator.ts';
import './run-state.css';
import { secondsLeft, shareDone } from './run-words.ts';

export function RunProgress({ run }: { run: EmulatorRun }) {
  const left = secondsLeft(run, now.value);
  const share = shareDone(run, now.value);
  if (left === undefined || share === undefined) return <span class="faint">–</span>;
  return (
    <span class="run-progress">
      <progress value={share} max={1} aria-label={emulatorText.columns.progress} />
      {run.state === 'running' && <span class="soft">{emulatorText.left(formatSpan(left, left < 3600 ? 1 : 2))}</span>}
    </span>
  );
}
