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
