// The expected errors of a request. http/request/error-map.ts maps each class to
// a status; every other error is a 500 with a fixed message.

/** One problem found by validation, with the messages of the reference interface. `loc` begins with `body`, `query` or `path`. */
export interface Problem {
  loc: (string | number)[];
  msg: string;
  type: string;
  ctx?: Record<string, unknown>;
}

/** The base class: a message for people and a stable snake_case `code` for programs. */
export abstract class WeftError extends Error {
  readonly code: string;
  constructor(code: string, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** 422: the request does not match its schema; all problems at once. */
export class ValidationError extends WeftError {
  readonly problems: Problem[];
  constructor(problems: Problem[], code = 'validation_error') {
    super(code, 'Validation Error');
    this.problems = problems;
  }
}

/** 400, 413 or 415: the body, or a one-time secret in it, is unusable. */
export class UnusableRequestError extends WeftError {
  readonly status: 400 | 413 | 415;
  constructor(status: 400 | 413 | 415, code: string, detail: string) {
    super(code, detail);
    this.status = status;
  }
}

/** 401: missing, invalid, expired or revoked credentials. */
export class AuthenticationError extends WeftError {
  constructor(code = 'not_authenticated', detail = 'Not authenticated') {
    super(code, detail);
  }
}

/** For a token, with one message for every cause. */
export function invalidToken(): AuthenticationError {
  return new AuthenticationError('invalid_token', 'Could not validate credentials');
}

/** For who would be the first administrator without a token; /setup.json tells everybody that there is one. */
export function adminExists(): AuthenticationError {
  return new AuthenticationError('not_authenticated', 'An administrator exists already: send the token of one');
}

/** 401 for the machine that another one has replaced: its password was right, and is no guess. */
export class ReplacedError extends AuthenticationError {
  constructor() {
    super('credentials_replaced', 'Another machine has replaced this one: these credentials are no longer valid');
  }
}

/** 403: the caller has no permission. */
export class PermissionError extends WeftError {
  constructor(code = 'not_permitted', detail = 'Not enough permissions') {
    super(code, detail);
  }
}

/** 404: unknown, or not visible to this caller. */
export class NotFoundError extends WeftError {}

/** `alarm_rule_not_found` of an `Alarm rule`, or of the `word` that programs know it by. */
export function notFound(what: string, word = what): NotFoundError {
  return new NotFoundError(`${word.toLowerCase().replaceAll(' ', '_')}_not_found`, `${what} not found`);
}

/** Throws that unless it is there. */
export function orNotFound<Found>(found: Found, ...what: [what: string, word?: string]) {
  if (!found) throw notFound(...what);
  return found as Exclude<Found, undefined | false>;
}

/** 409: it already exists, or the current state forbids it. `more` is added to the answer. */
export class ConflictError extends WeftError {
  readonly more: Record<string, unknown>;
  readonly retryAfterSeconds: number | undefined;
  constructor(code: string, detail: string, more: Record<string, unknown> = {}, retryAfterSeconds?: number) {
    super(code, detail);
    this.more = more;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** 412: what the caller has seen is not what is there any more. */
export class PreconditionError extends WeftError {
  constructor(code = 'precondition_failed', detail = 'Changed meanwhile: If-Match does not match') {
    super(code, detail);
  }
}

/** 429 or 503: rejected for now; nothing was accepted. */
export class TryLaterError extends WeftError {
  readonly status: 429 | 503;
  readonly retryAfterSeconds: number;
  constructor(status: 429 | 503, code: string, detail: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super(code, detail, options);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** 429 for one more than an installation holds; the code says of what. */
export function tooMany(code: `too_many_${string}`, max: number): TryLaterError {
  return new TryLaterError(429, code, `This installation holds at most ${max} ${code.slice('too_many_'.length)}`, 3600);
}

/** The reason why Weft could not start, in one line that says what to do. */
export class StartError extends Error {
  override name = 'StartError';
}
