// The decision inside the ledger: collects the current leases and states, calls the pure decision function, and applies its
// result: leases, states, the audit entry, superseded commands.

import type { ConflictRules } from '@weft/contract';
import type { Actor } from '../../base/caller.ts';
import { system } from '../../base/caller.ts';
import type { BlastRadius } from '../arbitration/blast-radius.ts';
import type { Decision, DecisionState, Intent } from '../arbitration/conflict-intent.ts';
import { decide, stateAfter } from '../arbitration/conflict-resolution.ts';
import { toDecisionRecord } from '../arbitration/decision-record.ts';
import { relatedTo } from '../arbitration/parameter-groups.ts';
import type { Surroundings } from '../arbitration/surroundings.ts';
import { ranks } from '../grammar/command-permissions.ts';
import { subjectInWords, subjectOf } from '../grammar/device-commands.ts';
import type { CommandStateMachine } from './command-state-machine.ts';
import { holdsText } from './lease-rows.ts';
import type { LedgerBatch, ReadSet } from './ledger-batch.ts';

export interface CommandDecisionOptions {
  surroundings: Surroundings;
  blast: BlastRadius;
  life: CommandStateMachine;
  /** Whether this node has sent it, recorded or not. */
  isSent: (command_id: string) => boolean;
}

export class CommandDecision {
  readonly #options: CommandDecisionOptions;

  constructor(options: CommandDecisionOptions) {
    this.#options = options;
  }

  readSet(reads: ReadSet, rules: ConflictRules, intent: Intent): void {
    const { ap_id, technology, parameter } = intent;
    const { group, near } = this.#options.surroundings.around(rules, ap_id, technology, parameter);
    const subject = subjectOf(intent);
    if (intent.run !== undefined) reads.runs.add(intent.run);
    reads.leasesOn(subject, [...group.parameters, ...relatedTo(rules, technology, parameter)]);
    reads.states.push([subject, parameter]);
    if (near.length > 0) reads.nearby(group.name, near);
    const beside = this.#options.surroundings.beside(rules, ap_id, technology, parameter);
    for (const each of beside.groups) reads.nearby(each, beside.agents);
  }

  /** What would be decided now; changes nothing. */
  look(batch: LedgerBatch, intent: Intent): { decision: Decision; group: string } {
    const { decision, group } = this.#decide(batch, intent);
    return { decision, group };
  }

  /**
   * Decides, writes it into the log, and does what was decided to everything but the command itself, and but the one that it
   * takes back: that ends with it.
   */
  async make(
    batch: LedgerBatch,
    intent: Intent,
    inverse_of: string | null = null,
  ): Promise<{ decision: Decision; group: string }> {
    const { decision, group, leases, state } = this.#decide(batch, intent);
    const { nowMs, rules } = batch;
    const record = toDecisionRecord(intent, leases, state, rules, nowMs, decision);
    // Read first: what fails must fail before anything is changed.
    const superseded = [];
    for (const { command_id } of decision.supersedes) superseded.push(await batch.command(command_id));
    const replaced = decision.replaces && (await batch.command(decision.replaces.command_id));
    const { ap_id, parameter, is_text } = intent;
    if (decision.lease && is_text && leases.every((lease) => lease.ap_id !== ap_id || lease.parameter !== parameter)) {
      if (!(await holdsText(batch.tx, ap_id, batch.leases.of(ap_id), nowMs))) delete decision.lease;
    }
    batch.entries.push({
      actor: actorOf(intent),
      action: 'command_decided',
      target: { kind: 'agent', name: intent.ap_id },
      detail: { ...record },
    });
    for (const lease of decision.supersedes) batch.endLease(lease);
    if (decision.ends) batch.endLease(decision.ends);
    if (decision.lease) batch.setLease(decision.lease);
    for (const command of superseded) {
      if (!command || command.command_id === inverse_of) continue;
      if (command.ended_at !== null && command.guard_until === null) continue;
      // The callers of neighbours need not know of each other.
      const who = subjectOf(command) === subjectOf(intent) ? whoIs(intent) : 'another caller';
      this.#options.life.end(batch, command, 'superseded', `Superseded by a command of ${who} (${decision.reason})`);
    }
    if (replaced?.state === 'queued' && replaced.ended_at === null && !this.#options.isSent(replaced.command_id)) {
      this.#options.life.end(
        batch,
        replaced,
        'superseded',
        'Replaced by a later command of the same caller, before it was sent',
      );
    }
    this.#keepState(batch, intent, decision);
    if (decision.args && intent.caller_kind === 'third_party_app') {
      // At once, so that the next one of this batch counts on; should the batch fail, the app has to wait a little.
      this.#options.blast.count(intent.caller_id, intent, intent.ap_id, batch.timeIn(intent.run));
    }
    return { decision, group };
  }

  #decide(batch: LedgerBatch, intent: Intent) {
    const { rules, nowMs } = batch;
    const { ap_id, technology, parameter } = intent;
    const { group, near } = this.#options.surroundings.around(rules, ap_id, technology, parameter);
    const subject = subjectOf(intent);
    const own = batch.leases.around(subject, near, group.name);
    const beside = this.#options.surroundings.beside(rules, ap_id, technology, parameter);
    const leases = new Set([...own, ...beside.groups.flatMap((each) => batch.leases.near(beside.agents, each))]);
    const { recent, frozen_until } = batch.state(subject, parameter);
    const state: DecisionState = { recent, frozen_until, blast: this.#lookAtBlast(batch, intent) };
    return {
      decision: decide(intent, [...leases], state, rules, nowMs),
      group: group.name,
      leases: [...leases],
      state,
    };
  }

  #lookAtBlast(batch: LedgerBatch, intent: Intent) {
    const { caller_kind, caller_id, rank, ap_id, run } = intent;
    if (caller_kind !== 'third_party_app' || rank >= ranks.operator) return null;
    const windowMs = batch.rules.blast_radius.window_s * 1000;
    const nowMs = batch.timeIn(run);
    const { blast, surroundings } = this.#options;
    const count = blast.look(caller_id, intent, ap_id, surroundings.siteSize(intent), windowMs, nowMs);
    return run === undefined ? count : { ...count, frees_at: batch.nowMs + count.frees_at - nowMs, model_time: nowMs };
  }

  #keepState(batch: LedgerBatch, intent: Intent, decision: Decision): void {
    if (decision.args === undefined) return;
    const { ap_id, parameter, command_id } = intent;
    const state = batch.state(subjectOf(intent), parameter);
    Object.assign(state, stateAfter(intent, decision, state, batch.nowMs), { changed_at: batch.nowMs });
    batch.stateChanged(state);
    if (intent.is_text) batch.textsOf.add(ap_id);
    const { frozen_until } = decision;
    if (frozen_until === undefined || frozen_until === null) return;
    batch.frozen.push({ ap_id, parameter, frozen_until });
    batch.entries.push({
      actor: system,
      action: 'parameter_frozen',
      target: { kind: 'agent', name: ap_id },
      detail: {
        ap_id,
        parameter,
        command_id,
        frozen_until,
        detail: `${parameter} of ${subjectInWords(subjectOf(intent))} goes back and forth`,
      },
    });
  }
}

function actorOf({ caller_kind, caller_id, caller_name }: Intent): Actor {
  if (caller_kind === 'weft') return system;
  return { kind: caller_kind, id: caller_id, name: caller_name } as Actor;
}

function whoIs({ caller_kind, caller_name }: Intent): string {
  if (caller_kind === 'weft') return 'Weft';
  return caller_kind === 'third_party_app' ? `app ${caller_name}` : `${caller_kind} ${caller_name}`;
}
