// Tries a control program on the model of the emulator alone, without Weft: hundreds of times faster than trial.ts, so that it
// can be repeated on many seeds. Orders are executed in the second of the decision; there are no leases, no blast
// radius and no delay here.
import { type AccessPointType, createWorld, type Sample, type World } from '@weft/emulator';
import { Fleet, loadOf } from '@weft/sdk';
import { emulatedPositions } from '../../controller/src/core/networks/emulated-positions.ts';
import type { ControlProgram } from '../fleet/control-program.ts';
import type { SeenDevice, SeenLink } from '../fleet/seen-device.ts';
import { WeightedMean } from './weighted-mean.ts';

/** An entry of a spin-up request; locations are coordinates. */
export interface Entry {
  access_point_type: string;
  num_access_points: number;
  num_devices: number;
  locations: readonly string[];
  mbps_per_device?: number;
}

export interface ModelTrial {
  emulators: readonly Entry[];
  seed: number;
  startMs: number;
  seconds: number;
  reportIntervalSeconds: number;
  program?: ControlProgram;
}

/** Sums and means over the whole network and the whole time. */
export interface Figures {
  energyKwh: number;
  askedGbit: number;
  deliveredGbit: number;
  /** Given up by devices that waited too long. */
  droppedGbit: number;
  waitingGbit: number;
  /** Share of device time without service. */
  unservedPct: number;
  /** Share of devices with data that got it in time, weighted by connected devices; those without service do not count. */
  qosMetPct: number;
  /** Mean time in the network of what was delivered. */
  latencyMs: number;
  /** Device time without service, and lost to changes of access point, in seconds. */
  outageS: number;
  /** Share of device time with data in which it arrived in time; without service it does not. */
  inBudgetPct: number;
  /** What the radios of all devices took from their batteries. */
  batteryKj: number;
  /** Time of all access points with a load above 90 %. */
  overloadedPct: number;
  /** Access points that fell asleep or woke. */
  changes: number;
  done: number;
  failed: number;
}

const overloadedAbove = 0.9;

export function runOnModel(trial: ModelTrial): Figures {
  const { seconds, program } = trial;
  const world = createWorld(toSpec(trial));
  const { accessPoints } = world;
  const fleet = new Fleet();
  fleet.learn(accessPoints.map(toAgent));
  const reports = new Reports(accessPoints);
  const attached = new Attached(accessPoints);
  if (program?.see) world.listDevicesEvery(trial.reportIntervalSeconds);
  const sums = { powerW: 0, waitingBits: 0, unserved: 0, done: 0, failed: 0 };
  let dueAtMs = Number.NEGATIVE_INFINITY;
  for (let second = 0; second < seconds; second++) {
    for (const sample of world.step()) {
      reports.add(sample);
      attached.add(sample);
      const { ap_id, ts, fields } = sample;
      fleet.hear({ ap_id, ts: new Date(ts).toISOString(), metrics: { ...fields } });
    }
    const { powerW, waitingBits, unserved } = world.totals();
    sums.powerW += powerW;
    sums.waitingBits += waitingBits;
    sums.unserved += unserved;
    if (!program || fleet.nowMs < dueAtMs || !fleet.hasAllSince(dueAtMs)) continue;
    const cells = fleet.cells();
    if (cells.length < accessPoints.length) continue;
    dueAtMs = fleet.nowMs + program.everySeconds * 1000;
    program.see?.(attached.devices(), fleet.nowMs);
    for (const order of program.decide(cells, fleet.nowMs)) {
      const { state } = world.command(order.ap_id, order.name, order.args);
      if (state === 'succeeded') sums.done++;
      else {
        sums.failed++;
        program.undone?.(order, 'failed', fleet.nowMs);
      }
    }
  }
  const { askedBits, deliveredBits, lostBits, devices, outageS, dataS, metS, deviceEnergyJ } = world.totals();
  return {
    energyKwh: sums.powerW / 3.6e6,
    askedGbit: askedBits / 1e9,
    deliveredGbit: deliveredBits / 1e9,
    droppedGbit: lostBits / 1e9,
    waitingGbit: sums.waitingBits / seconds / 1e9,
    unservedPct: (100 * sums.unserved) / seconds / devices,
    outageS,
    inBudgetPct: (100 * metS) / dataS,
    batteryKj: deviceEnergyJ / 1000,
    ...reports.means(),
    done: sums.done,
    failed: sums.failed,
  };
}

