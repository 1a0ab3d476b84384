// Changes of many access points by selector: what would happen, and the job that does it.
import { randomUUID } from 'node:crypto';
import type { BulkAnswer, BulkProgress, BulkRequest, BulkTarget } from '@weft/contract';
import type { AuditLog } from '../../accounts/audit/audit-store.ts';
import type { Caller } from '../../base/caller.ts';
import { NotFoundError, notFound, PermissionError, TryLaterError } from '../../base/errors.ts';
import { invalidValue } from '../../base/input/value-rules.ts';
import { readNameCursor, toNameCursor } from '../../base/lists/list-cursor.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import type { Keyring } from '../../base/secrets.ts';
import type { FairTurns } from '../../base/shares/fair-turns.ts';
import { principalOf, type Shares } from '../../base/shares/shares.ts';
import type { BatchService } from '../../commands/api/batch-service.ts';
import type { JobStore } from '../../jobs/store/job-store.ts';
import { type AgentRow, hasText, toSearch } from '../../network/agent-rows.ts';
import type { Network } from '../../network/network.ts';
import type { BulkAction, BulkActions } from './bulk-actions.ts';
import type { BulkRun, BulkStore } from './bulk-store.ts';

const maxTargets = 10_000;
const maxShown = 1_000;
const pageSize = 1_000;
const maxSuggestions = 20;
/** Of one caller, open at once. */
const maxOpen = 10;
const turns = { slots: 4, perPrincipal: 1, maxWaiting: 20 };
const dayMs = 86_400_000;

export interface BulkServiceOptions {
  store: BulkStore;
  network: Network;
  actions: BulkActions;
  batches: Pick<BatchService, 'readSendable'>;
  jobs: Pick<JobStore, 'countOpen' | 'get'>;
  auditLog: Pick<AuditLog, 'append'>;
  keyring: Pick<Keyring, 'encrypt'>;
  shares: Shares;
}

export class BulkService {
  readonly #options: BulkServiceOptions;
  readonly #turns: FairTurns;

  constructor(options: BulkServiceOptions) {
    this.#options = options;
    this.#turns = options.shares.turns('bulk_changes', turns);
  }

  /** Throws PermissionError if the caller may do this nowhere, NotFoundError if nothing matches, ValidationError. */
  start(caller: Caller, request: BulkRequest): Promise<BulkAnswer> {
    const action = this.#readAction(caller, request);
    return this.#turns.run(principalOf(caller), () => this.#start(caller, request, action));
  }

  /** Throws NotFoundError for one that is unknown or of somebody else. */
  async get(caller: Caller, job_number: string, cursor: string | undefined, limit: number): Promise<BulkProgress> {
    const { store, network } = this.#options;
    const after = Number(readNameCursor(cursor, 'bulk', (name) => /^[0-9]{1,9}$/.test(name)) ?? 0);
    const run = await store.get(job_number);
    const rights = rightsOf(caller);
    if (!run || !rights.ownsOrAdministers(run)) throw notFound('Job');
    const page = await store.targets(job_number, after, Math.min(limit, pageSize));
    const sight = await network.visibleTo(caller);
    const items = page.flatMap(({ ap_id, state, detail, command_id }): BulkTarget[] => {
      const agent = network.get(ap_id);
      if (agent && !sight.sees(agent)) return [];
      return [{ ap_id, display_name: agent?.display_name ?? null, state, detail, command_id }];
    });
    return {
      job_number,
      selector: run.selector,
      action: run.kind,
      is_over: run.next_at === null,
      totals: await store.totals(job_number),
      items,
      next: page.length === Math.min(limit, pageSize) ? toNameCursor(String(page.at(-1)!.number), 'bulk') : null,
    };
  }

