// Collects young garbage at once, as V8 does every few seconds under load; all of the heap it collects every few minutes.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function youngCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: (options: { type: 'minor' }) => void = runInNewContext('gc');
  return () => collect({ type: 'minor' });
}
