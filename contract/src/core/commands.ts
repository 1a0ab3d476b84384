// Commands: what is sent to access points and its result; and the rules that decide between callers who want
// different things.
import { pageFields } from './answers.ts';
import * as Type from './schema/schema.ts';
import { byTechnology, technologyNames } from './technologies.ts';

const NullableTimestamp = Type.OrNull(Type.Timestamp);
const NullableText = Type.OrNull(Type.String());
const Arguments = Type.Record(Type.String(), Type.Unknown());
const HoldSeconds = Type.Integer({
  minimum: 0,
  maximum: 3600,
  description:
    'Duration of the lease in seconds: other callers cannot change the parameter. Default: set by the conflict rules. 0: no lease.',
});
const ExpiresIn = Type.Integer({ minimum: 1, maximum: 86_400, description: 'Seconds. Default: 600.' });

export const Technology = Type.Enum(technologyNames, { title: 'Technology' });
export type Technology = Type.Static<typeof Technology>;

export const CommandState = Type.Enum(
  [
    ...['queued', 'sent', 'received', 'succeeded', 'failed', 'rejected', 'expired', 'superseded', 'cancelled'],
    ...['rolled_back', 'guard_broken'],
  ] as const,
  {
    title: 'CommandState',
    description:
      'Entered only with evidence: `received` when the agent has acknowledged it. `rolled_back`: its guard was broken, and what was set before is set again; `guard_broken`: that could not be done.',
  },
);
export type CommandState = Type.Static<typeof CommandState>;

export const GuardState = Type.Enum(['watching', 'held', 'broken', 'never_seen', 'ended'], {
  title: 'GuardState',
  description:
    '`never_seen`: the metric was not reported while it was watched, so nothing was guarded; `ended`: watched no longer, because somebody has changed the parameter since, or the access point is gone.',
});
export type GuardState = Type.Static<typeof GuardState>;

export const VerdictWord = Type.Enum(['accepted', 'accepted_modified', 'queued', 'rejected'], {
  title: 'VerdictWord',
  description: '`accepted_modified`: sent with another value than requested; `queued`: waits until a lease ends.',
});
export type VerdictWord = Type.Static<typeof VerdictWord>;

export const VerdictReason = Type.Enum(
  [
    ...['free', 'own_lease', 'same_value', 'higher_rank', 'higher_priority', 'last_wins', 'merged', 'related'],
    ...['held_by_other', 'held_in_group', 'waits_for_lease', 'too_soon', 'frozen', 'blast_radius'],
  ] as const,
  { title: 'VerdictReason' },
);
export type VerdictReason = Type.Static<typeof VerdictReason>;

export const Rival = Type.Object(
  {
    command_id: Type.String(),
    caller_kind: Type.String(),
    caller_name: Type.String(),
    ap_id: Type.String(),
    parameter: Type.String(),
    until: Type.String({ format: 'date-time', description: 'When its lease ends or would have ended.' }),
  },
  {
    title: 'Rival',
    description:
      'The caller that holds, or held, the lease on the parameter. If it is on an access point that the reader may not see, `caller_name` is `another caller` and the other texts are empty.',
  },
);
export type Rival = Type.Static<typeof Rival>;

const verdictFields = {
  verdict: VerdictWord,
  reason: VerdictReason,
  detail: Type.String({ description: 'The reason as a sentence; may change.' }),
  rival: Type.OrNull(Rival),
  hold_until: Type.OrNull(Type.Timestamp, {
    description: 'The end of the lease: until then other callers cannot change the parameter.',
  }),
};

const overrides = Type.Optional.Object(
  { settings: Type.Array(Type.String()), until: Type.String({ description: 'For people.' }) },
  {
    description:
      'Settings of the access point that the value lies over once the command has succeeded (`overridden`, not drift). Absent: none.',
  },
);

export const CommandAccepted = Type.Named('CommandAccepted', {
  job_number: Type.String({ format: 'uuid' }),
  status: Type.Literal('queued'),
  websocket: Type.String({ description: 'The path of the WebSocket for every change of state.' }),
  command_id: Type.String({ format: 'uuid' }),
  ...verdictFields,
  sent_args: Type.Optional(Arguments),
  deliver_after: Type.Optional(Type.Timestamp),
  overrides,
});
export type CommandAccepted = Type.Static<typeof CommandAccepted>;

