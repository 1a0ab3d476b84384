// For commands with temporary files: removes them when the process is ended early.
import { readFileSync } from 'node:fs';
import { exitCode, interruptedCode, type Surroundings } from '@weft/cli';

const hungUp = 129;

/** Work in progress, and a function that removes its files at once. */
export interface Begun<T> {
  work: Promise<T>;
  abandon(): void;
}

/** Settles with the work. If the process is ended before, the work is abandoned on exit. */
export async function endingCleanly<T>(begin: () => Begun<T>, around: Surroundings): Promise<T> {
  let begun: Begun<T> | undefined;
  const signal = around.interruption?.();
  const onExit = () => {
    begun?.abandon();
    // Whatever the reason, such as a closed reader of standard output: the command was not completed.
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

/** Whether SIGHUP is ignored (nohup); adding a listener would undo that. */
function isNohup(): boolean {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
    return (BigInt(`0x${mask}`) & 1n) === 1n;
  } catch {
    return false;
  }
}
