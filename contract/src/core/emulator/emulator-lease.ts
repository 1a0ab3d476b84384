// What passes between Weft and the process that runs an emulated network: the task, the lease with its requests and answers,
// and what the process reports.

import * as Type from '../schema/schema.ts';
import { EmulatedAgent, PlannedFault } from './emulator.ts';

/** `data` of `emulator_spinup`. */
export const EmulatorTask = Type.Named('EmulatorTask', {
  agents: Type.Array(
    Type.Object({
      ap_id: Type.String(),
      password: Type.String({ description: 'Opens the agent for as long as the run lasts.' }),
      access_point_type: Type.String(),
      location: EmulatedAgent.properties.location,
      num_devices: Type.Integer(),
      duration: Type.Integer(),
      scenario: Type.Optional.String(),
      profile: Type.Optional.String(),
      mbps_per_device: Type.Optional.Number(),
      mix: Type.Optional.Record(Type.String(), Type.Number()),
      link_policy: Type.Optional.Object({
        mode: Type.String(),
        primary: Type.Optional.String(),
        weights: Type.Optional(Type.Record(Type.String(), Type.Number())),
        share: Type.Optional.Number(),
      }),
    }),
  ),
  num_devices: Type.Integer({ description: 'Per access point, where its own entry does not say.' }),
  duration: Type.Integer({ description: 'Of the longest, in seconds of model time.' }),
  seed: Type.Integer(),
  model: Type.Optional.Integer({ description: 'The version of the model that it was created for; absent: 1.' }),
  speed: Type.Number(),
  pace: Type.Optional.String({ description: '`stepped`: it goes on when it is told to; else by the clock.' }),
  model_start: Type.Timestamp,
  started_at: Type.String({ format: 'date-time', description: 'When the run began, on the clock of Weft.' }),
  report_interval_seconds: Type.Integer(),
  faults: Type.Array(PlannedFault),
});
export type EmulatorTask = Type.Static<typeof EmulatorTask>;

/** What the process that runs the network asks, again and again, for as long as it does. */
export const EmulatorLeaseRequest = Type.Named('EmulatorLeaseRequest', {
  holder: Type.String({ minLength: 1, maxLength: 128, description: 'A name of the process’s own making.' }),
  release: Type.Optional.Boolean({ default: false, description: 'Gives the run back: somebody else goes on.' }),
  slots: Type.Optional.Object(
    { total: Type.Integer({ minimum: 1 }), free: Type.Integer({ minimum: 0 }) },
    {
      description:
        'How many runs the process takes at once, and how many more it takes now. Beyond these it may ask for one of an administrator.',
    },
  ),
  model_time: Type.Optional.String({ format: 'date-time', description: 'What time it is in the network now.' }),
  settings: Type.Optional.Boolean({
    default: false,
    description: 'Answer with what access points run, as they said last.',
  }),
  wait: Type.Optional.Integer({ minimum: 0, maximum: 30, default: 0, description: 'Seconds to wait for requests.' }),
  answers: Type.Optional.Array(Type.Object({ id: Type.String(), answer: Type.Unknown() }), {
    description: 'To requests that came with an earlier lease.',
  }),
});
export type EmulatorLeaseRequest = Type.Static<typeof EmulatorLeaseRequest>;

/** One request to a running network, with the number under which its answer is awaited. */
export const EmulatorRequest = Type.Named('EmulatorRequest', {
  id: Type.String(),
  kind: Type.Enum(['what_if', 'fault', 'coverage', 'step', 'rerun', 'cancel'], {
    description: '`cancel`: nobody waits for the request `id` of its body any more; it needs no answer.',
  }),
  body: Type.Record(Type.String(), Type.Unknown()),
});
export type EmulatorRequest = Type.Static<typeof EmulatorRequest>;

export const EmulatorLease = Type.Named('EmulatorLease', {
  lease_seconds: Type.Number({ description: 'Ask again before; else another process takes the run over.' }),
  now: Type.String({ format: 'date-time', description: 'The clock of Weft.' }),
  last_chunk: Type.Integer({ description: 'The highest `chunk` of the callbacks so far; 0 without one.' }),
  requests: Type.Array(EmulatorRequest),
  settings: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({ hash: Type.OrNull(Type.String()), settings: Type.Record(Type.String(), Type.Unknown()) }),
      {
        description:
          'By `ap_id`: what one ran that has said so, and the hash of what it was given. Whoever has nothing from before begins with it.',
      },
    ),
  ),
});
export type EmulatorLease = Type.Static<typeof EmulatorLease>;

/** One message of a run on its socket: `started`, `progress`, `ended`. */
export const EmulatorEvent = Type.Named('EmulatorEvent', {
  event: Type.Enum(['started', 'progress', 'ended']),
  model_time: Type.Timestamp,
  access_points: Type.Integer(),
  agents_online: Type.Integer(),
  devices: Type.Integer(),
  served: Type.Integer(),
  power_w: Type.Number(),
  delivered_mbps: Type.Number(),
  samples: Type.Integer({ description: 'Posted so far by the process that tells.' }),
  samples_lost: Type.Optional.Integer({ description: 'Not posted: Weft refused them, or was away for too long.' }),
  late_by_seconds: Type.Number({ description: 'How many seconds of model time the model is behind its clock.' }),
  faults: Type.Optional.Array(
    Type.Object({ agent_id: Type.String(), kind: Type.String(), until: Type.Timestamp }, { title: 'ActiveFault' }),
    { description: 'Those that hold now, until this model time; at most 100. Absent: none.' },
  ),
});
export type EmulatorEvent = Type.Static<typeof EmulatorEvent>;
