// A request that did not work out, as the dashboard knows it: what happened, what to try next, and which field of a form
// is to blame.
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
  const detail = error instanceof Error ? error.message : String(error);
  return new Failure(0, 'dashboard_error', failureText.ownMistake(detail));
}

/** Reads what the server said; answers of something in between (a proxy) get words by their status. */
export function failureOf(response: Response, body: unknown): Failure {
  const { detail, code, request_id, ...more } = (body ?? {}) as Partial<LostConflict> & {
    detail?: unknown;
    code?: string;
    request_id?: string;
  };
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const problems = Array.isArray(detail) ? (detail as ValidationError[]) : [];
  const words =
    typeof detail === 'string'
      ? detail
      : problems.length > 0
        ? problems.map(({ msg }) => msg).join('. ')
        : failureText.status(response.status);
  return new Failure(response.status, code ?? `http_${response.status}`, words, {
    problems,
    ...(Number.isFinite(retryAfter) && { retryAfterSeconds: retryAfter }),
    ...(request_id !== undefined && { requestId: request_id }),
    ...(code === 'command_conflict' &&
      more.reason !== undefined && { conflict: { reason: more.reason, rival: more.rival ?? null } }),
  });
}

/** The words of the server without the prefix that tells programs where they come from. */
export function problemWords({ msg }: ValidationError): string {
  const words = msg.replace(/^Value error, /, '');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `['body', 'emulators', 0, 'locations']` is the field `emulators.0.locations`. */
export function fieldOf({ loc }: ValidationError): string {
  return loc.slice(1).join('.');
}
