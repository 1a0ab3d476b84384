// The fast path for the few operations that are called thousands of times a second. It handles a request only if nothing
// about it is special (a caller in memory with the permission, a plain JSON body or none) and leaves every other one
// untouched to the framework, so that there is one place for refusals. Checks, validation and answers are the same.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { TObject } from '@weft/contract/schema';
import type { Caller } from '../../base/caller.ts';
import { type Problem, ValidationError } from '../../base/errors.ts';
import { collectAnnounced, judgeMediaType } from '../../base/input/body-reader.ts';
import type { JsonPath } from '../../base/input/json-scanner.ts';
import { checkQuery, type QueryParams, readQuery, valuesOf } from '../../base/input/query-reader.ts';
import type { Validator } from '../../base/input/validator.ts';
import { requirePermission } from '../../base/rights/permission.ts';
import { principalOf } from '../../base/shares/shares.ts';
import { CallerGone, inTurn } from '../../base/time-slices.ts';
import { DirectConnection, type DirectOptions, type DirectRequest } from '../direct/direct-connection.ts';
import { type AnswerEncoder, type EncodedAnswer, type EncodingRule, encodingRule } from './answer-encoding.ts';
import type { CredentialReader } from './credentials.ts';
import { toAnswerOrLog } from './error-map.ts';
import { hasOneHost } from './host-check.ts';
import { toBody } from './json-answer.ts';
import type { Logger } from './log.ts';
import { noBytes, type Route, RouteContext } from './route.ts';
import { readJsonBody } from './validated-handler.ts';

export interface FastLaneOptions {
  routes: readonly Route[];
  validator: Validator;
  credentials: CredentialReader;
  hostIsOurs: (host: string | undefined) => boolean;
  createId: (given: string | string[] | undefined) => string;
  headers: Record<string, string>;
  encoder: AnswerEncoder;
  maxBodyBytes: number;
  isOpen: () => boolean;
  isStopping: () => boolean;
  /** Ends a connection on which something unexpected was thrown. */
  onFault: DirectOptions['onFault'];
  log: Logger;
  onAnswered: (
    request: IncomingMessage | DirectRequest,
    id: string,
    operation: string,
    status: number,
    startedAt: number,
    caller: Caller,
    code?: string,
  ) => void;
}

const none: readonly string[] = [];

type Answering = ServerResponse | DirectConnection;

/** Returns whether it handles the request: one of node:http's, or one that was read directly with its body. */
export interface FastLane {
  (request: IncomingMessage, response: ServerResponse): boolean;
  (request: DirectRequest, response: DirectConnection, body: Uint8Array): boolean;
}

/**
 * The same, for posts that were read directly: a caller that is not in memory is looked up first, as the guard does.
 * Whatever is wrong with what it shows, the guard says.
 */
export function createDirectLane(
  fastLane: FastLane,
  { routes, credentials }: Pick<FastLaneOptions, 'routes' | 'credentials'>,
) {
  const urls = new Set(routes.filter(({ fastLane }) => fastLane).flatMap(({ url }) => [url, `${url}/`]));
  return (request: DirectRequest, answer: DirectConnection, body: Uint8Array): boolean | Promise<boolean> => {
    if (!urls.has(request.url)) return false;
    if (fastLane(request, answer, body)) return true;
    const shown = credentials.readPlain(request);
    if (!shown) return false;
    const known = new Promise((settle) => settle(shown.admit()));
    return known.then(
      () => fastLane(request, answer, body),
      () => false,
    );
  };
}

