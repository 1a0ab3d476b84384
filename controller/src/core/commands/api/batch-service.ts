// One command to many agents: all at once, or in stages that continue after a restart. Each target gets its own verdict, by
// the same path as a single command.
import { randomUUID } from 'node:crypto';
import type { BatchAnswer, BatchReason, BatchRequest, BatchTarget, LoginType } from '@weft/contract';
import { toCommandText } from '@weft/contract/declared-commands';
import { matchesGlob } from '@weft/contract/glob';
import type { Caller, CredentialRef } from '../../base/caller.ts';
import {
  AuthenticationError,
  NotFoundError,
  PermissionError,
  TryLaterError,
  ValidationError,
  WeftError,
} from '../../base/errors.ts';
import { invalidValue } from '../../base/input/value-rules.ts';
import { commandSenders, requirePermission } from '../../base/rights/permission.ts';
import type { Keyring } from '../../base/secrets.ts';
import type { FairTurns } from '../../base/shares/fair-turns.ts';
import { principalOf, type Shares } from '../../base/shares/shares.ts';
import { giveWay } from '../../base/time-slices.ts';
import type { Network } from '../../network/network.ts';
import { type ParsedCommand, readCommand } from '../grammar/command-text.ts';
import { toDecisionVerdict, toVerdict } from '../ledger/command-answers.ts';
import type { CommandStore } from '../ledger/command-store.ts';
import type { SendOptions } from './command-intake.ts';
import type { CommandServiceOptions } from './command-service.ts';

const maxTargets = 10_000;
/** Of those that are only tried nothing is written, so that many together save nothing. */
const atOnce = { sent: 200, tried: 4 };
const stageHoldMs = 60_000;
const maxBatches = 20;
/** Each may be thousands of commands. */
const batchTurns = { slots: 4, perPrincipal: 1, maxWaiting: 20 };

type Shared = Pick<CommandServiceOptions, 'ledger' | 'operations' | 'intake' | 'sight' | 'now'>;

export interface BatchServiceOptions extends Shared {
  store: Pick<CommandStore, 'createBatch' | 'takeBatches' | 'hasBatch' | 'updateBatch'>;
  keyring: Pick<Keyring, 'encrypt' | 'decrypt'>;
  network: Pick<Network, 'visibleTo'>;
  shares: Shares;
  /** The caller with its current rights; undefined if it was removed. */
  callerNow: (ref: CredentialRef) => Promise<Caller | undefined>;
  onError: (error: unknown, message: string) => void;
}

interface Plan {
  owner: { kind: LoginType; id: string; name: string };
  /** Encrypted, since arguments may be secret; of a roll-out from before, in clear and without its text. */
  command: string | (Omit<ParsedCommand, 'text'> & { text?: string });
  options: SendOptions;
  /** What is left: the targets of each stage, and how long to wait after it. */
  stages: { number: number; ap_ids: string[]; pause_s: number }[];
}

type Job = Pick<Plan, 'options'> & { command: ParsedCommand; isDryRun: boolean };

export class BatchService {
  readonly #options: BatchServiceOptions;
  readonly #turns: FairTurns;
  readonly #now: () => number;

  constructor(options: BatchServiceOptions) {
    this.#options = options;
    this.#turns = options.shares.turns('batches', batchTurns);
    this.#now = options.now ?? Date.now;
  }

  /** One of a caller after the other. Throws TryLaterError 429 if too many of them wait. */
  send(caller: Caller, request: BatchRequest): Promise<BatchAnswer> {
    return this.#turns.run(principalOf(caller), () => this.#send(caller, request));
  }

