// Sends one event to one webhook: the body in its format, signed like a push, with the id of the event.
import type { LoggedEvent } from '../../../core/accounts/event-log/event-record.ts';
import { type GuardedHttp, type GuardedRequest, signatureOf } from '../../../core/base/outgoing/guarded-http.ts';
import { OutgoingError } from '../../../core/base/outgoing/outgoing-http.ts';
import type { Keyring } from '../../../core/base/secrets.ts';
import { bodyOf } from './webhook-bodies.ts';
import type { WebhookRecord } from './webhook-store.ts';

/** What came of a request; `error` ends the sentence "it failed: ...", and is null after a success. */
export interface WebhookAnswer {
  status: number | null;
  error: string | null;
  duration_ms: number;
}

export interface WebhookSenderOptions {
  client: Pick<GuardedHttp, 'post'>;
  keyring: Pick<Keyring, 'decrypt'>;
}

export type SendableWebhook = Pick<WebhookRecord, 'id' | 'url' | 'format' | 'secret_encrypted'>;

export class WebhookSender {
  readonly #client: WebhookSenderOptions['client'];
  readonly #keyring: WebhookSenderOptions['keyring'];

  constructor({ client, keyring }: WebhookSenderOptions) {
    this.#client = client;
    this.#keyring = keyring;
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
    const headers = {
      'X-Weft-Signature': signatureOf(secret, Date.now(), body),
      'X-Weft-Event': event.kind,
      'X-Weft-Event-Id': String(event.id),
      'X-Weft-Attempt': String(attempt),
      'User-Agent': 'weft-webhook',
    };
    const started = performance.now();
    const answer = await this.#post(url, { body, headers, signal });
    return { ...answer, duration_ms: Math.round(performance.now() - started) };
  }

  async #post(url: string, request: GuardedRequest): Promise<Omit<WebhookAnswer, 'duration_ms'>> {
    try {
      const { status } = await this.#client.post(url, request);
      if (status >= 200 && status < 300) return { status, error: null };
      return { status, error: status < 400 ? 'redirects are not followed' : `it answered ${status}` };
    } catch (error) {
      if (error instanceof OutgoingError) return { status: null, error: error.message };
      throw error;
    }
  }
}
