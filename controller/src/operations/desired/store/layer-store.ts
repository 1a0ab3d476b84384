// Layers of settings with their versions, variables and secrets, in SQL. Every change raises one revision, so that nodes which
// keep all of it in memory know when to read it again.

import type { Actor } from '../../../core/base/caller.ts';
import { ConflictError } from '../../../core/base/errors.ts';
import { owned, TotalShare } from '../../../core/base/shares/total-share.ts';
import type { InSameTransaction, SqlQueries } from '../../../core/base/storage/sql-database.ts';
import { insertRecord } from '../../../core/base/storage/sql-rows.ts';
import { RecordTable, SqlStore } from '../../../core/base/storage/sql-store.ts';
import { raiseRevision } from '../../../core/base/storage/table-revision.ts';
import type { Layer, Managed, VariableValue } from '../model/layer.ts';
import { reachOf } from '../model/reach.ts';

const keptVersions = 100;
export const configHead = { table: 'config_head', column: 'revision' };

/** Who made a layer or a secret; empty for what lay there before this was asked. */
export interface Made {
  owner_kind: string;
  owner_id: string;
}

export interface LayerVersion extends Omit<Layer, 'id'>, Made {
  layer_id: string;
  removed: boolean;
  rollout_id: string;
  created_by: string;
  created_at: number;
}

/** Where a variable or a secret belongs; the same name at two targets are two. */
export interface ValueKey {
  /** There are no variables of `all`, the installation. */
  scope: 'agent' | 'site' | 'all';
  /** The id of the agent or of the site; empty for the installation. */
  target: string;
  name: string;
}

export interface Variable extends ValueKey {
  value: VariableValue;
  updated_at: number;
}

export interface SecretRecord extends ValueKey, Made {
  version: number;
  /** Encrypted. */
  value: string;
  /** Whoever writes a layer may name it. */
  is_shared: boolean;
  updated_at: number;
}

export interface SecretChange extends Made {
  /** Where it has been until now, if it moves. */
  from?: ValueKey | undefined;
  is_shared?: boolean | undefined;
  /** Its new value, encrypted for its key; undefined: it stays as it is. */
  seal: (before: SecretRecord | undefined) => string | undefined;
  by: Actor;
}

const VERSION =
  'layer_id, version, name, selector, weight, optional, settings, removed, rollout_id, created_by, created_at, owner_kind, owner_id, reach';
const versions = new RecordTable<LayerVersion>('config_layer_versions', VERSION, {
  json: ['settings', 'reach'],
  flags: ['optional', 'removed'],
});
const VARIABLE = 'scope, target, name, value, updated_at';
const variables = new RecordTable<Variable>('config_variables', VARIABLE, { json: ['value'] });
const SECRET = 'scope, target, name, version, value, is_shared, owner_kind, owner_id, updated_at';
const secrets = new RecordTable<SecretRecord>('config_secrets', SECRET, { flags: ['is_shared'] });
const BY_KEY = 'WHERE target = ? AND name = ?';
const secretShare = new TotalShare('too_many_secrets', 'secrets', 1_000, owned('config_secrets'));
/** With those that roll-outs under way bring. */
const ALL_LAYERS = `${owned('config_layers')} UNION ALL ${owned('config_layer_versions')} WHERE removed = 0
  AND rollout_id IN (SELECT config_rollouts.id FROM config_rollouts WHERE ended_at IS NULL)
  AND layer_id NOT IN (SELECT config_layers.id FROM config_layers)`;
