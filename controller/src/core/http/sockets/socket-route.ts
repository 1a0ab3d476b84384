// What a feature writes to be reachable by WebSocket: like a route, but `handle` upgrades the connection instead of
// answering. http/sockets/socket-upgrade.ts does the rest: guard, handshake, validation, refusals.
import type { Socket } from 'node:net';
import type { Static, TObject } from '@weft/contract/schema';
import type { WebSocket } from 'ws';
import type { Caller } from '../../base/caller.ts';
import type { Shown } from '../../base/credential.ts';
import type { Permission } from '../../base/rights/permission.ts';

export interface Upgraded {
  socket: WebSocket;
  /** The TCP connection below it. */
  connection: Socket;
  /** Ends the connection, because a callback of it threw. */
  onFault: (error: unknown) => void;
}

export interface SocketContext<Query = unknown> {
  caller: Caller;
  /** Asked again while the socket is open. */
  shown: Shown;
  query: Query;
  /** A path parameter, percent-decoded. */
  path(name: string): string;
  /**
   * Makes the connection a WebSocket; undefined if the client has gone. What is thrown before is answered over HTTP, as
   * everywhere; what is thrown after it closes the socket with 1011. Throws TryLaterError (503) while Weft stops.
   */
  upgrade(): Upgraded | undefined;
}

export interface SocketRoute {
  operation: string;
  permission: Permission;
  url: string;
  query?: TObject;
  /** The path parameter that says whom the socket is about. */
  target?: string;
  /** Larger messages from the client end the connection with 1009. */
  maxMessageBytes: number;
  /** Calls `upgrade`, or throws. */
  handle: (context: SocketContext) => Promise<void>;
}

/** Ties the type of a route's query to its handler. */
export function socketRoute<Q extends TObject>(
  definition: Omit<SocketRoute, 'query' | 'handle'> & {
    query: Q;
    handle: (context: SocketContext<Static<Q>>) => Promise<void>;
  },
): SocketRoute {
  return definition as unknown as SocketRoute;
}
