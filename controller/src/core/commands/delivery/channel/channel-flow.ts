// Back-pressure of the channels: how much of what agents have sent may be on its way to the disk at once. A channel with
// too much is not read from until it is done; the agent's own connection keeps the rest.

const defaultLimits: FlowLimits = { messages: 1_000, bytes: 2 * 1024 * 1024, sharedBytes: 64 * 1024 * 1024 };

export interface FlowLimits {
  /** Of one channel. */
  messages: number;
  bytes: number;
  /** Of all channels together. */
  sharedBytes: number;
}

/** What all channels of a node share. */
export class SharedFlow {
  readonly limits: FlowLimits;
  bytes = 0;
  readonly #held = new Set<ChannelFlow>();

  constructor(limits: Partial<FlowLimits> = {}) {
    this.limits = { ...defaultLimits, ...limits };
  }

  get isTight(): boolean {
    return this.bytes >= this.limits.sharedBytes;
  }

  /** They go on once there is room. */
  hold(flow: ChannelFlow): void {
    this.#held.add(flow);
  }

  forget(flow: ChannelFlow): void {
    this.#held.delete(flow);
  }

  release(bytes: number): void {
    this.bytes -= bytes;
    if (this.#held.size === 0 || this.bytes > this.limits.sharedBytes / 2) return;
    for (const flow of [...this.#held]) flow.reconsider();
  }
}

export class ChannelFlow {
  readonly #shared: SharedFlow;
  readonly #source: { pause(): void; resume(): void };
  #messages = 0;
  #bytes = 0;
  #peerNotReading = false;
  #isPaused = false;

  constructor(shared: SharedFlow, source: { pause(): void; resume(): void }) {
    this.#shared = shared;
    this.#source = source;
  }

  /** The agent does not read its responses: nothing more is read from it. */
  set peerNotReading(peerNotReading: boolean) {
    if (this.#peerNotReading === peerNotReading) return;
    this.#peerNotReading = peerNotReading;
    if (peerNotReading) this.#pause();
    else this.reconsider();
  }

  begin(bytes: number): void {
    this.#messages++;
    this.#bytes += bytes;
    this.#shared.bytes += bytes;
    const { limits } = this.#shared;
    if (this.#messages >= limits.messages || this.#bytes >= limits.bytes || this.#shared.isTight) this.#pause();
  }

  end(bytes: number): void {
    this.#messages--;
    this.#bytes -= bytes;
    this.#shared.release(bytes);
    if (this.#isPaused) this.reconsider();
  }

  /** Not at the very limit: a channel that stops and goes with every message would do nothing else. */
  reconsider(): void {
    const { limits, bytes } = this.#shared;
    const isFull = this.#messages > limits.messages / 2 || this.#bytes > limits.bytes / 2;
    if (!this.#isPaused || this.#peerNotReading || isFull || bytes > limits.sharedBytes / 2) return;
    this.#isPaused = false;
    this.#shared.forget(this);
    this.#source.resume();
  }

  closed(): void {
    this.#shared.forget(this);
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#shared.hold(this);
    this.#source.pause();
  }
}
