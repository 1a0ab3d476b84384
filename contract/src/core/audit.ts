// The audit log: who changed what, and when.
import { pageFields } from './answers.ts';
import * as Type from './schema/schema.ts';

export const AuditEntry = Type.Named('AuditEntry', {
  seq: Type.Integer({ description: 'Counts from 1 without gaps.' }),
  ts: Type.Timestamp,
  actor: Type.Object({
    kind: Type.String({
      description:
        '`user`, `agent`, `third_party_app`, `enrolment_token`, `command_line`, `system` (Weft itself) or `anonymous`.',
    }),
    id: Type.OrNull(Type.String()),
    name: Type.String(),
  }),
  action: Type.String({ description: 'What happened, such as `user_updated`.' }),
  target: Type.Object({ kind: Type.String(), name: Type.String() }),
  detail: Type.Record(Type.String(), Type.Unknown(), {
    description: 'What changed, by name; never a password, key or token.',
  }),
  hash: Type.String({ description: 'SHA-256 over this entry and the hash of the previous one.' }),
});
export type AuditEntry = Type.Static<typeof AuditEntry>;

export const AuditPage = Type.Named('AuditPage', {
  ...pageFields(AuditEntry, { items: 'Newest first.' }),
  entries: Type.Array(AuditEntry, { description: 'The same as `items`, for programs that were written before it.' }),
  has_more: Type.Boolean({ description: '`next` is not null.' }),
});
export type AuditPage = Type.Static<typeof AuditPage>;
