// A network that exists only in memory, second by second. All it does follows from its description, the commands and the
// faults: how fast it is stepped, and who looks at it in between, changes nothing.
import { type AccessPoint, addFault, isAgentUp, isDeaf, isReachable, never } from '../access-points/access-point.ts';
import { commandsOf, type DeclaredCommand, settingsOf } from '../access-points/command-table.ts';
import {
  type CommandArguments,
  type CommandResult,
  configure,
  execute,
  runningSettings,
} from '../access-points/commands.ts';
import { listDevices } from '../access-points/device-list.ts';
import type { FaultRequest } from '../access-points/faults.ts';
import { type MetricDescription, metricsOf, readMetrics } from '../access-points/metrics.ts';
import { collect, post } from '../access-points/report-outbox.ts';
import type { Sample } from '../access-points/sample.ts';
import { carrierOf, rowAt } from '../multi-link/link-policies.ts';
import { hash, streams } from '../randomness.ts';
import { createState } from './create-state.ts';
import { passSecond } from './second.ts';
import { changePolicy, deviceName, steer } from './steering.ts';
import { resetTally } from './tallies.ts';
import type { WorldSpec } from './world-spec.ts';
import type { Experience, RadioState, WorldState } from './world-state.ts';

type Known = 'ap_id' | 'type' | 'latitude' | 'longitude' | 'power_state' | 'report_interval_seconds';

/** What is known of an access point from outside. */
export interface AccessPointView extends Pick<AccessPoint, Known> {
  connected_devices: number;
  /** For its configuration. */
  commands: DeclaredCommand[];
  metrics: Record<string, MetricDescription>;
  settings: ReturnType<typeof settingsOf>;
}

/** served + unserved = devices; asked = delivered + lost + waiting. */
export interface Totals extends Experience {
  devices: number;
  served: number;
  unserved: number;
  askedBits: number;
  deliveredBits: number;
  lostBits: number;
  waitingBits: number;
  powerW: number;
  /** What the radios of all devices have taken from their batteries so far. */
  deviceEnergyJ: number;
}

/** Throws RangeError if the description makes no sense. */
export function createWorld(spec: WorldSpec): World {
  return new World(createState(spec));
}

/** A world from a snapshot; it goes on as the original would have. */
export function restoreWorld(snapshot: WorldState): World {
  return new World(structuredClone(snapshot));
}

export class World {
  readonly #state: WorldState;
  readonly #indices: Map<string, number>;
  #listEverySteps = Infinity;
  /** By access point: when its list of devices is due. */
  readonly #listAtStep: Float64Array;

  constructor(state: WorldState) {
    this.#state = state;
    this.#indices = new Map(state.accessPoints.map(({ ap_id }, index) => [ap_id, index]));
    this.#listAtStep = new Float64Array(state.accessPoints.length);
  }

  /** Model time in milliseconds since 1970. */
  get time(): number {
    return this.#state.startMs + this.#state.step * 1000;
  }

  /** All access points, in the order of the description. */
  get accessPoints(): AccessPointView[] {
    return this.#state.accessPoints.map((_, index) => this.#view(index));
  }

  /** Throws RangeError for an access point that is not in this world. */
  accessPoint(ap_id: string): AccessPointView {
    return this.#view(this.#indexOf(ap_id));
  }

