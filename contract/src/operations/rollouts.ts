// Roll-outs: how a change set comes into force, and how its access points stand.

import { Page } from '../core/answers.ts';
import * as Type from '../core/schema/schema.ts';
import { ConfigState } from './desired-config.ts';

export const RolloutPlan = Type.Named('RolloutPlan', {
  waves: Type.Optional.Array(
    Type.Object({
      select: Type.Optional.String({ format: 'rights-selector' }),
      percent: Type.Optional.Number({ exclusiveMinimum: 0, maximum: 100, description: 'Of all, up to this wave.' }),
    }),
    { minItems: 1, maxItems: 20, description: 'Default: one, with all.' },
  ),
  gates: Type.Optional.Array(
    Type.Object({
      metric: Type.Optional.String({ maxLength: 128 }),
      worse_by: Type.Optional.Number({
        description: 'Against untreated access points of the same type that its owner sees, in the same minutes.',
      }),
      over_seconds: Type.Optional.Integer({ minimum: 10, maximum: 86400, default: 120 }),
      alarms: Type.Optional.Integer({
        minimum: 0,
        description: 'How many new alarms of treated ones are too many to go on: more than this.',
      }),
      devices_back: Type.Optional.Number({
        minimum: 0,
        maximum: 1,
        description: 'The share of the devices from before that must be back.',
      }),
    }),
    { maxItems: 10 },
  ),
  failure_limit: Type.Optional.Object({
    agents: Type.Integer({ minimum: 0, description: 'It stops once more than these have failed. Default: 0.' }),
  }),
  window: Type.Optional.Object({
    days: Type.Array(Type.Enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']), {
      minItems: 1,
      maxItems: 7,
    }),
    from: Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' }),
    until: Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' }),
    time_zone: Type.Optional.String({
      maxLength: 64,
      description: 'A name of IANA, or `site`: that of the site of each access point.',
    }),
  }),
  at_once_per_site: Type.Optional.Integer({ minimum: 1, maximum: 10000 }),
  trial_seconds: Type.Optional.Integer({ minimum: 10, maximum: 3600, default: 120 }),
});
export type RolloutPlan = Type.Static<typeof RolloutPlan>;

export const RolloutState = Type.Enum(
  ['running', 'paused', 'stopped', 'completed', 'reverting', 'reverted', 'aborted'] as const,
  { title: 'RolloutState' },
);
export type RolloutState = Type.Static<typeof RolloutState>;

export const Rollout = Type.Named('Rollout', {
  id: Type.String(),
  change_set_id: Type.String(),
  title: Type.String(),
  state: RolloutState,
  reason: Type.OrNull(Type.String(), { description: 'Why it stands or has ended, for people.' }),
  sentence: Type.String({ description: 'How it stands, for people.' }),
  plan: RolloutPlan,
  wave: Type.Integer({ description: 'Counts from 1.' }),
  waves: Type.Array(
    Type.Object({
      access_points: Type.Integer(),
      treated: Type.Integer(),
      succeeded: Type.Integer(),
      failed: Type.Integer(),
    }),
  ),
  total: Type.Integer(),
  states: Type.Record(Type.String(), Type.Integer(), { description: 'How many access points are in which state.' }),
  may_change: Type.Boolean({ description: 'Whether you may pause it, resume it, take it back or give it up.' }),
  measured: Type.Array(
    Type.Object({
      wave: Type.Integer(),
      metric: Type.String(),
      treated_before: Type.OrNull(Type.Number()),
      treated_after: Type.OrNull(Type.Number()),
      untreated_before: Type.OrNull(Type.Number()),
      untreated_after: Type.OrNull(Type.Number()),
      worse_by: Type.OrNull(Type.Number()),
      compared_with: Type.Enum(['untreated', 'own_hour_before']),
      passed: Type.Boolean(),
    }),
  ),
  created_by: Type.String(),
  created_at: Type.Timestamp,
  ended_at: Type.OrNull(Type.Timestamp),
});
export type Rollout = Type.Static<typeof Rollout>;
export const RolloutPage = Page(Rollout, 'RolloutPage');
export type RolloutPage = Type.Static<typeof RolloutPage>;

const RolloutSide = Type.Object({
  access_points: Type.Integer({ description: 'How many were measured: at most 50.' }),
  points: Type.Array(
    Type.Object({
      ts: Type.Timestamp,
      mean: Type.Number(),
      low: Type.Number({ description: 'Of the access point where it was lowest.' }),
      high: Type.Number(),
    }),
  ),
});
export const RolloutSeries = Type.Named('RolloutSeries', {
  metric: Type.String(),
  resolution_seconds: Type.Integer(),
  treated: RolloutSide,
  untreated: RolloutSide,
});
export type RolloutSeries = Type.Static<typeof RolloutSeries>;

export const RolloutAgent = Type.Named('RolloutAgent', {
  ap_id: Type.String(),
  display_name: Type.OrNull(Type.String()),
  wave: Type.Integer(),
  state: ConfigState,
  detail: Type.OrNull(Type.String()),
  treated_at: Type.OrNull(Type.Timestamp),
});
export type RolloutAgent = Type.Static<typeof RolloutAgent>;
export const RolloutAgentPage = Page(RolloutAgent, 'RolloutAgentPage');
export type RolloutAgentPage = Type.Static<typeof RolloutAgentPage>;
