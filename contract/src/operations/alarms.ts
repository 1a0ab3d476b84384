// Alarms: rules that watch access points, what they found, and when nobody wants to be told.
import { AlarmSeverity } from '../core/fleet.ts';
import * as Type from '../core/schema/schema.ts';

const NullableTimestamp = Type.OrNull(Type.Timestamp);
const NullableText = Type.OrNull(Type.String());
const MetricName = (description: string) => Type.Optional.String({ minLength: 1, maxLength: 256, description });
const Labels = Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.String({ maxLength: 256 }));
const SelectorText = Type.String({
  maxLength: 1000,
  description:
    'Which access points, by `site:`, `tag:`, `name:`, `type:` and `emulated:`; empty for all. What changes with every report (state, metrics) belongs into the condition.',
});

export const AlarmState = Type.Enum(['firing', 'acknowledged', 'cleared'], { title: 'AlarmState' });
export type AlarmState = Type.Static<typeof AlarmState>;

const AgentStateWord = Type.Enum(['online', 'late', 'offline', 'never', 'ended']);
const Operator = Type.Enum(['>', '>=', '<', '<=', '==', '!=']);

export const AlarmCondition = Type.Object(
  {
    metric: MetricName('The metric that is watched.'),
    op: Type.Optional(Operator),
    value: Type.Optional.Number({ description: 'The limit; with `other_metric`, what is added to that (default: 0).' }),
    other_metric: MetricName('Compared with this metric of the same sample: metric op times × other_metric + value.'),
    times: Type.Optional.Number({ description: 'Factor of `other_metric`. Default: 1.' }),
    over_seconds: Type.Optional.Integer({
      minimum: 2,
      maximum: 86_400,
      description: 'The mean of this long is compared, not each value.',
    }),
    change: Type.Optional.Enum(['>', '<', '<>'], {
      description: 'Rises (>), falls (<) or either (<>) by more than `value` within `within_seconds`.',
    }),
    within_seconds: Type.Optional.Integer({ minimum: 1, maximum: 86_400 }),
    absent_seconds: Type.Optional.Integer({ minimum: 5, maximum: 604_800, description: 'No report for this long.' }),
    state: Type.Optional(AgentStateWord),
    state_changes: Type.Optional.Integer({
      minimum: 2,
      maximum: 100,
      description: 'Goes away or comes back at least this often within `within_seconds`.',
    }),
    share_of_site: Type.Optional.Object(
      {
        state: AgentStateWord,
        at_least: Type.Optional.Integer({
          minimum: 1,
          maximum: 100_000,
          description: 'Sites with fewer access points are not looked at. Default: 2.',
        }),
      },
      { description: 'The share, 0 to 1, of the access points of a site and below it that are in this state.' },
    ),
    weft: Type.Optional.String({
      minLength: 1,
      maxLength: 64,
      description: 'A reading of Weft itself, such as `disk_free_mib`.',
    }),
  },
  {
    title: 'AlarmCondition',
    description:
      'One of `{metric, op, value}`, `{metric, op, other_metric}`, `{metric, change, value, within_seconds}`, `{absent_seconds}`, `{state}`, `{state_changes, within_seconds}`, `{share_of_site, op, value}`, `{weft, op, value}`.',
  },
);
export type AlarmCondition = Type.Static<typeof AlarmCondition>;

export const AlarmClear = Type.Named('AlarmClear', {
  value: Type.Optional.Number({ description: 'Clears beyond this limit only (hysteresis). Default: the limit.' }),
  for_seconds: Type.Optional.Integer({ minimum: 0, maximum: 86_400, description: 'How long. Default: as for firing.' }),
});
export type AlarmClear = Type.Static<typeof AlarmClear>;

const ruleFields = {
  name: Type.String({ minLength: 1, maxLength: 128, format: 'label' }),
  selector: Type.Optional(SelectorText),
  condition: AlarmCondition,
  for_seconds: Type.Optional.Integer({
    minimum: 0,
    maximum: 86_400,
    default: 0,
    description: 'How long the condition must hold.',
  }),
  clear: Type.Optional(AlarmClear),
  severity: AlarmSeverity,
  message: Type.Optional.String({
    maxLength: 500,
    description:
      'May hold {name}, {ap_id}, {site}, {metric}, {value}, {limit}, {count}, {of}. Default: made from the condition.',
  }),
  labels: Type.Optional(Labels),
  when_asleep: Type.Optional.Enum(['ignore', 'evaluate'], {
    default: 'ignore',
    description: 'What a sleeping access point (`active` is 0) reports is no fault, unless this is `evaluate`.',
  }),
  enabled: Type.Optional.Boolean({ default: true }),
};

export const AlarmRuleInput = Type.Object(ruleFields, { title: 'AlarmRuleInput' });
export type AlarmRuleInput = Type.Static<typeof AlarmRuleInput>;

export const AlarmRule = Type.Named('AlarmRule', {
  id: Type.String(),
  ...ruleFields,
  product: Type.OrNull(Type.String(), {
    description: 'The key of the rule that comes with Weft; null for rules of administrators.',
  }),
  adjusted: Type.Boolean({ description: 'A rule that comes with Weft and was changed.' }),
  created_at: Type.Timestamp,
  updated_at: Type.Timestamp,
});
export type AlarmRule = Type.Static<typeof AlarmRule>;

