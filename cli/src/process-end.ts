// The end of the process of a command: what was said gets out whole, however slowly it is read, and an output that cannot
// be written is no success.

/** From now on a failing output ends the process. */
export function watchOutputs(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A reader that has seen enough (`weft agents | head`) is no failure.
      if (error.code === 'EPIPE') process.exit(0);
      if (stream === process.stdout) process.stderr.write(`weft: the output cannot be written: ${error.message}\n`);
      process.exit(1);
    });
  }
}

/** A pipe holds 64 KiB; what is beyond is lost if the process ends before somebody has read it. */
export async function endProcess(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
  process.exit(code);
}
