// Components that are loaded when they are first needed, with a shape in their place until then.
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { toFailure } from '../api/failure.ts';
import { FailureNotice } from './notice.tsx';

export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  placeholder: JSX.Element | null,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [, setCount] = useState(0);
    const [error, setError] = useState<unknown>(undefined);
    const [attempt, setAttempt] = useState(0);
    // A new attempt loads anew.
    useEffect(() => {
      if (loaded) return;
      load().then(
        (component) => {
          loaded = component;
          setCount((count) => count + 1);
        },
        (reason) => setError(reason),
      );
    }, [attempt]);
    if (error !== undefined) {
      const retry = () => {
        setError(undefined);
        setAttempt(attempt + 1);
      };
      return <FailureNotice failure={toFailure(error)} onRetry={retry} />;
    }
    const Component = loaded;
    return Component ? <Component {...props} /> : placeholder;
  };
}
