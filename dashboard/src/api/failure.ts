// A request that did not work out, as the dashboard knows it: what happened, what to try next, and which field of a form
// is to blame.
import { CommandConflict, noReason, toError, WeftRefusal, WeftUnreachable } from '@weft/sdk/browser';
import { formatSpan } from '../format/times.ts';
import { failureText } from '../text/failures.ts';
import type { Rival, ValidationError, VerdictReason } from './operations.ts';

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