export const Alarm = Type.Named('Alarm', {
  id: Type.String(),
  rule_id: Type.String({ description: '`app:` and the id of the app for one that an app has raised.' }),
  rule: Type.String({ description: 'The name of the rule when it fired, or `app` and the name of the app.' }),
  subject_kind: Type.String({
    description: '`agent`, `site`, `storm` (many access points at once), `app` (raised by an app), or part of Weft.',
  }),
  subject: Type.String(),
  ap_id: NullableText,
  site: NullableText,
  severity: AlarmSeverity,
  state: AlarmState,
  since: Type.String({ format: 'date-time', description: 'Since when the condition has held.' }),
  fired_at: Type.Timestamp,
  value: Type.OrNull(Type.Number()),
  message: Type.String(),
  labels: Labels,
  acknowledged_by: NullableText,
  acknowledged_at: NullableTimestamp,
  note: NullableText,
  shelved_until: NullableTimestamp,
  shelved_by: NullableText,
  silenced_by: Type.OrNull(Type.String(), { description: 'The silence that applies now.' }),
  inhibited_by: Type.OrNull(Type.String(), {
    description: 'The alarm that is the cause of this one, such as that of its site.',
  }),
  inhibits: Type.Integer({ description: 'How many active alarms have this one as their cause.' }),
  cleared_at: NullableTimestamp,
  cleared_by: Type.OrNull(Type.String(), { description: 'Null if it cleared by itself.' }),
  may_handle: Type.Boolean({ description: 'Whether you may acknowledge, shelve or clear it.' }),
});
export type Alarm = Type.Static<typeof Alarm>;

export const AlarmNote = Type.Object({ note: Type.Optional.String({ maxLength: 1000 }) }, { title: 'AlarmNote' });
export type AlarmNote = Type.Static<typeof AlarmNote>;

export const AlarmShelf = Type.Object(
  {
    seconds: Type.Optional.Integer({ minimum: 60, maximum: 2_592_000, description: 'At most 30 days.' }),
    until: Type.Optional(Type.Timestamp),
    note: Type.Optional.String({ maxLength: 1000 }),
  },
  { title: 'AlarmShelf', description: 'One of `seconds` and `until`. Shelving again sets another end.' },
);
export type AlarmShelf = Type.Static<typeof AlarmShelf>;

export const AlarmRaise = Type.Object(
  {
    ap_id: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'What it is about: an agent that the app may see.',
    }),
    key: Type.String({
      minLength: 1,
      maxLength: 128,
      format: 'label',
      description: 'The name of the alarm for the app: at most one with this key is active.',
    }),
    severity: AlarmSeverity,
    text: Type.String({ minLength: 1, maxLength: 500, format: 'label', description: 'For people.' }),
  },
  {
    title: 'AlarmRaise',
    description:
      'An alarm of the app itself. Raised again under its key, it gets the new text; of another severity or agent it is a new alarm.',
  },
);
export type AlarmRaise = Type.Static<typeof AlarmRaise>;

export const AlarmKey = Type.Object({ key: AlarmRaise.properties.key }, { title: 'AlarmKey' });
export type AlarmKey = Type.Static<typeof AlarmKey>;

const Weekday = Type.Enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']);
const TimeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' });

const silenceFields = {
  selector: Type.Optional(SelectorText),
  rules: Type.Optional.Array(Type.String({ minLength: 1, maxLength: 128 }), {
    minItems: 1,
    maxItems: 50,
    default: ['*'],
    description: 'Names of rules; `*` stands for any characters.',
  }),
  from: Type.Optional(Type.Timestamp),
  until: Type.Optional(Type.Timestamp),
  weekly: Type.Optional.Object({
    days: Type.Array(Weekday, { minItems: 1, maxItems: 7 }),
    from: TimeOfDay,
    until: Type.String({
      pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
      description: 'At or before `from`: on the next day.',
    }),
  }),
  time_zone: Type.Optional.String({
    minLength: 1,
    maxLength: 64,
    description:
      '`site` (the zone of each site, UTC where it has none) or an IANA zone such as Europe/London. Default: site.',
  }),
  comment: Type.Optional.String({ maxLength: 500 }),
};

export const SilenceInput = Type.Object(silenceFields, {
  title: 'SilenceInput',
  description: 'Once (`from`, `until`) or `weekly`; a weekly one may also begin and end (`from`, `until`).',
});
export type SilenceInput = Type.Static<typeof SilenceInput>;

export const Silence = Type.Named('Silence', {
  id: Type.String(),
  ...silenceFields,
  created_by: Type.String({
    description: 'Empty, and without selector and comment, where it is also about what the reader may not see.',
  }),
  created_at: Type.Timestamp,
  within: Type.OrNull(Type.Array(Type.String()), {
    description: 'Of a manager: it applies only to what one of these selectors means; null: to all that its own means.',
  }),
  active: Type.Boolean({ description: 'Whether it applies now (in UTC, if each site has its own zone).' }),
  next: Type.OrNull(Type.Object({ from: Type.Timestamp, until: Type.Timestamp }), {
    description: 'The window that is open or comes next; null if none comes.',
  }),
});
export type Silence = Type.Static<typeof Silence>;

export const AlarmPreview = Type.Named('AlarmPreview', {
  from: Type.Timestamp,
  until: Type.Timestamp,
  times: Type.Integer({ description: 'How often it would have fired.' }),
  agents: Type.Integer({ description: 'Access points that were looked at.' }),
  agents_selected: Type.Integer({ description: 'Access points that the selector means.' }),
  is_complete: Type.Boolean({ description: 'False: there was more to read than a preview may.' }),
  alarms: Type.Array(
    Type.Object({
      ap_id: NullableText,
      subject: Type.String(),
      from: Type.Timestamp,
      until: NullableTimestamp,
      value: Type.OrNull(Type.Number()),
    }),
    { description: 'The first hundred, oldest first; `until` is null for one that would still be firing.' },
  ),
  detail: Type.String(),
});
export type AlarmPreview = Type.Static<typeof AlarmPreview>;
