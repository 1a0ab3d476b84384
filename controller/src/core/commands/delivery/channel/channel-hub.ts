// All channels of agents on this node: at most one an agent, the newest, also where several nodes serve. Hears of commands
// that have become due and wakes the agent's channel.
import { randomUUID } from 'node:crypto';
import { Semaphore } from '@weft/contract/semaphore';
import type { AgentCaller } from '../../../base/caller.ts';
import type { Shown } from '../../../base/credential.ts';
import { closeCodes, type SocketTimes } from '../../../http/sockets/open-socket.ts';
import { SocketRegistry } from '../../../http/sockets/socket-registry.ts';
import type { Upgraded } from '../../../http/sockets/socket-route.ts';
import type { CommandTransport } from '../command-delivery.ts';
import { AgentChannel, type ChannelParts } from './agent-channel.ts';
import { type FlowLimits, SharedFlow } from './channel-flow.ts';
import { type ChannelNews, parseChannelNews, RemoteChannels } from './remote-channels.ts';

/** Older ones are on their way out when the newest comes; more than these at once are a flood. */
const maxChannelsPerAgent = 8;
/** Thousands that come back at once must not keep everybody else from the database. */
const lookupsAtOnce = 16;
/** Two channels opened on two nodes within this time were opened at once, as far as anybody can tell. */
const sameTimeMs = 2_000;
const reportEveryMs = 10_000;

type OfChannels =
  | 'delivery'
  | 'telemetry'
  | 'validator'
  | 'sentWindow'
  | 'authorize'
  | 'offerSecret'
  | 'topic'
  | 'onError';

export interface ChannelHubOptions extends Pick<ChannelParts, OfChannels> {
  /** Reaches the other nodes, if there are any. */
  broadcast?: ((news: ChannelNews) => void) | undefined;
  isCutOff?: (() => boolean) | undefined;
  times?: Partial<SocketTimes> | undefined;
  flowLimits?: Partial<FlowLimits> | undefined;
}

export class ChannelHub implements CommandTransport {
  readonly #registry: SocketRegistry;
  readonly #channels = new Map<string, AgentChannel>();
  readonly #parts: ChannelParts;
  readonly #remote: RemoteChannels | undefined;
  readonly #node = randomUUID();
  readonly #broadcast: (news: ChannelNews) => void;
  readonly #stopping = new AbortController();
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor({
    delivery,
    telemetry,
    validator,
    sentWindow,
    authorize,
    offerSecret,
    topic,
    broadcast,
    ...options
  }: ChannelHubOptions) {
    this.#registry = new SocketRegistry({
      authorize,
      maxPerCaller: maxChannelsPerAgent,
      unlimitedMessages: true,
      isCutOff: options.isCutOff,
      times: options.times,
    });
    const lookups = new Semaphore(lookupsAtOnce);
    this.#parts = {
      delivery,
      due: (ap_id, isFresh) => lookups.run(() => delivery.due(ap_id, isFresh), this.#stopping.signal),
      telemetry,
      validator,
      flow: new SharedFlow(options.flowLimits),
      sentWindow,
      authorize,
      offerSecret,
      topic,
      onError: (error, message) => {
        const now = performance.now();
        if (this.#stopping.signal.aborted || now - this.#reportedAtMs < reportEveryMs) return;
        this.#reportedAtMs = now;
        options.onError(error, message);
      },
      onClosed: this.#onClosed,
    };
    this.#broadcast = broadcast ?? (() => {});
    const own = () => this.#channels.keys();
    this.#remote = broadcast && new RemoteChannels({ node: this.#node, broadcast, own });
    delivery.onDue((ap_id, commands) => this.#channels.get(ap_id)?.onDue(commands));
  }

  get openChannels(): number {
    return this.#channels.size;
  }

  /** Channels that were closed because their agents took nothing. */
  get cutOff(): number {
    return this.#registry.cutOff;
  }

  /** Whether the agent's channel is open, here or on another node. */
  isConnected(ap_id: string): boolean {
    return this.isHere(ap_id) || this.#remote?.has(ap_id) === true;
  }

  isReady({ ap_id }: { ap_id: string }): boolean {
    return this.isConnected(ap_id);
  }

  isHere(ap_id: string): boolean {
    return this.#channels.get(ap_id)?.isOpen === true;
  }

  /** Throws TryLaterError if the agent may not have one more channel now. */
  requireCapacity(agent: AgentCaller): void {
    this.#registry.requireCapacity(agent);
  }

  open(upgraded: Upgraded, { agent, shown }: { agent: AgentCaller; shown: Shown }): void {
    const before = this.#channels.get(agent.name);
    const channel = new AgentChannel(this.#registry.add(upgraded, { caller: agent, shown }), agent, this.#parts);
    this.#channels.set(agent.name, channel);
    before?.replace();
    this.#announce(channel);
  }

  /** The settings of the agent may be due. */
  onConfigDue(ap_id: string): void {
    this.#channels.get(ap_id)?.onConfigDue();
  }

  /** Looks for every agent whether something is due. */
  newsLost(): void {
    for (const channel of this.#channels.values()) {
      channel.onDue();
      channel.onConfigDue();
    }
  }

  /** Another node tells of its channels. */
  heard(text: string): void {
    const news = parseChannelNews(text);
    if (!news || news.node === this.#node) return;
    this.#remote?.heard(news);
    for (const ap_id of news.ap_ids) {
      const channel = this.#channels.get(ap_id);
      if (!channel) continue;
      if (news.kind === 'agent_removed') this.#dismissRemoved(channel);
      if (news.kind === 'channel_opened') this.#yield(channel, news.nonce ?? 0);
    }
  }

  /** The agent is no more. */
  removed(ap_id: string): void {
    const channel = this.#channels.get(ap_id);
    if (channel) this.#dismissRemoved(channel);
    this.#broadcast({ kind: 'agent_removed', node: this.#node, ap_ids: [ap_id] });
  }

  /** Closes every channel with 1012; no more can be opened. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#remote?.stop();
    await this.#registry.stop();
  }

  /** Clocks of nodes differ, so age is measured here: what was here for a while is the older one. */
  #yield(channel: AgentChannel, nonce: number): void {
    const isOlder = performance.now() - channel.openedAtMs > sameTimeMs || channel.nonce < nonce;
    if (isOlder) channel.replace();
    else this.#announce(channel);
  }

  #announce({ agent, nonce }: AgentChannel): void {
    this.#broadcast({ kind: 'channel_opened', node: this.#node, ap_ids: [agent.name], nonce });
  }

  #dismissRemoved(channel: AgentChannel): void {
    channel.forceClose(closeCodes.notAuthenticated, 'the agent is gone');
  }

  readonly #onClosed = (channel: AgentChannel): void => {
    const ap_id = channel.agent.name;
    if (this.#channels.get(ap_id) !== channel) return;
    this.#channels.delete(ap_id);
    this.#broadcast({ kind: 'channel_closed', node: this.#node, ap_ids: [ap_id] });
  };
}
