// The part of the SDK for control programs, which also runs in browsers.

export type {
  AgentConfiguration,
  AgentConfigView,
  AgentDataRecord,
  AgentFilter,
  AgentListItem,
  AgentMetrics,
  AgentMultiMetricData,
  AgentPresence,
  Alarm,
  AlarmRaise,
  BatchAnswer,
  ChangePreview,
  ChangeSet,
  ChangeSetCreate,
  Command,
  CommandArguments,
  CommandPreview,
  CommandState,
  ConfigLayer,
  ConfigLayerVersion,
  ConfigSecret,
  ConfigState,
  ConfigVariable,
  ConfigVariableSet,
  Conflict,
  Device,
  DeviceDetails,
  DeviceLink,
  EmulatorDemand,
  EmulatorEvent,
  EmulatorRun,
  EmulatorRunWithAgents,
  Energy,
  EnergyRerun,
  EventData,
  EventKind,
  Incident,
  IncidentDetails,
  JobEnvelope,
  Presence,
  Rival,
  Rollout,
  RolloutAgent,
  RolloutPlan,
  RolloutSeries,
  SteerResult,
  Technology,
  VerdictReason,
  VerdictWord,
  WhatIfAnswer,
} from '@weft/contract';
export { detailInWords, WeftRefusal, WeftUnreachable } from '../weft-refusal.ts';
export type * from './app-options.ts';
export {
  BlastRadiusExceeded,
  CommandConflict,
  CommandFrozen,
  CommandHeld,
  CommandTooSoon,
} from './command-conflict.ts';
export { Configuration } from './config-client.ts';
export { EmulatedNetwork, type WantedCommand } from './emulated-network.ts';
export { EventStreamParser, type ServerSentEvent } from './event-stream.ts';
export { type Cell, cellMetrics, Fleet, loadOf, type Place } from './fleet.ts';
export type { LatestValues, LiveOptions, LiveSample } from './fleet-reader.ts';
export { JobFailure, type JobOptions } from './job-messages.ts';
export { canTakeOver, distanceM, helpersOf } from './neighbourhood.ts';
export type {
  DeviceOptions,
  EventOptions,
  FollowOptions,
  PastEventOptions,
  SelectOptions,
} from './network-reader.ts';
export type { RadioMap, RadioMapDifference, RadioMapRequest } from './radio-map.ts';
export { CommandNotSettled, type CommandReport, SentCommand } from './sent-command.ts';
export { Stream } from './stream.ts';
export type { WebSocketClass, WebSocketLike } from './web-socket.ts';
