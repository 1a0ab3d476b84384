// What must be done before the database can serve, tried until the database is there: it may start later than Weft does.
import { TryLaterError } from '../errors.ts';
import { StartError } from '../start-error.ts';

const retryMs = 1_000;

export interface Preparation {
  readonly isDone: boolean;
  /** Resolves after the first attempt, whether the database was there or not; rejects if it can never be used. */
  firstTry: Promise<void>;
  cancel(): void;
}

/** `work` may be run again from its beginning. `fail` is told what can never succeed, if that shows after the first try. */
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
