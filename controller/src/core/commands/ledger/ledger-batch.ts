// One transaction of the ledger: what its operations read, loaded in few statements before they begin, and what they
// change, kept here and written at the end. Operations run one after the other and see each other's changes.
import type { ConflictRules } from '@weft/contract';
import type { NewAuditEntry } from '../../accounts/audit/audit-entry.ts';
import { type Caller, type CredentialRef, callerKey, refOf } from '../../base/caller.ts';
import { NotFoundError } from '../../base/errors.ts';
import type { SqlQueries } from '../../base/storage/sql-database.ts';
import type { NewMessage } from '../../jobs/mailbox/mailbox-store.ts';
import type { NewJob } from '../../jobs/store/job-record.ts';
import type { Intent, Lease } from '../arbitration/conflict-intent.ts';
import { LeaseTable } from '../arbitration/lease-table.ts';
import { type SteeringOutcome, subjectOf } from '../grammar/device-commands.ts';
import type { CommandRecord, Found, ReadSetFields, StateRecord } from './command-record.ts';
import type { CommandStore } from './command-store.ts';
import { boundStates } from './lease-rows.ts';
import type { PresentRights } from './present-rights.ts';

/** What an operation will read; what it does not name here is not loaded. */
export class ReadSet implements ReadSetFields {
  readonly commands = new Set<string>();
  readonly leases: [string, string][] = [];
  readonly near = new Map<string, Set<string>>();
  readonly states: [string, string][] = [];
  readonly keys: [string, string][] = [];
  readonly owners = new Set<string>();
  readonly #callers = new Map<string, CredentialRef>();
  readonly runs = new Set<string>();
  /** Commands of which also the parameter's state counts. */
  readonly statesOf = new Set<string>();
  readonly #leased = new Set<string>();

  /** Of whom the open commands are counted, and the present rights are read. */
  owner(ref: CredentialRef): void {
    this.owners.add(ref.id);
    this.#callers.set(callerKey(ref), ref);
  }

