// Samples as they are stored; after a break they go on where they were.
import type { RestClient } from './rest-client.ts';
import { resumedStream, type StreamListeners } from './resumed-stream.ts';

export interface LiveSample {
  ap_id: string;
  /** RFC 3339. */
  ts: string;
  metrics: Record<string, number>;
}

export interface LiveOptions extends StreamListeners {
  /** Only these access points; default: all that may be seen. */
  agents?: readonly string[];
  /** Only these metrics. */
  metrics?: readonly string[];
  signal?: AbortSignal;
}

export function liveSamples(
  rest: RestClient,
  { agents = [], metrics = [], onOpen, onBreak, onGap }: LiveOptions,
  signal: AbortSignal,
): AsyncGenerator<LiveSample, void> {
  const listeners = { ...(onOpen && { onOpen }), ...(onBreak && { onBreak }), ...(onGap && { onGap }) };
  const query = { agents, metrics };
  return resumedStream(rest, { path: '/api/v1/metrics/stream', query, event: 'sample', ...listeners }, signal);
}
