// The preparation of the database, retried until the database is available: it may start later than Weft.
import { TryLaterError } from '../errors.ts';
import { StartError } from '../start-error.ts';

const retryMs = 1_000;

export interface Preparation {
  readonly isDone: boolean;
  /** Resolves after the first attempt, whether the database was available or not; rejects after a permanent error. */
  firstTry: Promise<void>;
  cancel(): void;
}

/** `work` may be retried from its beginning. `fail` is called with a permanent error after the first attempt. */
export function prepareUntilDone(
  work: () => Promise<void>,
  onWaiting: (error: unknown) => void,
  fail: (error: Error) => void,
): Preparation {
  let isDone = false;
  let timer: NodeJS.Timeout | undefined;
  const attempt = async (): Promise<void> => {
    try {
      await work();
      isDone = true;
    } catch (error) {
      if (!(error instanceof TryLaterError)) throw new StartError((error as Error).message, { cause: error });
      onWaiting(error);
      timer = setTimeout(() => attempt().catch(fail), retryMs);
    }
  };
  return {
    get isDone() {
      return isDone;
    },
    firstTry: attempt(),
    cancel: () => clearTimeout(timer),
  };
}
