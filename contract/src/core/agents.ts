// Agents, one per access point, and the enrolment tokens with which an access point registers itself.

import { nameRule } from './functions/ap-id.ts';
import { maxSitePathLength, maxTags, sitePathPattern, tagPattern } from './functions/label-rules.ts';
import * as Type from './schema/schema.ts';

const ApId = Type.String({
  format: 'new-agent-name',
  // Classes of characters such as \\p{L} are unknown to many validators.
  documented: { pattern: '^[^-\\s/][^/\\\\]*$', minLength: 1, maxLength: 128 },
  description: `Identifies the access point in paths and series: ${nameRule}. Stored in Unicode NFC.`,
});
const Configuration = Type.Record(Type.String(), Type.Unknown(), {
  format: 'configuration',
  description: 'Free-form, at most 64 KiB; includes `geolocation`.',
});

export const Agent = Type.Object(
  { id: Type.String({ format: 'uuid' }), ap_id: Type.String(), configuration: Configuration },
  { title: 'Agent' },
);
export type Agent = Type.Static<typeof Agent>;

export const AgentCreate = Type.Object(
  { ap_id: ApId, password: Type.String({ format: 'new-agent-password' }), configuration: Configuration },
  { title: 'AgentCreate' },
);
export type AgentCreate = Type.Static<typeof AgentCreate>;

export const AgentUpdate = Type.Named('AgentUpdate', {
  password: Type.Optional(Type.OrNull(Type.String({ format: 'new-agent-password' }))),
  configuration: Type.Optional(Type.OrNull(Configuration)),
});
export type AgentUpdate = Type.Static<typeof AgentUpdate>;

export const EnrolmentTokenCreate = Type.Named('EnrolmentTokenCreate', {
  ap_id_pattern: Type.String({
    minLength: 1,
    maxLength: 128,
    format: 'agent-pattern',
    documented: { pattern: '^[^/\\\\]+$' },
    description: 'The ap_ids that it may register; `*` matches any characters, `?` any one.',
  }),
  expires_in: Type.Optional.Integer({
    exclusiveMinimum: 0,
    maximum: 31_536_000,
    default: 86_400,
    description: 'Seconds.',
  }),
  max_uses: Type.Optional.Integer({ exclusiveMinimum: 0, maximum: 100_000, default: 1 }),
  site: Type.Optional.String({
    maxLength: maxSitePathLength,
    pattern: sitePathPattern,
    documented: { pattern: '^\\S+$' },
    format: 'label',
    description: 'The path of the site in which the access points stand.',
  }),
  tags: Type.Optional.Array(Type.String({ documented: { pattern: '^\\S+$' }, pattern: tagPattern, format: 'label' }), {
    maxItems: maxTags,
    description: 'The tags that they begin with.',
  }),
});
export type EnrolmentTokenCreate = Type.Static<typeof EnrolmentTokenCreate>;

export const EnrolmentToken = Type.Named('EnrolmentToken', {
  id: Type.String({ format: 'uuid' }),
  ap_id_pattern: Type.String(),
  expires_at: Type.Timestamp,
  max_uses: Type.Integer(),
  uses: Type.Integer(),
  created_by: Type.String({ description: 'The administrator or manager who created it.' }),
  site: Type.OrNull(Type.String(), { description: 'Where its access points stand.' }),
  tags: Type.Array(Type.String()),
  token: Type.Optional.String({ description: 'Only in the answer that creates it.' }),
  urls: Type.Optional.Array(Type.String(), {
    description:
      'Only in the answer that creates it: where other machines reach Weft, the best first. Empty if it listens on loopback only.',
  }),
});
export type EnrolmentToken = Type.Static<typeof EnrolmentToken>;
