// For commands that leave files about while they work: whoever ends them has these removed first.
import type { Surroundings } from '@weft/cli';

const interrupted = 130;

/** Settles as `work` does, unless the command is interrupted before: then it calls `abandon` and ends the process. */
export async function endingCleanly<T>(work: Promise<T>, abandon: () => void, around: Surroundings): Promise<T> {
  const signal = around.interruption?.();
  const onAbort = () => {
    abandon();
    process.exit(interrupted);
  };
  signal?.addEventListener('abort', onAbort);
  try {
    return await work;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
