// Samples as they are stored, over server-sent events; after a break it goes on where it was.

import { pause } from '@weft/contract/pause';
import { linkedSignal } from '../linked-signal.ts';
import { isPassing, retryAfterMs, WeftRefusal, WeftUnreachable } from '../weft-refusal.ts';
import { EventStreamParser } from './event-stream.ts';
import type { RestClient } from './rest-client.ts';

/** Weft sends something more often than this; a connection that is silent for longer is dead. */
const silenceMs = 45_000;

export interface LiveSample {
  ap_id: string;
  /** RFC 3339. */
  ts: string;
  metrics: Record<string, number>;
}

export interface LiveOptions {
  /** Only these access points; default: all that may be seen. */
  agents?: readonly string[];
  /** Only these metrics. */
  metrics?: readonly string[];
  /** From now on samples come; called again after each break. */
  onOpen?: () => void;
  /** The connection is lost, or could not be opened; it is retried. */
  onBreak?: () => void;
  /** Samples may be missing, or come twice: the break was too long, or Weft was restarted. */
  onGap?: () => void;
  signal?: AbortSignal;
}

export async function* liveSamples(
  rest: RestClient,
  { agents, metrics, onOpen, onBreak, onGap }: LiveOptions,
  signal: AbortSignal,
): AsyncGenerator<LiveSample, void> {
  const backOff = rest.newBackOff();
  let cursor: string | undefined;
  let isFirst = true;
  for (;;) {
    const { controller, release } = linkedSignal(signal);
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => controller.abort(new WeftUnreachable('Weft has fallen silent')), silenceMs);
    };
    let leastMs = 0;
    try {
      heard();
      const query = { agents: agents ?? [], metrics: metrics ?? [], after: cursor };
      const headers = { accept: 'text/event-stream' };
      const request = { method: 'GET', path: '/api/v1/metrics/stream', query, headers, signal } as const;
      const response = await rest.open(request, controller.signal);
      if (!isFirst && cursor === undefined) onGap?.();
      isFirst = false;
      const parser = new EventStreamParser();
      let isOpen = false;
      for await (const piece of textOf(response)) {
        heard();
        // Weft sends something at once: headers alone may be those of a proxy that keeps back the rest.
        if (!isOpen) onOpen?.();
        // Beats without a sample show as well that the connection was good.
        else backOff.reset();
        isOpen = true;
        for (const { id, event, data } of parser.push(piece)) {
          cursor = id ?? cursor;
          if (event === 'gap') onGap?.();
          if (event !== 'sample') continue;
          backOff.reset();
          yield JSON.parse(data);
        }
        heard();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof WeftRefusal && !isPassing(error)) throw error;
      leastMs = retryAfterMs(error);
    } finally {
      clearTimeout(silence);
      // Ends the connection, whether it is at its end or the reader has had enough.
      controller.abort();
      release();
    }
    onBreak?.();
    await pause(leastMs + backOff.next(), signal);
  }
}

async function* textOf(response: Response): AsyncGenerator<string, void> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
