// What can be read of the fleet: its agents, their series, their newest values, and whether they are there at all.
import * as Type from './schema/schema.ts';

const Resolution = Type.Optional.Number({
  description: 'Width of the buckets; present only if the points are buckets.',
});

export const Aggregate = Type.Enum(['mean', 'min', 'max', 'last', 'sum', 'count'], {
  title: 'Aggregate',
  description: 'How the values in a bucket are aggregated.',
});
export type Aggregate = Type.Static<typeof Aggregate>;

export const Presence = Type.Enum(['online', 'late', 'offline'], { title: 'Presence' });
export type Presence = Type.Static<typeof Presence>;

export const AgentFilter = Type.Named('AgentFilter', {
  state: Type.Optional.Enum(['online', 'late', 'offline', 'never', 'ended', 'all'], {
    description:
      'Only agents in this state; `never`: has not reported yet, `ended`: emulated, and its run is over. Default: all that have not ended, without agents of devices; `all` has these too.',
  }),
  emulated: Type.Optional.Boolean({ description: 'Only emulated agents, or only real ones.' }),
});
export type AgentFilter = Type.Static<typeof AgentFilter>;

export const AgentDetails = Type.Named('AgentDetails', {
  id: Type.String({ format: 'uuid' }),
  ap_id: Type.String(),
  configuration: Type.Record(Type.String(), Type.Unknown()),
  onboard: Type.Boolean({ description: 'True after the first successful login.' }),
});
export type AgentDetails = Type.Static<typeof AgentDetails>;

export const AgentData = Type.Named('AgentData', {
  key: Type.String({ description: 'The name of the measurement.' }),
  agent_id: Type.String({ description: 'The ap_id.' }),
  window_minutes: Type.Integer(),
  resolution_seconds: Resolution,
  points: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: '`ts` and the fields reported then, oldest first.',
  }),
});
export type AgentData = Type.Static<typeof AgentData>;

export const MetricSeries = Type.Object(
  { metric: Type.String(), points: Type.Array(Type.Object({ ts: Type.Timestamp, value: Type.Number() })) },
  { title: 'MetricSeries' },
);
export type MetricSeries = Type.Static<typeof MetricSeries>;

export const AgentMultiMetricData = Type.Named('AgentMultiMetricData', {
  agent_id: Type.String({ description: 'The ap_id.' }),
  window_minutes: Type.Integer(),
  resolution_seconds: Resolution,
  series: Type.Array(MetricSeries, { description: 'In the order asked for.' }),
});
export type AgentMultiMetricData = Type.Static<typeof AgentMultiMetricData>;

const TextSeries = Type.Object({
  agent_id: Type.String({ description: 'The ap_id.' }),
  is_complete: Type.Boolean({
    description:
      'False: there are more texts in the window than `max_points` of a name, or 8,000,000 characters of the answer.',
  }),
  series: Type.Array(
    Type.Object({
      metric: Type.String(),
      points: Type.Array(Type.Object({ ts: Type.Timestamp, value: Type.String() }), {
        description: 'The oldest first.',
      }),
    }),
  ),
});

const BandEdge = (which: string) =>
  Type.Optional.Array(AgentMultiMetricData, { description: `With \`band=true\`: the ${which} of each bucket.` });
export const FleetSeries = Type.Named('FleetSeries', {
  agents: Type.Array(AgentMultiMetricData, { description: 'In the order asked for.' }),
  lows: BandEdge('minimum'),
  highs: BandEdge('maximum'),
  texts: Type.Optional.Array(TextSeries, {
    description: 'With `texts=true`: the texts of these names, never in buckets.',
  }),
});
export type FleetSeries = Type.Static<typeof FleetSeries>;

export const AgentMetrics = Type.Named('AgentMetrics', {
  agent_id: Type.String({ description: 'The ap_id.' }),
  window_minutes: Type.Integer(),
  metrics: Type.Array(Type.Object({ name: Type.String(), label: Type.String() })),
});
export type AgentMetrics = Type.Static<typeof AgentMetrics>;

export const LatestMetrics = Type.Named('LatestMetrics', {
  agents: Type.Array(
    Type.Object({
      ap_id: Type.String(),
      presence: Presence,
      metrics: Type.Record(Type.String(), Type.Unknown(), { description: 'Name -> `{ts, value}`.' }),
      texts: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: 'With `texts=true`: name -> `{ts, value}`.' }),
      ),
    }),
  ),
});
export type LatestMetrics = Type.Static<typeof LatestMetrics>;

export const AgentPresence = Type.Named('AgentPresence', {
  ap_id: Type.String(),
  presence: Presence,
  last_seen: Type.OrNull(Type.Timestamp),
  since: Type.OrNull(Type.Timestamp, { description: 'When the current state began.' }),
  reason: Type.String({ description: 'The reason.' }),
  report_interval_seconds: Type.Number({ description: 'The expected report interval.' }),
  channel: Type.Boolean({ description: 'Whether its WebSocket is open, on any node.' }),
  command_ready: Type.Boolean({
    description:
      'Whether a command can be delivered now: over the channel, by a poll within the last minute, or by push.',
  }),
  report_budget: Type.Optional.Object(
    { points_left: Type.Number({ minimum: 0, maximum: 1 }), bytes_left: Type.Number({ minimum: 0, maximum: 1 }) },
    {
      description:
        'What is left of what this agent may report at once, on the node that answers; absent while it is full. At 0 reports are answered with 429.',
    },
  ),
});
export type AgentPresence = Type.Static<typeof AgentPresence>;

export const FleetPresence = Type.Object({ agents: Type.Array(AgentPresence) }, { title: 'FleetPresence' });
export type FleetPresence = Type.Static<typeof FleetPresence>;
