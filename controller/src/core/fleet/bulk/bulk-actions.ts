// What a bulk change does to access points, by the same paths as for one of them: rights and conflicts are decided there, by
// the present record of the caller.

import type { BatchTarget, LabelsUpdate } from '@weft/contract';
import type { AgentService } from '../../accounts/agents/agent-service.ts';
import type { LabelWatcher } from '../../accounts/agents/label-service.ts';
import { type LabelService, updatedLabels } from '../../accounts/agents/label-service.ts';
import type { Caller } from '../../base/caller.ts';
import { NotFoundError, TryLaterError, ValidationError, WeftError } from '../../base/errors.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import { mapInSlices } from '../../base/time-slices.ts';
import type { BatchService } from '../../commands/api/batch-service.ts';
import type { ParsedCommand } from '../../commands/grammar/command-text.ts';
import type { AgentRow } from '../../network/agent-rows.ts';
import type { Network } from '../../network/network.ts';
import type { Port } from '../../port.ts';
import type { BulkResult } from './bulk-store.ts';

export type BulkAction =
  | { kind: 'command'; command: ParsedCommand }
  | { kind: 'labels'; labels: LabelsUpdate }
  | { kind: 'remove' };

export type Outcome = Pick<BulkResult, 'state' | 'detail' | 'command_id'>;

/** What an action would do to one of them. */
export interface Would {
  isRefused: boolean;
  detail: string;
}

interface Target {
  ap_id: string;
  agent_id: string;
}

export interface BulkActionsOptions {
  network: Pick<Network, 'get'>;
  batches: Pick<BatchService, 'sendTo'>;
  labels: Pick<LabelService, 'update'>;
  agents: Pick<AgentService, 'remove'>;
  watcher: Port<LabelWatcher>;
}

export class BulkActions {
  readonly #options: BulkActionsOptions;

  constructor(options: BulkActionsOptions) {
    this.#options = options;
  }

  /**
   * In the same order. May be repeated after a crash: `key` makes a command of the same run one command. Throws
   * TryLaterError (503), after which the rest can be repeated.
   */
  async apply(caller: Caller, action: BulkAction, targets: readonly Target[], key: string): Promise<Outcome[]> {
    if (action.kind === 'command') {
      const ap_ids = targets.map(({ ap_id }) => ap_id);
      const sent = await this.#options.batches.sendTo(caller, ap_ids, action.command, { key });
      return sent.map(toOutcome);
    }
    const outcomes: Outcome[] = [];
    for (const target of targets) outcomes.push(await this.#applyOne(caller, action, target));
    return outcomes;
  }

  /** What it would say of each, and nothing happens. */
  async preview(caller: Caller, action: BulkAction, targets: readonly Target[]): Promise<Would[]> {
    if (action.kind === 'command') {
      const ap_ids = targets.map(({ ap_id }) => ap_id);
      const verdicts = await this.#options.batches.sendTo(caller, ap_ids, action.command, { isDryRun: true });
      return verdicts.map(({ verdict, detail }) =>
        verdict === 'rejected'
          ? { isRefused: true, detail: detail.replace(/^Value error, /, '') }
          : { isRefused: false, detail: `${verdict}: ${detail}` },
      );
    }
    return mapInSlices(targets, ({ ap_id }) => this.#wouldDo(caller, action, ap_id));
  }

  /** How many of them would get other settings by it; undefined if it has nothing to do with settings. */
  async reconfigured(caller: Caller, action: BulkAction, agents: readonly AgentRow[]): Promise<number | undefined> {
    if (action.kind !== 'labels') return undefined;
    const managed = agents.filter((agent) => !this.#wouldDo(caller, action, agent.ap_id).isRefused);
    const changes = await mapInSlices(managed, ({ ap_id, display_name, site, tags }) => {
      const before = { display_name, site, tags: [...tags] };
      return { ap_id, before, after: updatedLabels(before, action.labels) };
    });
    return (await this.#options.watcher.owner.reconfigured(changes)).size;
  }

  async #applyOne(caller: Caller, action: Exclude<BulkAction, { kind: 'command' }>, target: Target): Promise<Outcome> {
    const { network, labels, agents } = this.#options;
    const { ap_id, agent_id } = target;
    const present = network.get(ap_id);
    if (present && present.id !== agent_id) return refused('Another access point has this name now');
    try {
      if (action.kind === 'labels') await labels.update(ap_id, action.labels, caller);
      else await agents.remove(ap_id, caller);
      return { state: 'done', detail: null, command_id: null };
    } catch (error) {
      if (!(error instanceof WeftError) || (error instanceof TryLaterError && error.status === 503)) throw error;
      // Removed before a crash, or by somebody else: it is what was asked for.
      if (action.kind === 'remove' && error instanceof NotFoundError && !present) {
        return { state: 'done', detail: 'It was removed already', command_id: null };
      }
      return refused(sentenceOf(error));
    }
  }

  #wouldDo(caller: Caller, action: Exclude<BulkAction, { kind: 'command' }>, ap_id: string): Would {
    const agent = this.#options.network.get(ap_id);
    if (!agent) return { isRefused: true, detail: 'It is gone' };
    if (!rightsOf(caller).manages(agent)) return { isRefused: true, detail: 'you may not manage it' };
    if (action.kind === 'remove') return { isRefused: false, detail: 'It is deleted, with its telemetry' };
    const { display_name, site, tags } = agent;
    try {
      const before = { display_name, site, tags: [...tags] };
      const after = updatedLabels(before, action.labels);
      rightsOf(caller).requireOwnLabels(before, after);
      const changed = (['display_name', 'site', 'tags'] as const)
        .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
        .map((field) => `${field}: ${inWords(before[field])} → ${inWords(after[field])}`);
      return { isRefused: false, detail: changed.length > 0 ? changed.join('; ') : 'Nothing changes' };
    } catch (error) {
      if (!(error instanceof WeftError)) throw error;
      return { isRefused: true, detail: sentenceOf(error) };
    }
  }
}

function toOutcome({ command_id, detail }: BatchTarget): Outcome {
  return { state: command_id === null ? 'refused' : 'done', detail, command_id };
}

function refused(detail: string): Outcome {
  return { state: 'refused', detail, command_id: null };
}

function sentenceOf(error: WeftError): string {
  return error instanceof ValidationError ? (error.problems[0]?.msg ?? error.message) : error.message;
}

function inWords(value: string | readonly string[] | null): string {
  if (value === null || value.length === 0) return 'none';
  return typeof value === 'string' ? value : value.join(', ');
}
