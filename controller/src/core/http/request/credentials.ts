// What a request shows of who it is, read in one order for every entrance: the Authorization header, then, where the
// route allows it, a protocol on offer or the query. The first that is present decides; nothing falls through.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { CredentialScheme, Shown } from '../../base/credential.ts';
import { AuthenticationError, invalidToken } from '../../base/errors.ts';
import { readQuery } from '../../base/input/query-reader.ts';
import { isLoopback } from '../../base/loopback.ts';
import { type Route, searchOf } from './route.ts';
import { isForwarded } from './setup-check.ts';

export type CredentialRoute = Pick<Route, 'permission' | 'tokenInQuery' | 'takes'> & {
  /** Also as `bearer.<token>` among the protocols that a WebSocket offers: browsers cannot set headers there. */
  tokenInProtocol?: boolean;
};

const protocolPrefix = 'bearer.';

/** Refused as a forged token is, by whoever asks for its caller. */
const unknown: Shown = {
  scheme: 'unknown',
  admit() {
    throw invalidToken();
  },
  remembered: () => undefined,
};

/** The credentials that a route takes. */
export class CredentialReader {
  readonly #route: CredentialRoute;
  readonly #schemes: readonly CredentialScheme[];

  constructor(route: CredentialRoute, schemes: readonly CredentialScheme[]) {
    this.#route = route;
    const taken = [undefined, route.permission.openTo, route.takes];
    this.#schemes = schemes.filter(({ only }) => taken.includes(only));
  }

  /** Undefined if nothing is shown; throws AuthenticationError for a header that no scheme has. */
  read(request: FastifyRequest): Shown | undefined {
    const { headers, ip } = request;
    const { tokenInProtocol, tokenInQuery, takes } = this.#route;
    if (headers.authorization !== undefined) return this.#inHeader(headers.authorization, ip);
    const offered = tokenInProtocol ? tokenAmongProtocols(headers) : undefined;
    if (offered !== undefined) return this.#find('bearer', requireToken(offered), ip);
    if (!tokenInQuery && takes !== 'agent_password') return undefined;
    const query = readQuery(searchOf(request));
    const last = (name: string) => query.get(name)?.at(-1);
    if (tokenInQuery) {
      const token = last('token') ?? last('access_token');
      return token === undefined ? undefined : this.#find('bearer', token, ip);
    }
    const [name, password] = [last('u'), last('p')];
    if (name === undefined || password === undefined) return undefined;
    // As clients of InfluxDB 1 send it.
    if (request.protocol === 'https' || (isLoopback(ip) && !isForwarded(headers))) {
      return this.#find('basic', `${name}:${password}`, ip);
    }
    throw new AuthenticationError('password_in_clear', 'A password in the address is accepted over TLS only');
  }

  /** For the fast lanes: `Bearer` alone, written as usual. All else, and whatever is wrong with it, `read` finds. */
  readPlain({ headers: { authorization }, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): Shown | undefined {
    if (!authorization?.startsWith('Bearer ')) return undefined;
    return this.#find('bearer', authorization.slice(7), socket.remoteAddress ?? '');
  }

  #inHeader(header: string, address: string): Shown {
    const { takes } = this.#route;
    const space = header.indexOf(' ');
    const scheme = header.slice(0, Math.max(space, 0)).toLowerCase();
    const text = header.slice(space + 1).trim();
    // InfluxDB's own scheme: a name and a password, or any of our tokens, none of which has a colon.
    const isToken = scheme === 'token' && takes === 'agent_password';
    if (isToken && text.includes(':')) return this.#find('basic', text, address);
    if (isToken || scheme === 'bearer') return this.#find('bearer', requireToken(text), address);
    if (scheme !== 'basic' || !takes) throw new AuthenticationError();
    return this.#find('basic', Buffer.from(text, 'base64').toString('utf8'), address);
  }

  #find(form: CredentialScheme['form'], text: string, address: string): Shown {
    for (const scheme of this.#schemes) {
      const shown = scheme.form === form ? scheme.read(text, address) : undefined;
      if (shown) return shown;
    }
    return unknown;
  }
}

/** Throws for an empty token, or more than one. */
function requireToken(text: string): string {
  if (text === '' || text.includes(' ') || text.includes(',')) throw new AuthenticationError();
  return text;
}

/** Throws AuthenticationError if there are several. */
function tokenAmongProtocols(headers: IncomingHttpHeaders): string | undefined {
  const bearers = offeredProtocols(headers).filter((name) => name.startsWith(protocolPrefix));
  if (bearers.length > 1) throw new AuthenticationError();
  return bearers[0]?.slice(protocolPrefix.length);
}

export function offeredProtocols(headers: IncomingHttpHeaders): string[] {
  return headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
}
