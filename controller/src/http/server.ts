// The HTTP server: takes the features' routes and adds what all of them share. Order of a request: host check, guard
// (401, 403), body, validation (422), handler, error map.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { permissionRow } from '../auth/permissions.ts';
import { TryLaterError } from '../errors.ts';
import { readBody, readInflatedBody } from './body-reader.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { createErrorHandler } from './error-map.ts';
import { createGuard, type Doorkeeper } from './guard.ts';
import { createHostCheck, hasOneHost } from './host-check.ts';
import { createSendJson } from './json-answer.ts';
import { type Logger, withoutSecrets } from './log.ts';
import { createNotFoundHandler } from './not-found.ts';
import { prepareOrderlyStop } from './orderly-stop.ts';
import type { Page } from './page.ts';
import { createRequestIds } from './request-ids.ts';
import type { Route } from './route.ts';
import { answerHeaders, createCors } from './security-headers.ts';
import type { ServiceMetrics } from './service-metrics.ts';
import { createRouteHandler } from './validated-handler.ts';
import type { Validator } from './validator.ts';

const maxBodyBytes = 1024 * 1024;
const maxHeaderBytes = 16 * 1024;
const defaultTimeouts: Timeouts = { headersMs: 10_000, requestMs: 18_000, idleMs: 120_000, keepAliveMs: 65_000 };

/** How long a client may take. They are no settings: only tests have other ones. */
export interface Timeouts {
  /** From the first byte to the end of the headers. */
  headersMs: number;
  /** From the first byte to the end of the body. */
  requestMs: number;
  /** Without a byte either way. */
  idleMs: number;
  /** Between two requests. */
  keepAliveMs: number;
}

export interface ServerOptions {
  routes: Route[];
  pages: Page[];
  doorkeeper: Doorkeeper;
  validator: Validator;
  metrics: ServiceMetrics;
  log: Logger;
  /** False while the stores are being prepared: everything but the pages answers 503. */
  isReady: () => boolean;
  host: string;
  publicUrl: string | undefined;
  allowedHosts: readonly string[];
  corsOrigins: readonly string[];
  trustedProxies: readonly string[];
  tls: { certFile: string; keyFile: string } | undefined;
  maxConnections: number;
  timeouts?: Partial<Timeouts> | undefined;
}

export function createServer(options: ServerOptions): FastifyInstance {
  const { log, metrics } = options;
  const app = fastify({
    logger: false,
    serverFactory: (handler) => createListener(options, handler),
    clientErrorHandler: answerBrokenRequest,
    // No hook runs for these.
    frameworkErrors: (error, request, reply) => {
      reply.headers(headers).header('x-request-id', request.id);
      createErrorHandler(log)(error, request, reply);
    },
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: createRequestIds(),
    return503OnClosing: false,
    exposeHeadRoutes: false,
    bodyLimit: maxBodyBytes,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024, querystringParser: () => ({}) },
  });

  const hostIsOurs = createHostCheck(options);
  const headers = answerHeaders(options.tls !== undefined);
  const cors = createCors(options.corsOrigins);
  app.decorateRequest('caller', undefined);
  app.decorateRequest('enrolmentToken', undefined);
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
  app.addHook('onSend', (request, reply, payload, done) => {
    for (const name in headers) if (!reply.hasHeader(name)) reply.header(name, headers[name]!);
    reply.header('x-request-id', request.id);
    if (orderlyStop.isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.config.operation ?? 'none';
    metrics.observe(operation, reply.statusCode, reply.elapsedTime);
    logAnswer(log, request, reply.statusCode, reply.elapsedTime, operation);
    done();
  });
  app.addHook('onRoute', ({ config, url }) => {
    if (!config?.operation) throw new Error(`route ${url} names no operation of the permissions table`);
    permissionRow(config.operation);
  });

  const orderlyStop = prepareOrderlyStop(app, options.tls !== undefined);
  const sendJson = createSendJson(headers, () => options.corsOrigins.length === 0 && !orderlyStop.isStopping);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request: FastifyRequest, payload: http.IncomingMessage) => {
    const { rawBody } = request.routeOptions.config;
    return rawBody ? readInflatedBody(payload, rawBody.maxBytes) : readBody(payload, maxBodyBytes);
  });
  app.setErrorHandler(createErrorHandler(log));
  app.setNotFoundHandler(createNotFoundHandler([...options.routes, ...options.pages]));

  for (const page of options.pages) {
    app.route({
      method: 'GET',
      url: page.url,
      config: { operation: page.operation },
      onRequest: createGuard(page, options.doorkeeper),
      handler: (request, reply) => page.handle(request, reply),
    });
  }
  for (const route of options.routes) {
    const guard = createGuard(route, options.doorkeeper);
    app.route({
      method: route.method,
      url: route.url,
      config: { operation: route.operation, rawBody: route.rawBody, isFrequent: route.isFrequent },
      onRequest: (request, reply, done) => {
        if (options.isReady()) guard.call(app, request, reply, done);
        else done(new TryLaterError(503, 'starting', 'Weft is still waiting for its database; try again shortly', 2));
      },
      handler: createRouteHandler(route, options.validator, sendJson),
    });
  }
  return app;
}

function createListener(options: ServerOptions, handler: http.RequestListener): http.Server {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const settings = {
    maxHeaderSize: maxHeaderBytes,
    // Refused by ourselves, with the body that every refusal has.
    requireHostHeader: false,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: Math.min(1_000, timeouts.headersMs),
    keepAliveTimeout: timeouts.keepAliveMs,
    noDelay: true,
  };
  const server = options.tls
    ? https.createServer(
        { ...settings, cert: readFileSync(options.tls.certFile), key: readFileSync(options.tls.keyFile) },
        handler,
      )
    : http.createServer(settings, handler);
  server.setTimeout(timeouts.idleMs);
  server.maxConnections = options.maxConnections;
  return server as http.Server;
}

function hasBody(headers: http.IncomingHttpHeaders): boolean {
  return (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;
}

function refuseAndClose(reply: FastifyReply, detail: string): void {
  reply.code(400).header('connection', 'close').send({ detail, code: 'bad_request' });
}

/** Reads are frequent and uninteresting; changes, refusals and failures are worth a line. */
function logAnswer(log: Logger, request: FastifyRequest, status: number, elapsedMs: number, operation: string): void {
  const isRoutine = request.method === 'GET' || request.routeOptions.config.isFrequent;
  const level = status >= 500 ? 'error' : status >= 400 || !isRoutine ? 'info' : 'debug';
  if (!log.isLevelEnabled(level)) return;
  const caller = request.caller && `${request.caller.kind}:${request.caller.name}`;
  const { id: request_id, method, ip: address } = request;
  const url = withoutSecrets(request.url.slice(0, 512));
  log[level](
    { request_id, method, url, operation, status, ms: Math.round(elapsedMs * 10) / 10, address, caller },
    'answered',
  );
}
