// All connections of the server, and the bound on their number. When it is reached, connections without a login give way
// (chooseConnectionToClose). Those on which a good token was shown, and those of trusted proxies, are never closed for others.
import { ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Caller } from '../../base/caller.ts';
import { addressKey } from '../../base/shares/rate-limiter.ts';
import type { OpenShare, Shares } from '../../base/shares/shares.ts';
import type { ServiceMetrics } from '../pages/service-metrics.ts';
import { createNetworkCheck } from '../request/setup-check.ts';

export interface ConnectionTableOptions {
  maxConnections: number;
  trustedProxies: readonly string[];
  shares: Shares;
  metrics: ServiceMetrics;
}

class Connection implements Candidate {
  readonly socket: Socket;
  readonly address: string;
  /** Of the last request; answers are written in the order of the requests. */
  response: Pick<ServerResponse, 'writableFinished'> | undefined;
  /** Set once it is not to be closed for others. */
  giveBack: (() => void) | undefined;

  constructor(socket: Socket, address: string) {
    this.socket = socket;
    this.address = address;
  }

  get isIdle(): boolean {
    return this.response === undefined || this.response.writableFinished;
  }
}

/** Where a socket has its connection: a property, because it is looked up twice for every telemetry post. */
const ofSocket = Symbol('connection');

interface KnownSocket extends Socket {
  [ofSocket]?: Connection;
}

export class ConnectionTable {
  readonly #max: number;
  readonly #isProxy: (address: string) => boolean;
  /** Of one caller, how many are kept from being closed: a token must not be enough to take them all. */
  readonly #known: OpenShare;
  readonly #all = new Set<Connection>();
  readonly #unknown = new Map<string, Set<Connection>>();
  /** TLS has a socket of its own above that of the connection. */
  readonly #byPeer = new Map<string, Connection>();
  #gaveWay = 0;
  #refused = 0;

  constructor({ maxConnections, trustedProxies, shares, metrics }: ConnectionTableOptions) {
    this.#max = maxConnections;
    this.#isProxy = createNetworkCheck(trustedProxies);
    this.#known = shares.open('connections', Math.ceil(maxConnections / 2));
    metrics.add({
      weft_connections: { help: 'Open connections', value: () => this.#all.size },
      weft_connections_gave_way: {
        help: 'Connections without a login that were closed for others since the start',
        value: () => this.#gaveWay,
      },
      weft_connections_refused: {
        help: 'Connections that were closed at once since the start, because all were in use',
        value: () => this.#refused,
      },
    });
  }

  watch(server: Server, isTls: boolean): void {
    server.on('connection', (socket: Socket) => this.#admit(socket, isTls));
    if (isTls) {
      server.on('secureConnection', (socket: KnownSocket) => {
        const connection = this.#byPeer.get(peerOf(socket));
        if (connection) socket[ofSocket] = connection;
      });
    }
  }

  /** A request came on the socket and is answered with this. */
  noteRequest(socket: KnownSocket, response: Pick<ServerResponse, 'writableFinished'>): void {
    const connection = socket[ofSocket];
    if (connection) connection.response = response;
  }

  /** The answer that is under way on the socket, to a request that was read whole. */
  answerOn(socket: KnownSocket): ServerResponse | undefined {
    const response = socket[ofSocket]?.response;
    const isPending = response instanceof ServerResponse && response.req.complete && !response.writableFinished;
    return isPending ? response : undefined;
  }

  /** A good token was shown on the socket: that of a caller, or the callback token of a job. */
  noteLogin(socket: KnownSocket, { kind, name }: { kind: Caller['kind'] | 'job'; name: string }): void {
    const connection = socket[ofSocket];
    if (!connection || connection.giveBack || !this.#all.has(connection)) return;
    try {
      connection.giveBack = this.#known.take(`${kind}:${name}`);
    } catch {
      // It goes on like a connection without a login.
      return;
    }
    this.#removeUnknown(connection);
  }

  #admit(socket: KnownSocket, isTls: boolean): void {
    const { remoteAddress } = socket;
    // The peer is gone already.
    if (remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    const address = addressKey(remoteAddress);
    if (this.#all.size >= this.#max && !this.#makeRoom(address)) {
      this.#refused++;
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, address);
    this.#all.add(connection);
    socket[ofSocket] = connection;
    const peer = isTls ? peerOf(socket) : undefined;
    if (peer !== undefined) this.#byPeer.set(peer, connection);
    if (!this.#isProxy(remoteAddress)) this.#addUnknown(connection);
    socket.once('close', () => {
      if (peer !== undefined && this.#byPeer.get(peer) === connection) this.#byPeer.delete(peer);
      this.#remove(connection);
    });
  }

  #makeRoom(address: string): boolean {
    const chosen = chooseConnectionToClose(this.#unknown, address);
    if (!chosen) return false;
    this.#gaveWay++;
    this.#remove(chosen);
    chosen.socket.destroy();
    return true;
  }

  #remove(connection: Connection): void {
    this.#all.delete(connection);
    this.#removeUnknown(connection);
    connection.giveBack?.();
  }

  #addUnknown(connection: Connection): void {
    const group = this.#unknown.get(connection.address);
    if (group) group.add(connection);
    else this.#unknown.set(connection.address, new Set([connection]));
  }

  #removeUnknown(connection: Connection): void {
    const group = this.#unknown.get(connection.address);
    if (group?.delete(connection) && group.size === 0) this.#unknown.delete(connection.address);
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

export interface Candidate {
  /** No request of it is being answered. */
  readonly isIdle: boolean;
}

/**
 * Which connection gives way to a new one. The choice moves towards equal numbers for all addresses: nobody who has fewer than
 * the newcomer's address loses one. `groups` are the connections without a login by address, none of them empty, each with the oldest first. Undefined: the
 * newcomer has to go.
 */
export function chooseConnectionToClose<Connection extends Candidate>(
  groups: ReadonlyMap<string, ReadonlySet<Connection>>,
  newcomer: string,
): Connection | undefined {
  const own = groups.get(newcomer);
  const share = (own?.size ?? 0) + 1;
  const greedier = [...groups]
    .filter(([address, group]) => address !== newcomer && group.size > share)
    .map(([, group]) => group)
    .sort((a, b) => b.size - a.size);
  for (const group of own ? [...greedier, own] : greedier) {
    const idle = oldestIdle(group);
    if (idle) return idle;
  }
  return greedier[0] && first(greedier[0]);
}

function oldestIdle<Connection extends Candidate>(group: ReadonlySet<Connection>): Connection | undefined {
  for (const connection of group) if (connection.isIdle) return connection;
  return undefined;
}

function first<Value>(values: Iterable<Value>): Value | undefined {
  for (const value of values) return value;
  return undefined;
}
