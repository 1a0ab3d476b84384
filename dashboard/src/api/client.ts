// Asks Weft: every operation of the interface by its name, with the types of its parameters and answers, and what went wrong with
// the next step. `weft` is the SDK's App as this page uses it: the origin the page came from, and the token of whoever is signed
// in. Pages show a failure at once and retry by themselves, so the App repeats no request; streams it keeps up on its own.
import { App, CommandConflict, noReason, toError, WeftRefusal, WeftUnreachable } from '@weft/sdk/browser';
import { noteServerDate, noteUnreachable } from '../data/freshness.ts';
import { formatSpan } from '../format.ts';
import { expireSession, sessionToken } from '../session/session.ts';
import { failureText } from '../text/components.ts';
import { KnownAnswers } from './known-answers.ts';
import { type Operations, operations, type Rival, type ValidationError, type VerdictReason } from './operations.ts';

const texts = {
  /** What is wrong with a value, by the type of the problem; the rest is in the server's own words. */
  problems: {
    missing: () => 'This is required',
    string_type: () => 'This should be text',
    string_too_short: ({ min_length }) =>
      min_length === 1 ? 'This is required' : `Use at least ${min_length} characters`,
    string_too_long: ({ max_length }) => `Use at most ${max_length} characters`,
    string_pattern_mismatch: () => 'This has characters or a form that is not allowed here',
    string_unicode: () => 'This has characters that cannot be stored',
    int_type: () => 'Enter a whole number',
    int_parsing: () => 'Enter a whole number',
    int_parsing_size: () => 'This number is too large',
    int_from_float: () => 'Enter a whole number',
    float_type: () => 'Enter a number',
    float_parsing: () => 'Enter a number',
    finite_number: () => 'Enter a number',
    bool_type: () => 'Choose yes or no',
    bool_parsing: () => 'Choose yes or no',
    datetime_type: () => 'Enter a date and time',
    datetime_parsing: () => 'Enter a date and time',
    datetime_from_date_parsing: () => 'Enter a date and time',
    greater_than: ({ gt }) => `Enter more than ${gt}`,
    greater_than_equal: ({ ge }) => `Enter ${ge} or more`,
    less_than: ({ lt }) => `Enter less than ${lt}`,
    less_than_equal: ({ le }) => `Enter ${le} or less`,
    multiple_of: ({ multiple_of }) => `Enter a multiple of ${multiple_of}`,
    extra_forbidden: () => 'This is not known here; remove it',
    literal_error: ({ expected }) => `Choose one of these: ${expected}`,
    too_short: ({ min_length }) => `Give at least ${min_length}`,
    too_long: ({ max_length }) => `Give at most ${max_length}`,
  } as Record<string, (context: Record<string, unknown>) => string>,
  /** By error code, where that says more than the status. */
  nextStepsByCode: {
    part_missing: 'Weft cannot be reached or has been updated. This page reloads when Weft answers.',
    invalid_credentials: 'Check the e-mail address and the password, or reset your password below.',
    account_waiting: 'Ask an administrator to approve it under Users, then sign in.',
    too_many_waiting_users: 'Ask an administrator to approve or refuse the accounts that wait, under Users.',
    not_your_network: 'Ask its owner or an administrator, or send the command with a guard.',
    account_disabled: 'Ask an administrator to enable it, then sign in with your current password.',
  } as Record<string, string>,
  nextSteps: {
    0: 'Check that the server is running and that you are connected. This page retries automatically.',
    400: 'Check your input and try again.',
    401: 'Sign in again.',
    403: 'Ask an administrator for permission.',
    404: 'It may have been removed. Go back to the list.',
    409: 'Check the current state, then try again.',
    413: 'Send less data at once.',
    422: 'Correct the marked fields and try again.',
    429: 'Wait a moment, then try again.',
    500: 'Try again. If the error persists, check the server log.',
    503: 'Weft is not ready. This page retries automatically.',
  } as Record<number, string>,
};

