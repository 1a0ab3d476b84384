// Words and shapes that programs meet inside of free-form fields: the usual commands with their arguments, kinds of events, what a
// configuration usually holds. The wire accepts others; these give programs types and suggestions.
import { Technology } from './commands.ts';
import * as Type from './schema/schema.ts';

const nothing = () => Type.Object({});

const steeringFields = {
  outcome: Type.Enum(['moved', 'refused', 'unreachable', 'ignored'], { description: 'What the network saw.' }),
  answer: Type.Optional.Enum(['accepted', 'refused', 'no_answer', 'not_here', 'sent'], {
    description: 'What the access point saw.',
  }),
  status_code: Type.Optional.Integer({ description: 'Of 802.11v, where the device refused.' }),
  detail: Type.Optional.String(),
};

export const SteerResult = Type.Object(steeringFields, { title: 'SteerResult' });
export type SteerResult = Type.Static<typeof SteerResult>;

export const CommandArguments = Type.Object(
  {
    sleep: nothing(),
    wake: nothing(),
    doze: nothing(),
    reboot: nothing(),
    identify: nothing(),
    set_tx_power: Type.Object({ dbm: Type.Number(), interface: Type.Optional.String() }),
    set_channel: Type.Object({ channel: Type.Integer(), interface: Type.Optional.String() }),
    set_channel_width: Type.Object({ mhz: Type.Integer() }),
    set_tilt: Type.Object({ degrees: Type.Number() }),
    set_beam_angle: Type.Object({ degrees: Type.Number() }),
    set_prb_quota: Type.Object({ percent: Type.Integer() }),
    set_dimming: Type.Object({ percent: Type.Integer() }),
    set_handover_margin: Type.Object({ db: Type.Number() }),
    set_time_to_trigger: Type.Object({ seconds: Type.Integer() }),
    set_report_interval: Type.Object({ seconds: Type.Integer() }),
    steer_device: Type.Object({
      device: Type.Optional.String(),
      target: Type.String(),
      timeout_seconds: Type.Optional.Integer(),
      force: Type.Optional.Boolean(),
    }),
    set_link_policy: Type.Object({
      device: Type.Optional.String(),
      mode: Type.String(),
      primary: Type.Optional.String(),
      weights: Type.Optional.Record(Type.String(), Type.Number()),
    }),
  },
  { title: 'CommandArguments', description: 'The commands of emulated access points and of the agents of Weft.' },
);
export type CommandArguments = Type.Static<typeof CommandArguments>;

export const EventKind = Type.Enum(
  [
    ...['agent.online', 'agent.late', 'agent.offline', 'agent.asleep', 'agent.awake'],
    ...['agent.onboarded', 'agent.removed', 'config.changed', 'command.accepted', 'command.succeeded'],
    ...['command.failed', 'command.expired', 'command.cancelled', 'command.superseded', 'command.rejected'],
    ...['command.rolled_back', 'command.guard_broken', 'conflict.rejected', 'conflict.queued', 'conflict.modified'],
    ...['conflict.frozen', 'conflict.rolled_back', 'alarm.fired', 'alarm.acknowledged', 'alarm.cleared'],
    ...[
      'alarm.shelved',
      'alarm.unshelved',
      'incident.opened',
      'incident.ended',
      'incident.merged',
      'device.joined',
      'device.left',
      'device.moved',
      'device.steered',
    ],
    ...['run.started', 'run.ended', 'run.failed', 'node.started', 'node.stalled', 'storage.unreachable'],
    ...['storage.recovered', 'storage.disk_low', 'storage.disk_recovered'],
    ...['config.confirmed', 'config.in_sync', 'config.refused', 'config.reverted', 'config.substituted'],
    ...['config.drifted', 'config.overridden', 'config.unreachable', 'rollout.started', 'rollout.resumed'],
    ...['rollout.paused', 'rollout.stopped', 'rollout.completed', 'rollout.reverting', 'rollout.reverted'],
    ...['rollout.aborted', 'clock.jumped', 'clock.steady', 'webhook.parked', 'webhook.failing', 'webhook.recovered'],
  ] as const,
  { title: 'EventKind' },
);
export type EventKind = Type.Static<typeof EventKind>;

export const EventData = Type.Object(
  {
    count: Type.Optional.Integer({ description: 'Of an event about many access points.' }),
    agents: Type.Optional.Array(Type.String()),
    by: Type.Optional.String(),
    command_id: Type.Optional.String(),
    command: Type.Optional.String(),
    parameter: Type.Optional.String(),
    job_number: Type.Optional.String(),
    detail: Type.Optional.String(),
    reason: Type.Optional.String(),
    alarm_id: Type.Optional.String(),
    rule: Type.Optional.String(),
    message: Type.Optional.String(),
    value: Type.Optional(Type.OrNull(Type.Number())),
    state: Type.Optional.String(),
    device: Type.Optional.String(),
    from: Type.Optional.String(),
  },
  { title: 'EventData', additionalProperties: true, description: 'By kind: docs/events-and-webhooks.md.' },
);
export type EventData = Type.Static<typeof EventData> & Record<string, unknown>;

export const AgentConfiguration = Type.Object(
  {
    access_point_type: Type.Optional(Type.Union([Technology, Type.Literal('device')])),
    geolocation: Type.Optional.Object({ latitude: Type.Number(), longitude: Type.Number() }),
    site: Type.Optional.String(),
    tags: Type.Optional.Array(Type.String()),
    report_interval_seconds: Type.Optional.Number(),
    metrics: Type.Optional.Record(
      Type.String(),
      Type.Object({ label: Type.Optional.String(), unit: Type.Optional.String() }),
    ),
    commands: Type.Optional.Array(Type.Unknown()),
  },
  {
    title: 'AgentConfiguration',
    additionalProperties: true,
    description: 'As agents of Weft write it. It is free-form: another agent may write something else.',
  },
);
export type AgentConfiguration = Type.Static<typeof AgentConfiguration> & Record<string, unknown>;
