// How long ago an agent reported, growing by itself; the moment is in the tooltip. While Weft is unreachable it is unknown
// how long: then the moment is shown.
import { awaySince, now } from '../../data/freshness.ts';
import { formatAge, formatMoment } from '../../format/times.ts';
import { agentsText } from '../../text/agents.ts';

/** `at` as the interface writes moments. */
export function LastSeen({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="faint">{agentsText.never}</span>;
  const ms = Date.parse(at);
  if (awaySince.value !== undefined) return <span>{formatMoment(ms)}</span>;
  const seconds = Math.max(0, (now.value - ms) / 1000);
  return <span title={formatMoment(ms)}>{seconds < 2 ? agentsText.justNow : agentsText.ago(formatAge(seconds))}</span>;
}
