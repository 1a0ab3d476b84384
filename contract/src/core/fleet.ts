// Access points as a fleet: their labels, which administrators own, lists and selectors over them, and changes of many.

import { pageFields } from './answers.ts';
import { maxSitePathLength, maxTags, sitePathPattern, tagPattern } from './functions/label-rules.ts';
import { agentStates } from './functions/selector.ts';
import * as Type from './schema/schema.ts';

export const AlarmSeverity = Type.Enum(['critical', 'major', 'minor', 'warning'], {
  title: 'AlarmSeverity',
  description: 'As in 3GPP TS 28.532.',
});
export type AlarmSeverity = Type.Static<typeof AlarmSeverity>;

export const HealthWord = Type.Enum(['good', 'degraded', 'bad', 'unknown'], {
  title: 'HealthWord',
  description:
    'bad: users are not served (a critical or major alarm); degraded: they are served worse than they should be; unknown: nothing has been heard yet.',
});
export type HealthWord = Type.Static<typeof HealthWord>;

// Classes of characters such as \p{L} are unknown to many validators.
const documented = { pattern: '^\\S+$' };
const Tag = Type.String({ pattern: tagPattern, format: 'label', documented });
const Tags = (description: string) => Type.Optional.Array(Tag, { maxItems: maxTags, description });

export const LabelsUpdate = Type.Object(
  {
    display_name: Type.Optional(
      Type.OrNull(Type.String({ minLength: 1, maxLength: 128, format: 'label' }), {
        description: 'What people read instead of the ap_id; null: none.',
      }),
    ),
    site: Type.Optional(
      Type.OrNull(
        Type.String({ maxLength: maxSitePathLength, pattern: sitePathPattern, format: 'label', documented }),
        { description: 'The path of a site that exists; null: none.' },
      ),
    ),
    tags: Tags('All of them, in place of those that it has.'),
    add_tags: Tags('Beside those that it has.'),
    remove_tags: Tags('Those that it does not have are ignored.'),
  },
  {
    title: 'LabelsUpdate',
    description: 'What is absent stays. `tags` comes first, then `add_tags`, then `remove_tags`.',
  },
);
export type LabelsUpdate = Type.Static<typeof LabelsUpdate>;

const Labels = {
  display_name: Type.OrNull(Type.String()),
  site: Type.OrNull(Type.String(), { description: 'The path of its site.' }),
  tags: Type.Array(Type.String(), { description: 'Each once, ordered.' }),
};

export const AgentLabels = Type.Named('AgentLabels', {
  ap_id: Type.String(),
  ...Labels,
  suggested: Type.Object(
    {
      site: Type.OrNull(Type.String()),
      tags: Type.Array(Type.String()),
    },
    { description: 'What the agent says in `configuration.site` and `configuration.tags`, and is not accepted.' },
  ),
  reconfigured: Type.Optional.Integer({
    description: 'Of a change: how many access points get other settings by it, at once.',
  }),
});
export type AgentLabels = Type.Static<typeof AgentLabels>;

/** The text of a selector; refused with the column where it is wrong. */
export function selectorText(description: string) {
  return Type.String({ format: 'selector', description });
}

export const SelectorExplain = Type.Object({ selector: selectorText('Empty: all.') }, { title: 'SelectorExplain' });
export type SelectorExplain = Type.Static<typeof SelectorExplain>;

export const SelectorExplanation = Type.Named('SelectorExplanation', {
  selector: Type.String(),
  meaning: Type.String({ description: 'In words.' }),
  matches: Type.Integer({ description: 'How many access points that the caller may see match now.' }),
  examples: Type.Array(Type.String(), { description: 'The ap_ids of the first of them.' }),
  only_labels: Type.Boolean({ description: 'Whether it depends only on sites, tags and names, as rights must.' }),
});
export type SelectorExplanation = Type.Static<typeof SelectorExplanation>;

