// Tells when a store of this node becomes unreachable and comes back, and when the disk runs low: as events. While the database
// is away nothing can be logged, so what happened meanwhile is logged once it is back.
import { TryLaterError } from '../../base/errors.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import type { EventLog } from './event-log.ts';
import type { NewEvent } from './event-record.ts';

const everyMs = 5_000;
/** One failure may be a restart of a server; two in a row are an outage. */
const failuresOfAnOutage = 2;
const maxUnlogged = 100;

export interface StorageWatchOptions {
  database: Pick<SqlDatabase, 'transaction'>;
  eventLog: Pick<EventLog, 'append'>;
  /** The name of this node. */
  node: string;
  isDiskLow: () => boolean;
  /** By name: throws while it is unreachable. */
  stores: Record<string, () => Promise<void>>;
  onError: (error: unknown, message: string) => void;
  now?: () => number;
}

export class StorageWatch extends PeriodicTask {
  readonly #options: StorageWatchOptions;
  readonly #now: () => number;
  readonly #failures = new Map<string, number>();
  #wasDiskLow = false;
  readonly #unlogged: NewEvent[] = [];

  constructor(options: StorageWatchOptions) {
    const onError = (error: unknown, message: string) => {
      if (!(error instanceof TryLaterError)) options.onError(error, message);
    };
    super({ everyMs, what: 'the look at the stores', run: () => this.#look(), onError });
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async #look(): Promise<void> {
    const { stores, isDiskLow } = this.#options;
    await Promise.all(Object.entries(stores).map(([name, check]) => this.#lookAt(name, check)));
    const isLow = isDiskLow();
    if (isLow !== this.#wasDiskLow) {
      this.#wasDiskLow = isLow;
      const text = isLow
        ? 'The disk of the data folder is almost full'
        : 'The disk of the data folder has enough space again';
      this.#note(isLow ? 'storage.disk_low' : 'storage.disk_recovered', 'disk', isLow ? 'major' : 'info', text);
    }
    await this.#log();
  }

  async #lookAt(name: string, check: () => Promise<void>): Promise<void> {
    const before = this.#failures.get(name) ?? 0;
    try {
      await check();
      this.#failures.set(name, 0);
      if (before >= failuresOfAnOutage) this.#note('storage.recovered', name, 'info', `The ${name} store is back`);
    } catch {
      this.#failures.set(name, before + 1);
      if (before + 1 === failuresOfAnOutage)
        this.#note('storage.unreachable', name, 'major', `The ${name} store is unreachable`);
    }
  }

  #note(kind: string, store: string, severity: NewEvent['severity'], text: string): void {
    const { node } = this.#options;
    this.#unlogged.push({
      kind,
      subject_kind: 'storage',
      subject: `${node}/${store}`,
      severity,
      text: `${text} (${node})`,
      data: { store, node },
      ts: this.#now(),
    });
    if (this.#unlogged.length > maxUnlogged) this.#unlogged.shift();
  }

  async #log(): Promise<void> {
    const events = [...this.#unlogged];
    if (events.length === 0) return;
    const { database, eventLog } = this.#options;
    await database.transaction((tx) => eventLog.append(tx, events));
    this.#unlogged.splice(0, events.length);
  }
}
