// The conflict rules and their effects: reads and replaces the rules, and finds conflicts between callers in the log of
// decisions.
import type { Conflict, ConflictPage, ConflictRules } from '@weft/contract';
import { toCommandText } from '@weft/contract/declared-commands';
import { parseObject } from '@weft/contract/is-object';
import type { AuditRecord } from '../../accounts/audit/audit-entry.ts';
import type { AuditLog } from '../../accounts/audit/audit-store.ts';
import type { Caller } from '../../base/caller.ts';
import { toTime } from '../../base/input/date-time.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import { parseConflictRules } from '../arbitration/conflict-rules.ts';
import type { DecisionRecord } from '../arbitration/decision-record.ts';
import { toRival } from '../ledger/command-answers.ts';
import type { CommandLedger } from '../ledger/command-ledger.ts';
import type { RulesKeeper } from '../ledger/rules-keeper.ts';
import type { RivalVisibility } from './rival-visibility.ts';

const actions = ['command_decided', 'parameter_frozen', 'rolled_back'] as const;
const pageSize = 500;
/** How many decisions one request searches: most are no conflicts, and a search must end. */
const maxPages = 20;

export interface ConflictQuery {
  agent?: string | undefined;
  reason?: string | undefined;
  callerName?: string | undefined;
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
  before?: number | undefined;
  limit: number;
}

export interface ConflictServiceOptions {
  audit: Pick<AuditLog, 'list'>;
  rules: RulesKeeper;
  ledger: Pick<CommandLedger, 'do'>;
  sight: RivalVisibility;
}

type Detail = Partial<DecisionRecord> & Record<string, unknown>;

export class ConflictService {
  readonly #options: ConflictServiceOptions;

  constructor(options: ConflictServiceOptions) {
    this.#options = options;
  }

  /** Those in force, on whichever node they were changed. */
  async rules(): Promise<ConflictRules> {
    const { rules } = this.#options;
    await rules.replica.fresh();
    return rules.current;
  }

  /** In force for every decision after it resolves. Throws ValidationError with all that is wrong. */
  async replaceRules(caller: Caller, input: unknown): Promise<ConflictRules> {
    const wanted = parseConflictRules(input);
    const { rules, ledger } = this.#options;
    await ledger.do({
      readSet: () => {},
      run: async ({ tx, entries }) => {
        const version = await rules.store(tx, wanted);
        entries.push({
          actor: caller,
          action: 'conflict_rules_updated',
          target: { kind: 'conflict_rules', name: 'rules' },
          detail: { version, before: rules.current, rules: wanted },
        });
      },
    });
    return this.rules();
  }

  /**
   * Newest first: every decision that was not plainly accepted, freezes and rollbacks. Apps get those in which they were
   * caller or rival. `next` is where to go on, null at the end; a page may be short of `limit` before the end.
   */
  async list(caller: Caller, query: ConflictQuery): Promise<ConflictPage> {
    const { sight } = this.#options;
    if (query.agent !== undefined && !(await sight.canSee(caller, query.agent))) {
      return toPage([], null);
    }
    const parts = await Promise.all(actions.map((action) => this.#search(caller, query, action)));
    // Beyond the place where one search gave up, nothing is known of its kind.
    const floor = Math.max(0, ...parts.map(({ searchedTo }) => searchedTo));
    const all = parts.flatMap(({ found }) => found).sort((a, b) => b.seq - a.seq);
    const known = all.filter(({ seq }) => seq >= floor);
    const page = known.slice(0, query.limit);
    const conflicts = await Promise.all(page.map((conflict) => sight.ofConflict(caller, conflict)));
    if (conflicts.length < known.length) return toPage(conflicts, conflicts.at(-1)!.seq);
    return toPage(conflicts, floor > 0 ? floor : null);
  }

  async #search(caller: Caller, query: ConflictQuery, action: (typeof actions)[number]) {
    const { agent, reason, callerName, sinceMs, untilMs, limit } = query;
    const found: Conflict[] = [];
    let beforeSeq = query.before;
    for (let page = 0; page < maxPages; page += 1) {
      const { entries, has_more } = await this.#options.audit.list({
        action,
        target: agent === undefined ? undefined : [agent],
        sinceMs,
        untilMs,
        beforeSeq,
        limit: pageSize,
      });
      for (const entry of entries) {
        beforeSeq = entry.seq;
        const conflict = toConflict(entry, caller);
        if (!conflict || (reason !== undefined && conflict.reason !== reason)) continue;
        if (callerName === undefined || (await this.#isOf(callerName, conflict, caller))) found.push(conflict);
        if (found.length > limit) return { found, searchedTo: entry.seq };
      }
      if (!has_more) return { found, searchedTo: 0 };
    }
    return { found, searchedTo: beforeSeq ?? 0 };
  }

  /** By what the caller may know of it: a name that is hidden from the caller finds nothing. */
  async #isOf(name: string, conflict: Conflict, caller: Caller): Promise<boolean> {
    const { caller_name, rival } = await this.#options.sight.ofConflict(caller, conflict);
    return caller_name === name || rival?.caller_name === name;
  }
}