export function createFastLane(options: FastLaneOptions): FastLane {
  const lanes = new Map<string, { route: Route; rule: EncodingRule | undefined }>();
  for (const route of options.routes.filter(({ fastLane }) => fastLane)) {
    const lane = { route: requireSimple(route), rule: encodingRule(route) };
    lanes.set(route.url, lane).set(`${route.url}/`, lane);
  }
  const send = createAnswerWriter(options);
  const { credentials } = options;
  return (request: IncomingMessage | DirectRequest, response: Answering, directBody?: Uint8Array): boolean => {
    const url = request.url!;
    const mark = url.indexOf('?');
    const lane = lanes.get(mark < 0 ? url : url.slice(0, mark));
    if (!lane) return false;
    const { route, rule } = lane;
    if (route.method !== request.method || (mark >= 0 && !route.query) || !options.isOpen()) return false;
    const { headers } = request;
    if (!isPlain(request, route, directBody, options)) return false;
    const params = route.query && readParams(mark < 0 ? '' : url.slice(mark + 1), route.query);
    if (route.query && !params) return false;
    const caller = admit(credentials.readPlain(request)?.remembered(), route, params);
    if (!caller) return false;
    const startedAt = performance.now();
    const id = options.createId(headers['x-request-id']);
    const answered = (status: number, code?: string) =>
      options.onAnswered(request, id, route.operation, status, startedAt, caller, code);
    const fail = (error: unknown) => {
      if (error instanceof CallerGone) return;
      try {
        // What failed after the answer had begun cannot be answered any more.
        if (response.headersSent) throw error;
        const { status, body, headers: more = {} } = toAnswerOrLog(error, id, route.operation, options.log);
        send.whole(response, status, id, JSON.stringify(body), Object.entries(more).flat());
        answered(status, body.code);
      } catch (fault) {
        options.onFault(fault, request.socket);
      }
    };
    const finish = (body: string | Uint8Array, encoded?: EncodedAnswer) => {
      if (encoded?.status === 304) send.unchanged(response, id, encoded.headers);
      else send.whole(response, 200, id, body, encoded?.headers);
      answered(encoded?.status ?? 200);
    };
    const succeed = (result: unknown) => {
      try {
        if (result instanceof Readable) {
          const encoded = rule && options.encoder.stream(headers, result, principalOf(caller));
          send.stream(response, id, encoded?.body ?? result, encoded?.headers ?? [], () => answered(200));
          return;
        }
        const body = typeof result === 'string' || result instanceof Uint8Array ? result : JSON.stringify(result);
        const encoded = rule && options.encoder.encode(rule, headers, body, principalOf(caller));
        if (encoded instanceof Promise) encoded.then((answer) => finish(answer.body, answer)).catch(fail);
        else finish(encoded?.body ?? body, encoded);
      } catch (error) {
        fail(error);
      }
    };
    const run = (bytes: Uint8Array) => {
      try {
        const work = () => handle(route, caller, params, bytes, options.validator);
        // Posts of one caller are few at a time, and many in all.
        const isGone = () => request.socket.destroyed;
        const read = () => inTurn(principalOf(caller), () => work().then(toBody), isGone);
        (route.method === 'GET' ? read() : work()).then(succeed, fail);
      } catch (error) {
        fail(error);
      }
    };
    if (directBody) run(directBody);
    else readBody(request as IncomingMessage, route, run);
    return true;
  };
}

/** Throws for a route that needs something the fast lane does not have. */
function requireSimple(route: Route): Route {
  const { operation, url, form, rawBody, admit, target, hasNoAnswer, media, tokenInQuery, takes, keepsText } = route;
  const isInPath = url.includes(':') || (target !== undefined && !target.startsWith('?'));
  if (isInPath || form || rawBody || admit || hasNoAnswer || media || tokenInQuery || takes || keepsText) {
    throw new Error(`${operation} cannot take the fast lane`);
  }
  return route;
}