/** What is only in the reports. */
class Reports {
  readonly #types: Map<string, AccessPointType>;
  readonly #active = new Map<string, number>();
  readonly #qos = new WeightedMean();
  readonly #latency = new WeightedMean();
  readonly #overloaded = new WeightedMean();
  #changes = 0;

  constructor(accessPoints: World['accessPoints']) {
    this.#types = new Map(accessPoints.map(({ ap_id, type }) => [ap_id, type]));
  }

  add({ ap_id, fields }: Sample): void {
    const { active = 1 } = fields;
    this.#qos.add(fields.qos_met_pct, fields.connected_devices);
    this.#latency.add(fields.latency_ms, fields.throughput_mbps);
    this.#overloaded.add(loadOf(this.#types.get(ap_id)!, fields) > overloadedAbove ? 100 : 0, 1);
    if ((this.#active.get(ap_id) ?? active) !== active) this.#changes++;
    this.#active.set(ap_id, active);
  }

  means() {
    return {
      qosMetPct: this.#qos.value,
      latencyMs: this.#latency.value,
      overloadedPct: this.#overloaded.value,
      changes: this.#changes,
    };
  }
}

/** The devices as Weft would list them, from the newest list of each access point. */
class Attached {
  readonly #types: Map<string, AccessPointType>;
  readonly #lists = new Map<string, NonNullable<Sample['devices']>>();

  constructor(accessPoints: World['accessPoints']) {
    this.#types = new Map(accessPoints.map(({ ap_id, type }) => [ap_id, type]));
  }

  add({ ap_id, devices }: Sample): void {
    if (devices) this.#lists.set(ap_id, devices);
  }

  devices(): SeenDevice[] {
    const found = new Map<string, { device: string; links: SeenLink[]; heard: SeenDevice['heard'] }>();
    for (const [ap_id, list] of this.#lists) {
      for (const { device, rssi_dbm, snr_db, tx_mbps, heard } of list) {
        const link = { ap_id, technology: this.#types.get(ap_id)!, rssi_dbm, snr_db, tx_mbps };
        const known = found.get(device);
        if (known) known.links.push(link);
        else found.set(device, { device, links: [link], heard });
      }
    }
    return [...found.values()];
  }
}

/** Positions and order as a spin-up request gives them. */
export function toSpec({ emulators, seed, startMs, reportIntervalSeconds }: Omit<ModelTrial, 'seconds'>) {
  const accessPoints = emulators.flatMap((entry) => {
    const { access_point_type, num_access_points, num_devices, locations, mbps_per_device } = entry;
    const places = locations.map((location) => {
      const [latitude, longitude] = location.split(',').map(Number);
      return { latitude: latitude!, longitude: longitude! };
    });
    return emulatedPositions(places, num_access_points, access_point_type).map((place) => {
      const ap = { ...place, type: access_point_type as AccessPointType, devices: num_devices };
      return mbps_per_device === undefined ? ap : { ...ap, mbpsPerDevice: mbps_per_device };
    });
  });
  const named = accessPoints.map((ap, n) => ({ ...ap, ap_id: `emu-${ap.type.toLowerCase()}-1-${n + 1}` }));
  return { seed, startMs, reportIntervalSeconds, accessPoints: named };
}

function toAgent({ ap_id, type, latitude, longitude }: World['accessPoints'][number]) {
  const configuration = { access_point_type: type, geolocation: { latitude, longitude } };
  return { id: ap_id, ap_id, configuration, onboard: true };
}
