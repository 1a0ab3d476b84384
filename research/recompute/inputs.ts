// What one second of an emulated world was made of, and what came out, as plain values for a calculation that shares no code
// with the emulator: places, settings, draws and queues go in; rates, delays, airtime and power are only compared.

import { trafficClasses } from '@weft/contract/emulated-model';
import { faultOf } from '../../emulator/src/access-points/faults.ts';
import { nrFrequencyGhz } from '../../emulator/src/radio/nr.ts';
import { laplace, normal, streams, uniform } from '../../emulator/src/randomness.ts';
import {
  askForTraffic,
  brightestLx,
  daylightLx,
  demandFactor,
  localHour,
  mostDraws,
  sizeOf,
} from '../../emulator/src/traffic/demand.ts';
import { classModels } from '../../emulator/src/traffic/traffic-classes.ts';
import { kinds } from '../../emulator/src/world/devices.ts';
import { fading } from '../../emulator/src/world/fading.ts';
import { wifiFrequencyGhz } from '../../emulator/src/world/indoor-path.ts';
import type { Links } from '../../emulator/src/world/link-table.ts';
import type { World } from '../../emulator/src/world/world.ts';
import type { WorldState } from '../../emulator/src/world/world-state.ts';

const speedOfLight = 0.299792458;

/** Lets one second pass, and tells it. */
export function tellSecond(world: World) {
  const before = world.snapshot();
  world.step();
  const after = world.snapshot();
  const { chance, step } = after;
  const { cells, devices } = after;
  const queues = queuesOf(before, step);
  return {
    inputs: {
      nr_activity: before.nrActivity,
      access_points: after.accessPoints.map((ap, index) => ({
        type: ap.type,
        scenario: ap.scenario,
        x: cells.x[index],
        y: cells.y[index],
        ...ap.actual,
        power_state: ap.power_state,
        has_crashed: faultOf(ap.faults, 'crash') !== undefined,
        is_on_air: cells.isOnAir[index] === 1,
        has_backhaul: cells.hasBackhaul[index] === 1,
        woke_from: ap.wokeAtStep === step ? ap.depth : null,
        load_before: before.cells.load[index],
        senders_before: before.cells.senders[index],
        squared_before: before.cells.sendersSquared[index],
        cycle_before: before.cells.cycleUs[index],
        // Where access points hear each other in part, contention is taken as told.
        efficiency: before.cells.efficiency[index],
        background: background(chance, step, index),
        daylight: daylightLx(localHour(after.startMs + step * 1000, ap.longitude)) / brightestLx,
        shadow_to: shadowsBetween(after, index),
      })),
      jammers: after.accessPoints.flatMap((ap, index) => {
        const fault = faultOf(ap.faults, 'jammed_channel');
        return fault ? [{ at: index, dbm: fault.amount, channel: fault.channel, width_mhz: fault.widthMhz }] : [];
      }),
      devices: Array.from({ length: devices.count }, (_, device) => {
        const serving = devices.serving[device]!;
        const isSeated = devices.kind[device] === kinds.seated;
        const speed = devices.movedM[device]!;
        const waveM = speedOfLight / (cells.type[serving] === 1 ? wifiFrequencyGhz : nrFrequencyGhz);
        return {
          x: devices.x[device],
          y: devices.y[device],
          facing: [devices.axisX[device], devices.axisY[device]],
          is_indoor: devices.isIndoor[device] === 1,
          is_seated: isSeated,
          wall_db: devices.wallDb[device],
          serving,
          lost_s: devices.lostS[device],
          small_scale: serving < 0 ? 0 : fading(chance, device, serving, step, speed, waveM),
          hand: (isSeated ? laplace : normal)(chance, streams.polar, device, step),
          ...queues[device]!,
          nr: linksOf(after.nr.links, device),
          nr_rest_mw: after.nr.links.rest[device],
          wifi: linksOf(after.wifi.links, device),
          lifi: linksOf(after.lifi.links, device).map((link, slot) => ({
            ...link,
            is_hidden: ((devices.hidden[device]! >> slot) & 1) === 1,
          })),
        };
      }),
    },
    emulator: {
      devices: Array.from({ length: devices.count }, (_, device) => ({
        rate_bps: devices.rateBps[device],
        service_bps: devices.serviceBps[device],
        // JSON has no Infinity: who waits in vain has no latency.
        latency_ms: Number.isFinite(devices.latencyMs[device]) ? devices.latencyMs[device] : null,
      })),
      access_points: after.accessPoints.map(({ ap_id, energyJ }, index) => ({
        airtime: cells.load[index],
        utilisation: cells.utilisation[index],
        uplink: cells.uplinkLoad[index],
        power_w: cells.powerW[index],
        energy_j: energyJ - before.accessPoints[index]!.energyJ,
        ...reported(world, ap_id),
      })),
    },
  };
}