export const CommandPreview = Type.Object(
  {
    dry_run: Type.Literal(true),
    ...verdictFields,
    sent_args: Type.Optional(Arguments),
    deliver_after: Type.Optional(Type.Timestamp),
    overrides,
  },
  { title: 'CommandPreview', description: 'The verdict at this moment; nothing was sent.' },
);
export type CommandPreview = Type.Static<typeof CommandPreview>;

export const Command = Type.Named('Command', {
  command_id: Type.String({ format: 'uuid' }),
  job_number: Type.String(),
  ap_id: Type.String(),
  command: Type.String({ description: 'The text as the caller sent it.' }),
  name: Type.String(),
  args: Type.Record(Type.String(), Type.Unknown(), { description: 'The requested arguments.' }),
  sent_args: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The arguments that are sent, after a merge.',
  }),
  parameter: Type.String(),
  parameter_group: Type.String(),
  caller_kind: Type.String(),
  caller_name: Type.String(),
  priority: Type.Integer(),
  state: CommandState,
  ...verdictFields,
  created_at: Type.Timestamp,
  expires_at: Type.Timestamp,
  deliver_after: NullableTimestamp,
  sent_at: NullableTimestamp,
  received_at: NullableTimestamp,
  ended_at: NullableTimestamp,
  result: Type.Unknown({ description: 'The answer of the agent; null without an answer.' }),
  applied: Type.OrNull(Arguments, { description: 'The values that the agent has set.' }),
  guard: NullableText,
  guard_state: Type.OrNull(GuardState, { description: 'Null without a guard, and before it is watched.' }),
  rolled_back_by: Type.OrNull(Type.String(), {
    description: 'The command that restores what was set before, once the guard is broken.',
  }),
  inverse_of: Type.OrNull(Type.String(), { description: 'The command that this one reverts.' }),
  batch_id: NullableText,
});
export type Command = Type.Static<typeof Command>;

/** What an agent says about a command that it was given; the same on its channel. */
export const CommandResult = Type.Named('CommandResult', {
  state: Type.Enum(['received', 'succeeded', 'failed']),
  result: Type.Optional.Unknown({ description: 'Anything, at most 64 KiB as JSON.' }),
  applied: Type.Optional(Type.OrNull(Arguments)),
});
export type CommandResult = Type.Static<typeof CommandResult>;

const ApId = Type.String({ format: 'agent-name', minLength: 1, maxLength: 128 });

export const BatchRequest = Type.Named('BatchRequest', {
  agents: Type.Union([Type.Array(ApId, { minItems: 1, maxItems: 10_000 }), ApId], {
    description: 'The ap_ids, or one pattern of ap_ids with `*` and `?`.',
  }),
  command: Type.Union([Type.String({ maxLength: 65_536 }), Arguments], {
    description: 'A name, free text that begins with the name, or an object with `name` and the arguments.',
  }),
  hold_seconds: Type.Optional(HoldSeconds),
  expires_in: Type.Optional(ExpiresIn),
  dry_run: Type.Optional.Boolean({ default: false, description: 'Returns the verdicts and sends nothing.' }),
  stages: Type.Optional.Array(
    Type.Object({
      percent: Type.Number({
        exclusiveMinimum: 0,
        maximum: 100,
        description: 'Share of the targets, from the first on.',
      }),
      pause_s: Type.Number({ minimum: 0, maximum: 3600, description: 'Wait before the next stage.' }),
    }),
    { minItems: 1, maxItems: 20 },
  ),
});
export type BatchRequest = Type.Static<typeof BatchRequest>;

/** Why a target of a batch was refused before any decision, or comes later. */
export const BatchReason = Type.Enum(
  ['agent_not_found', 'not_permitted', 'invalid_command', 'too_many_commands', 'waits_for_stage'],
  { title: 'BatchReason' },
);
export type BatchReason = Type.Static<typeof BatchReason>;

export const BatchTarget = Type.Named('BatchTarget', {
  ap_id: Type.String(),
  command_id: NullableText,
  job_number: NullableText,
  stage: Type.Integer({ minimum: 1 }),
  ...verdictFields,
  reason: Type.Union([VerdictReason, BatchReason]),
});
export type BatchTarget = Type.Static<typeof BatchTarget>;

export const BatchAnswer = Type.Named('BatchAnswer', {
  batch_id: NullableText,
  dry_run: Type.Boolean(),
  totals: Type.Record(Type.String(), Type.Integer(), { description: 'The number of targets per verdict.' }),
  targets: Type.Array(BatchTarget),
});
export type BatchAnswer = Type.Static<typeof BatchAnswer>;

