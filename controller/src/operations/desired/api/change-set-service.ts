// Drafts of changes: what they would do, and the roll-out that does it.
import { randomUUID } from 'node:crypto';
import type { ChangePreview, ChangeSet, ChangeSetCreate, ChangeSetPage } from '@weft/contract/operations';
import type { Caller } from '../../../core/base/caller.ts';
import { ConflictError, notFound } from '../../../core/base/errors.ts';
import { invalidValue } from '../../../core/base/input/value-rules.ts';
import { type PageQuery, readCursor, toCursor } from '../../../core/base/lists/list-cursor.ts';
import { rightsOf } from '../../../core/base/rights/rights.ts';
import { requirePresentOwner } from '../../../core/base/storage/present-owner.ts';
import type { SqlQueries } from '../../../core/base/storage/sql-database.ts';
import { inSlices } from '../../../core/base/time-slices.ts';
import type { AgentRow } from '../../../core/network/agent-rows.ts';
import { managedSelectors, mayConfigure, mayConfigureAll, seesAllConfig, visibleLayers } from '../config-rights.ts';
import type { LayersInForce } from '../layers-in-force.ts';
import { Differences, restartOf } from '../model/differences.ts';
import type { Layer, Managed } from '../model/layer.ts';
import { reachOf } from '../model/reach.ts';
import { LayerStack, noContext, type Rendered } from '../model/render.ts';
import { requireSettings } from '../model/settings.ts';
import { isManaged } from '../reconciler.ts';
import type { RolloutDriverOptions } from '../rollout/rollout-driver.ts';
import type { ChangeSetRecord } from '../store/rollout-store.ts';

const maxRefusals = 100;
const maxOverridden = 100;

type OfDriver = 'database' | 'rollouts' | 'configs' | 'network' | 'auditLog' | 'now' | 'present';

export interface ChangeSetServiceOptions extends Pick<RolloutDriverOptions, OfDriver> {
  inForce: LayersInForce;
}

/** What a draft does to one access point. */
interface Effect {
  agent: AgentRow;
  before: Rendered;
  after: Rendered;
}

export class ChangeSetService {
  readonly #options: ChangeSetServiceOptions;

  constructor(options: ChangeSetServiceOptions) {
    this.#options = options;
  }

  /** Newest first: one's own, and for who sees everything all. */
  async list(caller: Caller, { cursor, limit }: PageQuery): Promise<ChangeSetPage> {
    const before = readTimeCursor(cursor, 'change_sets');
    const records = await this.#options.rollouts.pageSets(before, limit);
    const { layers } = await this.#options.inForce.current();
    const items = records.filter((record) => isSeen(caller, record)).map((record) => toChangeSet(record, layers));
    return { items, next: records.length === limit ? toTimeCursor(records.at(-1)!, 'change_sets') : null };
  }

  async get(caller: Caller, id: string): Promise<ChangeSet> {
    const { layers } = await this.#options.inForce.current();
    return toChangeSet(await this.find(caller, id), layers);
  }

  async create(caller: Caller, input: ChangeSetCreate): Promise<ChangeSet> {
    const { rollouts, auditLog, inForce, database } = this.#options;
    const record = await this.#toRecord(caller, randomUUID(), input);
    await rollouts.createSet(record, caller, async (tx) => {
      const owner = { owner_kind: caller.kind, owner_id: caller.id, owner_ver: caller.ver };
      await requirePresentOwner(tx, database.dialect, owner);
      await auditLog.append(tx, [entryOf(caller, 'change_set_created', record)]);
    });
    return toChangeSet(record, (await inForce.current()).layers);
  }

