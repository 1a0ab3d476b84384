// Notices that this node is cut off from the database while other nodes are not. Then it closes its sockets and streams,
// which would only be refused everything or hear nothing, so that agents and readers go to another node.
import { PeriodicTask } from './periodic-task.ts';

const everyMs = 2_000;
/** Unreachable for so long; and others count as well if they said so within this time. */
const afterMs = 10_000;
const news = JSON.stringify({ kind: 'database_reached' });

export interface NodeFenceOptions {
  /** Each throws if it is unreachable. */
  reachDatabase: () => Promise<unknown>;
  reachBroker: () => Promise<unknown>;
  /** Reaches the other nodes. */
  broadcast: (news: string) => void;
  onChange: (message: string) => void;
  now?: () => number;
}

export class NodeFence extends PeriodicTask {
  readonly #options: NodeFenceOptions;
  readonly #now: () => number;
  #databaseAtMs: number;
  #brokerAtMs: number;
  #othersAtMs = Number.NEGATIVE_INFINITY;
  #isCutOff = false;

  constructor(options: NodeFenceOptions) {
    const { onChange } = options;
    super({ everyMs, what: 'the look at database and broker', run: () => this.look(), onChange });
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#databaseAtMs = this.#brokerAtMs = this.#now();
  }

  /** If the whole network of this node is gone, it is taken for cut off: others may be fine. */
  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  /** What another node has told. */
  heard(text: string): void {
    if (text === news) this.#othersAtMs = this.#now();
  }

  /** Never throws. */
  async look(): Promise<void> {
    const { reachDatabase, reachBroker, broadcast } = this.#options;
    const [hasDatabase, hasBroker] = await Promise.all([succeeds(reachDatabase), succeeds(reachBroker)]);
    const nowMs = this.#now();
    if (hasDatabase) this.#databaseAtMs = nowMs;
    if (hasBroker) this.#brokerAtMs = nowMs;
    if (hasDatabase) broadcast(news);
    const isFresh = (atMs: number) => nowMs - atMs < afterMs;
    this.#change(!isFresh(this.#databaseAtMs) && (isFresh(this.#othersAtMs) || !isFresh(this.#brokerAtMs)));
  }

  #change(isCutOff: boolean): void {
    if (isCutOff === this.#isCutOff) return;
    this.#isCutOff = isCutOff;
    const { onChange } = this.#options;
    if (isCutOff) onChange('this node is cut off from the database: its clients are sent to other nodes');
    else onChange('this node reaches the database again');
  }
}

async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  return work().then(
    () => true,
    () => false,
  );
}
