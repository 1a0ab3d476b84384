// The part of the SDK for control programs, which also runs in browsers.

export type {
  AgentConfiguration,
  AgentDataRecord,
  AgentFilter,
  AgentListItem,
  AgentMetrics,
  AgentMultiMetricData,
  AgentPresence,
  BatchAnswer,
  Command,
  CommandArguments,
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
  EventData,
  EventKind,
  JobEnvelope,
  Presence,
  Rival,
  SteerResult,
  Technology,
  VerdictReason,
  VerdictWord,
} from '@weft/contract';
export type { WhatIfAnswer } from '@weft/contract/lab';
export type {
  AgentConfigView,
  Alarm,
  AlarmRaise,
  ChangePreview,
  ChangeSet,
  ChangeSetCreate,
  ConfigLayer,
  ConfigLayerVersion,
  ConfigSecret,
  ConfigState,
  ConfigVariable,
  ConfigVariableSet,
  Energy,
  EnergyRerun,
  Incident,
  IncidentDetails,
  Rollout,
  RolloutAgent,
  RolloutPlan,
  RolloutSeries,
} from '@weft/contract/operations';
export type * from './core/app/app-options.ts';
export {
  BlastRadiusExceeded,
  CommandConflict,
  CommandFrozen,
  CommandHeld,
  CommandTooSoon,
} from './core/app/command-conflict.ts';
export { EventStreamParser, type ServerSentEvent } from './core/app/event-stream.ts';
export { type Cell, cellMetrics, Fleet, loadOf, type Place } from './core/app/fleet.ts';
export type { LatestValues, LiveOptions, LiveSample } from './core/app/fleet-reader.ts';
export { JobFailure, type JobOptions } from './core/app/job-messages.ts';
export { canTakeOver, distanceM, helpersOf } from './core/app/neighbourhood.ts';
export type {
  DeviceOptions,
  EventOptions,
  FollowOptions,
  PastEventOptions,
  SelectOptions,
} from './core/app/network-reader.ts';
export { CommandNotSettled, type CommandReport, SentCommand } from './core/app/sent-command.ts';
export { Stream } from './core/app/stream.ts';
export type { WebSocketClass, WebSocketLike } from './core/app/web-socket.ts';
export { detailInWords, WeftRefusal, WeftUnreachable } from './core/weft-refusal.ts';
export { EmulatedNetwork, type WantedCommand } from './lab/emulated-network.ts';
export type { RadioMap, RadioMapDifference, RadioMapRequest } from './lab/radio-map.ts';
export { Configuration } from './operations/config-client.ts';
export type { AlarmOptions, EnergyOptions, IncidentOptions } from './operations/operator.ts';
