// The part of the SDK for control programs, which also runs in browsers.

export type {
  Agent as AgentRecord,
  AgentDataRecord,
  AgentDetails,
  AgentFilter,
  AgentListItem,
  AgentMetrics,
  AgentMultiMetricData,
  AgentPresence,
  Alarm,
  BatchAnswer,
  Command,
  CommandPreview,
  CommandState,
  Conflict,
  Device,
  DeviceDetails,
  DeviceLink,
  EmulatorDemand,
  EmulatorEvent,
  EmulatorRun,
  EmulatorRunWithAgents,
  EventItem,
  JobEnvelope,
  Presence,
  Rival,
  VerdictReason,
  VerdictWord,
  WhatIfAnswer,
} from '@weft/contract';
export { WeftRefusal, WeftUnreachable } from '../weft-refusal.ts';
export type * from './app-options.ts';
export { CommandConflict } from './command-conflict.ts';
export { EmulatedNetwork, type WantedCommand } from './emulated-network.ts';
export { EventStreamParser, type ServerSentEvent } from './event-stream.ts';
export type { LatestValues, LiveOptions, LiveSample } from './fleet-reader.ts';
export { JobFailure, type JobOptions } from './job-messages.ts';
export type {
  AlarmOptions,
  DeviceOptions,
  EventOptions,
  FollowOptions,
  PastEventOptions,
  SelectOptions,
} from './network-reader.ts';
export type { RadioMap, RadioMapDifference, RadioMapRequest } from './radio-map.ts';
export { type CommandReport, SentCommand } from './sent-command.ts';
export { Stream } from './stream.ts';
export type { WebSocketClass, WebSocketLike } from './web-socket.ts';
