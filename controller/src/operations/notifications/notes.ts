// Notes of whoever is on duty: a table, its routes and its audit entries.
import { randomUUID } from 'node:crypto';
import { Note, NoteInput, NotePage } from '@weft/contract/operations';
import type { AuditService } from '../../core/accounts/audit/audit-service.ts';
import type { Caller } from '../../core/base/caller.ts';
import { adminsOnly, networkReaders } from '../../core/base/rights/permission.ts';
import type { SqlDatabase } from '../../core/base/storage/sql-database.ts';
import { resourceRoutes } from '../../core/http/request/resource-routes.ts';
import { RecordService } from '../records/record-service.ts';
import { RecordStore } from '../records/record-store.ts';

const conflict = { 409: 'A note with this name exists' };

class NoteService extends RecordService<Note, NoteInput, NoteInput, Note> {
  readonly #store: RecordStore<Note, NoteInput>;

  constructor(database: SqlDatabase, audit: AuditService) {
    const store = new RecordStore<Note, NoteInput>(database, {
      name: 'notes',
      columns: 'id, name, text, created_by',
      what: 'note',
    });
    super({ what: 'Note', store, max: 1_000, audit, fields: ['name', 'text'] });
    this.#store = store;
  }

  async list() {
    return { items: await this.#store.list(), next: null };
  }

  create({ name, text }: NoteInput, by: Caller): Promise<Note> {
    return this.add({ id: randomUUID(), name, text, created_by: by.name }, by);
  }

  protected show = (note: Note) => note;
  protected toChange = ({ name, text }: NoteInput) => ({ name, text });
}

export const noteRoutes = (database: SqlDatabase, audit: AuditService) =>
  resourceRoutes({
    tag: 'Notifications',
    name: 'note',
    at: '/api/v1/notes/:id',
    records: new NoteService(database, audit),
    schemas: { input: NoteInput, shown: Note, listed: NotePage },
    read: networkReaders,
    change: adminsOnly,
    verbs: {
      list: 'List the notes, ordered by name',
      create: { summary: 'Write a note', failures: conflict },
      get: 'Get a note',
      update: { summary: 'Replace a note', failures: conflict },
      remove: 'Delete a note',
    },
    removed: 'The note has been deleted',
  });
