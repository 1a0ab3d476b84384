// The time of a sample: as its agent gives it, held against the clock and the retention; or, where it gives none, the
// server's. Part of the parser.
import { TryLaterError } from '../../base/errors.ts';
import { parseDateTime } from '../../base/input/date-time.ts';
import { add, type Loc, type Run, valueError } from '../../base/input/value-rules.ts';
import { maxAheadMs } from '../store/telemetry-store.ts';
import type { ReportBudget } from './report-budget.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const firstSweep = 10_000;

/** What the parser must know besides the report itself. */
export interface PointLimits {
  /** Samples older than this are refused. */
  retentionMs: number;
  /** The time for that, where it is another than the clock's. */
  ageClock?: ((keptMs: number) => number) | undefined;
  serverTimes: ServerTimes;
  /** Default: an agent may report any amount. */
  budget?: Pick<ReportBudget, 'spend'> | undefined;
}

/**
 * Milliseconds, cut; null for a value that is not a time; undefined with a problem added for one that is more than five
 * minutes ahead, or older than the retention. Nanoseconds should be text: as a JSON number they arrive rounded to about 256.
 */
export function readTime(input: unknown, loc: Loc, run: Run, nowMs: number, limits: PointLimits) {
  const time = typeof input === 'number' ? fromNumber(input) : typeof input === 'string' ? fromText(input) : null;
  return time === null ? null : checkTime(time, loc, run, nowMs, limits);
}

const timeKeys = ['ts', 'timestamp', 'time'] as const;

/**
 * The time that stands beside the fields, under any of its names, or undefined; also with a problem added, as `readTime`
 * does, and for two that are not the same millisecond. Null if one of them is not a time, which `onUnreadable` is told.
 */
export function readTimes(
  source: Record<string, unknown>,
  loc: Loc,
  run: Run,
  nowMs: number,
  limits: PointLimits,
  onUnreadable: (key: string) => void,
): number | undefined | null {
  let time: number | undefined;
  for (const key of timeKeys) {
    const input = source[key];
    if (input === undefined || input === null) continue;
    const ms = readTime(input, [...loc, key], run, nowMs, limits);
    if (ms === null) onUnreadable(key);
    if (ms === undefined || ms === null) return ms;
    if (time !== undefined && time !== ms) {
      return add(run, valueError([...loc, key], 'another time beside these fields disagrees: give one'));
    }
    time = ms;
  }
  return time;
}

/** The same for a time in milliseconds. */
export function checkTime(ms: number, loc: Loc, run: Run, nowMs: number, limits: PointLimits): number | undefined {
  if (ms <= nowMs + maxAheadMs && ms >= nowMs - limits.retentionMs) return ms;
  const { ageClock, retentionMs } = limits;
  if (ageClock && ms < nowMs && ms >= ageClock(retentionMs) - retentionMs) return ms;
  const error =
    ms > nowMs
      ? `the time is more than ${maxAheadMs / minuteMs} minutes ahead of the server, where it is ${new Date(nowMs).toISOString()}`
      : `the time is older than the retention of ${limits.retentionMs / dayMs} days`;
  return add(run, valueError(loc, error));
}

/** The sizes are those of parseDateTime; fractions go through it, because a product of doubles would round them. */
function fromNumber(input: number): number | null {
  if (!Number.isInteger(input)) return fromText(String(input));
  const size = Math.abs(input);
  if (size <= 20_000_000_000) return input * 1000;
  if (size <= 20_000_000_000_000) return input;
  return Math.floor(size <= 20_000_000_000_000_000 ? input / 1000 : input / 1_000_000);
}

function fromText(text: string): number | null {
  const time = parseDateTime(text);
  return 'ms' in time ? time.ms : null;
}

/**
 * Times for samples that come without one: the server's, but each later than the last one given to the same agent by
 * this process, so that samples of one millisecond do not replace each other. A clock that was set back by more than
 * five minutes is followed. Remembers only agents whose last time is not past yet.
 */
export class ServerTimes {
  readonly #given = new Map<string, { lastMs: number; nowMs: number }>();
  #sweepAt = firstSweep;

  /**
   * The first of `count` times, each a millisecond after the one before. Throws TryLaterError (429) if they would run
   * more than five minutes ahead of the clock.
   */
  take(ap_id: string, nowMs: number, count: number): number {
    const given = this.#given.get(ap_id);
    if (!given) {
      if (this.#given.size >= this.#sweepAt) this.#sweep(nowMs);
      this.#given.set(ap_id, { lastMs: nowMs + count - 1, nowMs });
      return nowMs;
    }
    const wasSetBack = given.nowMs - nowMs > maxAheadMs;
    const first = wasSetBack ? nowMs : Math.max(nowMs, given.lastMs + 1);
    const lastMs = first + count - 1;
    // Compared with the later of the two clocks: one set back a little must not make anybody wait.
    const aheadMs = lastMs - (wasSetBack ? nowMs : Math.max(nowMs, given.nowMs));
    if (aheadMs > maxAheadMs) {
      const seconds = Math.ceil((aheadMs - maxAheadMs) / 1000);
      const detail = 'Too many samples without a time of their own; give each its ts';
      throw new TryLaterError(429, 'too_many_samples_without_time', detail, seconds);
    }
    given.lastMs = lastMs;
    given.nowMs = wasSetBack ? nowMs : Math.max(nowMs, given.nowMs);
    return first;
  }

  #sweep(nowMs: number): void {
    for (const [ap_id, { lastMs }] of this.#given) if (lastMs < nowMs) this.#given.delete(ap_id);
    this.#sweepAt = Math.max(firstSweep, this.#given.size * 2);
  }
}
