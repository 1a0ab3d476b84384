// Between the ledger and the transports to the agents: hands committed commands to the transports, finds what else is due,
// and passes on what was sent and what the agents answer.

import { setImmediate } from 'node:timers/promises';
import type { CommandResult } from '@weft/contract';
import { BoundedMap } from '@weft/contract/bounded-map';
import type { AgentCaller } from '../../base/caller.ts';
import { invalidValue } from '../../base/input/value-rules.ts';
import type { Keyring } from '../../base/secrets.ts';
import type { CommandLedger } from '../ledger/command-ledger.ts';
import type { CommandOperations } from '../ledger/command-operations.ts';
import type { CommandRecord } from '../ledger/command-record.ts';
import type { CommandStore } from '../ledger/command-store.ts';
import { toSentWithSecrets } from '../ledger/sent-command.ts';
import type { CommandDelivery, DueListener, OutgoingCommand } from './command-delivery.ts';
import type { DeviceDelivery } from './device-delivery.ts';

const maxHandedOut = 1000;
const maxResultBytes = 64 * 1024;
/** The answer of a quick agent comes earlier, and then one transaction writes both. */
const flushAfterMs = 50;
const retryAfterMs = 1_000;
/** Beyond these limits the oldest are dropped; such commands are sent once more. */
const maxLocallyDispatched = 20_000;
const maxEnded = 50_000;

export interface CommandDispatcherOptions {
  store: Pick<CommandStore, 'listDue' | 'openAmong'>;
  ledger: Pick<CommandLedger, 'do'>;
  operations: CommandOperations;
  keyring: Pick<Keyring, 'decrypt'>;
  /** Default: nothing of a command is replaced. */
  devices?: DeviceDelivery | undefined;
  /** Where it notes what was sent and is not recorded yet. */
  unwritten: BoundedMap<string>;
  /**
   * Other nodes create commands in the same database. Only the database then knows the order of the
   * commands of one agent, so nothing is handed over from memory.
   */
  isShared: boolean;
  onError: (error: unknown, message: string) => void;
  now?: () => number;
}

interface SharedLook {
  ap_ids: Set<string>;
  found: Promise<(ap_id: string) => Promise<CommandRecord[]>>;
}

