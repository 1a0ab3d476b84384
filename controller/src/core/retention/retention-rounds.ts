// Keeps the clock of the retention, and removes what is due once a minute. One node does it for all, the one with the lease; its
// clock is compared with what the database knows, with the steady one, and with the samples of access points.
import { uptime } from 'node:os';
import type { EventLog } from '../accounts/event-log/event-log.ts';
import type { NewEvent } from '../accounts/event-log/event-record.ts';
import { PeriodicTask } from '../base/periodic-task.ts';
import type { NodeLease } from '../base/storage/node-lease.ts';
import type { SqlDatabase, SqlQueries } from '../base/storage/sql-database.ts';
import { SqlStore } from '../base/storage/sql-store.ts';
import type { Sample } from '../telemetry/store/telemetry-store.ts';
import type { Retention } from './retention.ts';
import { type ClockState, firstState } from './retention-clock.ts';

const tickMs = 1_000;
const roundMs = 60_000;
/** How far the newest sample of an access point may be from the clock of Weft for the two to agree. */
const agreeMs = 5 * 60_000;

export interface RetentionRoundsOptions {
  database: SqlDatabase;
  node: string;
  store: ClockStore;
  eventLog: Pick<EventLog, 'append'>;
  retention: Retention;
  lease: Pick<NodeLease, 'isHeld'>;
  onChange: (message: string, error?: unknown) => void;
}

export class RetentionRounds extends PeriodicTask {
  readonly #options: RetentionRoundsOptions;
  readonly #store: ClockStore;
  readonly #ticks = new PeriodicTask({ everyMs: tickMs, what: 'the look at the clock', run: () => this.#tick() });
  /** By how much the newest samples of access points differ from the clock, since it jumped. */
  readonly #differences = new Map<string, number>();
  #isKeeper = false;
  #word = 0;
  #newestMs = 0;
  #unlogged: NewEvent[] = [];
  completed = 0;

