// The figures of a network in words: how much, how it changed since yesterday; and why an access point is among the worst. Pure.
import type { AgentHealth, NetworkFigures } from '../../../api/client.ts';
import { formatNumber, formatValue, splitUnit } from '../../../format.ts';

export type FigureName = Exclude<
  {
    [Name in keyof NetworkFigures]: NetworkFigures[Name] extends { day: unknown } ? Name : never;
  }[keyof NetworkFigures],
  undefined
>;

const thin = '\u2009';

/** Undefined if nobody says. */
export function figureOf(now: number | null, unit: string): { value: string; unit: string } | undefined {
  return now === null ? undefined : splitUnit(unit === '' ? formatNumber(now) : formatValue(now, unit));
}

/** Smaller changes are no news. */
const leastShare = 0.005;

/** From the same half hour of yesterday until now: in per cent, and of shares in points. */
export function changeWords(now: number | null, yesterday: number | null | undefined, isShare: boolean): string {
  if (now === null) return 'no access point reports it';
  if (yesterday === null || yesterday === undefined) return 'no data of yesterday';
  const change = isShare ? now - yesterday : (100 * (now - yesterday)) / Math.abs(yesterday);
  if (now === yesterday || Math.abs(change) < (isShare ? 0.05 : 100 * leastShare)) return 'as yesterday';
  if (!Number.isFinite(change)) return 'nothing yesterday';
  const amount = `${change > 0 ? '+' : ''}${formatNumber(change, Math.abs(change) < 10 ? 1 : 0)}`;
  return isShare ? `${amount} points since yesterday` : `${amount}${thin}% since yesterday`;
}

/** The first cause without the name that stands beside it, and how many more there are. */
export function reasonOf({
  ap_id,
  display_name,
  causes,
}: Pick<AgentHealth, 'ap_id' | 'display_name' | 'causes'>): string {
  const [first = '', ...more] = causes;
  const name = [display_name, ap_id].find((each) => each !== null && first.startsWith(each));
  const rest = name ? first.slice(name.length).replace(/^(:| is)?\s+/, '') : first;
  const words = rest.charAt(0).toUpperCase() + rest.slice(1);
  return more.length === 0 ? words : `${words} and ${formatNumber(more.length)} more`;
}
