// The HTTP server: takes the features' routes and adds what all of them share. Order of a request: host check, guard
// (401, 403), body, validation (422), handler, error map.
import type http from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { NotFoundError, TryLaterError } from '../../base/errors.ts';
import { readBody, readInflatedBody } from '../../base/input/body-reader.ts';
import type { Validator } from '../../base/input/validator.ts';
import { everyCaller } from '../../base/rights/permission.ts';
import { dateText } from '../direct/direct-connection.ts';
import { acceptsHtml, createPageEncoding, type Page, prefersJson } from '../pages/page.ts';
import { createRequestIds, isAnswerLogged, logAnswer } from '../request/access-log.ts';
import { AnswerEncoder } from '../request/answer-encoding.ts';
import { CredentialReader } from '../request/credentials.ts';
import { createErrorHandler } from '../request/error-map.ts';
import { createDirectLane, createFastLane } from '../request/fast-lane.ts';
import { type Authenticator, createGuard } from '../request/guard.ts';
import { createHostCheck, hasOneHost } from '../request/host-check.ts';
import { createSendAnswer } from '../request/json-answer.ts';
import type { Logger } from '../request/log.ts';
import type { Route } from '../request/route.ts';
import { createRouteHandler } from '../request/validated-handler.ts';
import type { SocketRoute } from '../sockets/socket-route.ts';
import { SocketUpgrader } from '../sockets/socket-upgrade.ts';
import { answerBrokenRequest, createFaultHandler, noteLastAnswer } from './connection-errors.ts';
import { ConnectionTable, type ConnectionTableOptions } from './connection-table.ts';
import { createListener, type Listener, type ListenerOptions, prepareGracefulStop } from './listener.ts';
import { createNotFoundHandler, type NotFoundOptions } from './not-found.ts';
import { answerHeaders, createCors } from './security-headers.ts';

const maxBodyBytes = 1024 * 1024;
/** HEAD is GET without the body: Node leaves it out. */
const reading = ['GET', 'HEAD'];

export interface ServerOptions
  extends Omit<ListenerOptions, 'shouldUpgrade' | 'handleDirectly' | 'onFault'>,
    ConnectionTableOptions {
  routes: Route[];
  sockets?: SocketRoute[];
  pages: Page[];
  /** Answers a visit to an address that does not exist, for people; false for all other requests. */
  answerLost?: NotFoundOptions['answerLost'];
  authenticator: Authenticator;
  validator: Validator;
  log: Logger;
  /** False while the stores are being prepared: everything but the pages answers 503. */
  isReady: () => boolean;
  /** Whether this node alone does not reach the database: then callers are told at once, and not after its timeouts. */
  isCutOff?: () => boolean;
  /** Whether plain posts of the fast lane are read without node:http; default: on. */
  directPosts?: 'on' | 'off';
  host: string;
  publicUrl: string | undefined;
  allowedHosts: readonly string[];
  corsOrigins: readonly string[];
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whatever is under way on them. */
    closeAllConnections(): void;
  }
}

