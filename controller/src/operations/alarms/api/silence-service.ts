// Silences and maintenance windows for administrators.
import { randomUUID } from 'node:crypto';
import type { Silence, SilenceInput } from '@weft/contract/operations';
import type { NewAuditEntry } from '../../../core/accounts/audit/audit-entry.ts';
import type { Caller } from '../../../core/base/caller.ts';
import { orNotFound, PermissionError, type Problem, ValidationError } from '../../../core/base/errors.ts';
import { valueError } from '../../../core/base/input/value-rules.ts';
import { rightsOf } from '../../../core/base/rights/rights.ts';
import type { SqlQueries } from '../../../core/base/storage/sql-database.ts';
import type { Retention } from '../../../core/retention/retention.ts';
import { parseStaticSelector } from '../rules/parse-rule.ts';
import { compileSilence, isAbout, nextWindow } from '../silences/active-silence.ts';
import { isTimeZone } from '../silences/weekly-window.ts';
import type { SilenceRecord, SilenceStore } from '../store/rule-store.ts';
import type { AlarmServiceOptions } from './alarm-service.ts';

/** Those that are over stay this long, to be looked at. */
const keptMs = 7 * 86_400_000;
const longestMs = 365 * 86_400_000;

export interface SilenceServiceOptions extends AlarmServiceOptions {
  silences: SilenceStore;
  retention: Pick<Retention, 'now'>;
}

export class SilenceService {
  readonly #options: SilenceServiceOptions;
  readonly #now: () => number;

  constructor(options: SilenceServiceOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Those that are about access points which the caller may see, and its own. */
  async list(caller: Caller): Promise<{ items: Silence[]; next: null }> {
    const { silences, network } = this.#options;
    await network.fresh();
    const items: Silence[] = [];
    for (const record of await silences.list()) {
      const shown = await this.#shown(record, caller);
      if (shown) items.push(shown);
    }
    return { items, next: null };
  }

  async get(id: string, caller: Caller): Promise<Silence> {
    const record = await this.#options.silences.get(id);
    return orNotFound(record && (await this.#shown(record, caller)), 'Silence');
  }

  async #shown(record: SilenceRecord, caller: Caller): Promise<Silence | undefined> {
    const silence = toSilence(record, this.#now());
    if (record.created_by === caller.name) return silence;
    const compiled = compileSilence(record);
    const sight = await this.#options.network.visibleTo(caller);
    const share = await sight.share((agent) => isAbout(compiled, agent));
    if (share !== 'part') return share === 'all' ? silence : undefined;
    const { selector: _, comment: __, ...rest } = silence;
    return { ...rest, created_by: '', within: null };
  }

  async create(input: SilenceInput, by: Caller): Promise<Silence> {
    const nowMs = this.#now();
    const silence = { ...parseSilence(input, nowMs), ...scopeOf(by) };
    const record = { id: randomUUID(), silence, created_by: by.name, created_at: nowMs, ends_at: endOf(silence) };
    await this.#change(async (tx) => {
      const { silences, retention } = this.#options;
      await silences.prune(tx, retention.now(longestMs) - keptMs);
      await silences.create(tx, record, by);
      return entry(by, 'silence_created', record);
    });
    return toSilence(record, nowMs);
  }

  async update(id: string, input: SilenceInput, by: Caller): Promise<Silence> {
    const nowMs = this.#now();
    const silence = { ...parseSilence(input, nowMs), ...scopeOf(by) };
    let after!: SilenceRecord;
    await this.#change(async (tx) => {
      const { silences } = this.#options;
      const before = orNotFound(await silences.get(id, tx), 'Silence');
      requireOwn(before, by);
      after = { ...before, silence, ends_at: endOf(silence) };
      await silences.update(tx, after);
      return entry(by, 'silence_updated', after, before);
    });
    return toSilence(after, nowMs);
  }

  async remove(id: string, by: Caller): Promise<void> {
    await this.#change(async (tx) => {
      const removed = orNotFound(await this.#options.silences.remove(tx, id), 'Silence');
      requireOwn(removed, by);
      return entry(by, 'silence_removed', removed);
    });
  }

  async #change(work: (tx: SqlQueries) => Promise<NewAuditEntry>): Promise<void> {
    const { database, alarms, auditLog, activeAlarms } = this.#options;
    await database.transaction(async (tx) => {
      await alarms.nextVersion(tx, 'rules');
      await auditLog.append(tx, [await work(tx)]);
    });
    await activeAlarms.fresh();
  }
}

/** A manager silences what it manages, and nothing else, whatever the selector says. */
function scopeOf(by: Caller): { within?: string[] } {
  const rights = rightsOf(by);
  return rights.isUser && !rights.isAdmin ? { within: rights.selectorsOf('manager') } : {};
}

/** Administrators change any, managers their own. */
function requireOwn({ created_by }: SilenceRecord, by: Caller): void {
  const { isUser, isAdmin } = rightsOf(by);
  if (isAdmin || (isUser && by.name === created_by)) return;
  throw new PermissionError('not_permitted', 'You may change only the silences that you have created');
}

/** Throws ValidationError with every problem. */
export function parseSilence(input: SilenceInput, nowMs: number): SilenceInput {
  const problems: Problem[] = [];
  const { selector = '', rules = ['*'], weekly, from, until, time_zone = 'site', comment } = input;
  parseStaticSelector(selector, problems);
  if (time_zone !== 'site' && !isTimeZone(time_zone)) {
    problems.push(valueError(['body', 'time_zone'], 'it must be `site` or an IANA zone such as Europe/London'));
  }
  if (!weekly && until === undefined) {
    problems.push(valueError(['body', 'until'], 'a silence ends (`until`), or is `weekly`'));
  }
  const fromMs = from === undefined ? nowMs : Date.parse(from);
  if (until !== undefined && Date.parse(until) <= Math.max(fromMs, nowMs)) {
    problems.push(valueError(['body', 'until'], 'it must be after `from`, and in the future'));
  }
  if (problems.length > 0) throw new ValidationError(problems);
  return {
    selector,
    rules,
    ...(weekly ? { weekly, time_zone } : { from: new Date(fromMs).toISOString() }),
    ...(weekly && from !== undefined && { from }),
    ...(until !== undefined && { until }),
    ...(comment !== undefined && { comment }),
  };
}

function endOf({ until }: SilenceInput): number | null {
  return until === undefined ? null : Date.parse(until);
}

function entry(actor: Caller, action: string, after: SilenceRecord, before?: SilenceRecord): NewAuditEntry {
  const detail = { silence: after.silence, ...(before && { before: before.silence }) };
  return { actor, action, target: { kind: 'silence', name: after.id }, detail };
}

function toSilence(record: SilenceRecord, nowMs: number): Silence {
  const { id, created_by, created_at } = record;
  const { within = null, ...silence } = record.silence;
  const window = nextWindow(record, nowMs);
  const next = window && {
    from: new Date(Math.max(window.fromMs, -8.64e15)).toISOString(),
    until: new Date(Math.min(window.untilMs, 8.64e15)).toISOString(),
  };
  return {
    id,
    ...silence,
    created_by,
    created_at: new Date(created_at).toISOString(),
    within,
    active: window !== undefined && window.fromMs <= nowMs,
    next: next ?? null,
  };
}
