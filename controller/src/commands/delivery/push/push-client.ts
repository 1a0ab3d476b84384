// One push: the name is resolved once, and the connection goes to exactly the address that was judged. No redirects, no
// connection is kept, and all of it together has a few seconds and a small answer.
import { lookup } from 'node:dns/promises';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { Slots } from '../../../jobs/worker/slots.ts';
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
  /** PEM of an authority to trust; the usual ones unless given. */
  ca?: string | undefined;
}

export interface PushAnswer {
  status: number;
  text: string;
}

export class PushClient {
  readonly #allow: PushAllowList;
  readonly #resolve: Resolve;
  readonly #timeoutMs: number;
  readonly #agents: { 'http:': HttpAgent; 'https:': HttpsAgent };
  readonly #lookups = new Slots(lookupsAtOnce);

  constructor({ allow, resolve = resolveBySystem, timeoutMs = totalMs, ca }: PushClientOptions) {
    this.#allow = allow;
    this.#resolve = resolve;
    this.#timeoutMs = timeoutMs;
    const once = { keepAlive: false };
    this.#agents = {
      'http:': new HttpAgent(once),
      'https:': new HttpsAgent(ca === undefined ? once : { ...once, ca }),
    };
  }

  /** Throws PushRefused if it may not or can never go there, PushFailed if it did not work, or the reason of the signal. */
  async post(
    api_url: unknown,
    ap_id: string,
    body: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<PushAnswer> {
    const destination = parseDestination(api_url);
    if (!this.#allow.mayResolve(destination)) throw notListed(destination);
    const deadline = AbortSignal.timeout(this.#timeoutMs);
    const either = AbortSignal.any([signal, deadline]);
    try {
      const address = await this.#addressOf(destination, either);
      return await this.#send(destination, address, ap_id, body, headers, either);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof PushRefused) throw error;
      if (deadline.aborted) throw new PushFailed(`there was no whole answer within ${this.#timeoutMs / 1000} s`);
      throw new PushFailed(reasonOf(error));
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
    await this.#lookups.acquire(signal);
    const looked = this.#resolve(host).finally(() => this.#lookups.release());
    looked.catch(() => {});
    const addresses = await orAbort(looked, signal);
    if (addresses.length === 0) throw new PushFailed('the name stands for no address');
    return addresses;
  }

  #send(
    { url, host, port }: PushDestination,
    address: string,
    ap_id: string,
    body: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<PushAnswer> {
    const isTls = url.protocol === 'https:';
    const bytes = Buffer.from(body);
    const options = {
      method: 'POST',
      agent: this.#agents[isTls ? 'https:' : 'http:'],
      host: address,
      port,
      path: `${withoutSlash(url.pathname)}/${encodeURIComponent(ap_id)}${url.search}`,
      setHost: false,
      headers: { ...headers, Host: url.host, 'Content-Type': 'application/json', 'Content-Length': bytes.length },
      ...(isTls && isIP(host) === 0 && { servername: host }),
      signal,
    };
    return new Promise((resolve, reject) => {
      const request = (isTls ? httpsRequest : httpRequest)(options);
      request.on('response', (response) => readAnswer(response).then(resolve, reject));
      request.on('error', reject);
      request.end(bytes);
    });
  }
}

async function readAnswer(response: IncomingMessage): Promise<PushAnswer> {
  const status = response.statusCode!;
  if (status >= 300 && status < 400) {
    response.destroy();
    throw new PushRefused(`it answered ${status}, and redirects are not followed`);
  }
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response) {
    size += piece.length;
    // Leaving the loop ends the connection.
    if (size > maxAnswerBytes) throw new PushRefused(`its answer was longer than ${maxAnswerBytes} bytes`);
    pieces.push(piece);
  }
  return { status, text: Buffer.concat(pieces).toString() };
}

async function resolveBySystem(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Without the addresses of a name: callers who can see the command must not learn about the internal network. */
function notListed({ host, port }: PushDestination): PushRefused {
  return new PushRefused(`${host}:${port} is not on the list of allowed destinations`);
}

/** The code of a connection error says enough, and never an address. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