const layerShare = new TotalShare('too_many_layers', 'layers', 1_000, ALL_LAYERS);
/** Nobody writes down who sets a variable: a fifth is kept for administrators, and no caller has a share of its own. */
const UNOWNED = `SELECT 'agent' AS kind, target AS id FROM config_variables`;
const variableShare = new TotalShare('too_many_variables', 'variables', 100_000, UNOWNED);
const IN_FORCE = `WHERE EXISTS (SELECT 1 FROM config_layers
  WHERE config_layers.id = config_layer_versions.layer_id AND config_layers.version = config_layer_versions.version)`;

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class LayerStore extends SqlStore {
  /** What is in force. */
  async tables() {
    const [layers, variables, secrets] = [await this.inForce(), await this.variables(), await this.secrets()];
    return { layers: layers.map(toLayer), variables, secrets };
  }

  async inForce(): Promise<LayerVersion[]> {
    return versions.list(this.db, `${IN_FORCE} ORDER BY layer_id`);
  }

  /** Up to `limit` versions below this one, newest first. */
  async versions(layer_id: string, before: number, limit: number): Promise<LayerVersion[]> {
    const rest = 'WHERE layer_id = ? AND version < ? ORDER BY version DESC LIMIT ?';
    return versions.list(this.db, rest, [layer_id, before, limit]);
  }

  async variables(): Promise<Variable[]> {
    return variables.list(this.db, '');
  }

  async secrets(): Promise<SecretRecord[]> {
    return secrets.list(this.db, 'ORDER BY name, target');
  }

  /** Sets or, with undefined, removes it. Resolves whether anything changed. Throws ConflictError `too_many_variables`. */
  async setVariable(
    { scope, target, name }: ValueKey,
    value: VariableValue | undefined,
    by: Actor,
    nowMs: number,
    also: InSameTransaction<VariableValue>,
  ): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      await raise(tx);
      const [before] = await variables.remove(tx, 'WHERE target = ? AND name = ?', [target, name]);
      const isSame = before?.value === value;
      if (value !== undefined) {
        if (!before) await variableShare.take(tx, by);
        const updated_at = isSame ? before!.updated_at : nowMs;
        const record = { scope, target, name, value: JSON.stringify(value), updated_at };
        await insertRecord(tx, 'config_variables', VARIABLE, record);
      }
      if (!isSame)
        await also(tx, { ...(before && { before: before.value }), ...(value !== undefined && { after: value }) });
      return !isSame;
    });
  }

  /**
   * Each value has a version that counts up, also if there was another secret of its name before. Resolves undefined if there is none
   * and no value for one. Throws ConflictError `secret_exists` if another one is where it moves to, `too_many_secrets`.
   */
  async setSecret(
    { scope, target, name }: ValueKey,
    { from, is_shared, seal, owner_kind, owner_id, by }: SecretChange,
    nowMs: number,
    also: (tx: SqlQueries) => Promise<void>,
  ): Promise<SecretRecord | undefined> {
    return this.db.transaction(async (tx) => {
      await raise(tx);
      const [before] = await secrets.remove(tx, BY_KEY, [(from ?? { target }).target, name]);
      const value = seal(before);
      if (value === undefined && !before) return undefined;
      if (!before) await secretShare.take(tx, by);
      if (from && (await secrets.get(tx, BY_KEY, [target, name])))
        throw new ConflictError('secret_exists', `There is another secret ${name} where it is to be moved to`);
      if (from && before) await noteGone(tx, before.version);
      const isKept = before && !from;
      const record: SecretRecord = {
        owner_kind: before?.owner_kind ?? owner_kind,
        owner_id: before?.owner_id ?? owner_id,
        ...{ scope, target, name },
        version: isKept ? before.version + (value === undefined ? 0 : 1) : (await goneVersion(tx)) + 1,
        value: value ?? before!.value,
        is_shared: is_shared ?? before?.is_shared ?? false,
        updated_at: nowMs,
      };
      await insertRecord(tx, 'config_secrets', SECRET, record);
      await also(tx);
      return record;
    });
  }

  /** Resolves whether it existed. */
  async removeSecret({ target, name }: ValueKey, also: (tx: SqlQueries) => Promise<void>): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      await raise(tx);
      const [removed] = await secrets.remove(tx, BY_KEY, [target, name]);
      if (!removed) return false;
      await noteGone(tx, removed.version);
      await also(tx);
      return true;
    });
  }

  /** Encrypted again, after the secret of the installation has changed. */
  async resealSecret({ target, name, version }: SecretRecord, sealed: string): Promise<void> {
    const sql = `UPDATE config_secrets SET value = ? ${BY_KEY} AND version = ?`;
    await this.db.query(sql, [sealed, target, name, version]);
  }

  /** The id of the last event that was looked at. */
  async seenEvent(): Promise<number> {
    const [row] = await this.db.query<{ seen_event: number }>('SELECT seen_event FROM config_head WHERE id = 1');
    return row!.seen_event;
  }

  /** Nothing stays of an agent that is gone. */
  async forget(agent_id: string): Promise<void> {
    await this.#forget('WHERE target = ?', [agent_id]);
  }

  /** Nothing stays of sites that are gone. */
  async forgetSites(): Promise<void> {
    await this.#forget(`WHERE scope = 'site' AND target NOT IN (SELECT id FROM sites)`, []);
  }

  async #forget(where: string, params: readonly string[]): Promise<void> {
    await this.db.transaction(async (tx) => {
      await raise(tx);
      await variables.remove(tx, where, params);
      for (const { version } of await secrets.remove(tx, where, params)) await noteGone(tx, version);
    });
  }
}