  /** Whether its agent runs, and can be set to something. */
  isUp(ap_id: string): boolean {
    return isAgentUp(this.#state.accessPoints[this.#indexOf(ap_id)]!);
  }

  /** Whether anybody can talk to its agent: it runs, and its line is not cut. */
  isReachable(ap_id: string): boolean {
    return isReachable(this.#state.accessPoints[this.#indexOf(ap_id)]!);
  }

  /** Whether a command would come to nothing, without a word: see `unanswered` of `command`. */
  isDeaf(ap_id: string): boolean {
    return isDeaf(this.#state.accessPoints[this.#indexOf(ap_id)]!);
  }

  /** Those that hold now, by their access points. */
  get faults() {
    const { accessPoints, startMs } = this.#state;
    return accessPoints.flatMap(({ ap_id, faults }) =>
      faults.map(({ kind, untilStep }) => ({ ap_id, kind, untilMs: startMs + untilStep * 1000 })),
    );
  }

  /** From now on the names of its devices begin so. Commands take them with and without it. */
  nameDevices(prefix: string): void {
    this.#state.devicePrefix = prefix;
  }

  /** From now on samples carry the devices of their access point, at most once in so many seconds. */
  listDevicesEvery(seconds: number): void {
    this.#listEverySteps = seconds;
  }

  /** One second passes. Returns the samples that reach the network in it, in the order of the access points. */
  step(): Sample[] {
    const state = this.#state;
    passSecond(state);
    const samples: Sample[] = [];
    for (const [index, ap] of state.accessPoints.entries()) {
      if (state.step >= ap.nextReportAtStep) {
        ap.nextReportAtStep = state.step + ap.report_interval_seconds;
        if (isAgentUp(ap)) {
          ap.latest = readMetrics(state, index);
          ap.latestAtStep = state.step;
          post(ap, this.#sampleOf(index), state.chance, index, state.step);
        }
        resetTally(state.tallies, index);
      }
      collect(ap, state.step, samples);
    }
    return samples;
  }

  /** What the access point measured last, whether or not it could send it; undefined before its first measurement. */
  latest(ap_id: string): { ts: number; fields: Readonly<Record<string, number>> } | undefined {
    const { startMs, accessPoints } = this.#state;
    const { latest, latestAtStep } = accessPoints[this.#indexOf(ap_id)]!;
    return latestAtStep === 0 ? undefined : { ts: startMs + latestAtStep * 1000, fields: latest };
  }

  /** No reports from now on: what the access points measure is summed up until `measured` is asked. For copies that run ahead. */
  measureFromNow(): void {
    const { accessPoints, tallies } = this.#state;
    for (const [index, ap] of accessPoints.entries()) {
      ap.nextReportAtStep = never;
      resetTally(tallies, index);
    }
  }

  /** What the access point has measured since its last report, or since `measureFromNow`. */
  measured(ap_id: string): Readonly<Record<string, number>> {
    return readMetrics(this.#state, this.#indexOf(ap_id));
  }

  /** Names of the devices that are attached to the access point, for steer_device. */
  devicesOf(ap_id: string): string[] {
    const ap = this.#indexOf(ap_id);
    const names: string[] = [];
    for (let device = 0; device < this.#state.devices.count; device++) {
      if (rowAt(this.#state, device, ap) >= 0) names.push(deviceName(this.#state, device));
    }
    return names;
  }

  /**
   * Gives the access point a command. What it declares it takes, as well as it can; anything else fails and changes
   * nothing. Never throws for the command's sake; RangeError for an access point that is not in this world.
   */
  command(ap_id: string, name: string, args: CommandArguments = {}): CommandResult {
    const index = this.#indexOf(ap_id);
    const state = this.#state;
    return execute(state.accessPoints[index]!, name, args, state.step, {
      steer: (device, target, isForced) => steer(state, index, device, this.#indices.get(target) ?? -1, isForced),
      setLinkPolicy: (device, policy) => changePolicy(state, index, device, policy),
    });
  }

  /** Sets what it declares as its settings, and returns what it runs then. Throws Error, and changes nothing, if it cannot. */
  configure(ap_id: string, settings: Record<string, unknown>): Record<string, number> {
    return configure(this.#state.accessPoints[this.#indexOf(ap_id)]!, settings, this.#state.step);
  }

  /** What it is set to, of all that it declares as its settings. */
  settingsOf(ap_id: string): Record<string, number> {
    return runningSettings(this.#state.accessPoints[this.#indexOf(ap_id)]!);
  }

  /** Makes something go wrong from now on. Throws RangeError if the fault or the access point makes no sense. */
  fault(ap_id: string, fault: FaultRequest): void {
    addFault(this.#state.accessPoints[this.#indexOf(ap_id)]!, fault, this.#state.step);
  }

  /** From now on chance is another: traffic, ways and shadows to come differ, everything that is there stays. */
  reseed(future: number): void {
    const { seed, step } = this.#state;
    this.#state.chance = hash(seed, streams.future, future, step);
  }

  totals(): Totals {
    const { devices, served, balance, cells, experience } = this.#state;
    const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);
    return {
      devices: devices.count,
      served,
      unserved: devices.count - served,
      ...balance,
      ...experience,
      waitingBits: sum(devices.backlogBits),
      powerW: sum(cells.powerW),
      deviceEnergyJ: sum(devices.energyJ),
    };
  }

  /** What each access point has drawn since the beginning, in joules. */
  energyJ(): Float64Array {
    return Float64Array.from(this.#state.accessPoints, ({ energyJ }) => energyJ);
  }

  /** The index of the access point that each device is attached to, or that carries most of its traffic; -1 for none. */
  servedBy(): Int32Array {
    const { devices, multi } = this.#state;
    const serving = devices.serving.slice(0, devices.count);
    for (const device of multi.device.subarray(0, multi.count)) serving[device] = carrierOf(this.#state, device);
    return serving;
  }

  /** Another world in the same state; what happens to one does not touch the other. */
  clone(): World {
    return restoreWorld(this.#state);
  }

  /** All of the world as a plain value, which can be sent to another thread or kept; see restoreWorld. */
  snapshot(): WorldState {
    return structuredClone(this.#state);
  }

  /** A copy of what its access points send, and where; far smaller than a snapshot. */
  radioState(): RadioState {
    const { model, seed, startMs, step, cells, neighbours, jammers, nrActivity, wifiVersion, wifiRadio, pillars, nr } =
      this.#state;
    const accessPoints = this.#state.accessPoints.map(({ ap_id, type, latitude, longitude, scenario }) => {
      return { ap_id, type, latitude, longitude, scenario };
    });
    const { grid } = nr;
    const same = { model, seed, startMs, step, nrActivity, wifiVersion, wifiRadio };
    return { ...same, accessPoints, ...structuredClone({ cells, neighbours, jammers, pillars, nr: { grid } }) };
  }

  #sampleOf(index: number): Sample {
    const state = this.#state;
    const { ap_id, latest } = state.accessPoints[index]!;
    const sample = { ap_id, ts: this.time, fields: latest };
    if (this.#listEverySteps === Infinity || state.step < this.#listAtStep[index]!) return sample;
    this.#listAtStep[index] = state.step + this.#listEverySteps;
    return { ...sample, devices: listDevices(state, index) };
  }

  #view(index: number): AccessPointView {
    const { ap_id, type, latitude, longitude, scenario, power_state, report_interval_seconds } =
      this.#state.accessPoints[index]!;
    return {
      ap_id,
      type,
      latitude,
      longitude,
      power_state,
      report_interval_seconds,
      connected_devices: this.#state.cells.attached[index]!,
      commands: commandsOf(type, scenario),
      metrics: metricsOf(type),
      settings: settingsOf(type, scenario),
    };
  }

  #indexOf(ap_id: string): number {
    const index = this.#indices.get(ap_id);
    if (index === undefined) throw new RangeError('there is no such access point in this world');
    return index;
  }
}
