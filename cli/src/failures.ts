// What a command says when it does not work out: what happened, what to do next, and the exit code.
import { CommandConflict, JobFailure, WeftRefusal, WeftUnreachable } from '@weft/sdk';
import { interruptedCode } from './interruption.ts';
import { CommandFailure, exitCode, type Surroundings, UsageError } from './surroundings.ts';
import { printable } from './table.ts';

/** Undefined for what nobody has foreseen. */
export function tellFailure(error: unknown, { stderr }: Pick<Surroundings, 'stderr'>): number | undefined {
  const say = (text: string, code: number) => {
    // Names out of files and from elsewhere may be in it.
    stderr.write(`weft: ${text.split('\n').map(printable).join('\n')}\n`);
    return code;
  };
  if (error instanceof UsageError) return say(`${error.message}\nSee weft --help`, exitCode.usage);
  if (error instanceof CommandFailure) return say(error.message, exitCode.failure);
  if (error instanceof CommandConflict) return say(conflictSentence(error), exitCode.conflict);
  if (error instanceof WeftRefusal) return say(refusalSentence(error), exitCode.failure);
  if (error instanceof WeftUnreachable) {
    return say(`${error.message}. Is Weft running there? --url or WEFT_URL says where to look.`, exitCode.failure);
  }
  if (error instanceof JobFailure) return say(`The job ended as ${error.state}: ${error.message}`, exitCode.failure);
  if ((error as Error | undefined)?.name === 'AbortError') return interruptedCode();
  return undefined;
}

function conflictSentence({ detail, retryAt }: CommandConflict): string {
  const later = retryAt ? ` Try again after ${retryAt.toISOString()}.` : '';
  return `Refused: ${String(detail)}.${later}`;
}

function refusalSentence({ status, detail }: WeftRefusal): string {
  if (status === 401) return `${sentence(detail)} Log in again with weft login.`;
  if (status === 403) return `${sentence(detail)} Another account may: weft login.`;
  return sentence(detail);
}

/** Problems of a request come as a list, each with the place it was found at. */
function sentence(detail: unknown): string {
  const text = Array.isArray(detail)
    ? detail
        .map(({ loc, msg }) => `${[loc].flat().slice(1).join('.')}: ${String(msg).replace(/^Value error, /, '')}`)
        .join('; ')
    : String(detail);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
