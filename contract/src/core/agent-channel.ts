// What travels between Weft and an agent about commands and settings: over the agent's channel (a WebSocket, one JSON object a
// message), by long poll and by push. Commands look the same on all three ways.

import { CommandResult, CommandState } from './commands.ts';
import {
  ConfigConfirmMessage,
  ConfigMessage,
  ConfigResultMessage,
  ConfigRunning,
  ConfigRunningMessage,
} from './config-frames.ts';
import * as Type from './schema/schema.ts';
import { AgentUpdateAnswer } from './telemetry.ts';

const MessageId = Type.Integer({
  minimum: 0,
  description: 'Chosen by the agent; returned with the answer. Any number of messages may be in flight.',
});

export const AgentCommand = Type.Named('AgentCommand', {
  command_id: Type.String({
    description: 'The same command may be delivered again with the same id: execute it once.',
  }),
  command: Type.String({
    description:
      'The text as the caller sent it; where Weft has changed the arguments (a merge), the text of the changed command.',
  }),
  name: Type.String({ description: 'The name of the command, read from the text.' }),
  args: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Its arguments. The words after the name of free text are the argument `text`.',
  }),
  issued_at: Type.Timestamp,
  expires_at: Type.Timestamp,
});
export type AgentCommand = Type.Static<typeof AgentCommand>;

export const ChannelCommand = Type.Object(
  { type: Type.Literal('command'), ...AgentCommand.properties },
  { title: 'ChannelCommand' },
);
export type ChannelCommand = Type.Static<typeof ChannelCommand>;

/** Answers `telemetry`, once it is durable. */
export const TelemetryAck = Type.Named('TelemetryAck', {
  type: Type.Literal('telemetry_ack'),
  id: Type.Optional(MessageId),
  accepted: AgentUpdateAnswer.properties.accepted,
  merged: AgentUpdateAnswer.properties.merged,
  ignored: AgentUpdateAnswer.properties.ignored,
  ignored_count: AgentUpdateAnswer.properties.ignored_count,
  rounded: AgentUpdateAnswer.properties.rounded,
});
export type TelemetryAck = Type.Static<typeof TelemetryAck>;

/** Answers `command_result`, once it is durable: how the command stands now. */
export const CommandStateMessage = Type.Object(
  { type: Type.Literal('command_state'), command_id: Type.String(), state: CommandState },
  { title: 'CommandStateMessage' },
);
export type CommandStateMessage = Type.Static<typeof CommandStateMessage>;

/** Answers `hello`, once the agent's configuration has what it said. */
export const HelloAck = Type.Named('HelloAck', {
  type: Type.Literal('hello_ack'),
  offered_secret: Type.Optional.String({
    description:
      'For an agent whose password somebody chose: a secret that Weft checks faster. Nothing changes until the agent, having stored it, makes it its password by `update_agent` (#15).',
  }),
});
export type HelloAck = Type.Static<typeof HelloAck>;

/** Answers a message that changed nothing; the channel stays open. */
export const ChannelError = Type.Named('ChannelError', {
  type: Type.Literal('error'),
  id: Type.Optional(MessageId),
  command_id: Type.Optional.String(),
  status: Type.Integer({ description: 'The same as over HTTP.' }),
  detail: Type.Unknown(),
  code: Type.String(),
  retry_after: Type.Optional.Number({ description: 'Seconds.' }),
});
export type ChannelError = Type.Static<typeof ChannelError>;

/** All that Weft says on the channel. */
export const channelDown = [
  ChannelCommand,
  TelemetryAck,
  CommandStateMessage,
  HelloAck,
  ConfigMessage,
  ConfigConfirmMessage,
  ChannelError,
] as const;
export const ChannelDownMessage = Type.Union([...channelDown], { title: 'ChannelDownMessage' });
export type ChannelDownMessage = Type.Static<typeof ChannelDownMessage>;

/** The fields, `payload` or `samples` stand beside `type` and `id`, as in the body of #21. */
export const TelemetryMessage = Type.Object(
  { type: Type.Literal('telemetry'), id: Type.Optional(MessageId) },
  { title: 'TelemetryMessage', additionalProperties: true },
);
export type TelemetryMessage = Type.Static<typeof TelemetryMessage> & Record<string, unknown>;

export const CommandResultMessage = Type.Named('CommandResultMessage', {
  type: Type.Literal('command_result'),
  command_id: Type.String({ minLength: 1, maxLength: 128 }),
  ...CommandResult.properties,
});
export type CommandResultMessage = Type.Static<typeof CommandResultMessage>;

/** What the agent can do, for its configuration. */
export const HelloMessage = Type.Object(
  {
    type: Type.Literal('hello'),
    commands: Type.Optional.Array(Type.Unknown(), { maxItems: 1000 }),
    running: Type.Optional(ConfigRunning),
  },
  { title: 'HelloMessage' },
);
export type HelloMessage = Type.Static<typeof HelloMessage>;

/** All that the channel accepts of an agent but telemetry, which is read in its own way. */
export const checkedUp = [CommandResultMessage, HelloMessage, ConfigResultMessage, ConfigRunningMessage] as const;
export const channelUp = [TelemetryMessage, ...checkedUp] as const;
export type ChannelUpMessage = TelemetryMessage | Type.Static<(typeof checkedUp)[number]>;

export const PushSecret = Type.Named('PushSecret', {
  ap_id: Type.String(),
  secret: Type.String({
    description: 'Shown only once. Pushes are signed with it; a new secret replaces it at once.',
  }),
});
export type PushSecret = Type.Static<typeof PushSecret>;
