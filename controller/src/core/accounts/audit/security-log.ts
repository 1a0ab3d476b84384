// Security events in the audit log: logins and refusals, which an attacker can cause as often as he likes. Equal ones are
// summed up, so that the log grows by a bounded number of entries in each period; what is not written yet is lost with
// the process.
import type { Actor } from '../../base/caller.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import { addressKey } from '../../base/shares/rate-limiter.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import type { Logger } from '../../http/request/log.ts';
import type { NewAuditEntry } from './audit-entry.ts';
import type { AuditLog } from './audit-store.ts';

/** Entries of one period: for one address, and for all. What is above is summed up as `other_events`. */
const maxPerAddress = 50;
const maxEntries = 1000;

export interface SecurityEvent {
  actor: Actor;
  action: 'login' | 'login_refused' | 'token_renewed' | 'key_shown' | 'request_refused';
  target: { kind: string; name: string };
  address: string;
}

interface Summed extends Omit<SecurityEvent, 'action'> {
  action: string;
  count: number;
  firstMs: number;
  lastMs: number;
}

export interface SecurityLogOptions {
  database: SqlDatabase;
  auditLog: AuditLog;
  periodMs: number;
  log: Logger;
  onError: (error: unknown, message: string) => void;
}

export class SecurityLog extends PeriodicTask {
  readonly #options: SecurityLogOptions;
  #events = new Map<string, Summed>();
  #perAddress = new Map<string, number>();

  constructor(options: SecurityLogOptions) {
    const { periodMs: everyMs, onError } = options;
    super({ everyMs, what: 'the writing of security events', run: () => this.#write(), onError });
    this.#options = options;
  }

  /** Writes the rest. */
  override async stop(): Promise<void> {
    await super.stop();
    await this.once();
  }

  note(event: SecurityEvent): void {
    const from = addressKey(event.address);
    if (this.#add(event, from)) return;
    const others = { ...event, action: 'other_events', target: { kind: 'address', name: from } };
    // Beyond the bound of all addresses even those are one.
    if (!this.#add(others, from, 1))
      this.#add({ ...others, target: { kind: 'address', name: 'others' } }, from, maxEntries);
  }

  /** What cannot be written is tried again. */
  async #write(): Promise<void> {
    const events = [...this.#events.values()];
    if (events.length === 0) return;
    this.#events = new Map();
    this.#perAddress = new Map();
    const { database, auditLog, log } = this.#options;
    try {
      await database.transaction((tx) => auditLog.append(tx, events.map(toEntry)));
    } catch (error) {
      for (const event of events) this.#events.set(keyOf(event), sum(event, this.#events.get(keyOf(event))));
      throw error;
    }
    for (const { action, actor, target, address, count } of events) {
      log.info(
        { action, actor: `${actor.kind}:${actor.name}`, target: `${target.kind}:${target.name}`, address, count },
        'security event',
      );
    }
  }

  /** False if there is no room for one of its kind. `spare`: how much more room it may take. */
  #add(event: Omit<Summed, 'count' | 'firstMs' | 'lastMs'>, from: string, spare = 0): boolean {
    const key = keyOf(event);
    const known = this.#events.get(key);
    if (known) {
      known.count += 1;
      known.lastMs = Date.now();
      return true;
    }
    const ofAddress = this.#perAddress.get(from) ?? 0;
    if (ofAddress >= maxPerAddress + spare || this.#events.size >= maxEntries + spare) return false;
    this.#perAddress.set(from, ofAddress + 1);
    const now = Date.now();
    this.#events.set(key, { ...event, count: 1, firstMs: now, lastMs: now });
    return true;
  }
}

function keyOf({ action, actor, target, address }: Omit<Summed, 'count' | 'firstMs' | 'lastMs'>): string {
  const from = action === 'other_events' ? '' : addressKey(address);
  return JSON.stringify([action, actor.kind, actor.name, target.kind, target.name, from]);
}

function sum(event: Summed, newer: Summed | undefined): Summed {
  return newer ? { ...event, count: event.count + newer.count, lastMs: newer.lastMs } : event;
}

/** The time of an entry is that of writing it: when the events were, the detail says. */
function toEntry({ actor, action, target, address, count, firstMs, lastMs }: Summed): NewAuditEntry {
  const [since, until] = [firstMs, lastMs].map((ms) => new Date(ms).toISOString());
  const detail = { address, count, since, until };
  return { actor, action, target, detail };
}
