// How new what is on the screen is: the one word that the dot in the top bar says.
import { computed, signal } from '@preact/signals';
import type { LiveState } from './live-values.ts';
import { clockOffsetMs } from './server-clock.ts';

export type Freshness = { state: 'live' | 'polling' | 'old' | 'unknown'; ageSeconds: number };

const streams = signal<ReadonlyMap<object, LiveState>>(new Map());
const lastAnswerAt = signal(0);
const lastMissAt = signal(0);
const tick = signal(Date.now());
/** The server's time. Moves once a second, so that ages grow by themselves. */
export const now = computed(() => tick.value + clockOffsetMs.value);

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

export const freshness = computed<Freshness>(() => {
  if (lastAnswerAt.value === 0) return { state: 'unknown', ageSeconds: 0 };
  const ageMs = Math.max(0, tick.value - lastAnswerAt.value);
  const ageSeconds = Math.round(ageMs / 1000);
  const states = [...streams.value.values()];
  const isAway = lastMissAt.value > lastAnswerAt.value;
  if (isAway || states.includes('broken') || ageMs > oldAfterMs) return { state: 'old', ageSeconds };
  return { state: states.includes('polling') ? 'polling' : 'live', ageSeconds };
});

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) tick.value = Date.now();
  }, 1000);
}
