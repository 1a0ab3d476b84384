// Ids of commands and of their jobs. They are keys of indexes: ids that begin with the time lie next to each other there,
// so that one commit writes a few pages and not one page for each id.
import { randomUUID } from 'node:crypto';

const maxCount = 0xfff;
let lastMs = 0;
let count = 0;
/** Of the last millisecond, up to the count. */
let start = '';

/**
 * A UUID of version 7: 48 bits of time in milliseconds, 12 bits that count the ids of one millisecond, 62 random bits. In the
 * order in which they are made, as far as the clock goes forward and there are fewer than 4,096 in a millisecond.
 */
export function orderedUuid(nowMs: number): string {
  if (nowMs === lastMs) count = Math.min(count + 1, maxCount);
  else {
    const time = nowMs.toString(16).padStart(12, '0');
    start = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    count = 0;
    lastMs = nowMs;
  }
  // The variant stands at index 19 of the random UUID.
  return `${start}${count.toString(16).padStart(3, '0')}-${randomUUID().slice(19)}`;
}