/** Nothing if its agent is down and its last report is an old one. */
function reported(world: World, ap_id: string) {
  const latest = world.latest(ap_id);
  const fields = latest?.ts === world.time ? latest.fields : {};
  return { throughput_mbps: fields.throughput_mbps ?? null, latency_ms: fields.latency_ms ?? null };
}

/** What waits at the beginning of the second, with what arrives in it. */
function queuesOf({ chance, startMs, accessPoints, devices }: WorldState, step: number) {
  const factors = Float64Array.from(accessPoints, ({ profile, longitude }) =>
    demandFactor(profile, localHour(startMs + step * 1000, longitude)),
  );
  const nothing = () => ({ askedBits: 0, deliveredBits: 0, lostBits: 0 });
  askForTraffic(chance, step, devices, factors, nothing(), nothing());
  return Array.from({ length: devices.count }, (_, device) => ({
    backlog_bits: devices.backlogBits[device],
    stream_bits: devices.streamBits[device],
    arrivals: arrivalsOf(devices, device, chance, step),
    up_backlog_bits: devices.upBacklogBits[device],
  }));
}

/** When the transfers of this second arrive, and their bits. */
function arrivalsOf(devices: WorldState['devices'], device: number, chance: number, step: number): [number, number][] {
  const { newBits, arrivals, trafficClass } = devices;
  if (newBits[device] === 0) return [];
  const { spread } = classModels[trafficClasses[trafficClass[device]!]!];
  const sizes = Array.from({ length: arrivals[device]! }, (_, n) => sizeOf(chance, step, device, n, spread));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  return sizes.map((size, n) => [
    uniform(chance, streams.arrival, device, step * mostDraws + n),
    (newBits[device]! * size) / all,
  ]);
}

function linksOf({ slots, ap, shadow, hasSight }: Links, device: number) {
  const from = device * slots;
  return Array.from({ length: slots }, (_, n) => from + n)
    .filter((slot) => ap[slot]! >= 0)
    .map((slot) => ({ ap: ap[slot], shadow: shadow[slot], has_sight: hasSight[slot] === 1 }));
}

/** Shadows towards the other WiFi access points within reach, in deviations. */
function shadowsBetween({ seed, neighbours, accessPoints }: WorldState, index: number): Record<string, number> {
  if (accessPoints[index]!.type !== 'WiFi') return {};
  return Object.fromEntries(
    Array.from(neighbours[index]!.index, (other) => [
      String(other),
      normal(seed, streams.apShadow, Math.min(index, other), Math.max(index, other)),
    ]),
  );
}

/** How busy others than the network keep the air: a draw between 0 and 1 for each minute, and evenly in between. */
function background(chance: number, step: number, index: number): number {
  const minute = Math.floor(step / 60);
  const [from, to] = [0, 1].map((later) => uniform(chance, streams.background, index, minute + later));
  return from! + (to! - from!) * ((step % 60) / 60);
}
