// Weft said no, and why.

export class WeftRefusal extends Error {
  override name = 'WeftRefusal';
  /** As over HTTP; 0 if nothing was asked. */
  readonly status: number;
  readonly code: string;
  /** What Weft said: a sentence, or a list of problems. */
  readonly detail: unknown;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, code: string, detail: unknown, retryAfterSeconds?: number) {
    super(`${status} ${code}: ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The same may work later. */
  get isPassing(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

/** After a refusal that does not say when to come back. */
const defaultPauseMs = 1_000;

/** How long to wait before trying again. */
export function pauseAfter({ retryAfterSeconds = 0 }: WeftRefusal): number {
  return retryAfterSeconds * 1000 || defaultPauseMs;
}

/** Also of a page that a proxy has answered. */
export function toRefusal(status: number, text: string, retryAfter: string | null | undefined): WeftRefusal {
  const after = toSeconds(retryAfter);
  try {
    const { code, detail } = JSON.parse(text);
    return new WeftRefusal(status, String(code ?? 'unknown'), detail ?? 'no reason given', after);
  } catch {
    return new WeftRefusal(status, 'unknown', 'no reason given', after);
  }
}

/** Of a Retry-After, which proxies may give as a date. */
export function toSeconds(retryAfter: string | null | undefined): number | undefined {
  if (!retryAfter) return undefined;
  const seconds = Number(retryAfter);
  if (!Number.isNaN(seconds)) return Math.max(0, seconds);
  const moment = Date.parse(retryAfter);
  return Number.isNaN(moment) ? undefined : Math.max(0, (moment - Date.now()) / 1000);
}
