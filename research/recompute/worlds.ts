// Twenty small worlds for the independent calculation: each shows another part of the model at work.
import { createWorld } from '@weft/emulator';
import type { NrScenario } from '../../emulator/src/radio/nr.ts';
import type { World } from '../../emulator/src/world/world.ts';
import type { AccessPointSpec, AccessPointType } from '../../emulator/src/world/world-spec.ts';

interface Group {
  type: AccessPointType;
  count: number;
  devices: number;
  spacingM: number;
  scenario?: NrScenario;
}

interface SmallWorld {
  name: string;
  groups: Group[];
  mbpsPerDevice: number;
  /** Before the seconds that are told, and how long until then; and in their middle. */
  prepare?: (world: World) => void;
  warmUpS?: number;
  midway?: (world: World) => void;
  /** Hour of the day at the beginning; default: half past nine, with daylight. */
  hour?: number;
}

const metresPerDegree = 111_320;

const street = (count: number, devices: number, scenario: NrScenario = 'UMi'): Group => {
  return { type: '5G', count, devices, spacingM: scenario === 'UMa' ? 500 : scenario === 'UMi' ? 300 : 20, scenario };
};
const wifi = (count: number, devices: number, spacingM = 20): Group => ({ type: 'WiFi', count, devices, spacingM });
const lamps = (count: number, devices: number): Group => ({ type: 'LiFi', count, devices, spacingM: 2.75 });
const each = (world: World, name: string, args: Record<string, number> = {}) => {
  for (const { ap_id } of world.accessPoints) world.command(ap_id, name, args);
};

