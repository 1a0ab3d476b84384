// What time it is for Weft, and how new what is on the screen is. The clock of a browser may be wrong by hours; moments in answers
// are the server's, so ages and charts go by this one.
import { computed, signal } from '@preact/signals';

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

/** Of a stream of live values. */
export type LiveState = 'connecting' | 'live' | 'polling' | 'broken';

export type Freshness = 'live' | 'polling' | 'old' | 'unknown';

const streams = signal<ReadonlyMap<object, LiveState>>(new Map());
/** By the browser's clock; 0 before the first. */
export const lastAnswerAt = signal(0);
const openedAt = Date.now();
const lastMissAt = signal(0);
const tick = signal(Date.now());
/**
 * The server's time. Moves once a second, so that ages grow by themselves; while Weft is unreachable it stands still with
 * what is known.
 */
export const now = computed(() => awaySince.value ?? tick.value + clockOffsetMs.value);

/** Answers of polling that are older than this have missed their turn. */
const oldAfterMs = 15_000;

export function noteStream(owner: object, state: LiveState | undefined): void {
  const next = new Map(streams.peek());
  if (state === undefined) next.delete(owner);
  else next.set(owner, state);
  streams.value = next;
  if (state === 'live' || state === 'polling') noteAnswer();
}

/** Nobody answered just now. */
export function noteUnreachable(): void {
  lastMissAt.value = Date.now();
}

/** Something has been heard of the fleet just now. */
export function noteAnswer(): void {
  lastAnswerAt.value = Date.now();
}

/** Nothing has been heard for a while: pages that ask for nothing by themselves would seem to grow old. */
export const isQuiet = computed(() => tick.value - Math.max(lastAnswerAt.value, openedAt) > 9000);

/** The last that was asked had no answer. */
export const isUnreachable = computed(() => lastMissAt.value > lastAnswerAt.value);

export const freshness = computed<Freshness>(() => {
  if (lastAnswerAt.value === 0) return 'unknown';
  const ageMs = Math.max(0, tick.value - lastAnswerAt.value);
  const states = [...streams.value.values()];
  if (isUnreachable.value || states.includes('broken') || ageMs > oldAfterMs) return 'old';
  return states.includes('polling') ? 'polling' : 'live';
});

/** When Weft answered last, by the server's time, while it is unreachable; undefined while it answers. */
export const awaySince = computed(() =>
  freshness.value === 'old' ? lastAnswerAt.value + clockOffsetMs.value : undefined,
);

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) tick.value = Date.now();
  }, 1000);
}