  constructor(options: RetentionRoundsOptions) {
    const { onChange } = options;
    super({ everyMs: roundMs, jitter: 0.1, what: 'the removal of what is old', run: () => this.#run(), onChange });
    this.#options = options;
    this.#store = options.store;
  }

  /** Before anything is written: what is newest then was there before. */
  async prepare(): Promise<void> {
    this.#newestMs = await this.#store.newestMs();
  }

  override start(): void {
    super.start();
    this.#ticks.start();
    this.soon();
  }

  override async stop(): Promise<void> {
    await Promise.all([super.stop(), this.#ticks.stop()]);
    if (!this.#isKeeper) return;
    this.#tick();
    // Without it the time since the last round counts as a stop.
    await this.#save().catch(() => {});
  }

  /** Runs for every report. */
  recorded(ap_id: string, samples: readonly Sample[], receivedMs: number): void {
    if (!this.#isKeeper || !this.#options.retention.clock.isPaused) return;
    const newest = samples.at(-1);
    if (newest === undefined) return;
    const difference = Math.abs(receivedMs - newest.ts);
    this.#differences.set(ap_id, Math.min(difference, this.#differences.get(ap_id) ?? Number.POSITIVE_INFINITY));
  }

  /** The word of an operator that the clock is right; `also` is part of the transaction. The node that keeps the clock follows it within a minute. */
  async accept(also: (tx: SqlQueries) => Promise<void>): Promise<void> {
    await this.#options.database.transaction(async (tx) => {
      await this.#store.say(tx);
      await also(tx);
    });
    await this.once();
  }

  async #run(): Promise<void> {
    const { retention, lease } = this.#options;
    if (lease.isHeld) await this.#keep();
    else await this.#follow();
    await retention.remove(this.#isKeeper, this.stopping);
    this.completed++;
  }

  async #follow(): Promise<void> {
    this.#isKeeper = false;
    this.#options.retention.clock.follow((await this.#store.read())?.state);
  }

  async #keep(): Promise<void> {
    const { clock } = this.#options.retention;
    if (this.#isKeeper) this.#tick();
    else {
      const { state, word } = (await this.#store.read()) ?? {
        state: firstState(this.#newestMs || Date.now()),
        word: 0,
      };
      this.#jumped(clock.begin(state, Date.now(), steadyNow()), 'while it was not running');
      this.#isKeeper = true;
      this.#word = word;
    }
    if (this.#areAgreed() && clock.settle()) {
      this.#note('clock.steady', 'info', 'The clock has been steady for an hour: what is old is removed again');
    }
    await this.#save();
  }

  #tick(): void {
    if (!this.#isKeeper) return;
    this.#jumped(this.#options.retention.clock.tick(Date.now(), steadyNow()), 'while it was running');
  }

  #jumped(byMs: number | undefined, when: string): void {
    if (byMs === undefined) return;
    this.#differences.clear();
    const seconds = Math.round(byMs / 1000);
    const direction = seconds > 0 ? 'ahead' : 'back';
    const text = `The clock went ${direction} by ${duration(Math.abs(seconds))} ${when}: nothing is removed until it has been steady for an hour`;
    this.#note('clock.jumped', 'major', text, { seconds });
    this.soon();
  }

  /** Whether most access points that have reported since the jump have the same time. */
  #areAgreed(): boolean {
    const differences = [...this.#differences.values()];
    return differences.filter((each) => each <= agreeMs).length * 2 >= differences.length;
  }

  #note(kind: string, severity: NewEvent['severity'], text: string, data: Record<string, unknown> = {}): void {
    const { node, onChange } = this.#options;
    onChange(text);
    this.#unlogged.push({ kind, subject_kind: 'node', subject: node, severity, text: `${text} (${node})`, data });
  }

  /** What an operator has said since comes first: it is about the clock as it is now. */
  async #save(): Promise<void> {
    const { database, eventLog, retention } = this.#options;
    const events = this.#unlogged;
    this.#unlogged = [];
    try {
      await database.transaction(async (tx) => {
        const word = await this.#store.word(tx);
        if (word !== this.#word) retention.clock.accept();
        this.#word = word;
        await this.#store.write(tx, retention.clock.state!);
        await eventLog.append(tx, events);
      });
    } catch (error) {
      this.#unlogged.unshift(...events);
      throw error;
    }
  }
}

function duration(seconds: number): string {
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} hours` : `${Math.round(seconds / 86_400)} days`;
}

export class ClockStore extends SqlStore {
  async read(): Promise<{ state: ClockState; word: number } | undefined> {
    const [row] = await this.db.query<{ state: string; word: number }>('SELECT state, word FROM retention_clock');
    return row && row.state !== '' ? { state: JSON.parse(row.state) as ClockState, word: row.word } : undefined;
  }

  async write(tx: SqlQueries, state: ClockState): Promise<void> {
    const sql = `INSERT INTO retention_clock (id, state, word) VALUES (1, ?, 0)
      ON CONFLICT (id) DO UPDATE SET state = excluded.state`;
    await tx.query(sql, [JSON.stringify(state)]);
  }

  /** How often an operator has said that the clock is right. */
  async word(tx: SqlQueries): Promise<number> {
    return (await tx.query<{ word: number }>('SELECT word FROM retention_clock'))[0]?.word ?? 0;
  }

  async say(tx: SqlQueries): Promise<void> {
    const sql = `INSERT INTO retention_clock (id, state, word) VALUES (1, '', 1)
      ON CONFLICT (id) DO UPDATE SET word = retention_clock.word + 1`;
    await tx.query(sql);
  }

  /** Of the newest event, 0 if there was none: databases from before the clock was kept have that. */
  async newestMs(): Promise<number> {
    return (await this.db.query<{ ts: number }>('SELECT ts FROM event_head WHERE id = 1'))[0]?.ts ?? 0;
  }
}

/** Goes on while the machine sleeps. */
function steadyNow(): number {
  return uptime() * 1000;
}
