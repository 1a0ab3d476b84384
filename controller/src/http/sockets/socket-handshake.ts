// Checks the opening handshake of a WebSocket before the route is asked: is it valid, from which origin, and with which
// token.
import type { IncomingHttpHeaders } from 'node:http';
import { AuthenticationError, PermissionError, UnusableRequestError } from '../../errors.ts';

/** The protocol a client may name; browsers must, if they show their token as one. */
export const socketProtocol = 'weft.v1';
export const socketVersion = '13';

const bearerPrefix = 'bearer.';
const key = /^[+/0-9A-Za-z]{22}==$/;
const protocolName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Throws UnusableRequestError (400) for what no WebSocket client sends. */
export function requireHandshake(headers: IncomingHttpHeaders): void {
  if (!key.test(headers['sec-websocket-key'] ?? '')) throw unusable('Sec-WebSocket-Key');
  const names = offeredProtocols(headers);
  const areProper = names.every((name) => protocolName.test(name)) && new Set(names).size === names.length;
  if (!areProper) throw unusable('Sec-WebSocket-Protocol');
}

/** The token among the protocols on offer; throws AuthenticationError if there are several. */
export function tokenAmongProtocols(headers: IncomingHttpHeaders): string | undefined {
  const bearers = offeredProtocols(headers).filter((name) => name.startsWith(bearerPrefix));
  if (bearers.length > 1) throw new AuthenticationError();
  return bearers[0]?.slice(bearerPrefix.length);
}

/**
 * Returns a function that throws PermissionError for a page of a foreign origin: browsers let any page open a socket
 * anywhere, so the server must look. Programs send no Origin and pass.
 */
export function createOriginCheck(options: { publicUrl: string | undefined; corsOrigins: readonly string[] }) {
  const allowed = new Set(options.corsOrigins);
  if (options.publicUrl !== undefined) allowed.add(new URL(options.publicUrl).origin);
  return ({ origin, host = '' }: IncomingHttpHeaders): void => {
    if (origin === undefined || allowed.has(origin)) return;
    // A proxy may speak TLS for us, so the scheme says nothing.
    if (URL.canParse(origin) && new URL(origin).host === host.toLowerCase()) return;
    throw new PermissionError('origin_not_allowed', 'Pages of this origin may not connect; see WEFT_CORS_ORIGINS');
  };
}

function offeredProtocols(headers: IncomingHttpHeaders): string[] {
  return headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
}

function unusable(header: string): UnusableRequestError {
  return new UnusableRequestError(400, 'bad_handshake', `The header ${header} is invalid`);
}