export function createServer(options: ServerOptions): FastifyInstance {
  const { log, metrics, sockets = [], clock } = options;
  const credentials = new CredentialReader({ permission: everyCaller }, options.authenticator.schemes);
  const onFault = createFaultHandler(options);
  const createId = createRequestIds();
  const connections = new ConnectionTable(options);
  let listener!: Listener;
  const app = fastify({
    logger: false,
    serverFactory: (handler) => {
      listener = createListener(
        {
          ...options,
          onFault,
          shouldUpgrade: (request) => socketUpgrader.isUpgradeRequest(request),
          handleDirectly:
            options.directPosts === 'off'
              ? undefined
              : (request, answer, body) => {
                  connections.noteRequest(request.socket, answer);
                  return directLane(request, answer, body);
                },
        },
        (request, response) => {
          try {
            connections.noteRequest(request.socket, response);
            // Programs set their clocks by it, and the clock of one node may be wrong.
            if (clock) response.setHeader('date', dateText(clock()));
            if (!fastLane(request, response)) handler(request, response);
          } catch (error) {
            onFault(error, request.socket);
          }
        },
      );
      connections.watch(listener.entrance, options.tls !== undefined);
      // As node:http does by itself, but known to be an answer under way.
      listener.server.on('checkExpectation', (request, response) => {
        connections.noteRequest(request.socket, response);
        response.writeHead(417).end();
      });
      // Else node:http closes the connection, with or without the answers that are under way.
      listener.server.on('connect', ({ socket }) => {
        answerBrokenRequest(new Error('CONNECT'), socket, connections.answerOn(socket));
      });
      listener.server.on('upgrade', (request, connection, head) => {
        try {
          socketUpgrader.handleUpgrade(request, connection as Socket, head, handler);
        } catch (error) {
          onFault(error, connection);
        }
      });
      return listener.server;
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, connections.answerOn(socket)),
    // No hook runs for these.
    frameworkErrors: (error, request, reply) => {
      reply.headers(headers).header('x-request-id', request.id);
      createErrorHandler(log)(error, request, reply);
    },
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: ({ headers }) => createId(headers['x-request-id']),
    return503OnClosing: false,
    exposeHeadRoutes: false,
    bodyLimit: maxBodyBytes,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024, querystringParser: () => ({}) },
  });

  const refusedPage = 'a page of another origin may not call Weft; WEFT_CORS_ORIGINS would allow it';
  const hostIsOurs = createHostCheck(options);
  const headers = answerHeaders(options.tls !== undefined);
  const cors = createCors(options.corsOrigins, (origin) => log.warn({ origin }, refusedPage));
  app.decorate('closeAllConnections', () => {
    listener.server.closeAllConnections();
    for (const connection of listener.direct) connection.destroy();
  });
  for (const name of ['shown', 'caller', 'pass', 'refusalCode']) app.decorateRequest(name, undefined);
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.raw.url?.startsWith('/')) {
      refuseAndClose(reply, 'The request target must be a path');
    } else if (!hasOneHost(request.raw)) {
      refuseAndClose(reply, 'The request must have one Host header');
    } else if (!hostIsOurs(request.headers.host)) {
      reply.code(421).send({
        detail: 'This server does not go by that name; set WEFT_PUBLIC_URL or WEFT_ALLOWED_HOSTS to the name you use',
        code: 'host_not_allowed',
      });
    } else if (!cors(request, reply)) {
      // Without a body any type will do; Fastify would still refuse a malformed one.
      if (request.headers['content-type'] !== undefined && !hasBody(request.headers))
        delete request.headers['content-type'];
      done();
    }
  });
  // The guard has run: a caller is one with a good token.
  app.addHook('preParsing', ({ caller, pass, raw }, _reply, _payload, done) => {
    if (caller) connections.noteLogin(raw.socket, caller);
    else if (pass?.kind === 'job') connections.noteLogin(raw.socket, { kind: 'job', name: pass.name });
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    for (const name in headers) if (!reply.hasHeader(name)) reply.header(name, headers[name]!);
    reply.header('x-request-id', request.id);
    // JSON knows one encoding; clients of this interface expect the type bare, and the fast lane sends it so.
    if (reply.getHeader('content-type') === 'application/json; charset=utf-8')
      reply.header('content-type', 'application/json');
    if (gracefulStop.isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
  const noteAnswer = (request: FastifyRequest, status: number, elapsedMs: number): void => {
    const { operation = 'none', logSuccess = true } = request.routeOptions.config;
    const { id: request_id, method, url, ip: address, caller, refusalCode: code } = request;
    metrics.observe(operation, status, elapsedMs);
    logAnswer(log, { request_id, method, url, operation, logSuccess, status, code, elapsedMs, address, caller });
  };
  app.addHook('onResponse', (request, reply, done) => {
    noteAnswer(request, reply.statusCode, reply.elapsedTime);
    done();
  });
  app.addHook('onRoute', ({ config, url }) => {
    if (!config?.operation || !config.permission) throw new Error(`route ${url} has no operation or no permission`);
  });

  const socketUpgrader = new SocketUpgrader({
    ...options,
    onFault,
    routes: sockets,
    isStopping: () => gracefulStop.isStopping,
    onOpened: (request, reply) => noteAnswer(request, 101, reply.elapsedTime),
  });
  const gracefulStop = prepareGracefulStop(app, listener, options.tls !== undefined);
  const encoder = new AnswerEncoder(options.shares);
  const sendAnswer = createSendAnswer({
    headers,
    mayWriteStraight: () => options.corsOrigins.length === 0 && !gracefulStop.isStopping,
    encoder,
  });

  const fastLane = createFastLane({
    ...options,
    onFault,
    credentials,
    hostIsOurs,
    createId,
    headers,
    encoder,
    maxBodyBytes,
    // Only the framework handles what a proxy says of its client, and what other origins may see.
    isOpen: () =>
      options.isReady() &&
      !options.isCutOff?.() &&
      options.corsOrigins.length === 0 &&
      options.trustedProxies.length === 0,
    isStopping: () => gracefulStop.isStopping,
    onAnswered: ({ method, url, socket }, request_id, operation, status, startedAt, caller, code) => {
      connections.noteLogin(socket, caller);
      const elapsedMs = performance.now() - startedAt;
      metrics.observe(operation, status, elapsedMs);
      if (!isAnswerLogged(log, { method, logSuccess: false, status })) return;
      const asked = { request_id, method, url, operation, address: socket.remoteAddress };
      logAnswer(log, { ...asked, logSuccess: false, status, code, elapsedMs, caller });
    },
  });

  const directLane = createDirectLane(fastLane, { routes: options.routes, credentials });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request: FastifyRequest, payload: http.IncomingMessage) => {
    const { rawBody } = request.routeOptions.config;
    return rawBody ? readInflatedBody(payload, rawBody.maxBytes) : readBody(payload, maxBodyBytes);
  });
  app.setErrorHandler(createErrorHandler(log));
  const { answerLost } = options;
  app.setNotFoundHandler(createNotFoundHandler([...options.routes, ...options.pages], sockets, { answerLost }));

  const encodePage = createPageEncoding(encoder);
  for (const page of options.pages) {
    app.route({
      method: reading,
      url: page.url,
      config: { operation: page.operation, permission: page.permission },
      onRequest: createGuard(page, options.authenticator),
      onSend: encodePage,
      handler: (request, reply) => {
        const { accept } = request.headers;
        if (page.isDocument && !acceptsHtml(accept)) throw pageForBrowsers();
        if (page.unlessJson && prefersJson(accept)) throw pageForBrowsers();
        if (page.has?.((request.params as { name: string }).name) === false) return reply.callNotFound();
        return page.handle(request, reply);
      },
    });
  }
  const guardOnceReady = (route: Parameters<typeof createGuard>[0]) => {
    const guard = createGuard(route, options.authenticator);
    return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
      if (options.isCutOff?.()) {
        done(new TryLaterError(503, 'cut_off', 'Other nodes serve better than this one now; try again', 1));
      } else if (options.isReady()) guard(request, reply, done);
      else done(new TryLaterError(503, 'starting', 'Weft is still waiting for its database; try again shortly', 2));
    };
  };
  for (const route of options.routes) {
    const { operation, permission, rawBody, logSuccess } = route;
    app.route({
      method: route.method === 'GET' ? reading : route.method,
      url: route.url,
      config: { operation, permission, rawBody, logSuccess },
      onRequest: guardOnceReady(route),
      handler: createRouteHandler(route, options.validator, sendAnswer),
    });
  }
  for (const route of sockets) {
    app.route({
      method: 'GET',
      url: route.url,
      config: { operation: route.operation, permission: route.permission },
      onRequest: [socketUpgrader.check, guardOnceReady({ ...route, tokenInQuery: true, tokenInProtocol: true })],
      handler: socketUpgrader.createHandler(route),
    });
  }
  return app;
}

function hasBody(headers: http.IncomingHttpHeaders): boolean {
  return (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;
}

function pageForBrowsers(): NotFoundError {
  const detail =
    'Not Found: only a page for browsers (Accept: text/html) has this address; operations begin with /api/v1';
  return new NotFoundError('not_found', detail);
}

function refuseAndClose(reply: FastifyReply, detail: string): void {
  noteLastAnswer(reply.request.raw.socket);
  reply.code(400).header('connection', 'close').send({ detail, code: 'bad_request' });
}
