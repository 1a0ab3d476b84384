// What time it is for Weft. The clock of a browser may be wrong by hours; moments in answers are the server's, so ages and
// charts go by this one.
import { signal } from '@preact/signals';

/** How far the server's clock is ahead of the browser's; 0 while the two agree as far as can be told. */
export const clockOffsetMs = signal(0);

export function serverNow(): number {
  return toServerTime(Date.now());
}

/** A moment of the browser's clock on that of the server. */
export function toServerTime(ms: number): number {
  return ms + clockOffsetMs.peek();
}

/** `date` is the header of an answer that was asked for and came at these moments of the browser's clock. */
export function noteServerDate(date: string | null, sentAt: number, receivedAt: number): void {
  const told = Date.parse(date ?? '');
  if (!Number.isFinite(told)) return;
  clockOffsetMs.value = nearestOffset(clockOffsetMs.peek(), told, sentAt, receivedAt);
}

/**
 * The offset closest to the known one that the answer allows: it was written between asking and hearing, and its header
 * leaves out the part of a second.
 */
export function nearestOffset(known: number, told: number, sentAt: number, receivedAt: number): number {
  return Math.min(Math.max(known, told - receivedAt), Math.max(told + 999 - sentAt, told - receivedAt));
}
