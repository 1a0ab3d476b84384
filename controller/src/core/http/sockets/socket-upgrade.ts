// WebSocket upgrades. An upgrade request passes everything that other requests pass (hooks, guard, validation, error map,
// log) with its connection at hand; only at the end is it upgraded instead of answered.
import { type IncomingHttpHeaders, type IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import {
  AuthenticationError,
  NotFoundError,
  PermissionError,
  type Problem,
  TryLaterError,
  UnusableRequestError,
  ValidationError,
} from '../../base/errors.ts';
import { checkQuery, readQuery } from '../../base/input/query-reader.ts';
import type { Validator } from '../../base/input/validator.ts';
import { offeredProtocols } from '../request/credentials.ts';
import type { Logger } from '../request/log.ts';
import { pathParameter, searchOf } from '../request/route.ts';
import type { SocketRoute, Upgraded } from './socket-route.ts';

/** The protocol a client may name; browsers must, if they show their token as one. */
export const socketProtocol = 'weft.v1';
export const socketVersion = '13';

const key = /^[+/0-9A-Za-z]{22}==$/;
const protocolName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

export interface SocketUpgraderOptions {
  routes: readonly SocketRoute[];
  publicUrl: string | undefined;
  corsOrigins: readonly string[];
  validator: Validator;
  log: Logger;
  onFault: (error: unknown, connection: Socket) => void;
  isStopping: () => boolean;
  /** A socket is open. Not called for refusals, which are answers like all others. */
  onOpened: (request: FastifyRequest, reply: FastifyReply) => void;
}

/** A connection that waits to be upgraded, with what the client has sent in advance. */
interface PendingUpgrade {
  connection: Socket;
  head: Buffer;
}

export class SocketUpgrader {
  readonly #options: SocketUpgraderOptions;
  readonly #pending = new WeakMap<IncomingMessage, PendingUpgrade>();
  readonly #paths: readonly RegExp[];
  readonly #requireOrigin: ReturnType<typeof createOriginCheck>;

  constructor(options: SocketUpgraderOptions) {
    this.#options = options;
    this.#requireOrigin = createOriginCheck(options);
    this.#paths = options.routes.map(({ url }) => new RegExp(`^${url.replace(/:\w+/g, '[^/?]+')}/?(?:[?]|$)`));
  }

  /** False: the upgrade is ignored, as HTTP allows, and the request answered like any other. */
  isUpgradeRequest({ method, url = '', headers }: IncomingMessage): boolean {
    const wantsSocket = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
    return wantsSocket && this.#paths.some((path) => path.test(url));
  }

  /** Passes the request to the server, with a response at hand in case it is refused. */
  handleUpgrade(request: IncomingMessage, connection: Socket, head: Buffer, handler: RequestListener): void {
    connection.on('error', ignore);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    try {
      response.assignSocket(connection);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_HTTP_SOCKET_ASSIGNED') throw error;
      // An earlier request of this connection still waits for its answer; nothing may be written in between.
      connection.destroy();
      return;
    }
    response.on('finish', () => connection.destroySoon());
    this.#pending.set(request, { connection, head });
    handler(request, response);
  }

  /** The first hook of a socket's route: a request that is no upgrade is refused, whoever sends it. */
  readonly check = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const { headers } = request.raw;
    if (!this.#pending.has(request.raw) || headers['sec-websocket-version'] !== socketVersion) {
      reply
        .code(426)
        .headers({ upgrade: 'websocket', 'sec-websocket-version': socketVersion, connection: 'upgrade, close' })
        .send({ detail: 'Connect with a WebSocket client', code: 'upgrade_required' });
      return;
    }
    try {
      requireHandshake(headers);
      this.#requireOrigin(headers);
      done();
    } catch (error) {
      done(error as Error);
    }
  };

  createHandler(route: SocketRoute) {
    const { validator, log } = this.#options;
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      // A small compressed message may inflate to any size.
      perMessageDeflate: false,
      maxPayload: route.maxMessageBytes,
      handleProtocols: (names) => names.has(socketProtocol) && socketProtocol,
    });
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const params = request.params as Record<string, string>;
      for (const value of Object.values(params)) {
        if (value.includes('\0') || !value.isWellFormed()) throw new NotFoundError('not_found', 'Not Found');
      }
      const problems: Problem[] = [];
      const query = route.query && checkQuery(validator, route.query, readQuery(searchOf(request)), problems);
      if (problems.length > 0) throw new ValidationError(problems);
      const { caller, shown } = request;
      if (!caller || !shown) throw new AuthenticationError();
      let upgraded: Upgraded | undefined;
      try {
        await route.handle({
          caller,
          shown,
          query,
          path: (name) => pathParameter(request, name),
          upgrade: () => {
            upgraded = this.#upgrade(server, request, reply);
            return upgraded;
          },
        });
      } catch (err) {
        if (!upgraded) throw err;
        log.error({ err, request_id: request.id, operation: route.operation }, 'unexpected error on a WebSocket');
        upgraded.socket.close(1011, 'internal error');
      }
      if (!reply.sent) throw new Error(`${route.url} neither refuses nor opens its socket`);
      return reply;
    };
  }

  #upgrade(server: WebSocketServer, request: FastifyRequest, reply: FastifyReply): Upgraded | undefined {
    const { connection, head } = this.#pending.get(request.raw)!;
    if (this.#options.isStopping()) throw new TryLaterError(503, 'stopping', 'Weft is stopping', 2);
    reply.hijack();
    reply.raw.detachSocket(connection);
    let upgraded: Upgraded | undefined;
    server.handleUpgrade(request.raw, connection, head, (socket) => {
      upgraded = { socket, connection, onFault: (error) => this.#options.onFault(error, connection) };
    });
    if (upgraded) {
      connection.off('error', ignore);
      this.#options.onOpened(request, reply);
    } else {
      connection.destroy();
    }
    return upgraded;
  }
}

/** Every error of the connection ends with its `close` event, and that is handled. */
function ignore(): void {}

/** Throws UnusableRequestError (400) for what no WebSocket client sends. */
export function requireHandshake(headers: IncomingHttpHeaders): void {
  if (!key.test(headers['sec-websocket-key'] ?? '')) throw unusable('Sec-WebSocket-Key');
  const names = offeredProtocols(headers);
  const areProper = names.every((name) => protocolName.test(name)) && new Set(names).size === names.length;
  if (!areProper) throw unusable('Sec-WebSocket-Protocol');
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

function unusable(header: string): UnusableRequestError {
  return new UnusableRequestError(400, 'bad_handshake', `The header ${header} is invalid`);
}
