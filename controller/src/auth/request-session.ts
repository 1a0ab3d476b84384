// What a request says of its session: its token's claims, and where it comes from.
import { AuthenticationError } from '../errors.ts';
import { tokenOf } from '../http/request/guard.ts';
import type { RouteContext } from '../http/request/route.ts';
import type { AuthService, TokenClaims } from './auth-service.ts';
import type { Origin } from './session-service.ts';

const maxClientLength = 200;

/** The claims of the token that the guard has let in. */
export async function claimsOf(auth: AuthService, { request }: RouteContext): Promise<TokenClaims> {
  const token = tokenOf(request);
  if (token === undefined) throw new AuthenticationError();
  return auth.claimsOf(token);
}

export function originOf({ address, request }: RouteContext): Origin {
  const client = (request.headers['user-agent'] ?? '').toWellFormed().replaceAll(/\p{Cc}/gu, ' ');
  return { address, client: client.slice(0, maxClientLength) };
}