function isPlain(
  request: IncomingMessage | DirectRequest,
  route: Route,
  directBody: Uint8Array | undefined,
  { hostIsOurs, maxBodyBytes }: FastLaneOptions,
): boolean {
  const { headers } = request;
  if (!hostIsOurs(headers.host)) return false;
  let length = directBody?.length ?? 0;
  // What was read directly has one host, and none of these headers.
  if (!directBody) {
    const { headers } = request as IncomingMessage;
    if (headers['content-encoding'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
    if (headers.expect !== undefined || !hasOneHost(request as IncomingMessage)) return false;
    length = Number(headers['content-length'] ?? 0);
  }
  if (!route.body) return length === 0;
  return length > 0 && length <= maxBodyBytes && judgeMediaType(headers['content-type']) === 'json';
}

/** Undefined for a query with too many parameters, or one that nothing reads. */
function readParams(search: string, { properties }: TObject): QueryParams | undefined {
  try {
    const params = readQuery(search);
    for (const name of params.keys()) if (!Object.hasOwn(properties, name)) return undefined;
    return params;
  } catch {
    return undefined;
  }
}

function admit(
  caller: Caller | undefined,
  { permission, target }: Route,
  params: QueryParams | undefined,
): Caller | undefined {
  if (!caller) return undefined;
  try {
    requirePermission(
      permission,
      caller,
      target && params && valuesOf(params, target.slice(1))?.at(-1)?.normalize('NFC'),
    );
    return caller;
  } catch {
    return undefined;
  }
}

/** Also throws: this runs for every post, and a promise more would be felt. */
function handle(
  route: Route,
  caller: Caller,
  params: QueryParams | undefined,
  bytes: Uint8Array,
  validator: Validator,
): Promise<unknown> {
  const problems: Problem[] = [];
  const inexact: JsonPath[] = [];
  const query = route.query && checkQuery(validator, route.query, params!, problems);
  const body = route.body && readJsonBody(route, validator, bytes, problems, inexact);
  if (problems.length > 0) throw new ValidationError(problems);
  return route.handle(new RouteContext({ caller, query, body, inexact, bytes: route.bodyAsBytes && bytes }));
}

/** Sends answers whose headers are known but for two of them. */
function createAnswerWriter({ headers, isStopping }: FastLaneOptions) {
  const always = Object.entries(headers).flat();
  const fixed = [...always, 'content-type', 'application/json'];
  const last = () => (isStopping() ? ['connection', 'close'] : []);
  // Used again for every answer: node has made text of it before writeHead returns.
  const usual = [...fixed, 'x-request-id', '', 'content-length', ''];
  const fixedText = fixed.map((text, index) => text + (index % 2 === 0 ? ': ' : '\r\n')).join('');
  const idAt = usual.length - 3;
  const lengthAt = usual.length - 1;
  return {
    whole(response: Answering, status: number, id: string, body: string | Uint8Array, more?: string[]): void {
      if (response instanceof DirectConnection) {
        response.send(status, fixedText, id, body, isStopping() ? [...(more ?? []), ...last()] : (more ?? none));
        return;
      }
      usual[idAt] = id;
      usual[lengthAt] = String(Buffer.byteLength(body));
      response.writeHead(status, more || isStopping() ? usual.concat(more ?? [], last()) : usual);
      response.end(body);
    },
    unchanged(response: Answering, id: string, more: string[]): void {
      if (response instanceof DirectConnection) throw new Error('a post cannot be answered 304');
      response.writeHead(304, always.concat('x-request-id', id, more, last()));
      response.end();
    },
    /** For what is too long to lie in memory whole; `done` also when the client leaves. */
    stream(response: Answering, id: string, body: Readable, more: string[], done: () => void): void {
      if (response instanceof DirectConnection) throw new Error('a post cannot be answered by a stream');
      response.writeHead(200, fixed.concat('x-request-id', id, more, last()));
      pipeline(body, response, done);
    },
  };
}

function readBody(request: IncomingMessage, route: Route, done: (bytes: Uint8Array) => void): void {
  if (route.body) collectAnnounced(request, Number(request.headers['content-length']), done);
  else {
    request.resume();
    done(noBytes);
  }
}
