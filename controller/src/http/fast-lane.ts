// A short way for the few operations that are called thousands of times a second. It takes a request only if nothing
// about it is out of the ordinary (a remembered token with the right to do this, a plain JSON body or none) and hands
// every other one over untouched, so that there is one place for refusals. Checks, validation and answers are the same.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Operation, requirePermission } from '../auth/permissions.ts';
import type { Caller } from '../caller.ts';
import { type Problem, ValidationError } from '../errors.ts';
import { judgeMediaType } from './body-reader.ts';
import { toAnswerOrLog } from './error-map.ts';
import { hasOneHost } from './host-check.ts';
import { writeJson } from './json-answer.ts';
import type { JsonPath } from './json-scanner.ts';
import type { Logger } from './log.ts';
import { type Route, RouteContext } from './route.ts';
import { readJsonBody } from './validated-handler.ts';
import type { Validator } from './validator.ts';

const noBytes = new Uint8Array(0);

export interface FastLaneOptions {
  routes: readonly Route[];
  validator: Validator;
  /** The caller behind a token, if that is known without asking anybody. */
  recall: (token: string) => Caller | undefined;
  hostIsOurs: (host: string | undefined) => boolean;
  createId: (request: IncomingMessage) => string;
  headers: Record<string, string>;
  maxBodyBytes: number;
  isOpen: () => boolean;
  isStopping: () => boolean;
  log: Logger;
  onAnswered: (
    request: IncomingMessage,
    id: string,
    operation: Operation,
    status: number,
    startedAt: number,
    caller: Caller,
  ) => void;
}

/** Resolves whether it took the request. */
export function createFastLane(
  options: FastLaneOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const lanes = new Map(
    options.routes.filter(isSimple).flatMap((route) => [
      [route.url, route],
      [`${route.url}/`, route],
    ]),
  );
  const headers = Object.entries(options.headers).flat();
  return (request, response) => {
    const route = lanes.get(request.url!);
    if (!route || route.method !== request.method || !options.isOpen() || !isPlain(request, route, options))
      return false;
    const caller = admit(request, route, options);
    if (!caller) return false;
    const startedAt = performance.now();
    const id = options.createId(request);
    const answer = (status: number, body: string, more?: string[]) => {
      const all = headers.concat('x-request-id', id, more ?? []);
      writeJson(response, status, options.isStopping() ? all.concat('connection', 'close') : all, body);
      options.onAnswered(request, id, route.operation, status, startedAt, caller);
    };
    const run = async (bytes: Uint8Array) => {
      try {
        const result = await handle(route, caller, bytes, options.validator);
        answer(200, typeof result === 'string' ? result : JSON.stringify(result));
      } catch (error) {
        const failure = toAnswerOrLog(error, id, route.operation, options.log);
        answer(failure.status, JSON.stringify(failure.body), Object.entries(failure.headers ?? {}).flat());
      }
    };
    if (route.body) collect(request, run);
    else {
      request.resume();
      void run(noBytes);
    }
    return true;
  };
}

/** Nothing that the short way does not know. */
function isSimple(route: Route): boolean {
  const { isFrequent, url, query, form, rawBody, admit, target, hasNoAnswer, media } = route;
  return (
    isFrequent === true && !url.includes(':') && !(query || form || rawBody || admit || target || hasNoAnswer || media)
  );
}

function isPlain(request: IncomingMessage, route: Route, { hostIsOurs, maxBodyBytes }: FastLaneOptions): boolean {
  const { headers } = request;
  if (headers['content-encoding'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
  if (headers.expect !== undefined || !hostIsOurs(headers.host) || !hasOneHost(request)) return false;
  if (!route.body) return headers['content-length'] === undefined;
  const length = Number(headers['content-length']);
  return length > 0 && length <= maxBodyBytes && judgeMediaType(headers['content-type']) === 'json';
}

function admit(request: IncomingMessage, route: Route, { recall }: FastLaneOptions): Caller | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined || !authorization.startsWith('Bearer ')) return undefined;
  try {
    const caller = recall(authorization.slice(7));
    requirePermission(route.operation, caller);
    return caller;
  } catch {
    return undefined;
  }
}

async function handle(route: Route, caller: Caller, bytes: Uint8Array, validator: Validator): Promise<unknown> {
  const problems: Problem[] = [];
  const inexact: JsonPath[] = [];
  const body = route.body && readJsonBody(route, validator, bytes, problems, inexact);
  if (problems.length > 0) throw new ValidationError(problems);
  return await route.handle(new RouteContext({ caller, query: undefined, body, inexact }));
}

/** The parser sees to it that exactly the announced bytes come; a client that leaves in between gets no answer. */
function collect(request: IncomingMessage, done: (bytes: Uint8Array) => void): void {
  let first: Buffer | undefined;
  let rest: Buffer[] | undefined;
  request.on('data', (chunk: Buffer) => {
    if (first === undefined) first = chunk;
    else if (rest) rest.push(chunk);
    else rest = [chunk];
  });
  request.on('end', () => done(rest ? Buffer.concat([first!, ...rest]) : (first ?? noBytes)));
  request.on('error', () => {});
}