  async #start(caller: Caller, request: BulkRequest, action: BulkAction): Promise<BulkAnswer> {
    const { network, actions } = this.#options;
    const search = toSearch(request.search);
    const selected = await network.select(request.selector, caller);
    const found = search === undefined ? selected : selected.filter((agent) => hasText(agent, search));
    if (found.length > maxTargets) {
      throw invalidValue(
        ['body', 'selector'],
        `it matches ${found.length} access points; at most ${maxTargets} are changed at once`,
      );
    }
    const rights = rightsOf(caller);
    const mayAny = action.kind !== 'command' || !rights.isUser || found.some((agent) => rights.operates(agent));
    if (found.length > 0 && !mayAny) throw new PermissionError();
    const size = request.wave?.size ?? Math.max(1, found.length);
    const waves = Math.ceil(found.length / size);
    const shown = found.slice(0, maxShown);
    const reconfigured = await actions.reconfigured(caller, action, found);
    const settings = reconfigured === undefined ? {} : { reconfigured };
    if (request.preview) {
      const would = await actions.preview(caller, action, shown.map(toTarget));
      const targets = shown.map((agent, index) => {
        const { isRefused, detail } = would[index]!;
        return toShown(agent, isRefused ? 'refused' : 'would', detail);
      });
      const refused = would.filter(({ isRefused }) => isRefused).length;
      const isHelp = action.kind === 'command' && refused > 0;
      const suggestions = isHelp ? declaredBy(shown) : [];
      return {
        job_number: null,
        preview: true,
        count: found.length,
        waves,
        ...settings,
        refused,
        suggestions,
        targets,
      };
    }
    if (found.length === 0) throw new NotFoundError('agent_not_found', 'No access point matches');
    const job_number = await this.#create(caller, request, action, found, size);
    const targets = shown.map((agent) => toShown(agent, 'waiting', null));
    return { job_number, preview: false, count: found.length, waves, ...settings, targets };
  }

  async #create(caller: Caller, request: BulkRequest, action: BulkAction, found: readonly AgentRow[], size: number) {
    const { store, jobs, keyring, auditLog } = this.#options;
    if ((await jobs.countOpen(caller.id)) >= maxOpen) {
      throw new TryLaterError(
        429,
        'too_many_jobs',
        `At most ${maxOpen} jobs of yours may be open to begin another bulk change`,
        10,
      );
    }
    const job_number = randomUUID();
    const now = Date.now();
    const { kind: owner_kind, id: owner_id, name: owner_name } = caller;
    const pause_ms = Math.round((request.wave?.pause_seconds ?? 0) * 1000);
    const waves = Math.ceil(found.length / size);
    const which = { selector: request.selector, ...(request.search && { search: request.search }) };
    const run: BulkRun = {
      job_number,
      owner_kind,
      owner_id,
      owner_name,
      selector: request.selector,
      kind: action.kind,
      action: keyring.encrypt(JSON.stringify(action), job_number),
      total: found.length,
      wave_size: size,
      pause_ms,
      next_at: now,
    };
    const job = {
      job_number,
      task_type: 'bulk',
      owner_kind,
      owner_id,
      owner_name,
      data: JSON.stringify({ ...which, action: action.kind, count: found.length }),
      created_at: now,
      expires_at: now + waves * pause_ms + dayMs,
      published_at: now,
      publish_after: now,
    };
    const entry = {
      actor: caller,
      action: 'bulk_started',
      target: { kind: 'bulk', name: job_number },
      detail: { action: action.kind, ...which, access_points: found.length, waves },
    };
    await store.create(run, found.map(toTarget), job, {
      owner_ver: caller.ver,
      also: (tx) => auditLog.append(tx, [entry]),
    });
    return job_number;
  }

  #readAction(caller: Caller, { action }: BulkRequest): BulkAction {
    const { command, labels, remove } = action;
    const rights = rightsOf(caller);
    const given = [command !== undefined, labels !== undefined, remove === true].filter(Boolean).length;
    if (given !== 1) throw invalidValue(['body', 'action'], 'should have exactly one of command, labels and remove');
    if (command !== undefined) {
      if (rights.hasGrants && !rights.isGranted('operator')) throw new PermissionError();
      return {
        kind: 'command',
        command: this.#options.batches.readSendable(caller, command, ['body', 'action', 'command']),
      };
    }
    if (!rights.isAdmin && !rights.isGranted('manager')) throw new PermissionError();
    return labels === undefined ? { kind: 'remove' } : { kind: 'labels', labels };
  }
}

function toTarget({ ap_id, id }: AgentRow) {
  return { ap_id, agent_id: id };
}

function toShown({ ap_id, display_name }: AgentRow, state: BulkTarget['state'], detail: string | null): BulkTarget {
  return { ap_id, display_name, state, detail, command_id: null };
}

/** The names of the commands that they declare, the most common first. */
function declaredBy(agents: readonly AgentRow[]): string[] {
  const counts = new Map<string, number>();
  for (const { commands } of agents) {
    for (const name of commands?.keys() ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const common = [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  return common.slice(0, maxSuggestions).map(([name]) => name);
}
