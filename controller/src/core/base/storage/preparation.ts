// The preparation of the database, retried until the database is available: it may start later than Weft.
import { StartError, TryLaterError } from '../errors.ts';

const retryMs = 1_000;
/** In attempts. */
const longestSilence = 60;

export interface Preparation {
  readonly isDone: boolean;
  /** Resolves after the first attempt, whether the database was available or not; rejects after a permanent error. */
  firstTry: Promise<void>;
  /** Resolves once it is done; never, if it is cancelled before or a permanent error comes first. */
  done: Promise<void>;
  cancel(): void;
}

/**
 * `work` may be retried from its beginning. `onWaiting` gets the reason at growing intervals, at most once a minute in the
 * end. `fail` is called with a permanent error after the first attempt.
 */
export function prepareUntilDone(
  work: () => Promise<void>,
  onWaiting: (reason: string) => void,
  fail: (error: Error) => void,
): Preparation {
  let isDone = false;
  const done = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  let attempts = 0;
  let nextReport = 1;
  let isCancelled = false;
  const attempt = async (): Promise<void> => {
    try {
      await work();
      if (isCancelled) return;
      isDone = true;
      done.resolve();
    } catch (error) {
      if (!(error instanceof TryLaterError)) throw new StartError((error as Error).message, { cause: error });
      if (isCancelled) return;
      attempts++;
      if (attempts >= nextReport) {
        nextReport = attempts + Math.min(attempts, longestSilence);
        onWaiting(reasonOf(error));
      }
      timer = setTimeout(() => attempt().catch(fail), retryMs);
    }
  };
  return {
    get isDone() {
      return isDone;
    },
    firstTry: attempt(),
    done: done.promise,
    cancel: () => {
      isCancelled = true;
      clearTimeout(timer);
    },
  };
}

/** In one line, with the statement that helps where there is one. Neither PostgreSQL nor its driver repeats a password. */
export function reasonOf(error: TryLaterError): string {
  const origin = error.cause instanceof Error ? error.cause : error;
  const { code } = origin as { code?: unknown };
  // If a name has several addresses, the message is empty and only the code is set.
  const message = (origin.message || String(code ?? error.message)).replaceAll(/\s+/g, ' ');
  const [, name = ''] = /"([^"]+)"/.exec(message) ?? [];
  if (code === '3D000') return `${message}; create it with: CREATE DATABASE "${name}";`;
  if (code === '28000' && message.includes('does not exist')) {
    return `${message}; create it with: CREATE ROLE "${name}" LOGIN PASSWORD '...';`;
  }
  if (code === '28P01') return `${message}; check the password in WEFT_DATABASE_URL`;
  if (code === '42501') return `${message}; the role needs: GRANT CREATE, USAGE ON SCHEMA public`;
  return message;
}
