// Waiting that an AbortSignal can end, with nothing but what Node and browsers share.

const followers = new WeakMap<AbortSignal, { calls: Set<() => void>; listener: () => void }>();

/**
 * Calls it once the signal is aborted, unless what is returned is called before. All calls of one signal share a listener:
 * Node takes more than ten for a leak, and many requests of a program end with one signal.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  let shared = followers.get(signal);
  if (!shared) {
    const calls = new Set<() => void>();
    const listener = () => {
      for (const each of [...calls]) each();
    };
    shared = { calls, listener };
    followers.set(signal, shared);
    signal.addEventListener('abort', listener, { once: true });
  }
  const { calls, listener } = shared;
  const own = () => call();
  calls.add(own);
  return () => {
    if (!calls.delete(own) || calls.size > 0) return;
    signal.removeEventListener('abort', listener);
    followers.delete(signal);
  };
}

/** Resolves after that time; throws the signal's reason as soon as it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(
      () => {
        release?.();
        resolve();
      },
      Math.max(0, ms),
    );
    const release =
      signal &&
      onAbort(signal, () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
  });
}

/** Resolves after that time, or early, without an error, when the signal is aborted. */
export function pauseUnless(signal: AbortSignal | undefined, ms: number): Promise<void> {
  return pause(ms, signal).catch(() => {});
}

/** Waits for somebody else's work; that goes on when the signal makes this one give up. */
export function unlessAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      work.catch(() => {});
      return reject(signal.reason);
    }
    const release = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(release);
  });
}
