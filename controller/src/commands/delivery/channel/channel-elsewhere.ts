// Which agents have their channel on another node, by what those nodes tell: for presence, and so that nobody pushes to an
// agent that is connected. What a node does not repeat is forgotten, and with it a node that has died.

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
  try {
    const news = JSON.parse(text);
    const isOurs = ['channel_opened', 'channel_closed', 'channels_open', 'agent_removed'].includes(news?.kind);
    return isOurs && typeof news.node === 'string' && Array.isArray(news.ap_ids) ? news : undefined;
  } catch {
    return undefined;
  }
}

export class ChannelsElsewhere {
  readonly #tell: (news: ChannelNews) => void;
  readonly #own: () => Iterable<string>;
  readonly #now: () => number;
  readonly #nodes = new Map<string, { node: string; untilMs: number }>();
  readonly #repeating: NodeJS.Timeout;
  readonly #node: string;

  constructor(options: {
    node: string;
    tell: (news: ChannelNews) => void;
    /** The agents whose channel is here. */
    own: () => Iterable<string>;
    now?: () => number;
  }) {
    this.#node = options.node;
    this.#tell = options.tell;
    this.#own = options.own;
    this.#now = options.now ?? (() => performance.now());
    this.#repeating = setInterval(() => this.repeat(), repeatEveryMs).unref();
  }

  has(ap_id: string): boolean {
    const entry = this.#nodes.get(ap_id);
    return entry !== undefined && entry.untilMs > this.#now();
  }

  heard({ kind, node, ap_ids }: ChannelNews): void {
    const untilMs = this.#now() + forgetAfterMs;
    for (const ap_id of ap_ids) {
      if (kind === 'channel_closed') {
        if (this.#nodes.get(ap_id)?.node === node) this.#nodes.delete(ap_id);
      } else if (kind === 'agent_removed') {
        this.#nodes.delete(ap_id);
      } else {
        this.#nodes.delete(ap_id);
        this.#nodes.set(ap_id, { node, untilMs });
      }
    }
    for (const [ap_id, entry] of this.#nodes) {
      if (this.#nodes.size <= maxEntries && entry.untilMs > this.#now()) break;
      this.#nodes.delete(ap_id);
    }
  }

  /** Publishes which channels are open here. */
  repeat(): void {
    const ap_ids = [...this.#own()];
    for (let start = 0; start < ap_ids.length; start += namesPerNews) {
      const part = ap_ids.slice(start, start + namesPerNews);
      this.#tell({ kind: 'channels_open', node: this.#node, ap_ids: part });
    }
  }

  stop(): void {
    clearInterval(this.#repeating);
  }
}
