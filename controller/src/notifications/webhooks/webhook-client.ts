// One request of a webhook: to an address that the operator allows, judged when the name is resolved; no redirects, a few
// seconds, a small answer. Names are resolved for all webhooks by few threads, so what they stand for is kept for a while:
// a name server that hangs for one webhook delays no other that was reached before.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { unlessAborted } from '@weft/contract/pause';
import { Semaphore } from '@weft/contract/semaphore';
import {
  type PushAllowList,
  type PushDestination,
  PushRefused,
  parseDestination,
} from '../../commands/delivery/push/push-address.ts';
import { AnswerTooLong, OutgoingError, OutgoingHttp } from '../../outgoing-http.ts';

const totalMs = 10_000;
const maxAnswerBytes = 64 * 1024;
const lookupsAtOnce = 2;
const keptMs = 60_000;
const maxKept = 1_000;

/** The addresses of a host, in the order of preference. */
export type Resolve = (host: string) => Promise<string[]>;

export interface WebhookClientOptions {
  allow: PushAllowList;
  resolve?: Resolve | undefined;
  timeoutMs?: number | undefined;
}

/** What came of a request; `error` ends the sentence "it failed: ...", and is null after a success. */
export interface WebhookAnswer {
  status: number | null;
  error: string | null;
  duration_ms: number;
}

export class WebhookClient {
  readonly #allow: PushAllowList;
  readonly #resolve: Resolve;
  readonly #lookups = new Semaphore(lookupsAtOnce);
  readonly #kept = new Map<string, { addresses: string[]; untilMs: number }>();
  readonly #http: OutgoingHttp;

  constructor({ allow, resolve = resolveBySystem, timeoutMs = totalMs }: WebhookClientOptions) {
    this.#allow = allow;
    this.#resolve = resolve;
    this.#http = new OutgoingHttp({ timeoutMs, maxAnswerBytes });
  }

  /** Throws PushRefused, which says why, if requests may never go there. */
  check(url: string): void {
    const destination = parseDestination(url);
    const { host } = destination;
    const isAllowed = isIP(host) === 0 ? this.#allow.mayResolve(destination) : this.#allow.permits(destination, host);
    if (!isAllowed) throw notListed(destination);
  }

  /** Resolves whatever happens; throws only the reason of the signal. */
  async post(url: string, body: string, headers: Record<string, string>, signal: AbortSignal): Promise<WebhookAnswer> {
    const started = performance.now();
    const after = (status: number | null, error: string | null): WebhookAnswer => ({
      status,
      error,
      duration_ms: Math.round(performance.now() - started),
    });
    try {
      this.check(url);
      const destination = parseDestination(url);
      const { status } = await this.#http.post({
        origin: destination.url,
        path: `${destination.url.pathname}${destination.url.search}`,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body,
        addressOf: (either) => this.#addressOf(destination, either),
        signal,
      });
      if (status >= 200 && status < 300) return after(status, null);
      return after(status, status < 400 ? 'redirects are not followed' : `it answered ${status}`);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AnswerTooLong) return after(null, 'its answer was too long');
      if (error instanceof OutgoingError || error instanceof PushRefused) return after(null, error.message);
      throw error;
    }
  }

  async #addressOf(destination: PushDestination, signal: AbortSignal): Promise<string> {
    const { host } = destination;
    const addresses = isIP(host) === 0 ? await this.#lookUp(host, signal) : [host];
    const address = addresses.find((each) => this.#allow.permits(destination, each));
    if (address === undefined) throw notListed(destination);
    return address;
  }

  async #lookUp(host: string, signal: AbortSignal): Promise<string[]> {
    const kept = this.#kept.get(host);
    if (kept && kept.untilMs > performance.now()) return kept.addresses;
    const looked = this.#lookups.run(() => this.#resolve(host).catch(lookupFailed), signal);
    const addresses = await unlessAborted(looked, signal);
    if (addresses.length === 0) throw new OutgoingError('the name stands for no address');
    if (this.#kept.size >= maxKept) this.#kept.clear();
    this.#kept.set(host, { addresses, untilMs: performance.now() + keptMs });
    return addresses;
  }
}

async function resolveBySystem(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** The code says enough, and never an address. */
function lookupFailed({ code }: NodeJS.ErrnoException): never {
  throw new OutgoingError(code ?? 'the name could not be looked up');
}

function notListed({ host, port }: PushDestination): PushRefused {
  return new PushRefused(`${host}:${port} is not allowed (WEFT_WEBHOOK_ALLOW)`);
}
