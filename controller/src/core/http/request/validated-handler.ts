// From a request to a route's handler: reads query, form and body, validates them against the route's schemas, and
// reports all problems at once.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NotFoundError, type Problem, UnusableRequestError, ValidationError } from '../../base/errors.ts';
import { isText, judgeMediaType } from '../../base/input/body-reader.ts';
import { checkForm, readForm } from '../../base/input/form-reader.ts';
import { readJson } from '../../base/input/json-reader.ts';
import type { JsonPath } from '../../base/input/json-scanner.ts';
import {
  checkQuery,
  escapedNames,
  type QueryParams,
  readQuery,
  unknownParameter,
  unreadNames,
} from '../../base/input/query-reader.ts';
import { branchesOf } from '../../base/input/unknown-keys.ts';
import type { Validator } from '../../base/input/validator.ts';
import { type Keywords, type Run, valueError } from '../../base/input/value-rules.ts';
import { principalOf } from '../../base/shares/shares.ts';
import { inTurn } from '../../base/time-slices.ts';
import { encodingRule } from './answer-encoding.ts';
import { ignoredHeader, type SendAnswer, toBody } from './json-answer.ts';
import { noBytes, type Route, RouteContext, searchOf } from './route.ts';
import { refusesUnknown } from './route-statuses.ts';

export function createRouteHandler(route: Route, validator: Validator, sendAnswer: SendAnswer) {
  const rule = encodingRule(route);
  const hasPath = route.url.includes(':');
  // Posts on the fast lane are few of a caller at a time, and many in all; alike here.
  const hasTurns = route.method === 'GET' || !route.fastLane;
  // What changes something goes on to its end, whoever has left.
  const endsWithCaller = route.method === 'GET' || route.changesNothing === true;
  const tokens = route.tokenInQuery ? ['token', 'access_token'] : [];
  const known = Object.keys(route.query?.properties ?? {});
  const read = new Set([...known, ...tokens]);
  const isStrict = refusesUnknown(route);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if (hasPath) refuseImpossibleNames(request.params as Record<string, string>);
    if (route.admit) await route.admit(request);
    const search = searchOf(request);
    const unread = search === '' ? [] : unreadNames(search, read);
    // Clients of the specification may send what they like; who mistypes a name can see it here.
    if (unread.length > 0 && !isStrict) reply.header(ignoredHeader, escapedNames(unread));
    const problems: Problem[] = isStrict ? unread.map((name) => unknownParameter(name, known)) : [];
    let body: unknown;
    let params = route.query && readQuery(search);
    if (route.form) {
      const fields = readForm(request.headers['content-type'], bytesOf(request));
      body = checkForm(validator, route.form, fields, problems);
      if (problems.length > 0 && bytesOf(request).length > 0) sayFormWanted(problems, request.headers['content-type']);
      if (params && route.queryInForm) params = withFormField(params, route.queryInForm, fields, problems);
    }
    const query = route.query && checkQuery(validator, route.query, params!, problems);
    if (problems.length > 0 && !route.form && !route.body && bytesOf(request).length > 0) sayQueryWanted(problems);
    const inexact: JsonPath[] = [];
    if (route.body) body = readValidBody(route, validator, request, problems, inexact);
    if (route.rawBody) body = readText(request);
    if (problems.length > 0) throw new ValidationError(problems);
    if (route.holdsOpen && request.method === 'HEAD') {
      reply.header('content-type', route.media?.[0] ?? 'application/json').send(Readable.from([]));
      return reply;
    }
    const text = route.keepsText ? Buffer.from(bytesOf(request)).toString('utf8') : '';
    const bytes = route.bodyAsBytes && bytesOf(request);
    const { caller } = request;
    const context = new RouteContext({ caller, query, body, inexact, bytes, text, request, reply });
    const work = async () => toBody(await route.handle(context));
    const isGone = caller && endsWithCaller ? () => request.raw.socket.destroyed : undefined;
    const answer = await (hasTurns ? inTurn(caller ? principalOf(caller) : request.ip, work, isGone) : work());
    if (route.hasNoAnswer) reply.code(204).send();
    else await sendAnswer(request, reply, answer, rule);
    return reply;
  };
}

