// Live values for a page: the server's stream of samples over fetch, so that the token travels in a header. It goes on
// where it broke off; while it cannot be had, the newest values are asked for once a second.
import { call, open } from '../api/client.ts';
import { EventStreamParser } from './event-stream.ts';
import { pause } from './pause.ts';

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

export type LiveState = 'connecting' | 'live' | 'polling' | 'broken';

interface LiveStreamOptions extends LiveFilter {
  /** Samples in the order they came; many at once after a pause. */
  onSamples: (samples: LiveSample[]) => void;
  onState: (state: LiveState) => void;
  /** Some samples were missed: what is on show has to be read anew. */
  onGap: () => void;
}

const pollMs = 1000;
const firstRetryMs = 1000;
const maxRetryMs = 15_000;
const beatMs = 40_000;

export class LiveStream {
  readonly #options: LiveStreamOptions;
  readonly #stop = new AbortController();
  #cursor: string | undefined;
  #failures = 0;
  #isStreaming = false;
  /** The newest moment handed on for each agent, so that polling repeats nothing. */
  readonly #newest = new Map<string, number>();

  constructor(options: LiveStreamOptions) {
    this.#options = options;
  }

  start(): void {
    this.#options.onState('connecting');
    void this.#keepStreaming();
    void this.#keepPolling();
  }

  stop(): void {
    this.#stop.abort();
  }

  async #keepStreaming(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#stream().catch(() => {});
      if (signal.aborted) return;
      this.#isStreaming = false;
      this.#failures++;
      await pause(Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(this.#failures - 1, 4)), signal);
    }
  }

  async #stream(): Promise<void> {
    const { agents, metrics, onState } = this.#options;
    const quiet = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, quiet.signal]);
    const query = {
      ...(agents && { agents: [...agents] }),
      ...(metrics && { metrics: [...metrics] }),
      ...(this.#cursor !== undefined && { after: this.#cursor }),
    };
    const response = await open('metrics_stream', { query }, { signal });
    const parser = new EventStreamParser();
    const decoder = new TextDecoder();
    const reader = response.body!.getReader();
    // The server says something every few seconds; silence means that nobody is there any more.
    let watchdog = setTimeout(() => quiet.abort(), beatMs);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(watchdog);
        watchdog = setTimeout(() => quiet.abort(), beatMs);
        if (!this.#isStreaming) {
          this.#isStreaming = true;
          this.#failures = 0;
          onState('live');
        }
        this.#take(parser.push(decoder.decode(value, { stream: true })));
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  #take(events: { id: string | undefined; event: string; data: string }[]): void {
    const samples: LiveSample[] = [];
    for (const { id, event, data } of events) {
      this.#cursor = id ?? this.#cursor;
      if (event === 'gap') this.#options.onGap();
      if (event !== 'sample') continue;
      const { ap_id, ts, metrics } = JSON.parse(data) as {
        ap_id: string;
        ts: string;
        metrics: Record<string, number>;
      };
      const time = Date.parse(ts) / 1000;
      this.#newest.set(ap_id, Math.max(time, this.#newest.get(ap_id) ?? 0));
      samples.push({ ap_id, time, metrics });
    }
    if (samples.length > 0) this.#options.onSamples(samples);
  }

  async #keepPolling(): Promise<void> {
    const { signal } = this.#stop;
    let wasBroken = false;
    while (!signal.aborted) {
      await pause(pollMs, signal);
      // The stream has the word unless it failed at least once.
      if (signal.aborted || this.#isStreaming || this.#failures === 0 || document.hidden) continue;
      try {
        const samples = await this.#poll(signal);
        if (signal.aborted || this.#isStreaming) continue;
        this.#options.onState('polling');
        if (wasBroken) this.#options.onGap();
        wasBroken = false;
        if (samples.length > 0) this.#options.onSamples(samples);
      } catch {
        if (signal.aborted) return;
        wasBroken = true;
        this.#options.onState('broken');
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
