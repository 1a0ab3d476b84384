// Networks that exist only in memory, for programs: made, stepped, commanded, disturbed, and asked what would be.
export type { DeclaredCommand } from './access-points/command-table.ts';
export type { CommandArguments, CommandResult } from './access-points/commands.ts';
export { type FaultKind, type FaultRequest, faultKinds } from './access-points/faults.ts';
export type { MetricDescription } from './access-points/metrics.ts';
export type { Sample } from './access-points/sample.ts';
export type { PlannedCommand } from './what-if/future.ts';
export { maxWhatIfMinutes, type WhatIf, whatIf } from './what-if/what-if.ts';
export { type AccessPointView, createWorld, restoreWorld, type Totals, type World } from './world/world.ts';
export {
  type AccessPointSpec,
  type AccessPointType,
  maxAccessPoints,
  maxDevices,
  type WorldSpec,
} from './world/world-spec.ts';
