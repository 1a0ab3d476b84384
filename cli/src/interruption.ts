// Ctrl+C and SIGTERM as a signal that work can watch.

let controller: AbortController | undefined;
let code = 130;

/** From the first call on, the first of them asks for an end, and the second one ends the process. */
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

/** What an interrupted command ends with. */
export function interruptedCode(): number {
  return code;
}
