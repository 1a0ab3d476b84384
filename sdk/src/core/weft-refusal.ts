// What goes wrong between a program and Weft: Weft refuses, or there is no answer.
import type { ErrorAnswer } from '@weft/contract';
import { parseObject } from '@weft/contract/is-object';

/** The `detail` of an answer that gives none. */
export const noReason = 'no reason given';

/**
 * An error that `instanceof` knows by its kind: a program may hold two copies of the SDK, as an ES module and as CommonJS.
 */
export class KnownError extends Error {
  /** Of classes of the SDK; those that programs derive have none of their own. */
  static readonly kind: string = 'KnownError';

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore-start lint/complexity/noThisInStatic: it is the class that was asked for
    if (!Object.hasOwn(this, 'kind')) return Function.prototype[Symbol.hasInstance].call(this, value);
    if (!(typeof value === 'object' && value !== null)) return false;
    for (let at = Object.getPrototypeOf(value); at !== null; at = Object.getPrototypeOf(at)) {
      if (Object.hasOwn(at.constructor, 'kind') && at.constructor.kind === this.kind) return true;
    }
    // biome-ignore-end lint/complexity/noThisInStatic: as above
    return false;
  }
}

/** What Weft said, in words: of a list of problems each with its field. */
export function detailInWords(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return JSON.stringify(detail);
  const problems = detail.map(({ loc, msg }: { loc?: unknown; msg?: unknown }) => {
    const field = [loc].flat().slice(1).join('.');
    // The words that programs know a kind of problem by are not for people.
    return `${field === '' ? '' : `${field}: `}${String(msg).replace(/^Value error, /, '')}`;
  });
  return problems.join('; ');
}

export class WeftRefusal extends KnownError {
  static override readonly kind: string = 'WeftRefusal';
  override name = 'WeftRefusal';
  /** As over HTTP; 0 if nothing was asked. */
  readonly status: number;
  readonly code: string;
  /** What Weft said: a sentence, or a list of problems. */
  readonly detail: unknown;
  readonly retryAfterSeconds: number | undefined;
  /** Of an internal error: Weft's log has more under this id. */
  readonly requestId: string | undefined;

  constructor(status: number, code: string, detail: unknown, retryAfterSeconds?: number, requestId?: string) {
    super(`${status} ${code}: ${detailInWords(detail)}`);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
    this.requestId = requestId;
  }

  /** The same may work later. */
  get isPassing(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

/** There was no answer. Whether the request arrived is not known. */
export class WeftUnreachable extends KnownError {
  static override readonly kind: string = 'WeftUnreachable';
  override name = 'WeftUnreachable';
}

/** The same may work later. */
export function isPassing(error: unknown): boolean {
  return error instanceof WeftUnreachable || (error instanceof WeftRefusal && error.isPassing);
}

/** Another machine has the name now, and the password of this one is no longer good: nothing is to be tried again. */
export function isReplaced(error: unknown): boolean {
  return error instanceof WeftRefusal && error.code === 'credentials_replaced';
}

/** A timer that is longer than it can be would not wait at all. */
const maxPauseMs = 3_600_000;

/** How long Weft asks to wait. */
export function retryAfterMs(error: unknown): number {
  return error instanceof WeftRefusal ? Math.min((error.retryAfterSeconds ?? 0) * 1000, maxPauseMs) : 0;
}

/** What is not an answer of Weft's. */
export function toUnreachable(error: unknown): Error {
  if (error instanceof WeftRefusal || error instanceof WeftUnreachable) return error;
  return new WeftUnreachable(`Weft is unreachable: ${reasonOf(error)}`, { cause: error });
}

/** After a refusal that does not say when to come back. */
const defaultPauseMs = 1_000;

/** How long to wait before trying again. */
export function pauseAfter(refusal: WeftRefusal): number {
  return retryAfterMs(refusal) || defaultPauseMs;
}

/** Also of a page that a proxy has answered. */
export function toRefusal(status: number, text: string, retryAfter: string | null | undefined): WeftRefusal {
  const { code, detail, request_id } = (parseObject(text) ?? {}) as Partial<ErrorAnswer>;
  return new WeftRefusal(status, String(code ?? 'unknown'), detail ?? noReason, toSeconds(retryAfter), request_id);
}

/** Of a Retry-After, which proxies may give as a date. */
export function toSeconds(retryAfter: string | null | undefined): number | undefined {
  if (!retryAfter) return undefined;
  const seconds = Number(retryAfter);
  if (!Number.isNaN(seconds)) return Math.max(0, seconds);
  const moment = Date.parse(retryAfter);
  return Number.isNaN(moment) ? undefined : Math.max(0, (moment - Date.now()) / 1000);
}

/** Node says why in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message || String(error);
}
