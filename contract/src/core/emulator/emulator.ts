// Emulated networks: what is asked for (#25), how runs are shown, and what is asked of a running one.

import * as Type from '../schema/schema.ts';
import { emulatedTechnologies, trafficClasses } from './emulated-model.ts';

/** Of one request; more would use a core that requests need. */
export const maxEmulatedDevices = 200_000;

/** Which traffic the devices of an access point want. */
export const EmulatorProfile = Type.Enum(['office', 'home', 'city', 'stadium', 'always'], {
  title: 'EmulatorProfile',
  description:
    'Traffic demand over a day; `always`: constant and lively, whatever the hour. Default: city for 5G, office for the others.',
});
export type EmulatorProfile = Type.Static<typeof EmulatorProfile>;

/** The controller checks the names, and that there is a share above 0. */
export const EmulatorMix = Type.Record(Type.String(), Type.Number({ minimum: 0 }), {
  title: 'EmulatorMix',
  documented: { propertyNames: { enum: [...trafficClasses] }, minProperties: 1 },
  description: `Shares of the devices by what they do: ${trafficClasses.join(', ')}. They need not sum to 1; one must be above 0.`,
});
export type EmulatorMix = Type.Static<typeof EmulatorMix>;

/** The controller checks the names of weights, and that one is above 0. */
export const EmulatorLinkPolicy = Type.Object(
  {
    mode: Type.Enum(['active_standby', 'priority', 'load_balancing', 'smallest_delay', 'redundant'], {
      description: 'The steering modes of TS 23.501 (5.32.8).',
    }),
    primary: Type.Optional.Enum([...emulatedTechnologies], {
      description: 'The link that comes first. Default: LiFi, then WiFi, then 5G.',
    }),
    weights: Type.Optional.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1_000_000 }), {
      documented: { propertyNames: { enum: [...emulatedTechnologies] }, minProperties: 1 },
      description: 'For `load_balancing`, by technology. Default: by what each link can carry.',
    }),
    share: Type.Optional.Number({
      minimum: 0,
      maximum: 1,
      default: 1,
      description: 'The share of the devices that hold several links.',
    }),
  },
  {
    title: 'EmulatorLinkPolicy',
    description:
      'Devices hold a link of each technology at once, and this says how their traffic uses them. Default: one link, the best technology first.',
  },
);
export type EmulatorLinkPolicy = Type.Static<typeof EmulatorLinkPolicy>;

/** What the text or the object says is read by the controller, with the index of whatever is no place. */
const Location = Type.Unsafe<string | Record<string, unknown>>({
  format: 'text-or-object',
  documented: {
    anyOf: [
      { type: 'string', maxLength: 200 },
      { type: 'object', description: 'With `latitude` or `lat`, and `longitude`, `long`, `lon` or `lng`.' },
    ],
  },
});

export const EmulatorSpec = Type.Named('EmulatorSpec', {
  access_point_type: Type.String({ pattern: `^(${emulatedTechnologies.join('|')})$` }),
  num_access_points: Type.Integer({ exclusiveMinimum: 0, maximum: 1000 }),
  locations: Type.Array(Location, {
    documented: { minItems: 1 },
    description: 'Coordinates or place names, assigned in turn.',
  }),
  num_devices: Type.Integer({
    exclusiveMinimum: 0,
    maximum: maxEmulatedDevices,
    description: 'Per access point. A request has at most 200,000 devices in all.',
  }),
  duration: Type.Integer({
    exclusiveMinimum: 0,
    maximumSetting: 'emulator_max_seconds',
    description: 'Seconds of model time.',
  }),
  scenario: Type.Optional.Enum(['UMa', 'UMi', 'InH'], { description: 'The environment of 5G cells. Default: UMi.' }),
  profile: Type.Optional(EmulatorProfile),
  mbps_per_device: Type.Optional.Number({
    minimum: 0,
    maximum: 1000,
    description: 'Demand of one device in Mb/s, the mean over the busiest hour of its profile. Default: 0.8.',
  }),
  mix: Type.Optional(EmulatorMix),
  link_policy: Type.Optional(EmulatorLinkPolicy),
});
export type EmulatorSpec = Type.Static<typeof EmulatorSpec>;

export const EmulatorFaultKind = Type.Enum(
  ['crash', 'backhaul_cut', 'clock_skew', 'duplicate_samples', 'late_samples', 'jammed_channel', 'command_ignored'],
  { title: 'EmulatorFaultKind' },
);
export type EmulatorFaultKind = Type.Static<typeof EmulatorFaultKind>;

const faultFields = {
  kind: EmulatorFaultKind,
  seconds: Type.Integer({ minimum: 1, maximum: 604_800, description: 'Duration in model time.' }),
  amount: Type.Optional.Number({
    description:
      'Severity: seconds ahead (clock_skew), seconds of delay (late_samples), share of samples sent twice (duplicate_samples), power of the jammer in dBm (jammed_channel). The others have none.',
  }),
};

/** A fault that is known when the network is asked for. */
export const PlannedFault = Type.Named('PlannedFault', {
  access_point: Type.Integer({ minimum: 1, description: 'The number at the end of its name.' }),
  after_seconds: Type.Optional.Integer({
    minimum: 0,
    default: 0,
    description: 'When it begins, in model time after the start.',
  }),
  ...faultFields,
});
export type PlannedFault = Type.Static<typeof PlannedFault>;