const worlds: SmallWorld[] = [
  { name: 'one street cell, two devices', groups: [street(1, 2)], mbpsPerDevice: 20 },
  { name: 'four street cells', groups: [street(4, 8)], mbpsPerDevice: 8 },
  { name: 'four street cells, overloaded', groups: [street(4, 10)], mbpsPerDevice: 60 },
  {
    name: 'a quota of 20 %',
    groups: [street(4, 8)],
    mbpsPerDevice: 20,
    prepare: (world) => world.command('5G-0', 'set_prb_quota', { percent: 20 }),
  },
  {
    name: 'a street cell asleep, another dozing',
    groups: [street(4, 8)],
    mbpsPerDevice: 8,
    prepare: (world) => {
      world.command('5G-0', 'sleep');
      world.command('5G-1', 'doze');
    },
    midway: (world) => world.command('5G-1', 'wake'),
  },
  {
    name: 'a street cell wakes up',
    groups: [street(4, 8)],
    mbpsPerDevice: 8,
    prepare: (world) => {
      world.command('5G-0', 'sleep');
      for (let second = 0; second < 8; second++) world.step();
      world.command('5G-0', 'wake');
    },
    warmUpS: 11,
  },
  { name: 'four cells above the roofs', groups: [street(4, 8, 'UMa')], mbpsPerDevice: 20 },
  {
    name: 'above the roofs, less power, more tilt',
    groups: [street(3, 10, 'UMa')],
    mbpsPerDevice: 40,
    prepare: (world) => {
      world.command('5G-0', 'set_tx_power', { dbm: 35 });
      world.command('5G-1', 'set_tilt', { degrees: 12 });
    },
  },
  { name: 'six cells in an office', groups: [street(6, 6, 'InH')], mbpsPerDevice: 60 },
  { name: 'an office beside the street', groups: [street(4, 6, 'InH'), street(2, 8)], mbpsPerDevice: 20 },
  {
    name: 'a jammer in the street',
    groups: [street(2, 10)],
    mbpsPerDevice: 20,
    prepare: (world) => world.fault('5G-0', { kind: 'jammed_channel', seconds: 1000, amount: 10 }),
  },
  { name: 'thirty-six street cells', groups: [street(36, 3)], mbpsPerDevice: 40 },
  { name: 'one WiFi access point', groups: [wifi(1, 10)], mbpsPerDevice: 15 },
  { name: 'four WiFi access points as planned', groups: [wifi(4, 10)], mbpsPerDevice: 15 },
  {
    name: 'six WiFi access points on one channel',
    groups: [wifi(6, 6)],
    mbpsPerDevice: 15,
    prepare: (world) => each(world, 'set_channel', { channel: 36 }),
  },
  {
    name: 'WiFi channels of 20 to 160 MHz',
    groups: [wifi(4, 8)],
    mbpsPerDevice: 40,
    prepare: (world) => {
      for (const [n, mhz] of [20, 40, 80, 160].entries()) {
        world.command(`WiFi-${n}`, 'set_channel', { channel: [36, 36, 52, 40][n]! });
        world.command(`WiFi-${n}`, 'set_channel_width', { mhz });
      }
    },
  },
  {
    name: 'WiFi beyond carrier sense',
    groups: [wifi(9, 4, 25)],
    mbpsPerDevice: 30,
    prepare: (world) => {
      each(world, 'set_channel', { channel: 100 });
      for (const [n, { ap_id }] of world.accessPoints.entries()) world.command(ap_id, 'set_tx_power', { dbm: n + 1 });
    },
  },
  {
    name: 'a jammer beside WiFi',
    groups: [wifi(4, 8)],
    mbpsPerDevice: 10,
    prepare: (world) => {
      world.command('WiFi-1', 'set_channel', { channel: 36 });
      world.fault('WiFi-0', { kind: 'jammed_channel', seconds: 1000, amount: 15 });
    },
  },
  {
    name: 'nine lamps and people in their light',
    groups: [lamps(9, 5)],
    mbpsPerDevice: 12,
    hour: 21,
    prepare: (world) => {
      for (const n of [1, 4, 7, 8]) world.command(`LiFi-${n}`, 'set_dimming', { percent: 5 * n });
      world.command('LiFi-3', 'set_beam_angle', { degrees: 40 });
      world.command('LiFi-5', 'sleep');
      for (const n of [0, 1, 2]) world.command(`LiFi-${n}`, 'set_channel', { channel: 1 });
    },
  },
  {
    name: 'all three, a backhaul cut, a crash',
    groups: [street(2, 6), wifi(3, 6), lamps(6, 4)],
    mbpsPerDevice: 10,
    prepare: (world) => {
      world.fault('WiFi-1', { kind: 'backhaul_cut', seconds: 1000 });
      world.fault('LiFi-2', { kind: 'crash', seconds: 1000 });
      world.fault('LiFi-0', { kind: 'jammed_channel', seconds: 1000, amount: 10 });
    },
  },
];

/** Built, prepared, and run until the seconds that are told begin. */
export function* smallWorlds(): Generator<{ name: string; world: World; midway?: SmallWorld['midway'] }> {
  for (const [index, small] of worlds.entries()) {
    const { name, groups, mbpsPerDevice, prepare, warmUpS = 20, midway, hour = 9.5 } = small;
    const accessPoints = groups.flatMap((group) => placed(group, mbpsPerDevice));
    const world = createWorld({ seed: 1000 + index, startMs: Date.UTC(2026, 0, 7) + hour * 3_600_000, accessPoints });
    world.step();
    prepare?.(world);
    for (let second = 0; second < warmUpS; second++) world.step();
    yield { name, world, ...(midway && { midway }) };
  }
}

function placed({ type, count, devices, spacingM, scenario }: Group, mbpsPerDevice: number): AccessPointSpec[] {
  const side = Math.ceil(Math.sqrt(count));
  return Array.from({ length: count }, (_, n) => ({
    ap_id: `${type}${scenario === 'InH' ? '-office' : ''}-${n}`,
    type,
    latitude: (Math.floor(n / side) * spacingM) / metresPerDegree,
    longitude: ((n % side) * spacingM) / metresPerDegree,
    devices,
    mbpsPerDevice,
    profile: 'always' as const,
    ...(scenario && { scenario }),
  }));
}