export const AgentListItem = Type.Named('AgentListItem', {
  id: Type.String({ format: 'uuid' }),
  ap_id: Type.String(),
  ...Labels,
  access_point_type: Type.OrNull(Type.String(), {
    description: '`configuration.access_point_type`, if that is a text.',
  }),
  state: Type.Enum([...agentStates], {
    description: '`never`: has not reported yet; `ended`: emulated, and its run is over.',
  }),
  health: Type.OrNull(HealthWord, {
    description: 'By its state and its worst alarm; null once its emulated network has ended.',
  }),
  power_state: Type.OrNull(Type.Enum(['awake', 'asleep']), {
    description: 'By its newest value of `active`; null if it reports none.',
  }),
  last_seen: Type.OrNull(Type.Timestamp),
  onboard: Type.Boolean({ description: 'True after the first successful login.' }),
  emulated: Type.Boolean(),
  created_at: Type.Timestamp,
  may: Type.Array(Type.Enum(['command', 'manage']), {
    description: 'What the caller may do with it: send it commands; label and remove it.',
  }),
  configuration: Type.Optional.Record(Type.String(), Type.Unknown(), { description: 'With `fields=configuration`.' }),
  latest: Type.Optional.Record(Type.String(), Type.Unknown(), {
    description: 'With `fields=latest`: name -> `{ts, value}`.',
  }),
});
export type AgentListItem = Type.Static<typeof AgentListItem>;

export const AgentPage = Type.Named('AgentPage', {
  ...pageFields(AgentListItem),
  count: Type.Optional.Integer({ description: 'With `count=true`: how many match.' }),
});
export type AgentPage = Type.Static<typeof AgentPage>;

export const BulkRequest = Type.Named('BulkRequest', {
  selector: selectorText('Which access points; those that match when it begins.'),
  search: Type.Optional.String({
    maxLength: 255,
    description: 'Of these only those with this text in `ap_id`, display name, site or tags, as in `list_agents`.',
  }),
  action: Type.Object(
    {
      command: Type.Optional.String({
        minLength: 1,
        maxLength: 65_536,
        description: 'As for `send_command`: a name, or JSON with a name and arguments.',
      }),
      labels: Type.Optional(LabelsUpdate),
      remove: Type.Optional.Boolean({ description: 'Delete them.' }),
    },
    { description: 'Exactly one of them.' },
  ),
  preview: Type.Optional.Boolean({ default: false, description: 'Only say what would happen.' }),
  wave: Type.Optional.Object({
    size: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Access points at once.' }),
    pause_seconds: Type.Optional.Number({ minimum: 0, maximum: 86_400, default: 0, description: 'Between waves.' }),
  }),
});
export type BulkRequest = Type.Static<typeof BulkRequest>;

export const BulkTarget = Type.Named('BulkTarget', {
  ap_id: Type.String(),
  display_name: Type.OrNull(Type.String()),
  state: Type.Enum(['would', 'waiting', 'done', 'refused', 'stopped'], {
    description: '`would`: only a preview, in which `refused` would be. `stopped`: the job ended before its turn.',
  }),
  detail: Type.OrNull(Type.String(), { description: 'What happens or happened, or why not.' }),
  command_id: Type.OrNull(Type.String()),
});
export type BulkTarget = Type.Static<typeof BulkTarget>;

export const BulkAnswer = Type.Named('BulkAnswer', {
  job_number: Type.OrNull(Type.String(), {
    description: 'Null for a preview. `DELETE /api/v1/jobs/{job_number}` stops it.',
  }),
  preview: Type.Boolean(),
  count: Type.Integer({ description: 'How many access points.' }),
  waves: Type.Integer(),
  reconfigured: Type.Optional.Integer({
    description: 'Of labels: how many access points get other settings by it, each when its turn has come.',
  }),
  refused: Type.Optional.Integer({
    description: 'In a preview: how many of the listed ones would refuse it, or may not be changed.',
  }),
  suggestions: Type.Optional.Array(Type.String(), {
    description:
      'In a preview that somebody would refuse: commands that the listed ones declare, the most common first.',
  }),
  targets: Type.Array(BulkTarget, { description: 'The first 1,000 of them, by ap_id.' }),
});
export type BulkAnswer = Type.Static<typeof BulkAnswer>;

export const BulkProgress = Type.Named('BulkProgress', {
  job_number: Type.String(),
  selector: Type.String(),
  action: Type.Enum(['command', 'labels', 'remove']),
  is_over: Type.Boolean(),
  totals: Type.Object({
    waiting: Type.Integer(),
    done: Type.Integer(),
    refused: Type.Integer(),
    stopped: Type.Integer(),
  }),
  ...pageFields(BulkTarget, { items: 'Of the access points that the caller may still see, or that are gone.' }),
});
export type BulkProgress = Type.Static<typeof BulkProgress>;
