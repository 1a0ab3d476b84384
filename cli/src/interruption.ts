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
