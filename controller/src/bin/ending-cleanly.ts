// For commands that leave files about while they work: whoever ends them has these removed first.
import { readFileSync } from 'node:fs';
import { exitCode, interruptedCode, type Surroundings } from '@weft/cli';

const hungUp = 129;

/** Work that has begun, and what removes at once whatever there is of it. */
export interface Begun<T> {
  work: Promise<T>;
  abandon(): void;
}

/** Settles as the work does, unless the process is told to end before: then it is abandoned on the way out. */
export async function endingCleanly<T>(begin: () => Begun<T>, around: Surroundings): Promise<T> {
  let begun: Begun<T> | undefined;
  const signal = around.interruption?.();
  const onExit = () => {
    begun?.abandon();
    // Whatever the reason was, such as a reader of standard output that has gone: what was asked for is not done.
    if (!process.exitCode) process.exitCode = exitCode.failure;
  };
  const onAbort = () => process.exit(interruptedCode());
  const onHangUp = () => process.exit(hungUp);
  process.on('exit', onExit);
  signal?.addEventListener('abort', onAbort);
  if (!isNohup()) process.on('SIGHUP', onHangUp);
  try {
    begun = begin();
    return await begun.work;
  } finally {
    process.off('exit', onExit);
    process.off('SIGHUP', onHangUp);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Whether the end of the terminal is to be ignored; listening to it would undo that. */
function isNohup(): boolean {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
    return (BigInt(`0x${mask}`) & 1n) === 1n;
  } catch {
    return false;
  }
}