export const EmulatorSpinupRequest = Type.Named('EmulatorSpinupRequest', {
  emulators: Type.Array(EmulatorSpec, { documented: { minItems: 1 } }),
  seed: Type.Optional.Integer({
    minimum: 0,
    maximum: 4_294_967_295,
    description: 'The same seed gives the same network.',
  }),
  speed: Type.Optional.Number({
    minimum: 1,
    maximum: 3600,
    default: 1,
    description: 'Seconds of model time per second.',
  }),
  pace: Type.Optional.Enum(['clock', 'stepped'], {
    default: 'clock',
    description:
      '`stepped`: the network stands still until it is told to go on, see emulator_step. It may do so for as long as it would take by the clock, at least an hour.',
  }),
  start_time: Type.Optional.String({
    format: 'date-time',
    description:
      'Model time at the start. Default: now; with a speed above 1, so far in the past that the run ends at the present.',
  }),
  report_interval_seconds: Type.Optional.Integer({ minimum: 1, maximum: 3600, default: 1 }),
  faults: Type.Optional.Array(PlannedFault, { maxItems: 1000 }),
  sites: Type.Optional.Boolean({
    default: false,
    description:
      'Each access point stands at the site of its place, `bristol`, which is made where there is none; administrators only.',
  }),
});
export type EmulatorSpinupRequest = Type.Static<typeof EmulatorSpinupRequest>;

/** What the devices of an entry ask for. */
export const EmulatorDemand = Type.Named('EmulatorDemand', {
  mbps_per_device: Type.Number(),
  mix: Type.Record(Type.String(), Type.Number(), { description: 'Shares of the devices, which sum to 1.' }),
});
export type EmulatorDemand = Type.Static<typeof EmulatorDemand>;

const Model = Type.Integer({
  description: 'The version of the model: the same seed and request give other values in another version.',
});

const Position = Type.Object({ latitude: Type.Number(), longitude: Type.Number() });

/** An access point that is about to exist. */
export const EmulatedAgent = Type.Object(
  { ap_id: Type.String(), access_point_type: Type.String(), location: Position },
  { title: 'EmulatedAgent' },
);
export type EmulatedAgent = Type.Static<typeof EmulatedAgent>;

/** What Weft took a place name for. */
export const ResolvedPlace = Type.Named('ResolvedPlace', {
  emulator: Type.Integer({ description: 'Index in `emulators`.' }),
  location: Type.Integer({ description: 'Index in its `locations`.' }),
  given: Type.String(),
  name: Type.String(),
  country: Type.String({ description: 'Two letters.' }),
  latitude: Type.Number(),
  longitude: Type.Number(),
  others: Type.Integer({ description: 'The number of smaller places with the same name.' }),
});
export type ResolvedPlace = Type.Static<typeof ResolvedPlace>;

export const EmulatorAccepted = Type.Named('EmulatorAccepted', {
  job_number: Type.String({ format: 'uuid' }),
  status: Type.Literal('queued'),
  websocket: Type.String({ description: 'The path of the WebSocket for progress and the end.' }),
  agents: Type.Array(EmulatedAgent),
  places: Type.Array(ResolvedPlace, { description: 'The place of each location that is a name.' }),
  profiles: Type.Array(EmulatorProfile, { description: 'The profile of each entry of `emulators`.' }),
  demand: Type.Array(EmulatorDemand, { description: 'The demand of each entry of `emulators`.' }),
  seed: Type.Integer(),
  model: Model,
  ends_at: Type.Timestamp,
});
export type EmulatorAccepted = Type.Static<typeof EmulatorAccepted>;

export const EmulatorRun = Type.Named('EmulatorRun', {
  job_number: Type.String(),
  state: Type.Enum(['queued', 'running', 'succeeded', 'failed', 'expired', 'cancelled']),
  detail: Type.OrNull(Type.String()),
  progress: Type.OrNull(Type.Number(), { description: 'From 0 to 1.' }),
  owner: Type.String(),
  access_points: Type.Integer(),
  devices: Type.Integer(),
  by_type: Type.Record(Type.String(), Type.Integer()),
  seed: Type.Integer(),
  model: Model,
  speed: Type.Number(),
  model_start: Type.Timestamp,
  duration: Type.Integer({ description: 'Seconds of model time.' }),
  created_at: Type.Timestamp,
  ends_at: Type.String({ format: 'date-time', description: 'When it ends, or has ended.' }),
  is_over: Type.Boolean(),
  remove_at: Type.OrNull(Type.Timestamp, {
    description: 'When its agents and their telemetry are deleted; null while it runs.',
  }),
  latest: Type.OrNull(Type.Record(Type.String(), Type.Unknown()), {
    description:
      'The last progress report: served devices, power, agents online; `late_by_seconds` in seconds of model time.',
  }),
  websocket: Type.String(),
});
export type EmulatorRun = Type.Static<typeof EmulatorRun>;

export const EmulatorRunWithAgents = Type.Object(
  { ...EmulatorRun.properties, agents: Type.Array(Type.String(), { description: 'The agents that still exist.' }) },
  { title: 'EmulatorRunWithAgents' },
);
export type EmulatorRunWithAgents = Type.Static<typeof EmulatorRunWithAgents>;

export const StepRequest = Type.Named('StepRequest', {
  seconds: Type.Integer({ minimum: 1, maximum: 3600, description: 'Model time to pass.' }),
});
export type StepRequest = Type.Static<typeof StepRequest>;

export const StepAnswer = Type.Named('StepAnswer', {
  job_number: Type.String(),
  model_time: Type.Timestamp,
  second: Type.Integer({ description: 'Model time since the start of the run.' }),
  ended: Type.Boolean({ description: 'The network has come to its end, perhaps before all seconds had passed.' }),
});
export type StepAnswer = Type.Static<typeof StepAnswer>;

export const FaultRequest = Type.Object(
  { agent_id: Type.String({ description: 'The ap_id.' }), ...faultFields },
  { title: 'FaultRequest' },
);
export type FaultRequest = Type.Static<typeof FaultRequest>;
