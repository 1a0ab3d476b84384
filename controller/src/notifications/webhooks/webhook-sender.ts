// Sends one event to one webhook: the body in its format, signed like a push, with the id of the event.
import { createHmac } from 'node:crypto';
import type { LoggedEvent } from '../../event-log/event-record.ts';
import type { Keyring } from '../../secrets.ts';
import { bodyOf } from './webhook-bodies.ts';
import type { WebhookAnswer, WebhookClient } from './webhook-client.ts';
import type { WebhookRecord } from './webhook-store.ts';

export interface WebhookSenderOptions {
  client: WebhookClient;
  keyring: Pick<Keyring, 'decrypt'>;
  now?: () => number;
}

export type SendableWebhook = Pick<WebhookRecord, 'id' | 'url' | 'format' | 'secret_encrypted'>;

export class WebhookSender {
  readonly #client: WebhookClient;
  readonly #keyring: WebhookSenderOptions['keyring'];
  readonly #now: () => number;

  constructor({ client, keyring, now = Date.now }: WebhookSenderOptions) {
    this.#client = client;
    this.#keyring = keyring;
    this.#now = now;
  }

  /** Resolves whatever comes of it; throws only the reason of the signal. */
  async send(
    webhook: SendableWebhook,
    event: LoggedEvent,
    attempt: number,
    signal: AbortSignal,
  ): Promise<WebhookAnswer> {
    const { id, url, format, secret_encrypted } = webhook;
    let secret: string;
    try {
      secret = this.#keyring.decrypt(secret_encrypted, id);
    } catch {
      return { status: null, error: 'its secret was encrypted with a key that is not configured', duration_ms: 0 };
    }
    const body = bodyOf(format, event);
    const seconds = Math.floor(this.#now() / 1000);
    const headers = {
      'X-Weft-Signature': signatureOf(secret, seconds, body),
      'X-Weft-Event': event.kind,
      'X-Weft-Event-Id': String(event.id),
      'X-Weft-Attempt': String(attempt),
      'User-Agent': 'weft-webhook',
    };
    return this.#client.post(url, body, headers, signal);
  }
}

/** As for pushes: bound to a time, so that a recorded request cannot be replayed later. */
function signatureOf(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}