/** Why a command lost, and against whom; null where nobody holds what it wanted to change. */
export interface LostConflict {
  reason: VerdictReason;
  rival: Rival | null;
}

export class Failure extends Error {
  /** 0 if there was no answer at all. */
  readonly status: number;
  /** The server's stable word, or `unreachable`. */
  readonly code: string;
  readonly problems: ValidationError[];
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;
  /** Of a command that was refused because of another. */
  readonly conflict: LostConflict | undefined;
  /** Of something that is asked again by itself: one bar above the page says that Weft is away, for all of them. */
  isOfQuery = false;

  constructor(
    status: number,
    code: string,
    detail: string,
    more: Partial<Pick<Failure, 'problems' | 'retryAfterSeconds' | 'requestId' | 'conflict'>> = {},
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.problems = more.problems ?? [];
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.requestId = more.requestId;
    this.conflict = more.conflict;
  }

  /** What to try, as a sentence. */
  get nextStep(): string {
    if (this.retryAfterSeconds !== undefined) return `Try again in ${formatSpan(this.retryAfterSeconds, 2)}.`;
    if (this.requestId !== undefined) return `For details, search the server log for request ${this.requestId}.`;
    const isAway = this.code === 'unreachable' || this.status === 503;
    // Of what somebody pressed: only what pages ask for is asked again. Whether it arrived is unknown.
    if (isAway && !this.isOfQuery)
      return 'Not confirmed, and not repeated automatically: press the button again when Weft is back.';
    return texts.nextStepsByCode[this.code] ?? texts.nextSteps[this.status] ?? 'Try again in a moment.';
  }
}

/** Whatever was thrown, as a failure; a mistake of our own keeps its words for the person who has to report it. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof WeftRefusal) return ofRefusal(error);
  if (error instanceof WeftUnreachable) return new Failure(0, 'unreachable', failureText.unreachable);
  const detail = error instanceof Error ? error.message : String(error);
  return new Failure(0, 'dashboard_error', `Error in the dashboard: ${detail}`);
}

/** What an answer other than a success says, given its text. */
export function failureOf(response: Response, text: string): Failure {
  return ofRefusal(toError(response, text));
}

/** Answers of something in between (a proxy) get words by their status. */
function ofRefusal(refusal: WeftRefusal): Failure {
  const { status, code, detail, retryAfterSeconds, requestId } = refusal;
  const problems = Array.isArray(detail) ? (detail as ValidationError[]) : [];
  const isTold = typeof detail === 'string' && detail !== noReason;
  const listed = problems.map((problem) => `${nameOf(problem)}${problemWords(problem)}`).join('. ');
  return new Failure(
    status,
    code === 'unknown' ? `http_${status}` : code,
    isTold ? detail : listed || `The server answered with status ${status}.`,
    {
      problems,
      retryAfterSeconds,
      requestId,
      conflict: refusal instanceof CommandConflict ? { reason: refusal.reason, rival: refusal.rival } : undefined,
    },
  );
}

