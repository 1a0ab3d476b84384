// One push: the name is resolved once, and the connection goes to exactly the address that was judged. No connection is
// kept, and all of it together has a few seconds and a small answer.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { unlessAborted } from '@weft/contract/pause';
import { Semaphore } from '@weft/contract/semaphore';
import { AnswerTooLong, type OutgoingAnswer, OutgoingError, OutgoingHttp } from '../../../outgoing-http.ts';
import { type PushAllowList, type PushDestination, PushRefused, parseDestination } from './push-address.ts';

const totalMs = 5_000;
const maxAnswerBytes = 64 * 1024;
/** Names are looked up by threads that others need too. */
const lookupsAtOnce = 2;

/** It did not work this time. */
export class PushFailed extends Error {
  override name = 'PushFailed';
}

/** The addresses of a host, in the order of preference. */
export type Resolve = (host: string) => Promise<string[]>;

export interface PushClientOptions {
  allow: PushAllowList;
  resolve?: Resolve | undefined;
  timeoutMs?: number | undefined;
}

export class PushClient {
  readonly #allow: PushAllowList;
  readonly #resolve: Resolve;
  readonly #lookups = new Semaphore(lookupsAtOnce);
  readonly #http: OutgoingHttp;

  constructor({ allow, resolve = resolveBySystem, timeoutMs = totalMs }: PushClientOptions) {
    this.#allow = allow;
    this.#resolve = resolve;
    this.#http = new OutgoingHttp({ timeoutMs, maxAnswerBytes });
  }

  /** Throws PushRefused if it may not or can never go there, PushFailed if it did not work, or the reason of the signal. */
  async post(
    api_url: unknown,
    ap_id: string,
    body: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<OutgoingAnswer> {
    const destination = parseDestination(api_url);
    if (!this.#allow.mayResolve(destination)) throw notListed(destination);
    const { pathname, search } = destination.url;
    const answer = await this.#http
      .post({
        origin: destination.url,
        path: `${withoutSlash(pathname)}/${encodeURIComponent(ap_id)}${search}`,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body,
        addressOf: (either) => this.#addressOf(destination, either),
        signal,
      })
      .catch(rethrow);
    const { status } = answer;
    if (status >= 300 && status < 400) {
      throw new PushRefused(`it answered ${status}, and redirects are not followed`);
    }
    return answer;
  }

  async #addressOf(destination: PushDestination, signal: AbortSignal): Promise<string> {
    const { host } = destination;
    const addresses = isIP(host) === 0 ? await this.#lookUp(host, signal) : [host];
    const address = addresses.find((each) => this.#allow.permits(destination, each));
    if (address === undefined) throw notListed(destination);
    return address;
  }

  async #lookUp(host: string, signal: AbortSignal): Promise<string[]> {
    const looked = this.#lookups.run(() => this.#resolve(host).catch(lookupFailed), signal);
    const addresses = await unlessAborted(looked, signal);
    if (addresses.length === 0) throw new PushFailed('the name stands for no address');
    return addresses;
  }
}

function rethrow(error: unknown): never {
  if (error instanceof AnswerTooLong) throw new PushRefused(error.message);
  if (error instanceof OutgoingError) throw new PushFailed(error.message);
  throw error;
}

async function resolveBySystem(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** The code says enough, and never an address. */
function lookupFailed({ code }: NodeJS.ErrnoException): never {
  throw new PushFailed(code ?? 'the name could not be looked up');
}

/** Without the addresses of a name: callers who can see the command must not learn about the internal network. */
function notListed({ host, port }: PushDestination): PushRefused {
  return new PushRefused(`${host}:${port} is not on the list of allowed destinations`);
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