function toPage(items: Conflict[], before: number | null): ConflictPage {
  return { items, next: before === null ? null : String(before), conflicts: items, next_before: before };
}

/** Undefined for a plain decision, or one that does not concern this caller, or that cannot be read any more. */
function toConflict({ seq, ts, action, target, detail: text }: AuditRecord, caller: Caller): Conflict | undefined {
  const detail: Detail = parseObject(text) ?? {};
  const { intent, outcome, group } = detail;
  const app = rightsOf(caller).app?.id;
  const base = { seq, ts: toTime(ts), kind: action as Conflict['kind'] };
  if (action !== 'command_decided') {
    if (app !== undefined) return undefined;
    return {
      ...base,
      command_id: typeof detail.command_id === 'string' ? detail.command_id : null,
      ap_id: target,
      parameter: String(detail.parameter ?? ''),
      parameter_group: null,
      caller_kind: null,
      caller_name: null,
      verdict: null,
      reason: null,
      detail: String(detail.detail ?? ''),
      rival: null,
      ...noValues,
    };
  }
  if (!intent || !outcome || !group) return undefined;
  const isPlain = outcome.verdict === 'accepted' && outcome.superseded.length === 0;
  const concernsApp = intent.caller_id === app || outcome.rival?.caller_id === app;
  if (isPlain || (app !== undefined && !concernsApp)) return undefined;
  const { command_id, ap_id, parameter, caller_kind, caller_name } = intent;
  const { verdict, reason, rival } = outcome;
  return {
    ...base,
    command_id,
    ap_id,
    parameter,
    parameter_group: group.name,
    caller_kind,
    caller_name,
    verdict,
    reason,
    detail: outcome.detail,
    rival: rival && toRival(rival),
    ...valuesFor(caller, intent, outcome, detail.leases ?? []),
  };
}

const noValues = { command: null, sent_command: null, priority: null, rival_command: null, rival_priority: null };

/** What each side asked for and its priority: for that side, and for administrators. */
function valuesFor(
  caller: Caller,
  intent: DecisionRecord['intent'],
  { rival, args }: DecisionRecord['outcome'],
  leases: DecisionRecord['leases'],
): Pick<Conflict, keyof typeof noValues> {
  const { isAdmin } = rightsOf(caller);
  const mayRead = (caller_id: string) => isAdmin || caller.id === caller_id;
  const values: Pick<Conflict, keyof typeof noValues> = { ...noValues };
  if (mayRead(intent.caller_id)) {
    values.command = toCommandText(intent.name, intent.args);
    values.sent_command = args && toCommandText(intent.name, args);
    values.priority = intent.priority;
  }
  const held = rival && leases.find(({ command_id }) => command_id === rival.command_id);
  if (held && mayRead(held.caller_id)) {
    values.rival_command = toCommandText(held.value.name, held.value.args);
    values.rival_priority = held.priority;
  }
  return values;
}
