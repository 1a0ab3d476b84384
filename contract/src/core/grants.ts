// What a user may do where. A user without grants reads everything; one with grants has those and nothing else.
import * as Type from './schema/schema.ts';

export const Grant = Type.Named('Grant', {
  role: Type.Enum(['viewer', 'operator', 'manager', 'auditor', 'none'], {
    description:
      'viewer reads; operator also sends commands and acknowledges alarms; manager also labels, enrols and removes; auditor reads everything and the audit log, and changes nothing; none has no right at all, where no grant would mean to read everything.',
  }),
  selector: Type.Optional.String({
    format: 'rights-selector',
    description:
      'Which access points, by `site:`, `tag:` and `name:`, which only administrators and managers can change. Absent: all. Auditors and `none` have none.',
  }),
});
export type Grant = Type.Static<typeof Grant>;

export const Grants = Type.Array(Grant, { title: 'Grants', maxItems: 50 });
export type Grants = Type.Static<typeof Grants>;
