// AbortSignals that follow others, with nothing but what Node and browsers share.

/** A signal of its own that follows others, until `release` is called. */
export function linkedSignal(...signals: (AbortSignal | undefined)[]): {
  controller: AbortController;
  release: () => void;
} {
  const controller = new AbortController();
  const releases: (() => void)[] = [];
  for (const signal of signals) {
    if (!signal) continue;
    const follow = () => controller.abort(signal.reason);
    if (signal.aborted) follow();
    signal.addEventListener('abort', follow, { once: true });
    releases.push(() => signal.removeEventListener('abort', follow));
  }
  return {
    controller,
    release: () => {
      for (const release of releases) release();
    },
  };
}
