// Live values for a page: the SDK's stream of samples, which resumes after a break. While there is no stream, the newest
// values are polled once a second.
import { useSignal } from '@preact/signals';
import { pause } from '@weft/sdk/browser';
import { useEffect, useRef } from 'preact/hooks';
import { call, weft } from '../api/client.ts';
import { isSignedIn } from '../session/session.ts';
import { type LiveState, noteAnswer, noteStream } from './freshness.ts';

export interface LiveSample {
  ap_id: string;
  /** Seconds since 1970, as charts count. */
  time: number;
  metrics: Record<string, number>;
}

export interface LiveFilter {
  agents?: readonly string[];
  metrics?: readonly string[];
}

interface LiveValuesOptions extends LiveFilter {
  /** Samples in the order they came; many at once after a pause. */
  onSamples: (samples: LiveSample[]) => void;
  onState: (state: LiveState) => void;
  /** Some samples were missed: what is on show has to be read again. */
  onGap: () => void;
}

const pollMs = 1000;

export class LiveValues {
  readonly #options: LiveValuesOptions;
  readonly #stop = new AbortController();
  #isStreaming = false;
  #hasFailed = false;
  /** The newest moment handed on for each agent, so that polling repeats nothing. */
  readonly #newest = new Map<string, number>();

  constructor(options: LiveValuesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#tell('connecting');
    // It ends when it is stopped, or refused for good.
    this.#stream().catch(() => this.#fallBack());
    // It ends when it is stopped.
    this.#keepPolling().catch(() => {});
  }

  stop(): void {
    this.#stop.abort();
  }

  async #stream(): Promise<void> {
    const { agents, metrics, onSamples, onGap } = this.#options;
    const samples = weft.live({
      ...(agents && { agents }),
      ...(metrics && { metrics }),
      signal: this.#stop.signal,
      onGap,
      onOpen: () => {
        this.#isStreaming = true;
        this.#tell('live');
      },
      onBreak: () => this.#fallBack(),
    });
    for await (const { ap_id, ts, metrics: values } of samples) {
      const time = Date.parse(ts) / 1000;
      this.#newest.set(ap_id, Math.max(time, this.#newest.get(ap_id) ?? 0));
      onSamples([{ ap_id, time, metrics: values }]);
    }
  }

  /** Nobody listens to one that was stopped. */
  #tell(state: LiveState): void {
    if (!this.#stop.signal.aborted) this.#options.onState(state);
  }

  #fallBack(): void {
    this.#isStreaming = false;
    this.#hasFailed = true;
  }

  async #keepPolling(): Promise<void> {
    const { signal } = this.#stop;
    const { onSamples, onGap } = this.#options;
    let wasBroken = false;
    for (;;) {
      await pause(pollMs, signal);
      // While the stream works, or has not failed yet, nothing is polled.
      if (this.#isStreaming || !this.#hasFailed || document.hidden) continue;
      try {
        const samples = await this.#poll(signal);
        signal.throwIfAborted();
        if (this.#isStreaming) continue;
        this.#tell('polling');
        if (wasBroken) onGap();
        wasBroken = false;
        if (samples.length > 0) onSamples(samples);
      } catch {
        signal.throwIfAborted();
        wasBroken = true;
        this.#tell('broken');
      }
    }
  }

  async #poll(signal: AbortSignal): Promise<LiveSample[]> {
    const { agents, metrics } = this.#options;
    const [agent] = agents ?? [];
    const samples =
      agent !== undefined && agents?.length === 1 && metrics && metrics.length > 0
        ? await this.#pollSeries(agent, metrics, signal)
        : await this.#pollLatest(signal);
    const fresh = samples.filter(({ ap_id, time }) => time > (this.#newest.get(ap_id) ?? 0));
    for (const { ap_id, time } of fresh) this.#newest.set(ap_id, Math.max(time, this.#newest.get(ap_id) ?? 0));
    return fresh;
  }

  async #pollSeries(agent: string, metrics: readonly string[], signal: AbortSignal): Promise<LiveSample[]> {
    const input = { query: { agent, metrics: [...metrics], window: '15s' } };
    const { series } = await call('metrics_agent_multi_metric_data', input, { signal });
    const moments = new Map<string, Record<string, number>>();
    for (const { metric, points } of series) {
      for (const { ts, value } of points) moments.set(ts, { ...moments.get(ts), [metric]: value });
    }
    return [...moments]
      .map(([ts, values]) => ({ ap_id: agent, time: Date.parse(ts) / 1000, metrics: values }))
      .sort((a, b) => a.time - b.time);
  }

  async #pollLatest(signal: AbortSignal): Promise<LiveSample[]> {
    const { agents, metrics } = this.#options;
    const query = { ...(agents && { agents: [...agents] }), ...(metrics && { metrics: [...metrics] }) };
    const answer = await call('metrics_latest', { query }, { signal });
    return answer.agents.flatMap(({ ap_id, metrics: newest }) => {
      const values = Object.entries(newest as Record<string, { ts: string; value: unknown }>).filter(
        (entry): entry is [string, { ts: string; value: number }] => typeof entry[1].value === 'number',
      );
      if (values.length === 0) return [];
      const time = Math.max(...values.map(([, { ts }]) => Date.parse(ts) / 1000));
      return [{ ap_id, time, metrics: Object.fromEntries(values.map(([name, { value }]) => [name, value])) }];
    });
  }
}

export interface UseLiveOptions extends LiveFilter {
  isWanted?: boolean;
  onSamples: (samples: LiveSample[]) => void;
  onGap?: () => void;
}

export function useLive({ agents, metrics, isWanted = true, onSamples, onGap }: UseLiveOptions): LiveState {
  const state = useSignal<LiveState>('connecting');
  const latest = useRef({ onSamples, onGap });
  latest.current = { onSamples, onGap };
  const key = JSON.stringify([agents, metrics]);
  const canAsk = isSignedIn.value;
  // The key stands for agents and metrics.
  useEffect(() => {
    if (!isWanted || !canAsk) return;
    const owner = {};
    let waiting: LiveSample[] = [];
    let frame = 0;
    const handOver = () => {
      frame = 0;
      const samples = waiting;
      waiting = [];
      noteAnswer();
      latest.current.onSamples(samples);
    };
    const stream = new LiveValues({
      ...(agents && { agents }),
      ...(metrics && { metrics }),
      onSamples: (samples) => {
        waiting.push(...samples);
        // Frames stand still in a hidden page; what piles up there is read again when it shows.
        if (waiting.length > 5000) waiting = waiting.slice(-1000);
        frame ||= requestAnimationFrame(handOver);
      },
      onState: (next) => {
        state.value = next;
        noteStream(owner, next);
      },
      onGap: () => latest.current.onGap?.(),
    });
    stream.start();
    return () => {
      stream.stop();
      cancelAnimationFrame(frame);
      noteStream(owner, undefined);
    };
  }, [key, isWanted, canAsk]);
  return state.value;
}
