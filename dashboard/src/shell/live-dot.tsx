// One word on how fresh the values are: live, polling, or as of when.
import { awaySince, freshness } from '../data/freshness.ts';
import { useOperation } from '../data/use-operation.ts';
import { formatMoment } from '../format/times.ts';
import { shellText } from '../text/shell.ts';

/** Pages that ask for nothing by themselves would otherwise seem to grow old. */
const pulseMs = 10_000;

export function LiveDot() {
  useOperation('get_me', {}, { pollMs: pulseMs });
  const state = freshness.value;
  const text = shellText.freshness;
  return (
    <span class={`live-dot ${state}`} title={text.explain[state]} role="status">
      <i aria-hidden="true" />
      {state === 'old' ? (
        <span>
          {text.asOf(formatMoment(awaySince.value ?? 0))}
          <span class="live-more">{text.notConnected}</span>
        </span>
      ) : (
        text[state]
      )}
    </span>
  );
}