const ParameterName = Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,63}$' });

export const ParameterGroup = Type.Named('ParameterGroup', {
  name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$' }),
  technology: Type.Optional(Type.OrNull(Technology, { default: null, description: 'null: agents of any type.' })),
  parameters: Type.Array(ParameterName, { minItems: 1, maxItems: 64 }),
  scope: Type.Optional.Enum(['agent', 'neighbours'], {
    default: 'agent',
    description: 'Whether a lease also applies to the agents within interference range.',
  }),
  policy: Type.Enum(['priority', 'first_wins', 'last_wins', 'merge', 'report'], {
    description:
      '`report`: commands of several callers are accepted, and each says who holds what moves the same thing. Its parameters may be in another group too, which decides.',
  }),
  merge: Type.Optional.Enum(['min', 'max', 'mean'], {
    description: 'Required with policy `merge`, and only allowed there.',
  }),
  loser: Type.Optional.Enum(['reject', 'queue'], {
    default: 'reject',
    description: '`queue`: the command waits until the lease ends, unless it expires before.',
  }),
  hold_s: Type.Optional.Number({ minimum: 0, maximum: 3600, default: 30 }),
  min_interval_ms: Type.Optional.Integer({ minimum: 0, maximum: 3_600_000, default: 1000 }),
});
export type ParameterGroup = Required<Omit<Type.Static<typeof ParameterGroup>, 'merge'>> &
  Pick<Type.Static<typeof ParameterGroup>, 'merge'>;

const Range = Type.Number({ minimum: 0, maximum: 10_000 });

export const ConflictRules = Type.Named('ConflictRules', {
  groups: Type.Array(ParameterGroup, { maxItems: 200 }),
  interference_range_m: Type.Object(byTechnology(() => Range)),
  oscillation: Type.Object({
    reversals: Type.Integer({ minimum: 1, maximum: 6, description: 'Returns to the value before last.' }),
    window_s: Type.Number({ exclusiveMinimum: 0, maximum: 86_400 }),
    freeze_s: Type.Number({ minimum: 0, maximum: 86_400, description: '0: never.' }),
  }),
  blast_radius: Type.Object({
    fraction: Type.Number({ minimum: 0, maximum: 1, description: 'Share of the agents of a site.' }),
    minimum: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Minimum that is allowed on any site.' }),
    window_s: Type.Number({ exclusiveMinimum: 0, maximum: 3600 }),
  }),
});
export type ConflictRules = Omit<Type.Static<typeof ConflictRules>, 'groups'> & { groups: ParameterGroup[] };

/** Of one side of a conflict, for that side and administrators: a command exists for its sender and for them alone. */
const side = (description: string) =>
  Type.OrNull(Type.String(), { description: `${description} Null for those who may not see the command.` });
const sidePriority = (description: string) =>
  Type.OrNull(Type.Number(), { description: `${description} Null for those who may not see the command.` });

export const Conflict = Type.Named('Conflict', {
  seq: Type.Integer({ description: 'Its number in the audit log.' }),
  ts: Type.Timestamp,
  kind: Type.Enum(['command_decided', 'parameter_frozen', 'rolled_back']),
  command_id: NullableText,
  ap_id: Type.String({ description: 'Empty, like `parameter`, if the reader may not see the access point.' }),
  parameter: Type.String(),
  parameter_group: NullableText,
  caller_kind: NullableText,
  caller_name: NullableText,
  verdict: Type.OrNull(VerdictWord),
  reason: NullableText,
  detail: Type.String(),
  rival: Type.OrNull(Rival),
  command: side('What the caller asked for, as text.'),
  sent_command: side('What was sent instead, if a merge made another value.'),
  priority: sidePriority('Of the caller.'),
  rival_command: side('What the rival asked for, as text.'),
  rival_priority: sidePriority('Of the rival.'),
});
export type Conflict = Type.Static<typeof Conflict>;

export const ConflictPage = Type.Named('ConflictPage', {
  ...pageFields(Conflict, { next: 'Null at the end. A page before the end may be short or empty.' }),
  conflicts: Type.Array(Conflict, { description: 'The same as `items`, for programs that were written before it.' }),
  next_before: Type.OrNull(Type.Integer(), { description: '`next` as a number.' }),
});
export type ConflictPage = Type.Static<typeof ConflictPage>;
