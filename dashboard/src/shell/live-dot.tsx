// One word on how fresh the values are: live, polling, or how old.
import { freshness } from '../data/freshness.ts';
import { formatAge } from '../format/times.ts';
import { shellText } from '../text/shell.ts';

export function LiveDot() {
  const { state, ageSeconds } = freshness.value;
  const text = shellText.freshness;
  return (
    <span class={`live-dot ${state}`} title={text.explain[state]} role="status">
      <i aria-hidden="true" />
      {state === 'old' ? text.old(formatAge(ageSeconds)) : text[state]}
    </span>
  );
}
