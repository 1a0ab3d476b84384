// `weft run FILE`: runs a program with the Node that Weft itself runs on, which reads TypeScript as it is.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type CommandLine, exitCode, type Surroundings, UsageError } from '@weft/cli';

/** Everything after the file belongs to the program. Resolves its exit code. */
export async function runFileCommand({ words }: CommandLine, { env }: Surroundings): Promise<number> {
  const [file, ...rest] = words as [string, ...string[]];
  if (!existsSync(file)) throw new UsageError(`The file ${file} does not exist.`);
  const child = spawn(process.execPath, [file, ...rest], { stdio: 'inherit', env });
  // Ctrl+C reaches every process in the foreground by itself: twice, it would end a program that is tidying up.
  const passOn = (signal: NodeJS.Signals) => {
    if (signal !== 'SIGINT') child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, passOn);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : exitCode.failure)));
    });
  } finally {
    for (const signal of signals) process.off(signal, passOn);
  }
}
