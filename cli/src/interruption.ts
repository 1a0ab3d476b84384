// Ctrl+C and SIGTERM as a signal that work can watch.

let controller: AbortController | undefined;

/** From the first call on, the first of them asks for an end, and the second one ends the process. */
export function onInterruption(): AbortSignal {
  if (!controller) {
    const asked = new AbortController();
    controller = asked;
    for (const [name, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      process.on(name, () => {
        if (asked.signal.aborted) process.exit(code);
        asked.abort();
      });
    }
  }
  return controller.signal;
}
