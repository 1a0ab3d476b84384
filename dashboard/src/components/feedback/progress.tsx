// Long work: how much is done, of how much, and how long it will take at this pace.
import { useId, useRef } from 'preact/hooks';
import { formatNumber } from '../../format/numbers.ts';
import { formatSpan } from '../../format/times.ts';
import { componentText } from '../../text/components.ts';
import './progress.css';

interface ProgressProps {
  label: string;
  done: number;
  total: number;
}

export function Progress({ label, done, total }: ProgressProps) {
  const id = useId();
  const start = useRef({ at: Date.now(), done });
  const perMs = (done - start.current.done) / Math.max(1, Date.now() - start.current.at);
  const leftSeconds = perMs > 0 ? (total - done) / perMs / 1000 : undefined;
  return (
    <div class="progress">
      <div class="spread small">
        <span id={id}>{label}</span>
        <span class="faint">
          {componentText.progress(formatNumber(done), formatNumber(total))}
          {done < total && leftSeconds !== undefined && ` · ${componentText.timeLeft(formatSpan(leftSeconds))}`}
        </span>
      </div>
      <progress value={done} max={Math.max(1, total)} aria-labelledby={id} />
    </div>
  );
}
