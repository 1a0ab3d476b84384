// Asks Weft: every operation of the interface by its name, with the types of its parameters and answers, and what went wrong with
// the next step. `weft` is the SDK's App as this page uses it: the origin the page came from, and the token of whoever is signed
// in. Pages show a failure at once and retry by themselves, so the App repeats no request; streams it keeps up on its own.
import { App, CommandConflict, noReason, toError, WeftRefusal, WeftUnreachable } from '@weft/sdk/browser';
import { noteServerDate, noteUnreachable } from '../data/freshness.ts';
import { formatSpan } from '../format.ts';
import { expireSession, sessionToken } from '../session/session.ts';
import { failureText } from '../text/failures.ts';
import { KnownAnswers } from './known-answers.ts';
import { type Operations, operations, type Rival, type ValidationError, type VerdictReason } from './operations.ts';

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
    if (this.retryAfterSeconds !== undefined) return failureText.tryIn(formatSpan(this.retryAfterSeconds, 2));
    if (this.requestId !== undefined) return failureText.lookInLog(this.requestId);
    const isAway = this.code === 'unreachable' || this.status === 503;
    if (isAway && !this.isOfQuery) return failureText.notRepeated;
    return failureText.nextStepsByCode[this.code] ?? failureText.nextSteps[this.status] ?? failureText.tryAgain;
  }
}

/** Whatever was thrown, as a failure; a mistake of our own keeps its words for the person who has to report it. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof WeftRefusal) return ofRefusal(error);
  if (error instanceof WeftUnreachable) return new Failure(0, 'unreachable', failureText.unreachable);
  const detail = error instanceof Error ? error.message : String(error);
  return new Failure(0, 'dashboard_error', failureText.ownMistake(detail));
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
    isTold ? detail : listed || failureText.status(status),
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
  const known = Object.hasOwn(failureText.problems, type) ? failureText.problems[type] : undefined;
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
