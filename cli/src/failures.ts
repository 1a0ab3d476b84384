// Reports the failure of a command: what happened, what to do next, and the exit code.
import { labelWords } from '@weft/contract/label-rules';
import { CommandConflict, JobFailure, WeftRefusal, WeftUnreachable } from '@weft/sdk';
import { toMoment } from './moments.ts';
import { interruptedCode } from './process-end.ts';
import { CommandFailure, exitCode, type Surroundings, UsageError } from './surroundings.ts';
import { printable } from './table.ts';

const addresses = new WeakMap<Error, string>();

/** The same error, of a command that has asked the Weft at this address. */
export function failedAt(url: string, error: Error): Error {
  addresses.set(error, url);
  return error;
}

/** Undefined for unexpected errors. */
export function tellFailure(error: unknown, { stderr }: Pick<Surroundings, 'stderr'>): number | undefined {
  const say = (text: string, code: number) => {
    // It may contain names from files and from other users.
    const at = addresses.get(error as Error);
    const where = at === undefined || text.includes(at) ? '' : ` (Weft at ${at})`;
    stderr.write(`weft: ${(text + where).split('\n').map(printable).join('\n')}\n`);
    return code;
  };
  if (error instanceof UsageError) return say(`${error.message}\nSee weft --help`, exitCode.usage);
  if (error instanceof CommandFailure) return say(error.message, exitCode.failure);
  if (error instanceof CommandConflict) return say(conflictSentence(error), exitCode.conflict);
  // Weft could not read what was typed.
  if (error instanceof WeftRefusal && error.status === 422) return say(refusalSentence(error), exitCode.usage);
  if (error instanceof WeftRefusal) return say(refusalSentence(error), exitCode.failure);
  if (error instanceof WeftUnreachable) {
    return say(`${error.message}. Is Weft running there? Set the address with --url or WEFT_URL.`, exitCode.failure);
  }
  if (error instanceof JobFailure) return say(`The job ended as ${error.state}: ${error.message}`, exitCode.failure);
  if ((error as Error | undefined)?.name === 'AbortError') return interruptedCode();
  return undefined;
}

function conflictSentence({ detail, retryAt }: CommandConflict): string {
  const later = retryAt ? ` Retry after ${toMoment(retryAt)}.` : '';
  return `Rejected: ${String(detail)}.${later}`;
}

/** What to do next, by the code of a refusal. */
const nextSteps: Record<string, string> = {
  agent_not_found: 'weft agents lists the access points.',
  job_not_found: 'weft jobs lists your jobs.',
  run_not_found: 'weft emulate list shows your networks.',
  app_not_found: 'weft apps lists the apps.',
  job_ended: 'weft jobs shows how it ended.',
  run_over: 'weft emulate list shows your networks.',
};

/** What was refused, and what to do next. */
export function refusalSentence({ status, detail, code }: WeftRefusal): string {
  const next = nextSteps[code ?? ''];
  if (next !== undefined) return `${sentence(detail)} ${next}`;
  if (status === 401) return `${sentence(detail)} Log in again with weft login.`;
  if (status === 403) return `${sentence(detail)} Log in with another account: weft login.`;
  return sentence(detail);
}

/** Without the words that programs know a kind of problem by. */
export function forPeople(message: unknown): string {
  return String(message).replace(/^Value error, /, '');
}

function inWords({ msg, ctx }: { msg: unknown; ctx?: { pattern?: string } }): string {
  const allowed = labelWords[ctx?.pattern ?? ''];
  return allowed === undefined ? forPeople(msg) : `this must be ${allowed}`;
}

/** A 422 has a list of problems, each with its location. */
function sentence(detail: unknown): string {
  const text = Array.isArray(detail)
    ? detail.map((problem) => `${[problem.loc].flat().slice(1).join('.')}: ${inWords(problem)}`).join('; ')
    : String(detail);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
