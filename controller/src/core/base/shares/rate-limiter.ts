// Limits events per key in fixed memory. Counts are per process; `onChange` lets other nodes count the same.

import { isIPv6 } from 'node:net';
import { BoundedMap } from '@weft/contract/bounded-map';
import { TryLaterError } from '../errors.ts';

const maxKeys = 100_000;

export interface Limit {
  max: number;
  windowMs: number;
}

export type LimitChange = 'counted' | 'forgotten';

export class RateLimiter {
  readonly #limit: Limit;
  readonly #code: string;
  readonly #counts = new BoundedMap<string, { count: number; resetsAt: number }>(maxKeys);
  readonly #onChange: (change: LimitChange, key: string) => void;

  constructor(code: string, limit: Limit, onChange: (change: LimitChange, key: string) => void = () => {}) {
    this.#code = code;
    this.#limit = limit;
    this.#onChange = onChange;
  }

  /** Throws TryLaterError (429) if the limit of the key is reached; counts nothing. */
  check(key: string, now = performance.now()): void {
    if (!this.isReached(key, now)) return;
    const seconds = Math.max(1, Math.ceil((this.#counts.get(key)!.resetsAt - now) / 1000));
    throw new TryLaterError(429, this.#code, `Too many attempts; try again in ${seconds} s`, seconds);
  }

  isReached(key: string, now = performance.now()): boolean {
    const entry = this.#counts.get(key);
    return entry !== undefined && entry.resetsAt > now && entry.count >= this.#limit.max;
  }

  count(key: string, now = performance.now()): void {
    this.#count(key, now);
    this.#onChange('counted', key);
  }

  /** Another node has counted or forgotten this key. */
  heard(change: LimitChange, key: string): void {
    if (change === 'counted') this.#count(key, performance.now());
    else this.#counts.delete(key);
  }

  #count(key: string, now: number): void {
    const entry = this.#counts.get(key);
    if (entry && entry.resetsAt > now) {
      entry.count++;
      return;
    }
    this.#counts.set(key, { count: 1, resetsAt: now + this.#limit.windowMs });
  }

  /** Counts one event, or throws as `check` does. */
  take(key: string, now = performance.now()): void {
    this.check(key, now);
    this.count(key, now);
  }

  forget(key: string): void {
    if (this.#counts.delete(key)) this.#onChange('forgotten', key);
  }
}

/** At most `max` for each key within that many minutes. */
export function limitPerMinutes(code: string, max: number, minutes: number): RateLimiter {
  return new RateLimiter(code, { max, windowMs: minutes * 60_000 });
}

/** One key per sender: an IPv4 address, or the /64 network of an IPv6 address, because a single host owns all of it. */
export function addressKey(address: string): string {
  const plain = address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = ''] = plain.split('%')[0]!.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = plain.includes('::') ? Array(Math.max(0, 8 - left.length - right.length)).fill('0') : [];
  return `${[...left, ...zeros, ...right]
    .slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
