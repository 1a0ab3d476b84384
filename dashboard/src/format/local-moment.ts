// Between moments of the interface and what a field for date and time holds, which knows no time zone but the browser's.

/** `2026-03-01T10:42:07` in local time; empty for what is no moment. */
export function toLocalMoment(ms: number): string {
  if (!Number.isFinite(ms)) return '';
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** RFC 3339 in UTC. What cannot be read is returned as it is: the server has words for it. */
export function fromLocalMoment(text: string): string {
  const ms = Date.parse(text);
  return Number.isFinite(ms) ? new Date(ms).toISOString() : text;
}