  /** Replaces the draft; it is based on what is in force now. */
  async replace(caller: Caller, id: string, input: ChangeSetCreate): Promise<ChangeSet> {
    const { rollouts, auditLog, inForce } = this.#options;
    const before = await this.find(caller, id);
    const { owner_kind, owner_id } = before;
    const asOwner = { owner_kind: caller.kind, owner_id: caller.id };
    const writers = uniqueBy([{ owner_kind, owner_id }, ...before.writers, asOwner]).slice(1);
    const record = { ...(await this.#toRecord(caller, id, input, before)), created_at: before.created_at, writers };
    const isDraft = await rollouts.replaceSet(record, (tx) =>
      auditLog.append(tx, [entryOf(caller, 'change_set_updated', record)]),
    );
    if (!isDraft) throw notADraft();
    const { owner_name } = before;
    return toChangeSet({ ...record, owner_name }, (await inForce.current()).layers);
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const { rollouts, auditLog } = this.#options;
    const before = await this.find(caller, id);
    const isDraft = await rollouts.removeSet(id, (tx) =>
      auditLog.append(tx, [entryOf(caller, 'change_set_removed', before)]),
    );
    if (!isDraft) throw notADraft();
  }

  /** What it would do now. */
  async preview(caller: Caller, id: string): Promise<ChangePreview> {
    const set = await this.find(caller, id);
    const { inForce, configs } = this.#options;
    const { own, hasOthers } = await this.effects(caller, set);
    const declared = await inForce.declared(own.map(({ agent }) => agent));
    const names = new Map([...set.layers, ...(await inForce.current()).layers].map(({ id, name }) => [id, name]));
    const differences = new Differences();
    const refusals: ChangePreview['refusals'] = [];
    let refused = 0;
    const changedOf = new Map<string, string[]>();
    await inSlices(own, ({ agent, before, after }) => {
      if (after.problems.length > 0) {
        refused++;
        for (const { leaf, layer, code, detail } of after.problems) {
          if (refusals.length < maxRefusals)
            refusals.push({ ap_id: agent.ap_id, leaf, layer: names.get(layer) ?? '', code, detail });
        }
        return;
      }
      const changes = differences.between(before.settings, after.settings);
      differences.add(agent.ap_id, changes, restartOf(changes, declared(agent)));
      changedOf.set(
        agent.id,
        changes.map(({ leaf }) => leaf),
      );
    });
    const overridden: ChangePreview['overridden'] = [];
    for (const config of (await configs.byAgentIds([...changedOf.keys()])).values()) {
      const held = Object.keys(JSON.parse(config.overridden)).filter((leaf) =>
        changedOf.get(config.agent_id)!.includes(leaf),
      );
      if (held.length > 0 && overridden.length < maxOverridden) overridden.push({ ap_id: config.ap_id, leaves: held });
    }
    const { changed, groups, restarts } = differences;
    return { changed, groups, refused, refusals, restarts, overridden, not_yours: hasOthers };
  }

  /** On whom the draft has an effect: on those that the caller may configure, and whether also on others, now or when they come. */
  async effects(
    caller: Caller,
    set: ChangeSetRecord,
  ): Promise<{ own: Effect[]; hasOthers: boolean; managed: Managed }> {
    const { inForce, network, database } = this.#options;
    await network.fresh();
    const managed = await this.managed(database, caller, set);
    const current = await inForce.current();
    const ids = new Set([...set.removed, ...set.layers.map(({ id }) => id)]);
    const ends = Object.fromEntries(set.removed.map((id) => [id, (set.base[id] ?? 0) + 1]));
    const known = new Map(current.layers.map((layer) => [layer.id, layer]));
    const next: Layer[] = set.layers.map((layer) => {
      const reach = reachOf(layer, known.get(layer.id), managed);
      return { ...layer, reach, version: (set.base[layer.id] ?? 0) + 1 };
    });
    // Only whom one of these layers is or will be about.
    const layers = [...current.layers.filter(({ id }) => ids.has(id)), ...next];
    const touched = new LayerStack(layers, noContext);
    const agents = network.agents.filter((agent) => isManaged(agent) && touched.matching(agent).length > 0);
    const declared = await inForce.declared(agents);
    const [old, after] = [current.stack(), current.stack({ after: next, ends })];
    const own: Effect[] = [];
    const selectors = layers.map(({ selector }) => selector);
    let hasOthers = !mayConfigureAll(caller, selectors);
    await inSlices(agents, (agent) => {
      const effect = { agent, before: old.render(agent, declared(agent)), after: after.render(agent, declared(agent)) };
      const isChanged = effect.before.hash !== effect.after.hash || effect.after.problems.length > 0;
      if (!isChanged) return;
      if (mayConfigure(caller, agent)) own.push(effect);
      else hasOthers = true;
    });
    return { own, hasOthers, managed };
  }

  /** What each manages who has written the draft or asks now: the names of secrets in it reach no further. */
  async managed(tx: SqlQueries, { kind, id }: Caller, { owner_kind, owner_id, writers }: ChangeSetRecord) {
    const managed: string[][] = [];
    for (const each of uniqueBy([{ owner_kind, owner_id }, ...writers, { owner_kind: kind, owner_id: id }])) {
      const caller = await this.#options.present(tx, each);
      const selectors = caller ? managedSelectors(caller) : [];
      if (!selectors.includes('')) managed.push(selectors);
    }
    return managed;
  }

  /** Throws NotFoundError for one that is unknown or that the caller may not see. */
  async find(caller: Caller, id: string): Promise<ChangeSetRecord> {
    const record = await this.#options.rollouts.getSet(id);
    if (!record || !isSeen(caller, record)) throw notFound('Change set');
    return record;
  }

  async #toRecord(
    caller: Caller,
    id: string,
    { title, layers = [], remove = [] }: ChangeSetCreate,
    before?: ChangeSetRecord,
  ): Promise<ChangeSetRecord> {
    const { inForce, network, now } = this.#options;
    if (layers.length + remove.length === 0)
      throw invalidValue(['body'], 'a change set changes or removes at least one layer');
    const known = new Map((await inForce.current()).layers.map((layer) => [layer.id, layer]));
    const named = [...layers.flatMap(({ id: each }) => each ?? []), ...remove];
    if (new Set(named).size < named.length) throw invalidValue(['body'], 'each layer is named once');
    // A draft may be sent back as it was read, with the ids that it has given to new layers.
    const isNew = (each: string) => before?.base[each] === 0 && !known.has(each) && !remove.includes(each);
    const old = named.filter((each) => !isNew(each));
    const found = old.flatMap((each) => known.get(each) ?? []);
    const visible = await visibleLayers(caller, found, network);
    if (visible.length < old.length) throw notFound('Layer');
    const drafts = layers.map(({ id: layer = randomUUID(), optional = false, ...draft }, at) => {
      requireSettings(draft.settings, ['body', 'layers', at, 'settings']);
      return { ...draft, id: layer, optional };
    });
    const base = Object.fromEntries(
      [...drafts.map((draft) => draft.id), ...remove].map((each) => [each, known.get(each)?.version ?? 0]),
    );
    const owner = { owner_kind: caller.kind, owner_id: caller.id, owner_name: caller.name };
    return {
      id,
      title,
      state: 'draft',
      layers: drafts,
      removed: remove,
      base,
      writers: [],
      ...owner,
      created_at: now(),
      updated_at: now(),
    };
  }
}

/** Each once. */
function uniqueBy<Owner extends { owner_kind: string; owner_id: string }>(owners: readonly Owner[]): Owner[] {
  return [...new Map(owners.map((each) => [`${each.owner_kind} ${each.owner_id}`, each])).values()];
}

function isSeen(caller: Caller, record: ChangeSetRecord): boolean {
  return rightsOf(caller).owns(record) || seesAllConfig(caller);
}

export function notADraft(): ConflictError {
  return new ConflictError('change_set_rolled_out', 'This change set has been rolled out');
}

function entryOf(actor: Caller, action: string, { id, title, layers, removed }: ChangeSetRecord) {
  const detail = { title, layers: layers.map(({ name }) => name).slice(0, 50), removed: removed.length };
  return { actor, action, target: { kind: 'change_set', name: id }, detail };
}

function toChangeSet(record: ChangeSetRecord, inForce: readonly Layer[]): ChangeSet {
  const { id, title, state, layers, removed, base, owner_name, created_at, updated_at } = record;
  const versions = new Map(inForce.map((layer) => [layer.id, layer.version]));
  return {
    id,
    title,
    state,
    layers,
    remove: removed,
    base,
    is_outdated:
      state === 'draft' && Object.entries(base).some(([layer, version]) => (versions.get(layer) ?? 0) !== version),
    created_by: owner_name,
    created_at: new Date(created_at).toISOString(),
    updated_at: new Date(updated_at).toISOString(),
  };
}

export function readTimeCursor(cursor: string | undefined, list: string): { created_at: number; id: string } {
  if (cursor === undefined) return { created_at: Number.MAX_SAFE_INTEGER, id: '' };
  const { key, name } = readCursor(cursor, list);
  if (typeof key !== 'number')
    throw invalidValue(['query', 'cursor'], 'this is not a cursor; use `next` of the page before');
  return { created_at: key, id: name };
}

export function toTimeCursor({ created_at, id }: { created_at: number; id: string }, list: string): string {
  return toCursor({ key: created_at, name: id, snapshot: undefined }, list);
}
