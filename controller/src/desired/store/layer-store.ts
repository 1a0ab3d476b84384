// Layers of settings with their versions, variables and secrets, in SQL. Every change raises one revision, so that nodes which
// keep all of it in memory know when to read it again.
import { ConflictError } from '../../errors.ts';
import type { InSameTransaction, SqlQueries } from '../../storage/sql-database.ts';
import { countRows, insertRecord, putRecord } from '../../storage/sql-rows.ts';
import { RecordTable, SqlStore } from '../../storage/sql-store.ts';
import type { Layer, VariableValue } from '../model/render.ts';

export const maxLayers = 1_000;
const keptVersions = 100;

export interface LayerVersion extends Omit<Layer, 'id'> {
  layer_id: string;
  removed: boolean;
  rollout_id: string;
  created_by: string;
  created_at: number;
}

export interface Variable {
  scope: 'agent' | 'site';
  /** The id of the agent or of the site. */
  target: string;
  name: string;
  value: VariableValue;
  updated_at: number;
}

export interface SecretRecord {
  name: string;
  version: number;
  /** Encrypted. */
  value: string;
  updated_at: number;
}

const VERSION =
  'layer_id, version, name, selector, weight, optional, settings, removed, rollout_id, created_by, created_at';
const versions = new RecordTable<LayerVersion>('config_layer_versions', VERSION, {
  json: ['settings'],
  flags: ['optional', 'removed'],
});
const VARIABLE = 'scope, target, name, value, updated_at';
const variables = new RecordTable<Variable>('config_variables', VARIABLE, { json: ['value'] });
const SECRET = 'name, version, value, updated_at';
const secrets = new RecordTable<SecretRecord>('config_secrets', SECRET);
const IN_FORCE = `WHERE EXISTS (SELECT 1 FROM config_layers
  WHERE config_layers.id = config_layer_versions.layer_id AND config_layers.version = config_layer_versions.version)`;

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class LayerStore extends SqlStore {
  /** Nothing here has changed while it stays the same. */
  async revision(): Promise<number> {
    const [row] = await this.db.query<{ revision: number }>('SELECT revision FROM config_head WHERE id = 1');
    return row!.revision;
  }

  /** Those in force. */
  async layers(tx: SqlQueries = this.db): Promise<Layer[]> {
    return (await versions.list(tx, IN_FORCE)).map(toLayer);
  }

  /** Up to `limit` versions below this one, newest first. */
  async versions(layer_id: string, before: number, limit: number): Promise<LayerVersion[]> {
    const rest = 'WHERE layer_id = ? AND version < ? ORDER BY version DESC LIMIT ?';
    return versions.list(this.db, rest, [layer_id, before, limit]);
  }

  async variables(): Promise<Variable[]> {
    return variables.list(this.db, '');
  }

  /** Without their values. */
  async secrets(): Promise<SecretRecord[]> {
    return secrets.list(this.db, 'ORDER BY name');
  }

  /** Sets or, with undefined, removes it. Resolves whether anything changed. */
  async setVariable(
    { scope, target, name }: Pick<Variable, 'scope' | 'target' | 'name'>,
    value: VariableValue | undefined,
    nowMs: number,
    also: InSameTransaction<VariableValue>,
  ): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      await raise(tx);
      const [before] = await variables.remove(tx, 'WHERE target = ? AND name = ?', [target, name]);
      const isSame = before?.value === value;
      if (value !== undefined) {
        const updated_at = isSame ? before!.updated_at : nowMs;
        await insertRecord(tx, 'config_variables', VARIABLE, {
          scope,
          target,
          name,
          value: JSON.stringify(value),
          updated_at,
        });
      }
      if (!isSame)
        await also(tx, { ...(before && { before: before.value }), ...(value !== undefined && { after: value }) });
      return !isSame;
    });
  }

  /** Its versions count from 1. */
  async setSecret(
    name: string,
    sealed: string,
    nowMs: number,
    also: (tx: SqlQueries) => Promise<void>,
  ): Promise<SecretRecord> {
    return this.db.transaction(async (tx) => {
      await raise(tx);
      const before = await secrets.get(tx, 'WHERE name = ?', [name]);
      const version = (before?.version ?? 0) + 1;
      const record: SecretRecord = { name, version, value: sealed, updated_at: nowMs };
      await putRecord(tx, 'config_secrets', SECRET, record);
      await also(tx);
      return record;
    });
  }

  /** Resolves whether it existed. */
  async removeSecret(name: string, also: (tx: SqlQueries) => Promise<void>): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      await raise(tx);
      const removed = await secrets.remove(tx, 'WHERE name = ?', [name]);
      if (removed.length > 0) await also(tx);
      return removed.length > 0;
    });
  }

  /** Encrypted again, after the secret of the installation has changed. */
  async resealSecret({ name, version }: SecretRecord, sealed: string): Promise<void> {
    await this.db.query('UPDATE config_secrets SET value = ? WHERE name = ? AND version = ?', [sealed, name, version]);
  }

  /** The id of the last event that was looked at. */
  async seenEvent(): Promise<number> {
    const [row] = await this.db.query<{ seen_event: number }>('SELECT seen_event FROM config_head WHERE id = 1');
    return row!.seen_event;
  }

  /** Nothing of an agent or a site that is gone stays. */
  async forget(target: string): Promise<void> {
    await this.db.query('DELETE FROM config_variables WHERE target = ?', [target]);
  }
}

/** In the transaction of a roll-out: the next version of each layer, which is not in force yet. Resolves them. */
export async function createVersions(
  tx: SqlQueries,
  drafts: readonly Omit<LayerVersion, 'version'>[],
): Promise<Layer[]> {
  const made: Layer[] = [];
  for (const draft of drafts) {
    const [row] = await tx.query<{ newest: number | null }>(
      'SELECT MAX(version) AS newest FROM config_layer_versions WHERE layer_id = ?',
      [draft.layer_id],
    );
    const version = (row?.newest ?? 0) + 1;
    await insertRecord(tx, 'config_layer_versions', VERSION, { ...draft, version });
    await tx.query('DELETE FROM config_layer_versions WHERE layer_id = ? AND version <= ?', [
      draft.layer_id,
      version - keptVersions,
    ]);
    made.push(toLayer({ ...draft, version }));
  }
  return made;
}

/**
 * These versions are in force now; undefined: no version of the layer is. Throws ConflictError `too_many_layers`.
 */
export async function putInForce(tx: SqlQueries, inForce: ReadonlyMap<string, number | undefined>): Promise<void> {
  await raise(tx);
  for (const [id, version] of inForce) {
    if (version === undefined) await tx.query('DELETE FROM config_layers WHERE id = ?', [id]);
    else await putRecord(tx, 'config_layers', 'id, version', { id, version });
  }
  if ((await countRows(tx, 'config_layers')) > maxLayers) {
    throw new ConflictError('too_many_layers', `There are at most ${maxLayers} layers`);
  }
}

/** In the transaction of what follows from them. */
export async function noteSeenEvent(tx: SqlQueries, id: number): Promise<void> {
  await tx.query('UPDATE config_head SET seen_event = ? WHERE id = 1', [id]);
}

/** Locks what is in force until the transaction ends. */
export async function raise(tx: SqlQueries): Promise<void> {
  await tx.query('UPDATE config_head SET revision = revision + 1 WHERE id = 1');
}

export function toLayer(record: Omit<LayerVersion, 'removed' | 'rollout_id' | 'created_by' | 'created_at'>): Layer {
  const { layer_id: id, name, selector, weight, settings, optional, version } = record;
  return { id, name, selector, weight, settings, optional, version };
}
