// One emulated network from its start to its end: the world, what is planned to go wrong in it, and what was asked of it.
// Knows no clock and no network: all that happens follows from the task and from the entries, second by second.

import type { EmulatorTask } from '@weft/contract';
import { BoundedMap } from '@weft/contract/bounded-map';
import type { SettingsStorage } from '@weft/sdk';
import type { CommandArguments, CommandResult } from '../access-points/commands.ts';
import type { FaultRequest } from '../access-points/faults.ts';
import type { Sample } from '../access-points/sample.ts';
import { createWorld, restoreWorld, type World } from '../world/world.ts';
import type { AccessPointSpec, WorldSpec } from '../world/world-spec.ts';
import type { WorldState } from '../world/world-state.ts';
import { FaultPlan } from './fault-plan.ts';

/** How many executed commands are remembered, so that a repeated one is not executed again. */
const maxRemembered = 2_000;
/** With more behind it a run cannot be repeated from its beginning. */
const maxHistory = 20_000;

/** Something that came from outside, and when. */
export type RunEntry = { number: number; second: number; ap_id: string } & (
  | { kind: 'command'; command_id: string; name: string; args: CommandArguments }
  | { kind: 'fault'; fault: FaultRequest }
  | { kind: 'settings'; settings: Record<string, unknown> }
  /** What the access point keeps about its settings, as JSON; null once it is removed. */
  | { kind: 'kept'; name: string; value: string | null }
  /** Until which second the run may go; of one that stands still in between. */
  | { kind: 'step'; until: number }
);

export interface RunState {
  world: WorldState;
  /** The number of the last entry that is in it. */
  lastEntry: number;
  /** Until which second it may go, of one in steps. */
  steppedTo?: number;
  /** Entries of before that it had not come to again. */
  pending: RunEntry[];
  answered: [string, CommandResult][];
  /** What access points keep about their settings. Absent in states of before. */
  kept?: [string, string][];
  /** Absent if not all of it is known. */
  history?: RunHistory;
}

/** What has changed a world since it was created, apart from what was planned: with it, the same happens again. */
export interface RunHistory {
  /** The second in which the world was created. */
  from: number;
  entries: RunEntry[];
}

export interface GivenCommand {
  command_id: string;
  name: string;
  args: CommandArguments;
}

export class EmulatedRun {
  readonly world: World;
  readonly duration: number;
  readonly #modelStartMs: number;
  readonly #plan: FaultPlan;
  readonly #answered = new BoundedMap<string, CommandResult>(maxRemembered);
  readonly #kept: Map<string, string>;
  readonly #replay: RunEntry[];
  /** By access point: the second of the last of them about its settings. */
  readonly #settingsUntil = new Map<string, number>();
  readonly #onEntry: (entry: RunEntry) => void;
  /** All that has changed its world; undefined if that is not known any more. */
  history: RunHistory | undefined;
  #lastEntry: number;
  #steppedTo: number;

  /**
   * Starts a new run, at its first second or, if earlier state was lost, at a later one; throws RangeError if the
   * network is invalid. `onEntry` is called for whatever comes from outside, before anybody is answered.
   */
  static begin(task: EmulatorTask, onEntry: (entry: RunEntry) => void, second = 0): EmulatedRun {
    return EmulatedRun.repeat(task, { from: second, entries: [] }, '', onEntry);
  }

  /** Starts it once more; what is in the history happens again in its second. `devicePrefix` is how commands call devices. */
  static repeat(
    task: EmulatorTask,
    history: RunHistory,
    devicePrefix: string,
    onEntry: (entry: RunEntry) => void = () => {},
  ): EmulatedRun {
    const world = createWorld(toSpec(task, history.from));
    world.nameDevices(devicePrefix);
    const state = { answered: [], lastEntry: 0, pending: history.entries, history };
    const run = new EmulatedRun(task, world, new FaultPlan(task, history.from), onEntry, state);
    run.#repeat();
    return run;
  }