/** In the transaction of a roll-out: the next version of each layer, which is not in force yet. Resolves them. */
export async function createVersions(
  tx: SqlQueries,
  drafts: readonly Omit<LayerVersion, 'version'>[],
  managed: Managed,
): Promise<Layer[]> {
  const made: Layer[] = [];
  for (const draft of drafts) {
    const newest = await versions.get(tx, 'WHERE layer_id = ? ORDER BY version DESC LIMIT 1', [draft.layer_id]);
    const version = (newest?.version ?? 0) + 1;
    // Whoever changes a layer does not become who made it.
    const { owner_kind, owner_id } = newest ?? draft;
    const reach = reachOf(draft, await inForceNow(tx, draft.layer_id), managed);
    await insertRecord(tx, 'config_layer_versions', VERSION, { ...draft, owner_kind, owner_id, reach, version });
    await tx.query('DELETE FROM config_layer_versions WHERE layer_id = ? AND version <= ?', [
      draft.layer_id,
      version - keptVersions,
    ]);
    made.push(toLayer({ ...draft, reach, version }));
  }
  return made;
}

/** In a transaction: so many layers more are to be. Throws ConflictError `too_many_layers`. */
export async function takeLayers(tx: SqlQueries, by: Actor, count: number): Promise<void> {
  if (count > 0) await layerShare.take(tx, by, [], count);
}

/** In the transaction that takes back to an old version: what is not in force now reaches what these manage, and no further. */
export async function narrowVersion(tx: SqlQueries, id: string, version: number, managed: Managed): Promise<void> {
  const old = await versions.get(tx, 'WHERE layer_id = ? AND version = ?', [id, version]);
  if (!old || managed.length === 0) return;
  const reach = reachOf(old, await inForceNow(tx, id), managed);
  await versions.change(tx, { reach }, 'WHERE layer_id = ? AND version = ?', [id, version]);
}

async function inForceNow(tx: SqlQueries, id: string): Promise<LayerVersion | undefined> {
  return versions.get(tx, `${IN_FORCE} AND layer_id = ?`, [id]);
}

/** These versions are in force now; undefined: no version of the layer is. */
export async function putInForce(tx: SqlQueries, inForce: ReadonlyMap<string, number | undefined>): Promise<void> {
  await raise(tx);
  for (const [id, version] of inForce) {
    if (version === undefined) await tx.query('DELETE FROM config_layers WHERE id = ?', [id]);
    else
      await tx.query(
        `INSERT INTO config_layers (id, version, owner_kind, owner_id)
         SELECT layer_id, version, owner_kind, owner_id FROM config_layer_versions WHERE layer_id = ? AND version = ?
         ON CONFLICT (id) DO UPDATE SET version = excluded.version`,
        [id, version],
      );
  }
}

/** A new secret of the name must not look like one that was there before. */
async function noteGone(tx: SqlQueries, version: number): Promise<void> {
  const sql = 'UPDATE config_head SET gone_secret_version = ? WHERE id = 1 AND gone_secret_version < ?';
  await tx.query(sql, [version, version]);
}

async function goneVersion(tx: SqlQueries): Promise<number> {
  const [row] = await tx.query<{ gone: number }>('SELECT gone_secret_version AS gone FROM config_head WHERE id = 1');
  return row!.gone;
}

/** In the transaction of what follows from them. */
export async function noteSeenEvent(tx: SqlQueries, id: number): Promise<void> {
  await tx.query('UPDATE config_head SET seen_event = ? WHERE id = 1', [id]);
}

/** Locks what is in force until the transaction ends. */
export async function raise(tx: SqlQueries): Promise<void> {
  await raiseRevision(tx, configHead);
}

export function toLayer(record: LayerVersion): Layer {
  const { layer_id: id, name, selector, weight, settings, optional, version, reach } = record;
  return { id, name, selector, weight, settings, optional, version, reach: reach ?? null };
}
