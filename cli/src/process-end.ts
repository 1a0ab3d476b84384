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

// Ctrl+C and SIGTERM as an AbortSignal.
let controller: AbortController | undefined;
let code = 130;

/** After the first call, the first signal requests the end, and the second one ends the process. */
export function onInterruption(): AbortSignal {
  if (!controller) {
    const asked = new AbortController();
    controller = asked;
    for (const [name, itsCode] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      process.on(name, () => {
        if (asked.signal.aborted) process.exit(itsCode);
        code = itsCode;
        asked.abort();
      });
    }
  }
  return controller.signal;
}

/** The exit code of an interrupted command. */
export function interruptedCode(): number {
  return code;
}
