// Notices that this node does worse than others: it is cut off from the database while they are not, or its clock is wrong. Then it
// closes its sockets and streams and refuses requests, so that agents and readers go to another node.
import { randomUUID } from 'node:crypto';
import { BoundedMap } from '@weft/contract/bounded-map';
import { PeriodicTask } from './periodic-task.ts';

const everyMs = 2_000;
/** Unreachable for so long; and others reach it if they said so within this time. */
const afterMs = 10_000;
/** Others reached it so much later than this node did: when it is lost to all, some just were the last. */
const laterMs = 6_000;
/** Without a word from database, broker or another node for so long, a node is alone. */
const aloneMs = 30_000;
/** A clock that differs from the database's by more is told; by more than `wrongMs`, and from most nodes, it is wrong. */
const differsMs = 2_000;
const wrongMs = 10_000;
/** An answer that took longer says nothing about clocks. */
const quickMs = 1_000;
const maxNodes = 1_000;
const kind = 'database_reached';

/** Why clients are better served elsewhere. */
export type FenceReason = 'cut_off' | 'clock_wrong';

export interface NodeFenceOptions {
  /** The time of the database in milliseconds. Throws if it is unreachable. */
  reachDatabase: () => Promise<number>;
  /** Throws if it is unreachable. */
  reachBroker: () => Promise<unknown>;
  /** Reaches the other nodes. */
  broadcast: (news: string) => void;
  onChange: (message: string) => void;
  now?: () => number;
  wallClock?: () => number;
}

export class NodeFence extends PeriodicTask {
  readonly #options: NodeFenceOptions;
  readonly #now: () => number;
  readonly #wallClock: () => number;
  readonly #node = randomUUID();
  /** By how much the database's clock is ahead of that of each other node. */
  readonly #others = new BoundedMap<string, { aheadMs: number; atMs: number }>(maxNodes);
  #databaseAtMs: number;
  #brokerAtMs: number;
  #othersAtMs = Number.NEGATIVE_INFINITY;
  /** By how much the database's clock is ahead of this node's, when it was read last. */
  #aheadMs = 0;
  /** The database's time, and when that was by the clock that never jumps. */
  #heard: { time: number; atMs: number } | undefined;
  #doesDiffer = false;
  #reason: FenceReason | undefined;

  constructor(options: NodeFenceOptions) {
    const { onChange } = options;
    super({ everyMs, what: 'the look at database and broker', run: () => this.look(), onChange });
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#wallClock = options.wallClock ?? Date.now;
    this.#databaseAtMs = this.#brokerAtMs = this.#now();
  }

  /** While the database is away for all, or all clocks differ from its, there is none: nobody would find anything better elsewhere. */
  get reason(): FenceReason | undefined {
    return this.#reason;
  }

  /** What time it is by the database's clock. A clock of this node that jumps changes nothing until the next look either. */
  get databaseNow(): number {
    return this.#heard ? Math.round(this.#heard.time + this.#now() - this.#heard.atMs) : this.#wallClock();
  }

  /** What another node has told. */
  heard(text: string): void {
    if (!text.startsWith(`{"kind":"${kind}"`)) return;
    const { node, ahead_ms } = JSON.parse(text) as { node?: unknown; ahead_ms?: unknown };
    this.#othersAtMs = this.#now();
    // Those of the version before tell nothing of their clocks.
    if (typeof node !== 'string' || typeof ahead_ms !== 'number') return;
    this.#others.set(node, { aheadMs: ahead_ms, atMs: this.#othersAtMs });
  }

  /** Never throws. */
  async look(): Promise<void> {
    const { reachBroker, broadcast } = this.#options;
    const [hasDatabase, hasBroker] = await Promise.all([succeeds(() => this.#readClock()), succeeds(reachBroker)]);
    const nowMs = this.#now();
    if (hasDatabase) this.#databaseAtMs = nowMs;
    if (hasBroker) this.#brokerAtMs = nowMs;
    if (hasDatabase) broadcast(JSON.stringify({ kind, node: this.#node, ahead_ms: this.#aheadMs }));
    const reachedMs = this.#databaseAtMs;
    const doOthersReach = nowMs - this.#othersAtMs < afterMs && this.#othersAtMs - reachedMs >= laterMs;
    const isAlone = nowMs - Math.max(reachedMs, this.#brokerAtMs, this.#othersAtMs) >= aloneMs;
    const isCutOff = nowMs - reachedMs >= afterMs && (doOthersReach || isAlone);
    this.#tellDifference();
    this.#change(isCutOff ? 'cut_off' : this.#isClockWrong(nowMs) ? 'clock_wrong' : undefined);
  }

  async #readClock(): Promise<void> {
    const startedMs = this.#now();
    const time = await this.#options.reachDatabase();
    const tookMs = this.#now() - startedMs;
    if (tookMs >= quickMs && this.#heard) return;
    const atMs = startedMs + tookMs / 2;
    this.#aheadMs = Math.round(time - (this.#wallClock() - tookMs / 2));
    // What its delay explains is no difference: else the clocks of two nodes would be apart by as much as one of them had to wait.
    const expected = this.#heard && this.#heard.time + atMs - this.#heard.atMs;
    if (expected === undefined || Math.abs(time - expected) > tookMs / 2) this.#heard = { time, atMs };
  }

  #isClockWrong(nowMs: number): boolean {
    if (Math.abs(this.#aheadMs) <= wrongMs) return false;
    const fresh = Array.from(this.#others, ([, other]) => other).filter(({ atMs }) => nowMs - atMs < afterMs);
    const differing = fresh.filter(({ aheadMs }) => Math.abs(aheadMs - this.#aheadMs) > wrongMs);
    return differing.length > fresh.length / 2;
  }

  #tellDifference(): void {
    const doesDiffer = Math.abs(this.#aheadMs) > differsMs;
    if (doesDiffer === this.#doesDiffer) return;
    this.#doesDiffer = doesDiffer;
    const { onChange } = this.#options;
    if (doesDiffer) onChange(`the clock of this node differs from the database's by ${-this.#aheadMs / 1000} s`);
    else onChange('the clock of this node agrees with that of the database again');
  }

  #change(reason: FenceReason | undefined): void {
    if (reason === this.#reason) return;
    this.#reason = reason;
    const { onChange } = this.#options;
    if (reason === 'cut_off') onChange('this node is cut off from the database: its clients are sent to other nodes');
    else if (reason === 'clock_wrong') onChange('the clock of this node is wrong: its clients are sent to other nodes');
    else onChange('this node serves again');
  }
}

async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  return work().then(
    () => true,
    () => false,
  );
}
