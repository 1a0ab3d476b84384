// From an error to an answer: the only place that knows statuses. An unexpected error becomes a 500 that tells nothing
// but the request id; the log has the rest.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import {
  AuthenticationError,
  ConflictError,
  NotFoundError,
  PermissionError,
  PreconditionError,
  TryLaterError,
  UnusableRequestError,
  ValidationError,
} from '../../base/errors.ts';
import { CallerGone } from '../../base/time-slices.ts';

interface Answer {
  status: number;
  body: { detail: unknown; code: string; request_id?: string };
  headers?: Record<string, string>;
}

export function toAnswer(error: unknown): Answer | undefined {
  if (error instanceof ValidationError) return { status: 422, body: { detail: error.problems, code: error.code } };
  if (error instanceof AuthenticationError) {
    return { status: 401, body: sentence(error), headers: { 'www-authenticate': 'Bearer' } };
  }
  if (error instanceof PermissionError) return { status: 403, body: sentence(error) };
  if (error instanceof NotFoundError) return { status: 404, body: sentence(error) };
  if (error instanceof ConflictError) {
    const { retryAfterSeconds: seconds } = error;
    const headers = seconds === undefined ? undefined : { 'retry-after': String(seconds) };
    return { status: 409, body: { ...error.more, ...sentence(error) }, ...(headers && { headers }) };
  }
  if (error instanceof PreconditionError) return { status: 412, body: sentence(error) };
  if (error instanceof TryLaterError) {
    return { status: error.status, body: sentence(error), headers: { 'retry-after': String(error.retryAfterSeconds) } };
  }
  if (error instanceof UnusableRequestError) {
    // The rest of a body nobody will read must not be waited for.
    return {
      status: error.status,
      body: sentence(error),
      ...(error.status === 413 && { headers: { connection: 'close' } }),
    };
  }
  return fromFramework(error);
}

/** The framework's own refusals, of which only those about the request line and the body can still reach us. */
function fromFramework(error: unknown): Answer | undefined {
  const { statusCode, code } = (error ?? {}) as { statusCode?: unknown; code?: unknown };
  if (typeof code !== 'string' || !code.startsWith('FST_')) return undefined;
  if (statusCode === 413) return { status: 413, body: { detail: 'The body is too large', code: 'body_too_large' } };
  if (statusCode === 414) return { status: 414, body: { detail: 'The address is too long', code: 'address_too_long' } };
  if (statusCode === 415) {
    return { status: 415, body: { detail: 'The Content-Type cannot be read', code: 'unsupported_media_type' } };
  }
  // 404: the method is none that a router knows.
  if (statusCode === 400 || statusCode === 404)
    return { status: 400, body: { detail: 'The request cannot be read', code: 'bad_request' } };
  return undefined;
}

/** The answer to any error; an unexpected one is logged. */
export function toAnswerOrLog(error: unknown, request_id: string, operation: string | undefined, log: Logger): Answer {
  const answer = toAnswer(error);
  if (answer) return answer;
  log.error({ err: error, request_id, operation }, 'unexpected error');
  return { status: 500, body: { detail: 'Internal Server Error', code: 'internal_error', request_id } };
}

export function createErrorHandler(log: Logger) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    // Nobody is there to be told.
    if (error instanceof CallerGone) {
      reply.hijack();
      return;
    }
    const answer = toAnswerOrLog(error, request.id, request.routeOptions.config.operation, log);
    request.refusalCode = answer.body.code;
    if (answer.headers) reply.headers(answer.headers);
    reply.code(answer.status).send(answer.body);
  };
}

function sentence(error: { message: string; code: string }): { detail: string; code: string } {
  return { detail: error.message, code: error.code };
}
