// Records that belong to the installation, for whoever administers them: each change has its audit entry.

import type { AuditService } from '../../core/accounts/audit/audit-service.ts';
import type { Actor } from '../../core/base/caller.ts';
import { notFound, orNotFound, TryLaterError } from '../../core/base/errors.ts';
import type { InSameTransaction } from '../../core/base/storage/sql-database.ts';
import type { RecordStore } from './record-store.ts';

interface Kind<Stored extends { id: string }, Change> {
  /** One word, as errors begin with it; in lower case it is the target of audit entries, and begins their actions. */
  what: string;
  store: Pick<RecordStore<Stored, Change>, 'get' | 'count' | 'create' | 'update' | 'remove'>;
  /** How many there may be, and what one more is refused with. */
  limit: { max: number; code: `too_many_${string}` };
  audit: AuditService;
  /** Those that an entry names if they are others afterwards. */
  fields: readonly (keyof Stored)[];
  /** What each entry says of the record beside its id. */
  detail?: (record: Stored) => Record<string, unknown>;
  /** Called after every change. */
  onChanged?: () => void;
}

export abstract class RecordService<Stored extends { id: string; name: string }, Change, Input, Shown> {
  readonly #kind: Kind<Stored, Change>;
  readonly #word: string;

  constructor(kind: Kind<Stored, Change>) {
    this.#kind = kind;
    this.#word = kind.what.toLowerCase();
  }

  protected abstract show(record: Stored): Shown | Promise<Shown>;
  /** With the defaults of what is left out. */
  protected abstract toChange(input: Input): Change;

  async get(id: string): Promise<Shown> {
    return this.show(await this.require(id));
  }

  async update(id: string, input: Input, by: Actor): Promise<Shown> {
    return this.change(id, this.toChange(input), this.audited(by, 'updated'));
  }

  async remove(id: string, by: Actor): Promise<void> {
    const { store, what, onChanged } = this.#kind;
    if (!(await store.remove(id, this.audited(by, 'removed')))) throw notFound(what);
    onChanged?.();
  }

  protected async add(record: Stored, by: Actor): Promise<Shown> {
    const { store, limit, onChanged } = this.#kind;
    if ((await store.count()) >= limit.max)
      throw new TryLaterError(429, limit.code, `There may be ${limit.max} ${this.#word}s`, 3600);
    await store.create(record, this.audited(by, 'created'));
    onChanged?.();
    return this.show(record);
  }

  protected async change(id: string, change: Change, also: InSameTransaction<Stored>): Promise<Shown> {
    const after = orNotFound(await this.#kind.store.update(id, change, also), this.#kind.what);
    this.#kind.onChanged?.();
    return this.show(after);
  }

  protected async require(id: string): Promise<Stored> {
    return orNotFound(await this.#kind.store.get(id), this.#kind.what);
  }

  /** For `also` of the store. */
  protected audited(by: Actor, verb: string, more: Record<string, unknown> = {}): InSameTransaction<Stored> {
    const { audit, fields, detail: detailOf } = this.#kind;
    return audit.entry(({ before, after }) => {
      const record = (after ?? before)!;
      const isOther = (field: keyof Stored) => JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field]);
      const changed = before && after && { fields: fields.filter(isOther) };
      const detail = { id: record.id, ...detailOf?.(record), ...changed, ...more };
      return { actor: by, action: `${this.#word}_${verb}`, target: { kind: this.#word, name: record.name }, detail };
    });
  }
}
