// Puts the focus on an element when it appears: the first field of a form that is all the page is about.
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export function useFocus<Target extends HTMLElement>(isWanted = true): RefObject<Target> {
  const target = useRef<Target>(null);
  useLayoutEffect(() => {
    if (isWanted) target.current?.focus();
  }, [isWanted]);
  return target;
}
