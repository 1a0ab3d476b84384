// What a rule on states or absence would have done, from the spans of time in which its condition held. Pure.

export interface Span {
  fromMs: number;
  /** Null: it still holds. */
  toMs: number | null;
}

/**
 * The alarms that these spans, in order and apart, would have been until `nowMs`: one fires once the condition was true for
 * `forMs`, and is cleared once it was false for `clearMs`. Each begins with the condition.
 */
export function alarmsOf(
  spans: readonly Span[],
  { forMs, clearMs, nowMs }: { forMs: number; clearMs: number; nowMs: number },
): Span[] {
  const alarms: Span[] = [];
  let open: Span | undefined;
  for (const { fromMs, toMs } of spans) {
    if (open && fromMs - open.toMs! >= clearMs) {
      alarms.push({ fromMs: open.fromMs, toMs: open.toMs! + clearMs });
      open = undefined;
    }
    // While it fires, a short pause changes nothing.
    if (open) open.toMs = Math.max(toMs ?? nowMs, open.toMs!);
    else if ((toMs ?? nowMs) - fromMs >= forMs) open = { fromMs, toMs: toMs ?? nowMs };
  }
  const isLasting = spans.at(-1)?.toMs === null;
  if (open) {
    const clearedMs = open.toMs! + clearMs;
    alarms.push({ fromMs: open.fromMs, toMs: isLasting || clearedMs > nowMs ? null : clearedMs });
  }
  return alarms;
}

/** The spans in which nothing came for longer than `absentMs`, by the times of what came, in order. */
export function absences(
  timesMs: ArrayLike<number>,
  absentMs: number,
  { fromMs, nowMs }: { fromMs: number; nowMs: number },
): Span[] {
  const spans: Span[] = [];
  let last: number | undefined;
  for (let at = 0; at < timesMs.length; at++) {
    const time = timesMs[at]!;
    if (last !== undefined && time - last >= absentMs && time > fromMs)
      spans.push({ fromMs: last + absentMs, toMs: time });
    last = time;
  }
  if (last !== undefined && nowMs - last >= absentMs) spans.push({ fromMs: last + absentMs, toMs: null });
  return spans.map((span) => ({ ...span, fromMs: Math.max(span.fromMs, fromMs) }));
}
