// Components that are loaded when they are first needed, with a shape in their place until then.
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../../api/failure.ts';
import { failureText } from '../../text/failures.ts';
import { FailureNotice } from './notice.tsx';
import { loadPart, reload, reloadWhenBack } from './part-loading.ts';

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
      const failure = new Failure(0, 'part_missing', failureText.partMissing);
      return frame(<FailureNotice failure={failure} onRetry={reload} />);
    }
    const Component = loaded;
    return Component ? <Component {...props} /> : placeholder;
  };
}
