// Oscillation: detects a parameter that two callers set back and forth, so that it can be frozen.
import type { ConflictRules } from '@weft/contract';
import type { RecentValue } from './conflict-intent.ts';

/** Enough for the most reversals that rules may ask for. */
export const maxRecentValues = 8;

/**
 * The values with one more; the oldest go. A value that is sent again makes the last entry younger and takes no place:
 * a caller that repeats itself must not push out what went before.
 */
export function withRecent(recent: readonly RecentValue[], next: RecentValue): RecentValue[] {
  const last = recent.at(-1);
  if (last?.value === next.value) return [...recent.slice(0, -1), { ...last, rank: next.rank, at: next.at }];
  return [...recent, next].slice(-maxRecentValues);
}

/**
 * Whether the newest value is a reversal, one that restores the value before last, and there are enough of them within
 * the window. One caller alone does not oscillate: it may have its reasons.
 */
export function isOscillating(
  recent: readonly RecentValue[],
  { reversals, window_s }: ConflictRules['oscillation'],
  nowMs: number,
): boolean {
  const fresh = recent.filter(({ at }) => at > nowMs - window_s * 1000);
  const found = fresh.filter(({ value }, index) => index >= 2 && value === fresh[index - 2]!.value);
  if (found.length < reversals || found.at(-1) !== fresh.at(-1)) return false;
  return new Set(fresh.map(({ caller_id }) => caller_id)).size >= 2;
}
