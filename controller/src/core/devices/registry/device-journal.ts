// Makes what happened to devices durable: all that waits goes into one transaction, with its events, while the next ones gather.
// What could not be written stays and is tried again with whatever comes next.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventLog } from '../../accounts/event-log/event-log.ts';
import { endedAmong } from '../../base/storage/ended-agents.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import type { DeviceLinkRecord, DeviceStore } from '../store/device-store.ts';
import { type DeviceChange, groupOf, toEvents } from './device-changes.ts';

/** Larger transactions would keep the thread and the event log to themselves. */
const maxPerTransaction = 50;

export interface DeviceJournalOptions {
  database: Pick<SqlDatabase, 'transaction' | 'dialect'>;
  store: Pick<DeviceStore, 'write'>;
  eventLog: Pick<EventLog, 'append'>;
  /** Called for an access point whose network has ended: what began there since is not written. Must not throw. */
  onEnded?: (ap_id: string) => void;
  /** Called with what is durable; must not throw. */
  onWritten?: (changes: readonly DeviceChange[]) => void;
}

export class DeviceJournal {
  readonly #options: DeviceJournalOptions;
  #pending: DeviceChange[] = [];
  #added = 0;
  #written = 0;
  #waiters: { number: number; resolve: () => void; reject: (error: unknown) => void }[] = [];
  #isRunning = false;

  constructor(options: DeviceJournalOptions) {
    this.#options = options;
  }

  /** How many changes wait. */
  get waiting(): number {
    return this.#pending.length;
  }

  /** Returns the number of the last change. They wait until somebody waits for them. */
  add(changes: readonly DeviceChange[]): number {
    for (const change of changes) this.#pending.push(change);
    this.#added += changes.length;
    return this.#added;
  }

  isWritten(number: number): boolean {
    return number <= this.#written;
  }

  /** Resolves once the change of this number and all before it are durable; rejects if they could not be written. */
  written(number: number): Promise<void> {
    if (this.isWritten(number)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ number, resolve, reject });
      if (this.#isRunning) return;
      this.#isRunning = true;
      // After this turn: what else came in with it belongs to the same transaction.
      setImmediate(() => void this.#run());
    });
  }

  /** The same for everything that was added until now. */
  settled(): Promise<void> {
    return this.written(this.#added);
  }

  async #run(): Promise<void> {
    try {
      while (this.#waiters.length > 0) {
        await this.#writeSome();
        // An embedded database works on this thread: others have a turn between two parts.
        await nextTurn();
      }
    } catch (error) {
      const failed = this.#waiters;
      this.#waiters = [];
      for (const { reject } of failed) reject(error);
    } finally {
      this.#isRunning = false;
    }
  }

  /** What becomes one event is not taken apart. */
  #endOfPart(): number {
    const end = Math.min(maxPerTransaction, this.#pending.length);
    const group = end === 0 ? undefined : groupOf(this.#pending[end - 1]!);
    let after = end;
    while (group !== undefined && after < this.#pending.length && groupOf(this.#pending[after]!) === group) after++;
    return after;
  }

  async #writeSome(): Promise<void> {
    const { database, store, eventLog, onEnded, onWritten } = this.#options;
    const taken = this.#pending.slice(0, this.#endOfPart());
    let changes: readonly DeviceChange[] = taken;
    let ended: ReadonlySet<string> = new Set();
    await database.transaction(async (tx) => {
      const begun = taken.filter(({ link }) => link.left_at === null);
      ended = await endedAmong(
        tx,
        begun.map(({ link }) => link.ap_id),
        database.dialect,
      );
      changes = taken.filter(({ link }) => link.left_at !== null || !ended.has(link.ap_id));
      // Of several changes of one link the last one is what is true.
      const links = new Map<string, DeviceLinkRecord>();
      const repeated = new Set<string>();
      for (const { link } of changes) {
        const key = keyOf(link);
        if (links.has(key)) repeated.add(key);
        links.set(key, link);
      }
      // What another node has told already is not told again.
      const known = new Set((await store.write(tx, [...links.values()])).map(keyOf));
      const news = changes.filter(({ link }) => !known.has(keyOf(link)) || repeated.has(keyOf(link)));
      await eventLog.append(tx, toEvents(news));
    });
    this.#pending.splice(0, taken.length);
    this.#written += taken.length;
    const done = this.#waiters.filter(({ number }) => number <= this.#written);
    this.#waiters = this.#waiters.filter(({ number }) => number > this.#written);
    onWritten?.(changes);
    for (const ap_id of ended) onEnded?.(ap_id);
    for (const { resolve } of done) resolve();
  }
}

function keyOf({ device, ap_id }: DeviceLinkRecord): string {
  return `${device} ${ap_id}`;
}
