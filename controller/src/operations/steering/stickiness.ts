// Remembers devices that would not be moved: those that refused, and those that went back within five minutes. What is watched is
// stored with the end of the command, so that a restart forgets nothing and every node knows.

import type { SqlDatabase, SqlQueries } from '../../core/base/storage/sql-database.ts';
import type { SteeredDevice } from '../../core/commands/ledger/ledger-batch.ts';
import type { DeviceChange } from '../../core/devices/registry/device-changes.ts';
import type { StickyDevice } from '../../core/devices/store/device-extras-store.ts';
import type { SteeredRecord, SteeredStore } from '../../core/devices/store/steered-store.ts';

const backWithinMs = 5 * 60_000;
/** How long it is shown. */
const rememberedMs = 60 * 60_000;
/**
 * A move that this node has not seen itself is judged later without a report: the join that was its evidence may reach the
 * database after the end of the command, or be reported again after a restart.
 */
const patienceMs = 20_000;

export interface StickinessOptions {
  database: Pick<SqlDatabase, 'transaction'>;
  store: SteeredStore;
  isAttached: (ap_id: string, device: string) => boolean;
  /** In the transaction of the caller. */
  putSticky: (tx: SqlQueries, sticky: StickyDevice) => Promise<void>;
  /** What was put is durable now. */
  refreshSticky: () => Promise<void>;
  onError: (error: unknown, message: string) => void;
  now?: () => number;
}

export class Stickiness {
  readonly #options: StickinessOptions;
  readonly #now: () => number;
  /** The last moves by device, and when this node learned of them. */
  #moved = new Map<string, SteeredRecord & { knownMs: number }>();
  readonly #underWay = new Set<string>();

  constructor(options: StickinessOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Part of the transaction in which the commands end. */
  async ending(tx: SqlQueries, steered: readonly SteeredDevice[]): Promise<void> {
    const named = steered.filter(({ device }) => device !== '');
    const until = this.#now() + backWithinMs;
    const moved = named.filter(({ outcome }) => outcome === 'moved');
    await this.#options.store.put(
      tx,
      moved.map(({ device, ap_id, target }) => ({ device, ap_id, target, until })),
    );
    for (const { device, target, outcome } of named) {
      if (outcome === 'refused') await this.#putSticky(tx, device, 'refused', target);
    }
  }

  /** They have ended. Never throws. */
  async ended(steered: readonly SteeredDevice[]): Promise<void> {
    const outcomes = new Set(steered.map(({ outcome }) => outcome));
    try {
      if (outcomes.has('refused')) await this.#options.refreshSticky();
      if (!outcomes.has('moved')) return;
      await this.refresh();
      // It may have come back before this node knew that it is to watch for that.
      for (const { device } of steered) this.#judge(device);
    } catch (error) {
      this.#options.onError(error, 'devices that were moved could not be read; trying again');
    }
  }

  /** Devices joined or left access points. Must be quick where nothing was moved. */
  changed(changes: readonly DeviceChange[]): void {
    if (this.#moved.size === 0) return;
    for (const { link } of changes) this.#judge(link.device);
  }

  /** Reads what all nodes have stored. */
  async refresh(): Promise<void> {
    const now = this.#now();
    const before = this.#moved;
    const records = await this.#options.store.list(now);
    this.#moved = new Map(
      records.map((record) => {
        const known = before.get(record.device);
        return [record.device, { ...record, knownMs: known?.until === record.until ? known.knownMs : now }];
      }),
    );
  }

  /** Looks at all that is watched, for what came back while nobody looked. */
  check(): void {
    const now = this.#now();
    for (const [device, { knownMs, until }] of this.#moved) {
      if (until <= now) this.#moved.delete(device);
      else if (knownMs <= now - patienceMs) this.#judge(device);
    }
  }

  #judge(device: string): void {
    const steered = this.#moved.get(device);
    if (!steered || this.#underWay.has(device) || steered.until <= this.#now()) return;
    const { ap_id, target } = steered;
    const isBack = this.#options.isAttached(ap_id, device) && !this.#options.isAttached(target, device);
    if (!isBack) return;
    this.#underWay.add(device);
    this.#wentBack(steered)
      .catch((error) => this.#options.onError(error, 'a device that went back could not be remembered; trying again'))
      .finally(() => this.#underWay.delete(device));
  }

  async #wentBack(steered: SteeredRecord): Promise<void> {
    const { database, store, refreshSticky } = this.#options;
    const { device, target } = steered;
    await database.transaction(async (tx) => {
      if (await store.remove(tx, steered)) await this.#putSticky(tx, device, 'moved_back', target);
    });
    if (this.#moved.get(device)?.until === steered.until) this.#moved.delete(device);
    await refreshSticky();
  }

  #putSticky(tx: SqlQueries, device: string, reason: StickyDevice['reason'], target: string): Promise<void> {
    return this.#options.putSticky(tx, { device, reason, target, until: this.#now() + rememberedMs });
  }
}