  async #send(caller: Caller, request: BatchRequest): Promise<BatchAnswer> {
    const { hold_seconds, expires_in, dry_run: isDryRun = false, stages: given } = request;
    const command = readCommand(request.command, ['body', 'command']);
    const batch_id = isDryRun ? null : randomUUID();
    const options = { hold_seconds, expires_in, ...(batch_id && { batch_id }) };
    this.#options.intake.requireSendable(caller, command, options);
    const stages = inStages(await this.#targets(caller, request.agents), given);
    const [first, ...rest] = isDryRun ? [{ ...stages[0]!, ap_ids: stages.flatMap(({ ap_ids }) => ap_ids) }] : stages;
    if (batch_id && rest.length > 0) {
      const { kind, id, name } = caller;
      const sealed = this.#options.keyring.encrypt(JSON.stringify(command), batch_id);
      const plan: Plan = { owner: { kind, id, name }, command: sealed, options, stages: rest };
      const next_at = this.#now() + first!.pause_s * 1000;
      await this.#options.store.createBatch(
        { batch_id, owner_id: id, next_at, plan: JSON.stringify(plan) },
        maxBatches,
        { owner_kind: kind, owner_id: id, owner_ver: caller.ver },
      );
    }
    const targets = await this.#sendAll(caller, first!.ap_ids, first!.number, { command, options, isDryRun });
    for (const { number, ap_ids } of rest) targets.push(...ap_ids.map((ap_id) => toWaiting(ap_id, number)));
    return { batch_id, dry_run: isDryRun, totals: totalsOf(targets), targets };
  }

  /** For whoever sends to many by itself: throws ValidationError or PermissionError, as `send` does. */
  readSendable(caller: Caller, text: string, loc: (string | number)[]): ParsedCommand {
    const command = readCommand(text, loc);
    this.#options.intake.requireSendable(caller, command, {});
    return command;
  }

  /** In the same order. With the same key it is sent once to each, however often it is repeated. */
  sendTo(
    caller: Caller,
    ap_ids: readonly string[],
    command: ParsedCommand,
    { key, isDryRun = false }: { key?: string; isDryRun?: boolean },
  ): Promise<BatchTarget[]> {
    const options = key === undefined ? {} : { idempotency_key: key };
    return this.#sendAll(caller, ap_ids, 1, { command, options, isDryRun });
  }

  /** Sends the stages whose time has come. */
  async goOn(): Promise<void> {
    const { store, callerNow, onError } = this.#options;
    for (const { batch_id, plan: text } of await store.takeBatches(this.#now(), stageHoldMs, 10)) {
      const plan: Plan = JSON.parse(text);
      const { owner, options, stages } = plan;
      const command = this.#commandOf(plan, batch_id);
      const [stage, ...rest] = stages;
      const caller = await callerNow(owner);
      // In this order: a change of the key before the caller was read has removed the roll-out, and after a later one the
      // ledger refuses the caller's older version.
      if (!caller || !stage || !command || !(await store.hasBatch(batch_id)) || !this.#maySend(caller, plan, command)) {
        await store.updateBatch(batch_id, text, undefined);
        continue;
      }
      // The key makes a stage that was cut off by a crash go on where it was.
      const keyed = { ...options, idempotency_key: `batch ${batch_id}` };
      const job = { command, options: keyed, isDryRun: false };
      const targets = await this.#sendAll(caller, stage.ap_ids, stage.number, job).catch(undefinedIfGone);
      if (!targets) {
        await store.updateBatch(batch_id, text, undefined);
        continue;
      }
      const refused = targets.filter(({ command_id }) => command_id === null).length;
      if (refused > 0)
        onError(undefined, `stage ${stage.number} of roll-out ${batch_id}: ${refused} targets refused it`);
      const next_at = rest.length > 0 ? this.#now() + stage.pause_s * 1000 : undefined;
      await store.updateBatch(batch_id, JSON.stringify({ ...plan, stages: rest }), next_at);
    }
  }

  /** Whether the caller may still send this command to anybody; else nothing is left to wait for. */
  #maySend(caller: Caller, { options }: Plan, command: ParsedCommand): boolean {
    try {
      requirePermission(commandSenders, caller);
      this.#options.intake.requireSendable(caller, command, options);
      return true;
    } catch (error) {
      if (!(error instanceof WeftError)) throw error;
      return false;
    }
  }

  /** Undefined if it was encrypted with a secret that is not known any more. */
  #commandOf({ command }: Plan, batch_id: string): ParsedCommand | undefined {
    if (typeof command !== 'string') {
      return { ...command, text: command.text ?? toCommandText(command.name, command.args) };
    }
    const { keyring, onError } = this.#options;
    try {
      return JSON.parse(keyring.decrypt(command, batch_id));
    } catch (error) {
      onError(error, `roll-out ${batch_id} ends: its command cannot be read`);
      return undefined;
    }
  }

  async #targets(caller: Caller, wanted: string[] | string): Promise<string[]> {
    if (Array.isArray(wanted)) return [...new Set(wanted)];
    const sight = await this.#options.network.visibleTo(caller);
    const found: string[] = [];
    for await (const page of sight.pages(undefined, true)) {
      for (const { ap_id } of page) if (matchesGlob(wanted, ap_id)) found.push(ap_id);
      if (found.length > maxTargets) throw invalidValue(['body', 'agents'], `a batch has at most ${maxTargets} agents`);
    }
    if (found.length === 0) throw new NotFoundError('agent_not_found', 'No agent matches');
    return found;
  }

  async #sendAll(caller: Caller, ap_ids: readonly string[], stage: number, job: Job): Promise<BatchTarget[]> {
    const targets: BatchTarget[] = [];
    const step = job.isDryRun ? atOnce.tried : atOnce.sent;
    for (let start = 0; start < ap_ids.length; start += step) {
      if (start > 0) await giveWay();
      const part = ap_ids.slice(start, start + step);
      targets.push(...(await Promise.all(part.map((ap_id) => this.#sendOne(caller, ap_id, stage, job)))));
    }
    return targets;
  }

  async #sendOne(
    caller: Caller,
    ap_id: string,
    stage: number,
    { command, options, isDryRun }: Job,
  ): Promise<BatchTarget> {
    const { intake, sight, ledger, operations } = this.#options;
    const head = { ap_id, stage, command_id: null, job_number: null };
    try {
      const agent = await intake.target(caller, ap_id, command, ['body', 'command']);
      const { idempotency_key: key, ...rest } = options;
      const own = key === undefined ? rest : { ...rest, idempotency_key: `${key} ${ap_id}` };
      const wish = intake.toNewCommand(caller, agent, command, own, ['body', 'command']);
      if (isDryRun) {
        const { decision } = await ledger.do(operations.look(wish));
        return { ...head, ...(await sight.of(caller, toDecisionVerdict(decision))) };
      }
      intake.takeTurn(caller);
      const outcome = await ledger.do(operations.send(wish));
      if (!outcome.command) {
        return { ...head, ...(await sight.of(caller, toDecisionVerdict(outcome.decision))) };
      }
      const { command_id, job_number } = outcome.command;
      return { ...head, command_id, job_number, ...(await sight.of(caller, toVerdict(outcome.command))) };
    } catch (error) {
      return toRefused(head, error);
    }
  }
}

/** For a caller whose credentials have changed since it was read. */
function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof AuthenticationError)) throw error;
}

