// Ends the process of a command after all output is written, however slowly it is read. An output that cannot
// be written is a failure.

/** From now on a failing output ends the process. */
export function watchOutputs(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A reader that stops early (`weft agents | head`) is not a failure.
      if (error.code === 'EPIPE') process.exit(0);
      if (stream === process.stdout) process.stderr.write(`weft: the output cannot be written: ${error.message}\n`);
      process.exit(1);
    });
  }
}

/** A pipe buffers 64 KiB; the rest would be lost if the process ended before it was read. */
export async function endProcess(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
  process.exit(code);
}
