// Parts of the dashboard that are loaded when they are first needed, with a shape in their place until then. Weft may be away, or
// updated since the page was opened: the browser takes the styles of a part that was missed for loaded, so that from then on
// only a reload gives whole pages.
import { pause } from '@weft/sdk/browser';
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../api/client.ts';
import { forget, keep, readKept } from '../data/kept.ts';
import { hasUnsavedWork } from '../router/leaving.ts';
import { FailureNotice } from './feedback.tsx';

const storageKey = 'weft.reloaded';
const retryMs = 2000;
/** A reload that did not help is not repeated before that. */
const patienceMs = 60_000;

let hasMissed = false;

/** Rejects if this part, or any before it, could not be loaded. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  if (hasMissed) throw new Error('a part was missed before');
  try {
    return await load();
  } catch (error) {
    hasMissed = true;
    throw error;
  }
}

/**
 * Reloads the page once Weft answers, unless that was tried just now. Nobody who types or has unsaved work is interrupted.
 * Rejects when aborted.
 */
export async function reloadWhenBack(signal: AbortSignal): Promise<void> {
  for (;;) {
    const isTyping = document.activeElement?.matches('input, select, textarea') === true;
    if (!isTyping && !hasUnsavedWork() && (await isThere(signal))) {
      if (mayReload(Date.now()) && !signal.aborted) reload();
      return;
    }
    await pause(retryMs, signal);
  }
}

export function reload(): void {
  location.reload();
}

/** Once in a while, and never where that cannot be remembered. */
export function mayReload(nowMs: number): boolean {
  const before = Number(readKept('tab', storageKey) ?? 0);
  if (Math.abs(nowMs - before) < patienceMs) return false;
  forget('tab', storageKey);
  keep('tab', storageKey, String(nowMs));
  return readKept('tab', storageKey) === String(nowMs);
}

async function isThere(signal: AbortSignal): Promise<boolean> {
  const response = await fetch('/setup.json', { signal, credentials: 'omit', cache: 'no-store' }).catch(
    () => undefined,
  );
  return response?.ok === true;
}

/** `frame` is what stands around the word that the component could not be loaded. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  placeholder: JSX.Element | null,
  frame: (notice: JSX.Element) => JSX.Element = (notice) => notice,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [, setCount] = useState(0);
    const [isMissing, setMissing] = useState(false);
    useEffect(() => {
      if (loaded) return;
      const leaving = new AbortController();
      loadPart(load).then(
        (component) => {
          loaded = component;
          setCount((count) => count + 1);
        },
        () => {
          setMissing(true);
          reloadWhenBack(leaving.signal).catch(() => {});
        },
      );
      return () => leaving.abort();
    }, []);
    if (isMissing) {
      const failure = new Failure(0, 'part_missing', 'This part of the dashboard could not be loaded.');
      return frame(<FailureNotice failure={failure} onRetry={reload} />);
    }
    const Component = loaded;
    return Component ? <Component {...props} /> : placeholder;
  };
}
