// Notices that this node is cut off from the database while other nodes are not. Then it closes its sockets and streams,
// which would only be refused everything or hear nothing, so that agents and readers go to another node.
import { PeriodicTask } from './periodic-task.ts';

const everyMs = 2_000;
/** Unreachable for so long; and others reach it if they said so within this time. */
const afterMs = 10_000;
/** Others reached it so much later than this node did: when it is lost to all, some just were the last. */
const laterMs = 6_000;
/** Without a word from database, broker or another node for so long, a node is alone. */
const aloneMs = 30_000;
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

  /** While the database is away for all, nobody is: their sockets would find nothing better elsewhere. */
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
    const reachedMs = this.#databaseAtMs;
    const doOthersReach = nowMs - this.#othersAtMs < afterMs && this.#othersAtMs - reachedMs >= laterMs;
    const isAlone = nowMs - Math.max(reachedMs, this.#brokerAtMs, this.#othersAtMs) >= aloneMs;
    this.#change(nowMs - reachedMs >= afterMs && (doOthersReach || isAlone));
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
