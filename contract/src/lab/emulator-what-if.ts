// What-if: the question about commands to a running network, and the answer with what several futures say.
import * as Type from '../core/schema/schema.ts';

export const maxFutures = 32;

export const WhatIfRequest = Type.Named('WhatIfRequest', {
  job_number: Type.String({ description: 'The running emulation.' }),
  commands: Type.Array(
    Type.Object({
      agent_id: Type.String({ description: 'The ap_id.' }),
      command: Type.String({ description: 'A name, or JSON of a name with arguments, as for send_command.' }),
    }),
    { minItems: 1, maxItems: 100 },
  ),
  minutes: Type.Optional.Number({ exclusiveMinimum: 0, maximum: 60, default: 5, description: 'How far to run ahead.' }),
  futures: Type.Optional.Integer({
    minimum: 1,
    maximum: maxFutures,
    default: 8,
    description:
      'How many futures to run, from the same present. 1: the one that this network will have, exactly, if the commands are sent in this second.',
  }),
  within_seconds: Type.Optional.Number({
    minimum: 1,
    maximum: 40,
    description:
      'How long it may compute (default: 40), with its waiting for others: for people, who want an answer at once.',
  }),
});
export type WhatIfRequest = Type.Static<typeof WhatIfRequest>;

const interval = 'Half of the 90 % interval of each mean, by Student’s t over the futures; absent with one future.';

const Range = Type.Array(Type.Number(), { minItems: 2, maxItems: 2 });
const range =
  'What will be seen: the lowest and the highest value between which nine of ten futures are; absent with one future.';

/** Means over the futures. */
export const Comparison = Type.Named('Comparison', {
  with: Type.Number(),
  without: Type.Number(),
  change: Type.Number({ description: 'The mean difference of the two sides of the same future.' }),
  plus_minus: Type.Optional.Object(
    { with: Type.Number(), without: Type.Number(), change: Type.Number() },
    { description: `${interval} A change is certain if it is larger than its own.` },
  ),
  range: Type.Optional.Object({ with: Range, without: Range, change: Range }, { description: range }),
});
export type Comparison = Type.Static<typeof Comparison>;

/** Of a metric that is not measured in every future, or on one side only. */
export const MetricComparison = Type.Named('MetricComparison', {
  with: Type.Optional.Number(),
  without: Type.Optional.Number(),
  change: Type.Optional.Number(),
  plus_minus: Type.Optional.Object({
    with: Type.Optional.Number(),
    without: Type.Optional.Number(),
    change: Type.Optional.Number(),
  }),
  range: Type.Optional.Object(
    { with: Type.Optional(Range), without: Type.Optional(Range), change: Type.Optional(Range) },
    { description: range },
  ),
});
export type MetricComparison = Type.Static<typeof MetricComparison>;

export const Amount = Type.Object(
  {
    mean: Type.Number(),
    plus_minus: Type.Optional.Number({ description: interval }),
    range: Type.Optional(Range),
  },
  { title: 'Amount' },
);
export type Amount = Type.Static<typeof Amount>;

export const TakeOver = Type.Named('TakeOver', {
  agent_id: Type.String({ description: 'An access point that gets a command.' }),
  devices: Type.Object(Amount.properties, { description: 'How many devices leave it, less those that come.' }),
  delivered_mbps: Type.Object(Amount.properties, { description: 'By how much its throughput changes.' }),
  to: Type.Array(
    Type.Object({
      agent_id: Type.String(),
      devices: Type.Object(Amount.properties, {
        description: 'How many of its devices are here instead; negative: how many come from here.',
      }),
      delivered_mbps: Type.Object(Amount.properties, {
        description: 'By how much the throughput here changes, by all commands together.',
      }),
    }),
    { description: 'Those with most of its devices, at most five.' },
  ),
  others: Type.Optional.Object(
    { access_points: Type.Integer(), devices: Amount, delivered_mbps: Amount },
    { description: 'All others that have any, together.' },
  ),
  unserved: Type.Object(Amount.properties, { description: 'How many of its devices no access point has.' }),
});
export type TakeOver = Type.Static<typeof TakeOver>;

const Extent = Type.Object({
  minutes: Type.Number(),
  futures: Type.Integer(),
  agents: Type.Integer({ description: 'Access points in `agents`.' }),
});

export const WhatIfAnswer = Type.Named('WhatIfAnswer', {
  job_number: Type.String(),
  model: Type.Integer({ description: 'The version of the model.' }),
  model_time: Type.String({ format: 'date-time', description: 'The start of the copies, in model time.' }),
  minutes: Type.Number({ description: 'How far it was run ahead.' }),
  exact: Type.Boolean({
    description:
      'One future was asked for: it is what happens if the commands are sent in this second. Else all futures have other chances than the network itself.',
  }),
  asked: Extent,
  ran: Extent,
  limited_by: Type.Array(Type.Enum(['computing_time', 'answer_size']), {
    description:
      'Why less was run than asked for: fewer futures, down to three, then fewer minutes (`computing_time`); access points without commands for which least changes are left out (`answer_size`).',
  }),
  results: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'The result of each command, in their order.',
  }),
  totals: Type.Object(
    { devices: Type.Integer(), served: Comparison, power_w: Comparison, delivered_mbps: Comparison },
    { description: 'Of the network, means over the whole time: served devices, power, throughput.' },
  ),
  took_over: Type.Array(TakeOver, { description: 'For each access point that gets a command, who has its devices.' }),
  agents: Type.Array(Type.Object({ agent_id: Type.String(), metrics: Type.Record(Type.String(), MetricComparison) }), {
    description: 'The mean of each metric over that time, with the commands and without.',
  }),
  timeline: Type.Array(
    Type.Object({
      minute: Type.Number(),
      served: Comparison,
      power_w: Comparison,
      delivered_mbps: Comparison,
    }),
    { description: 'Totals of the network, minute by minute.' },
  ),
});
export type WhatIfAnswer = Type.Static<typeof WhatIfAnswer>;