/** The query with what stands in the form instead; a problem if it stands in both and differs. */
function withFormField(
  params: QueryParams,
  name: string,
  fields: ReadonlyMap<string, string>,
  problems: Problem[],
): QueryParams {
  const inForm = fields.get(name);
  const inQuery = params.get(name)?.at(-1);
  if (inForm === undefined || inForm === inQuery) return params;
  if (inQuery === undefined) return new Map([...params, [name, [inForm]]]);
  problems.push(valueError(['body', name], `${name} is not the same in the query and in the form`));
  return params;
}

/** A body of another type has no fields: that is why they are missing. */
function sayFormWanted(problems: Problem[], contentType: string | undefined): void {
  const wanted = 'application/x-www-form-urlencoded';
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (type !== wanted && type !== 'multipart/form-data') sayMediaType(problems, contentType, wanted);
}

/** What was sent in a body that nobody reads is missing in the query. */
function sayQueryWanted(problems: Problem[]): void {
  for (const problem of problems) {
    if (problem.type !== 'missing' || problem.loc[0] !== 'query') continue;
    problem.ctx = { error: `${problem.loc[1]} is a parameter of the query; the body is not read` };
  }
}

/** Names the reason beside what validation says, in the words of the reference interface, about a body that could not be read as it was declared. */
function sayMediaType(problems: Problem[], contentType: string | undefined, wanted: string): void {
  const given = contentType === undefined ? 'has no Content-Type' : `has the Content-Type ${contentType.slice(0, 64)}`;
  for (const problem of problems) {
    if (problem.loc[0] === 'body') problem.ctx = { ...problem.ctx, error: `the body ${given}; send it as ${wanted}` };
  }
}

function readText(request: FastifyRequest): Uint8Array {
  const bytes = bytesOf(request);
  if (bytes.length > 0 && !isText(request.headers['content-type'])) {
    throw new UnusableRequestError(415, 'unsupported_media_type', 'Send the body as text/plain');
  }
  return bytes;
}

function readValidBody(
  route: Route,
  validator: Validator,
  request: FastifyRequest,
  problems: Problem[],
  inexact: JsonPath[],
): unknown {
  const bytes = bytesOf(request);
  if (bytes.length === 0) return validator.checkBody(route.body!, undefined, problems);
  const type = request.headers['content-type'];
  const kind = judgeMediaType(type);
  if (kind === 'unsupported') {
    const detail = `Send the body as application/json, not as ${type!.slice(0, 64)}`;
    throw new UnusableRequestError(415, 'unsupported_media_type', detail);
  }
  // As in the reference interface, a body that is not declared is a piece of text, and text is no object.
  if (kind === 'undeclared') {
    const checked = validator.checkBody(route.body!, '', problems);
    sayMediaType(problems, type, 'application/json');
    return checked;
  }
  return readJsonBody(route, validator, bytes, problems, inexact);
}

/** Which keys of a body are known beside those that are read: people PUT back what an answer said. Nothing where any is. */
function alsoKnown(route: Route): Pick<Run, 'answers'> | undefined {
  const { admin, third_party_app: app } = route.permission;
  // Agents and workers are other people's programs.
  if (!refusesUnknown(route) || (admin === 'no' && app === 'no')) return undefined;
  return { answers: route.method === 'POST' ? [] : branchesOf(route.response as Keywords) };
}

/** Adds to `problems`, and to `inexact` where integers are held rounded. Undefined if the handler reads the body itself. */
export function readJsonBody(
  route: Route,
  validator: Validator,
  bytes: Uint8Array,
  problems: Problem[],
  inexact: JsonPath[],
): unknown {
  if (route.bodyAsBytes) return undefined;
  try {
    const json = readJson(bytes, route.maxKeys);
    for (const path of json.inexact) inexact.push(path);
    return validator.checkBody(route.body!, json.value, problems, { inexact, ...alsoKnown(route) });
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}

/** No record can have such a name, and PostgreSQL refuses to be asked for one. */
function refuseImpossibleNames(params: Record<string, string>): void {
  for (const value of Object.values(params)) {
    if (value.includes('\0') || !value.isWellFormed()) throw new NotFoundError('not_found', 'Not Found');
  }
}

function bytesOf(request: FastifyRequest): Uint8Array {
  return request.body instanceof Uint8Array ? request.body : noBytes;
}
