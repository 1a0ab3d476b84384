// Requests to addresses that agents and users have given, pushes and webhooks: only where the operator allows it. A name is
// resolved once, and the connection goes to exactly the address that was judged; redirects are not followed, no connection is
// kept, and all of it together has a few seconds and a small answer.
import { createHmac } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { unlessAborted } from '@weft/contract/pause';
import { Semaphore } from '@weft/contract/semaphore';
import { AllowList, type AllowListEntry, type Destination, parseDestination, RequestRefused } from './allow-list.ts';
import { type OutgoingAnswer, OutgoingError, OutgoingHttp } from './outgoing-http.ts';

const maxAnswerBytes = 64 * 1024;
/** Names are looked up by threads that others need too. */
const lookupsAtOnce = 2;
const maxKeptNames = 1_000;

/** The addresses of a host, in the order of preference. */
export type Resolve = (host: string) => Promise<string[]>;

export interface GuardedHttpOptions {
  allow: readonly AllowListEntry[];
  /** What an address is called in refusals, as in "api_url is no URL". */
  addressName: string;
  /** What is said of a destination that is not listed, as in "ap.example.org:443 is not allowed". */
  notListed: string;
  timeoutMs: number;
  /** How long it is remembered what a name stands for, so that a name server that hangs for one delays no other; default: not. */
  keepNamesMs?: number;
  resolve?: Resolve | undefined;
}

export interface GuardedRequest {
  body: string;
  headers: Record<string, string>;
  /** Another part of the path, after that of the address. */
  below?: string;
  signal: AbortSignal;
}

export class GuardedHttp {
  readonly #options: GuardedHttpOptions;
  readonly #allow: AllowList;
  readonly #lookups = new Semaphore(lookupsAtOnce);
  readonly #keptNames = new Map<string, { addresses: string[]; untilMs: number }>();
  readonly #http: OutgoingHttp;

  constructor(options: GuardedHttpOptions) {
    this.#options = options;
    this.#allow = new AllowList(options.allow);
    this.#http = new OutgoingHttp({ timeoutMs: options.timeoutMs, maxAnswerBytes });
  }

  /** Throws RequestRefused, which says why, if requests may never go there. */
  check(address: unknown): Destination {
    const destination = parseDestination(address, this.#options.addressName);
    if (!this.#allow.mayReach(destination)) throw this.#notListed(destination);
    return destination;
  }

  /** Whether requests are sure to be allowed there, without asking what its name stands for. */
  isListed(address: unknown): boolean {
    try {
      return this.#allow.isListed(parseDestination(address, ''));
    } catch {
      return false;
    }
  }

  /**
   * Posts JSON, and resolves whatever is answered. Throws RequestRefused if it may not go there, OutgoingError if it did not
   * work, or the reason of the signal.
   */
  async post(address: unknown, { body, headers, below, signal }: GuardedRequest): Promise<OutgoingAnswer> {
    const destination = this.check(address);
    const { pathname, search } = destination.url;
    return this.#http.post({
      origin: destination.url,
      path: `${below === undefined ? pathname : `${pathname.replace(/\/$/, '')}/${below}`}${search}`,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
      addressOf: (either) => this.#addressOf(destination, either),
      signal,
    });
  }

  async #addressOf(destination: Destination, signal: AbortSignal): Promise<string> {
    const { host } = destination;
    const addresses = isIP(host) === 0 ? await this.#lookUp(host, signal) : [host];
    const address = addresses.find((each) => this.#allow.permits(destination, each));
    if (address === undefined) throw this.#notListed(destination);
    return address;
  }

  async #lookUp(host: string, signal: AbortSignal): Promise<string[]> {
    const { resolve = resolveBySystem, keepNamesMs = 0 } = this.#options;
    const kept = this.#keptNames.get(host);
    if (kept && kept.untilMs > performance.now()) return kept.addresses;
    const looked = this.#lookups.run(() => resolve(host).catch(lookupFailed), signal);
    const addresses = await unlessAborted(looked, signal);
    if (addresses.length === 0) throw new OutgoingError('the name stands for no address');
    if (this.#keptNames.size >= maxKeptNames) this.#keptNames.clear();
    if (keepNamesMs > 0) this.#keptNames.set(host, { addresses, untilMs: performance.now() + keepNamesMs });
    return addresses;
  }

  /** Without the addresses of a name: those who read it must not learn about the internal network. */
  #notListed({ host, port }: Destination): RequestRefused {
    return new RequestRefused(`${host}:${port} ${this.#options.notListed}`);
  }
}

/** The value of X-Weft-Signature: bound to a time, so that a recorded request cannot be replayed later. */
export function signatureOf(secret: string, nowMs: number, body: string): string {
  const seconds = Math.floor(nowMs / 1000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

async function resolveBySystem(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** The code says enough, and never an address. */
function lookupFailed({ code }: NodeJS.ErrnoException): never {
  throw new OutgoingError(code ?? 'the name could not be looked up');
}
