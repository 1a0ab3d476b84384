// Which agents have their channel on another node, by what those nodes tell: for presence, and so that nobody pushes to an
// agent that is connected. What a node does not repeat is forgotten, and with it a node that has died.
import { BoundedMap } from '@weft/contract/bounded-map';
import { parseObject } from '@weft/contract/is-object';
import { PeriodicTask } from '../../../base/periodic-task.ts';

const repeatEveryMs = 20_000;
const forgetAfterMs = 65_000;
const maxEntries = 200_000;
const namesPerNews = 100;

/** What nodes publish to each other about channels. */
export interface ChannelNews {
  kind: 'channel_opened' | 'channel_closed' | 'channels_open' | 'agent_removed';
  node: string;
  ap_ids: string[];
  /** Decides between two channels that were opened at the same time. */
  nonce?: number;
}

/** The news behind a text, if it is about channels. */
export function parseChannelNews(text: string): ChannelNews | undefined {
  const news = parseObject(text) as ChannelNews | undefined;
  const isOurs = ['channel_opened', 'channel_closed', 'channels_open', 'agent_removed'].includes(news?.kind ?? '');
  return isOurs && typeof news?.node === 'string' && Array.isArray(news.ap_ids) ? news : undefined;
}

export class RemoteChannels {
  readonly #broadcast: (news: ChannelNews) => void;
  readonly #own: () => Iterable<string>;
  /** The node of each agent. */
  readonly #nodes: BoundedMap<string, string>;
  readonly #repeating = new PeriodicTask({
    everyMs: repeatEveryMs,
    jitter: 0.1,
    what: 'the repetition of open channels',
    run: () => this.repeat(),
  });
  readonly #node: string;

  constructor(options: {
    node: string;
    broadcast: (news: ChannelNews) => void;
    /** The agents whose channel is here. */
    own: () => Iterable<string>;
  }) {
    this.#node = options.node;
    this.#broadcast = options.broadcast;
    this.#own = options.own;
    this.#nodes = new BoundedMap(maxEntries, { ttlMs: forgetAfterMs });
    this.#repeating.start();
  }

  has(ap_id: string): boolean {
    return this.#nodes.has(ap_id);
  }

  heard({ kind, node, ap_ids }: ChannelNews): void {
    for (const ap_id of ap_ids) {
      if (kind === 'agent_removed') this.#nodes.delete(ap_id);
      else if (kind !== 'channel_closed') this.#nodes.set(ap_id, node);
      else if (this.#nodes.get(ap_id) === node) this.#nodes.delete(ap_id);
    }
  }

  /** Publishes which channels are open here. */
  repeat(): void {
    const ap_ids = [...this.#own()];
    for (let start = 0; start < ap_ids.length; start += namesPerNews) {
      const part = ap_ids.slice(start, start + namesPerNews);
      this.#broadcast({ kind: 'channels_open', node: this.#node, ap_ids: part });
    }
  }

  stop(): Promise<void> {
    return this.#repeating.stop();
  }
}