/** Percents count from the first target on; those beyond the last stage are one more. */
function inStages(ap_ids: string[], given: BatchRequest['stages'] = []): Plan['stages'] {
  const stages: Plan['stages'] = [];
  let taken = 0;
  for (const { percent, pause_s } of [...given, { percent: 100, pause_s: 0 }]) {
    // No stage is empty while there are targets left.
    const end = Math.max(taken + 1, Math.round((ap_ids.length * percent) / 100));
    const part = ap_ids.slice(taken, end);
    if (part.length > 0) stages.push({ number: stages.length + 1, ap_ids: part, pause_s });
    taken += part.length;
  }
  return stages;
}

function toRefused(head: Omit<BatchTarget, 'verdict' | 'reason' | 'detail' | 'rival' | 'hold_until'>, error: unknown) {
  if (!(error instanceof WeftError)) throw error;
  return {
    ...head,
    verdict: 'rejected',
    reason: reasonOf(error),
    detail: (error instanceof ValidationError ? error.problems[0]?.msg : undefined) ?? error.message,
    rival: null,
    hold_until: null,
  } as const;
}

function reasonOf(error: WeftError): BatchReason {
  if (error instanceof NotFoundError) return 'agent_not_found';
  if (error instanceof PermissionError) return 'not_permitted';
  if (error instanceof ValidationError) return 'invalid_command';
  if (error instanceof TryLaterError && error.status === 429) return 'too_many_commands';
  throw error;
}

function toWaiting(ap_id: string, stage: number): BatchTarget {
  return {
    ap_id,
    command_id: null,
    job_number: null,
    stage,
    verdict: 'queued',
    reason: 'waits_for_stage',
    detail: `Decided when stage ${stage} begins`,
    rival: null,
    hold_until: null,
  };
}

function totalsOf(targets: readonly BatchTarget[]): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const { verdict } of targets) totals[verdict] = (totals[verdict] ?? 0) + 1;
  return totals;
}