  /** Continues from a saved state; `entries` are those that came after it. */
  static resume(
    task: EmulatorTask,
    onEntry: (entry: RunEntry) => void,
    state: RunState,
    entries: readonly RunEntry[],
  ): EmulatedRun {
    const world = restoreWorld(state.world);
    const plan = new FaultPlan(task);
    const run = new EmulatedRun(task, world, plan, onEntry, state, entries);
    plan.skipTo(run.second);
    run.#repeat();
    return run;
  }

  private constructor(
    task: EmulatorTask,
    world: World,
    plan: FaultPlan,
    onEntry: (entry: RunEntry) => void,
    state: Omit<RunState, 'world'>,
    entries: readonly RunEntry[] = [],
  ) {
    this.world = world;
    this.duration = task.duration;
    this.#modelStartMs = Date.parse(task.model_start);
    this.#plan = plan;
    this.#onEntry = (entry) => {
      onEntry(entry);
      this.#remember(entry);
    };
    const { answered, lastEntry, pending, steppedTo = 0, kept = [], history } = state;
    this.#kept = new Map(kept);
    this.history = history && { from: history.from, entries: [...history.entries] };
    for (const entry of entries) this.#remember(entry);
    const steps = entries.flatMap((entry) => (entry.kind === 'step' ? [entry.until] : []));
    this.#steppedTo = Math.max(steppedTo, ...steps);
    for (const [command_id, result] of answered ?? []) this.#answered.set(command_id, result);
    this.#lastEntry = entries.reduce((last, { number }) => Math.max(last, number), lastEntry);
    this.#replay = [...pending, ...entries].sort((a, b) => a.second - b.second || a.number - b.number);
    for (const { kind, ap_id, second } of this.#replay) {
      if (kind === 'settings' || kind === 'kept') this.#settingsUntil.set(ap_id, second);
    }
  }

  /** How many seconds of model time have passed. */
  get second(): number {
    return (this.world.time - this.#modelStartMs) / 1000;
  }

  /** Until which second it may go, if it goes in steps. */
  get steppedTo(): number {
    return this.#steppedTo;
  }

  /** So many seconds more may pass. */
  allow(seconds: number): void {
    const until = Math.min(this.duration, Math.max(this.#steppedTo, this.second) + seconds);
    this.#onEntry({ ...this.#nextEntry(''), kind: 'step', until });
    this.#steppedTo = until;
  }

  /** Whether a command has come to its access point, or cannot while that is as it is. */
  hasTaken(ap_id: string, command_id: string): boolean {
    return this.#answered.has(command_id) || !this.isActive(ap_id) || this.world.isDeaf(ap_id);
  }

  /** Counts what came from outside. */
  get lastEntry(): number {
    return this.#lastEntry;
  }

  get isOver(): boolean {
    return this.second >= this.duration;
  }

  /** Whether its own time is not over yet. */
  isActive(ap_id: string): boolean {
    return this.second < this.#plan.endOf(ap_id);
  }

  /** One second passes; returns the samples that reach the network in it. */
  advance(): Sample[] {
    for (const { ap_id, fault } of this.#plan.take(this.second)) this.world.fault(ap_id, fault);
    const samples = this.world.step();
    this.#repeat();
    return samples;
  }

  /** Executes a command once; a repeated one gets the same answer. */
  command(ap_id: string, { command_id, name, args }: GivenCommand): CommandResult {
    const known = this.#answered.get(command_id);
    if (known) return known;
    this.#onEntry({ ...this.#nextEntry(ap_id), kind: 'command', command_id, name, args });
    return this.#do(ap_id, { command_id, name, args });
  }

  /** Throws RangeError if the fault is invalid or there is no such access point. */
  fault(ap_id: string, fault: FaultRequest): void {
    this.world.fault(ap_id, fault);
    this.#onEntry({ ...this.#nextEntry(ap_id), kind: 'fault', fault });
  }

  /** Gives the access point other settings, and returns what it runs then. Throws Error, and changes nothing, if it cannot. */
  configure(ap_id: string, settings: Record<string, unknown>): Record<string, number> {
    const running = this.world.configure(ap_id, settings);
    this.#onEntry({ ...this.#nextEntry(ap_id), kind: 'settings', settings });
    return running;
  }

  /** What the access point keeps about its settings while its power is off. */
  storageOf(ap_id: string): SettingsStorage {
    return {
      read: (name) => {
        const text = this.#kept.get(keyOf(ap_id, name));
        return text && JSON.parse(text);
      },
      write: (name, given) => {
        const value = given === undefined ? null : JSON.stringify(given);
        this.#onEntry({ ...this.#nextEntry(ap_id), kind: 'kept', name, value });
        this.#keep(ap_id, name, value);
      },
    };
  }

  /** Resumed, and not yet where its access point was: what that is set to and keeps is still of before. */
  isCatchingUp(ap_id: string): boolean {
    return this.second < (this.#settingsUntil.get(ap_id) ?? 0);
  }

  snapshot(): RunState {
    return {
      world: this.world.snapshot(),
      lastEntry: this.#lastEntry,
      steppedTo: this.#steppedTo,
      pending: [...this.#replay],
      answered: [...this.#answered],
      kept: [...this.#kept],
      ...(this.history && { history: this.history }),
    };
  }

  #remember(entry: RunEntry): void {
    if (entry.kind === 'step' || entry.kind === 'kept') return;
    if (this.history && this.history.entries.push(entry) > maxHistory) this.history = undefined;
  }

  #nextEntry(ap_id: string) {
    this.#lastEntry++;
    return { number: this.#lastEntry, second: this.second, ap_id };
  }

  #do(ap_id: string, { command_id, name, args }: GivenCommand): CommandResult {
    const result = this.world.command(ap_id, name, args);
    if (result.state === 'unanswered') return result;
    this.#answered.set(command_id, result);
    return result;
  }

  #keep(ap_id: string, name: string, value: string | null): void {
    if (value === null) this.#kept.delete(keyOf(ap_id, name));
    else this.#kept.set(keyOf(ap_id, name), value);
  }

  #repeat(): void {
    while (this.#replay.length > 0 && this.#replay[0]!.second <= this.second) {
      const entry = this.#replay.shift()!;
      if (entry.kind === 'command') this.#do(entry.ap_id, entry);
      else if (entry.kind === 'fault') this.world.fault(entry.ap_id, entry.fault);
      else if (entry.kind === 'settings') this.world.configure(entry.ap_id, entry.settings);
      else if (entry.kind === 'kept') this.#keep(entry.ap_id, entry.name, entry.value);
    }
  }
}

function keyOf(ap_id: string, name: string): string {
  return `${name} ${ap_id}`;
}

type Network = Pick<EmulatorTask, 'agents' | 'num_devices' | 'seed' | 'model_start' | 'report_interval_seconds'>;

/** The world of a task, as it begins at this second. */
export function toSpec(task: Network, second: number): WorldSpec {
  return {
    seed: task.seed,
    startMs: Date.parse(task.model_start) + second * 1000,
    reportIntervalSeconds: task.report_interval_seconds,
    // The world checks the names of types, scenarios, profiles and classes of traffic.
    accessPoints: task.agents.map(({ ap_id, access_point_type, location, num_devices, mbps_per_device, ...rest }) => ({
      ap_id,
      type: access_point_type as AccessPointSpec['type'],
      latitude: location.latitude,
      longitude: location.longitude,
      devices: num_devices ?? task.num_devices,
      ...(rest.scenario !== undefined && { scenario: rest.scenario as NonNullable<AccessPointSpec['scenario']> }),
      ...(rest.profile !== undefined && { profile: rest.profile as NonNullable<AccessPointSpec['profile']> }),
      ...(mbps_per_device !== undefined && { mbpsPerDevice: mbps_per_device }),
      ...(rest.mix !== undefined && { mix: rest.mix }),
      ...(rest.link_policy !== undefined && { linkPolicy: rest.link_policy }),
    })),
  };
}