/** For people: by its type, else in the words of the server without the prefix that tells programs where they come from. */
export function problemWords(problem: ValidationError): string {
  const words = problemPhrase(problem);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The same, to go on a sentence. */
export function problemPhrase({ msg, type, ctx }: ValidationError): string {
  const known = Object.hasOwn(texts.problems, type) ? texts.problems[type] : undefined;
  return known ? known(ctx ?? {}) : msg.replace(/^Value error, /, '');
}

/** Which value it is about, where no field beside it says so. */
function nameOf(problem: ValidationError): string {
  const field = fieldOf(problem);
  return field === '' ? '' : `${field}: `;
}

/** `['body', 'emulators', 0, 'locations']` is the field `emulators.0.locations`. */
export function fieldOf({ loc }: ValidationError): string {
  return loc.slice(1).join('.');
}

/** As the server would tell it of this field. */
export function problemAt(field: string, msg: string): Failure {
  return new Failure(422, 'validation_error', msg, { problems: [{ loc: ['body', field], msg, type: 'value_error' }] });
}

/** `move` gets `emulators.0.locations.1` and gives the name of the field, or undefined where there is none. */
export function withProblemsMoved(
  error: unknown,
  move: (path: string) => { field: string; prefix?: string } | undefined,
): Failure {
  const failure = toFailure(error);
  if (failure.problems.length === 0) return failure;
  const words = new Map<string, Set<string>>();
  const others: ValidationError[] = [];
  for (const problem of failure.problems) {
    const place = move(fieldOf(problem));
    if (!place) {
      others.push(problem);
      continue;
    }
    const own = problemPhrase(problem);
    const known = words.get(place.field) ?? new Set();
    words.set(place.field, known.add(place.prefix === undefined ? own : `${place.prefix} ${own}`));
  }
  // Several at one field are told together.
  const moved = [...words].map(([field, all]) => ({
    loc: ['body', field],
    msg: [...all].join('; '),
    type: 'value_error',
  }));
  return new Failure(failure.status, failure.code, failure.message, { problems: [...moved, ...others] });
}

export const weft = new App({
  // Tests of what imports this have no location.
  url: globalThis.location?.origin ?? '',
  token: sessionToken,
  onTokenRefused: expireSession,
  patienceMs: 0,
  backOff: { firstMs: 1000, longestMs: 15_000 },
  fetch: fetchFresh,
});

const known = new KnownAnswers();

/** As fetch, past every cache; what this page knows already is not sent again. */
async function fetchFresh(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const sentAt = Date.now();
  const headers = new Headers(init?.headers);
  // Of one session: the next may be that of somebody else.
  const key = `${headers.get('authorization')} ${String(input)}`;
  const isRead = init?.method === 'GET';
  const etag = isRead ? known.etag(key) : undefined;
  if (etag !== undefined) headers.set('if-none-match', etag);
  const response = await fetch(input, { ...init, headers, cache: 'no-store' });
  noteServerDate(response.headers.get('date'), sentAt, Date.now());
  return isRead ? known.resolve(key, response) : response;
}

/** When a session ends. */
export function forgetAnswers(): void {
  known.clear();
}

export type * from './operations.ts';

/** Those that take plain text are for agents. */
export type OperationName = {
  [Name in keyof Operations]: 'text' extends keyof Operations[Name] ? never : Name;
}[keyof Operations];
export type Answer<Name extends OperationName> = Operations[Name]['answer'];
export type Input<Name extends OperationName> = Omit<Operations[Name], 'answer'>;

interface CallOptions {
  signal?: AbortSignal;
}

/** Optional where nothing of the input is required. */
type Rest<Name extends OperationName> =
  Record<string, never> extends Input<Name>
    ? [input?: Input<Name>, options?: CallOptions]
    : [input: Input<Name>, options?: CallOptions];

interface AnyInput {
  path?: Record<string, string>;
  query?: Record<string, string | number | boolean | string[] | undefined>;
  json?: unknown;
  form?: Record<string, unknown>;
}

/** Resolves the answer; rejects with Failure, or with the signal's reason once that is aborted. */
export async function call<Name extends OperationName>(name: Name, ...rest: Rest<Name>): Promise<Answer<Name>> {
  const response = await open(name, ...rest);
  return (await response.json()) as Answer<Name>;
}

/** As `call`, for answers that are not JSON: downloads. */
export async function open<Name extends OperationName>(name: Name, ...rest: Rest<Name>): Promise<Response> {
  const { path = {}, query = {}, json, form } = (rest[0] ?? {}) as AnyInput;
  const { signal } = rest[1] ?? {};
  const [method, template] = operations[name].split(' ') as ['GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', string];
  const address = template.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(path[key] ?? ''));
  try {
    return await weft.open(method, address, {
      query,
      json,
      ...(form && { form: toForm(form) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    const failure = toFailure(error);
    if (failure.code === 'unreachable') noteUnreachable();
    throw failure;
  }
}

function toForm(form: Record<string, unknown>): Record<string, string> {
  const fields = Object.entries(form).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(fields.map(([key, value]) => [key, String(value)]));
}
