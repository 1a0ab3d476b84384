// Tells a request of a webhook, or a command that is pushed to an agent, from a forgery.
import { createHmac, timingSafeEqual } from 'node:crypto';

const defaultToleranceSeconds = 300;

export interface SignedRequest {
  /** Of the webhook, or of the agent's pushes. */
  secret: string;
  /** The header `X-Weft-Signature`. */
  signature: string | readonly string[] | null | undefined;
  /** As received, before it is parsed. */
  body: string | Uint8Array;
  /** How old it may be; default: 300. */
  toleranceSeconds?: number | undefined;
}

/**
 * Whether Weft has sent it, within the tolerance.
 *
 * ```ts
 * const body = '{"kind":"alarm.fired"}';
 * const signature = `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`;
 * console.log(verifyWebhook({ secret: 'the secret of the webhook', signature, body }));
 * ```
 */
export function verifyWebhook({ secret, signature, body, toleranceSeconds }: SignedRequest): boolean {
  const [, seconds, hex] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(String(signature ?? '')) ?? [];
  if (seconds === undefined || hex === undefined) return false;
  const age = Math.abs(Date.now() / 1000 - Number(seconds));
  if (age > (toleranceSeconds ?? defaultToleranceSeconds)) return false;
  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(hex, 'hex'));
}