  get callers(): CredentialRef[] {
    return [...this.#callers.values()];
  }

  leasesOn(ap_id: string, parameters: readonly string[]): void {
    for (const parameter of parameters) {
      const key = keyOf(ap_id, parameter);
      if (this.#leased.has(key)) continue;
      this.#leased.add(key);
      this.leases.push([ap_id, parameter]);
    }
  }

  nearby(group: string, ap_ids: readonly string[]): void {
    const known = this.near.get(group) ?? new Set();
    for (const ap_id of ap_ids) known.add(ap_id);
    this.near.set(group, known);
  }
}

/** How an attempt to move a device has ended. */
export interface SteeredDevice {
  device: string;
  /** The access point that got the command. */
  ap_id: string;
  target: string;
  outcome: SteeringOutcome;
  command_id: string;
}

export interface LedgerBatchParts {
  tx: SqlQueries;
  store: CommandStore;
  rules: ConflictRules;
  nowMs: number;
  rights?: PresentRights | undefined;
  /** Open commands that are known already, as the database has them. */
  open: ReadonlyMap<string, CommandRecord>;
}

export class LedgerBatch {
  readonly tx: SqlQueries;
  readonly nowMs: number;
  readonly rules: ConflictRules;
  /** What callers may do now; undefined where that is not looked at again. */
  readonly rights: PresentRights | undefined;
  readonly leases = new LeaseTable();
  readonly jobs: NewJob[] = [];
  readonly messages: NewMessage[] = [];
  readonly entries: NewAuditEntry[] = [];
  /** Commands that end now, in this order. */
  readonly closed: CommandRecord[] = [];
  /** Parameters that were frozen, for the server's log. */
  readonly frozen: { ap_id: string; parameter: string; frozen_until: number }[] = [];
  /** Steering commands that end now, by what the network saw. */
  readonly steered: SteeredDevice[] = [];
  /** Agents that got free text, whose parameters are made up by callers. */
  readonly textsOf = new Set<string>();
  /** Whether guards are to be watched from now on. */
  hasGuards = false;
  readonly #store: CommandStore;
  readonly #open: ReadonlyMap<string, CommandRecord>;
  readonly #commands = new Map<string, CommandRecord>();
  readonly #byKey = new Map<string, CommandRecord>();
  readonly #states = new Map<string, StateRecord>();
  #openOf = new Map<string, number>();
  #runs: Found['runs'] = new Map();
  readonly #created = new Set<CommandRecord>();
  readonly #moved = new Set<CommandRecord>();
  readonly #changed = new Set<CommandRecord>();
  readonly #endedLeases: Lease[] = [];
  readonly #newLeases = new Map<string, Lease>();
  readonly #newStates = new Set<StateRecord>();
  readonly #released = new Set<CommandRecord>();
  readonly #callers = new Map<string, Caller>();

  constructor({ tx, store, rules, nowMs, rights, open }: LedgerBatchParts) {
    this.tx = tx;
    this.rights = rights;
    this.#store = store;
    this.rules = rules;
    this.nowMs = nowMs;
    this.#open = open;
  }

  async load(reads: ReadSet): Promise<void> {
    for (const id of reads.commands) {
      const known = this.#open.get(id);
      if (!known) continue;
      this.#remember(known);
      reads.commands.delete(id);
    }
    const { commands, leases, states, openOf, runs } = await this.#store.find(this.tx, reads, this.nowMs);
    for (const command of commands) this.#remember(command);
    for (const lease of leases) this.leases.set(lease);
    for (const state of states) this.#states.set(keyOf(state.ap_id, state.parameter), state);
    this.#openOf = openOf;
    this.#runs = runs;
    for (const caller of (await this.rights?.callers(this.tx, reads.callers)) ?? [])
      this.#callers.set(callerKey(refOf(caller)), caller);
    if (reads.statesOf.size === 0) return;
    const more = new ReadSet();
    for (const id of reads.statesOf) {
      const command = this.#commands.get(id);
      const subject = command && subjectOf(command);
      if (subject !== undefined && !this.#states.has(keyOf(subject, command!.parameter)))
        more.states.push([subject, command!.parameter]);
    }
    const found = await this.#store.find(this.tx, more, this.nowMs);
    for (const state of found.states) this.#states.set(keyOf(state.ap_id, state.parameter), state);
  }

  /** One of the read set, or created by this batch; any other is read now. */
  async command(command_id: string): Promise<CommandRecord | undefined> {
    const known = this.#commands.get(command_id) ?? this.#open.get(command_id);
    if (known) {
      this.#remember(known);
      return known;
    }
    const reads = new ReadSet();
    reads.commands.add(command_id);
    const [found] = (await this.#store.find(this.tx, reads, this.nowMs)).commands;
    if (found) this.#remember(found);
    return found;
  }

  /** All that were read or created. */
  get commands(): Iterable<CommandRecord> {
    return this.#commands.values();
  }

  byKey(owner_id: string, key: string): CommandRecord | undefined {
    return this.#byKey.get(keyOf(owner_id, key));
  }

  state(ap_id: string, parameter: string): StateRecord {
    const key = keyOf(ap_id, parameter);
    let state = this.#states.get(key);
    if (!state) {
      state = { ap_id, parameter, recent: [], frozen_until: null, changed_at: this.nowMs, value: null };
      this.#states.set(key, state);
    }
    return state;
  }

  /** A caller of the read set with its present rights; undefined if it is gone or disabled. */
  caller(ref: CredentialRef): Caller | undefined {
    return this.#callers.get(callerKey(ref));
  }

  /** What time it is where an agent stands: of the model in an emulated network that has told, else the clock's. */
  timeIn(run: string | undefined): number {
    return this.#runs.get(run ?? '')?.modelMs ?? this.nowMs;
  }

  /** Throws NotFoundError `agent_ended` for an access point whose emulated network has ended. */
  requireRunning({ ap_id, run }: Pick<Intent, 'ap_id' | 'run'>): void {
    if (!this.#runs.get(run ?? '')?.isOver) return;
    const detail = `The emulated network of ${ap_id} has ended: nobody is left to take a command`;
    throw new NotFoundError('agent_ended', detail);
  }

  openOf(owner_id: string): number {
    return this.#openOf.get(owner_id) ?? 0;
  }

  create(command: CommandRecord, job: NewJob): void {
    this.#remember(command);
    this.#created.add(command);
    this.jobs.push(job);
    this.#openOf.set(command.owner_id, this.openOf(command.owner_id) + 1);
  }

  /** State, detail or times of the command have changed. */
  moved(command: CommandRecord): void {
    if (!this.#created.has(command) && !this.#changed.has(command)) this.#moved.add(command);
  }

  /** The decision, or the agent's answer, has changed, perhaps with the state. */
  changed(command: CommandRecord): void {
    if (this.#created.has(command)) return;
    this.#moved.delete(command);
    this.#changed.add(command);
  }

  /** The command can be sent once the transaction is durable. */
  release(command: CommandRecord): void {
    this.#released.add(command);
  }

  /** What can be sent now, in the order of release: without what has ended since. */
  get released(): CommandRecord[] {
    return [...this.#released].filter(({ ended_at }) => ended_at === null);
  }

  /** Those that have ended, now or before. */
  get ended(): string[] {
    const ids: string[] = [];
    for (const { command_id, ended_at } of this.#commands.values()) if (ended_at !== null) ids.push(command_id);
    return ids;
  }

  stateChanged(state: StateRecord): void {
    this.#newStates.add(state);
  }

  setLease(lease: Lease): void {
    this.leases.set(lease);
    this.#newLeases.set(leaseKey(lease), lease);
  }

  endLease(lease: Lease): void {
    this.leases.remove(lease);
    if (this.#newLeases.get(leaseKey(lease))?.command_id === lease.command_id) {
      this.#newLeases.delete(leaseKey(lease));
    }
    this.#endedLeases.push(lease);
  }

  async flush(): Promise<void> {
    await this.#store.write(this.tx, {
      created: [...this.#created],
      moved: [...this.#moved],
      changed: [...this.#changed],
      endedLeases: this.#endedLeases,
      leases: [...this.#newLeases.values()],
      states: [...this.#newStates],
    });
    const known = new Set(this.rules.groups.flatMap(({ parameters }) => parameters));
    for (const ap_id of this.textsOf) await boundStates(this.tx, ap_id, known);
  }

  #remember(command: CommandRecord): void {
    this.#commands.set(command.command_id, command);
    if (command.idempotency_key !== null) this.#byKey.set(keyOf(command.owner_id, command.idempotency_key), command);
  }
}

/** No other two texts have it. */
function keyOf(a: string, b: string): string {
  return `${a.length} ${a}${b}`;
}

function leaseKey({ ap_id, parameter, caller_id }: Lease): string {
  return keyOf(keyOf(ap_id, parameter), caller_id);
}