export class CommandDispatcher implements CommandDelivery {
  readonly #options: CommandDispatcherOptions;
  readonly #now: () => number;
  readonly #listeners: DueListener[] = [];
  readonly #unwritten: BoundedMap<string>;
  /** Jobs whose commands were dispatched by this node: the broker's message about them is ignored. */
  readonly #locallyDispatched = new BoundedMap<string>(maxLocallyDispatched);
  /** The last that have ended, as far as this node has ended them. */
  readonly #ended = new BoundedMap<string>(maxEnded);
  #asked: SharedLook | undefined;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: CommandDispatcherOptions) {
    this.#options = options;
    this.#unwritten = options.unwritten;
    this.#now = options.now ?? Date.now;
  }

  async due(ap_id: string, isFresh: boolean): Promise<OutgoingCommand[]> {
    if (isFresh) return this.#toOutgoing(await this.#options.store.listDue([ap_id], this.#now(), true, maxHandedOut));
    const found = await this.#dueWithOthers(ap_id);
    return this.#toOutgoing(found.filter(({ command_id }) => !this.#unwritten.has(command_id)));
  }

  /** Lookups that begin at the same time share one query. */
  #dueWithOthers(ap_id: string): Promise<CommandRecord[]> {
    this.#asked ??= this.#lookSoon();
    this.#asked.ap_ids.add(ap_id);
    return this.#asked.found.then((found) => found(ap_id));
  }

  #lookSoon(): SharedLook {
    const ap_ids = new Set<string>();
    const { store } = this.#options;
    const look = async () => {
      await setImmediate();
      this.#asked = undefined;
      const now = this.#now();
      const all = await store.listDue([...ap_ids], now, false, maxHandedOut);
      const isCut = all.length >= maxHandedOut && ap_ids.size > 1;
      return async (ap_id: string) =>
        isCut ? store.listDue([ap_id], now, false, maxHandedOut) : all.filter((command) => command.ap_id === ap_id);
    };
    return { ap_ids, found: look() };
  }

  sent(command_ids: readonly string[]): void {
    for (const id of command_ids) this.#unwritten.set(id, true);
    this.#flushIn(flushAfterMs);
  }

  async answer(agent: AgentCaller, command_id: string, answer: CommandResult): Promise<CommandRecord> {
    const { state } = answer;
    const { ledger, operations, devices } = this.#options;
    const clean = <T>(value: T): T =>
      value === null || !devices ? value : (devices.withoutIdentities(agent.name, value) as T);
    const result = answer.result === undefined ? null : boundedText(clean(answer.result), 'result');
    const applied = clean(answer.applied ?? null);
    if (applied) boundedText(applied, 'applied');
    const wasSent = this.#unwritten.has(command_id);
    const command = await ledger.do(operations.answer(agent, command_id, { state, result, applied, wasSent }));
    this.#unwritten.delete(command_id);
    return command;
  }

  /** It cannot be delivered. One that the agent has received, or that has ended, stays as it is. */
  async fail(command_id: string, detail: string): Promise<void> {
    const { ledger, operations } = this.#options;
    await ledger.do(operations.fail([command_id], detail));
  }

  onDue(listener: DueListener): void {
    this.#listeners.push(listener);
  }

  /** These commands were committed and can be sent; oldest first. */
  dispatch(commands: readonly CommandRecord[]): void {
    if (this.#options.isShared) {
      this.lookFor(new Set(commands.map(({ ap_id }) => ap_id)));
      return;
    }
    const now = this.#now();
    const due = this.#toOutgoing(commands.filter(({ expires_at }) => expires_at > now));
    for (const [ap_id, own] of Map.groupBy(due, (command) => command.ap_id)) {
      for (const listener of this.#listeners) listener(ap_id, own);
    }
  }

  /** Commands of these agents may be due: the transports look in the database. */
  lookFor(ap_ids: Iterable<string>): void {
    for (const ap_id of ap_ids) for (const listener of this.#listeners) listener(ap_id);
  }

  /** These commands have ended: whatever a transport still holds of them must not be sent. */
  ended(command_ids: readonly string[]): void {
    for (const id of command_ids) this.#ended.set(id, true);
  }

  async stillDue(commands: readonly OutgoingCommand[]): Promise<OutgoingCommand[]> {
    const open = await this.#options.store.openAmong(commands.map(({ command_id }) => command_id));
    return commands.filter(({ command_id }) => open.has(command_id));
  }

  now(): number {
    return this.#now();
  }

  hasEnded(command_id: string): boolean {
    return this.#ended.has(command_id);
  }

  /** This node dispatches the command of the job itself. */
  created(job_number: string): void {
    this.#locallyDispatched.set(job_number, true);
  }

  onBrokerMessage(job_number: string, ap_id: string): void {
    if (!this.#locallyDispatched.delete(job_number)) this.lookFor([ap_id]);
  }

  /** Resolves when what was sent is recorded, if the database can be reached. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#flushing;
    await this.#flush();
  }

  /** Without those whose secret arguments can no longer be read: they expire; and those whose device is not there: they fail. */
  #toOutgoing(commands: readonly CommandRecord[]): OutgoingCommand[] {
    const { keyring, devices, onError } = this.#options;
    return commands.flatMap((command) => {
      const { command_id, ap_id, name, created_at, expires_at } = command;
      try {
        const opened = toSentWithSecrets(keyring, command);
        const sent = devices ? devices.toSent(ap_id, { name, ...opened }) : opened;
        if (!sent) this.#unreachable(command_id);
        if (!sent) return [];
        const { text, args } = sent;
        return [{ command_id, ap_id, command: text, name, args, issued_at: created_at, expires_at }];
      } catch (error) {
        onError(error, `the secret arguments of command ${command_id} cannot be read`);
        return [];
      }
    });
  }

  #unreachable(command_id: string): void {
    const { ledger, operations, onError } = this.#options;
    // Not in the turn of a commit that is just being told.
    setTimeout(() => {
      ledger
        .do(operations.steering.concluded(command_id, 'unreachable'))
        .catch((error) => onError(error, 'that a device cannot be reached could not be stored'));
    });
  }

  #flushIn(ms: number): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flushing ??= this.#flush().finally(() => {
        this.#flushing = undefined;
        if (this.#unwritten.size > 0) this.#flushIn(flushAfterMs);
      });
    }, ms).unref();
  }

  /** Never throws. */
  async #flush(): Promise<void> {
    const ids = Array.from(this.#unwritten, ([id]) => id);
    if (ids.length === 0) return;
    const { ledger, operations, onError } = this.#options;
    try {
      await ledger.do(operations.sent(ids));
      for (const id of ids) this.#unwritten.delete(id);
    } catch (error) {
      onError(error, 'the sent state of commands could not be stored yet');
      this.#flushIn(retryAfterMs);
    }
  }
}

function boundedText(value: unknown, field: string): string {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) <= maxResultBytes) return text;
  throw invalidValue(['body', field], `${field} should have at most ${maxResultBytes} bytes as JSON`);
}
