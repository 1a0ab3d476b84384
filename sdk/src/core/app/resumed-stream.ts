// Server-sent events that go on where they were after a break, for as long as somebody reads.
import { pause } from '@weft/contract/pause';
import { linkedSignal, type Query } from '../http-client.ts';
import { isPassing, retryAfterMs, WeftRefusal, WeftUnreachable } from '../weft-refusal.ts';
import { EventStreamParser } from './event-stream.ts';
import type { RestClient } from './rest-client.ts';

/** Weft sends something more often than this; a connection that is silent for longer is dead. */
const silenceMs = 45_000;

export interface StreamListeners {
  /** From now on something may come; called again after each break. */
  onOpen?: (() => void) | undefined;
  /** The connection is lost, or could not be opened; it is retried. */
  onBreak?: (() => void) | undefined;
  /** Something may be missing, or come twice: the break was too long, or Weft was restarted. */
  onGap?: (() => void) | undefined;
  /** Weft doubts what was asked for, such as a metric that nobody reports. Default: a warning of the program. */
  onWarning?: ((text: string) => void) | undefined;
}

export interface ResumedStreamOptions extends StreamListeners {
  path: string;
  query: Query;
  /** The kind of event whose data are wanted. */
  event: string;
}

export async function* resumedStream<T>(
  rest: RestClient,
  { path, query, event: wanted, onOpen, onBreak, onGap, onWarning = warn }: ResumedStreamOptions,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
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
      const headers = { accept: 'text/event-stream' };
      const resumed = cursor === undefined ? query : { ...query, after: cursor };
      const response = await rest.open({ method: 'GET', path, query: resumed, headers, signal }, controller.signal);
      if (!isFirst && cursor === undefined) onGap?.();
      isFirst = false;
      const parser = new EventStreamParser();
      let isOpen = false;
      for await (const piece of textOf(response)) {
        heard();
        // Weft sends something at once: headers alone may be those of a proxy that keeps back the rest.
        if (!isOpen) onOpen?.();
        // Beats alone show as well that the connection was good.
        else backOff.reset();
        isOpen = true;
        for (const { id, event, data } of parser.push(piece)) {
          cursor = id ?? cursor;
          if (event === 'gap') onGap?.();
          if (event === 'warning') onWarning(String(JSON.parse(data).detail));
          if (event !== wanted) continue;
          backOff.reset();
          yield JSON.parse(data);
        }
        // Also where it begins, before anything has come.
        cursor = parser.lastId ?? cursor;
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

/** Programs show it on standard error; pages have `onWarning`. */
function warn(text: string): void {
  const { process } = globalThis as { process?: { emitWarning?: (text: string, type: string) => void } };
  process?.emitWarning?.(text, 'WeftWarning');
}

/** An access point that was restarted sends again what it had not heard to be stored: more than that of each. */
const remembered = 128;

/** Each sample once: one that has the time and the metrics of another one of its access point is that one, sent again. */
export async function* onceEach<T extends { ap_id: string; ts: string; metrics: object }>(
  samples: AsyncIterable<T>,
): AsyncGenerator<T, void> {
  const known = new Map<string, string[]>();
  for await (const sample of samples) {
    const key = `${sample.ts} ${Object.keys(sample.metrics).join()}`;
    const keys = known.get(sample.ap_id) ?? [];
    if (keys.includes(key)) continue;
    if (keys.push(key) > remembered) keys.shift();
    known.set(sample.ap_id, keys);
    yield sample;
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
