// Ids of commands and of their jobs. They are keys of indexes: ids that begin with the time lie next to each other there,
// so that one commit writes a few pages and not one page for each id.
import { randomUUID } from 'node:crypto';

/** A UUID of version 7: 48 bits of time in milliseconds, and 74 random bits. */
export function orderedUuid(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0');
  // The random UUID's version stands at index 14.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
