// The readers of /proc and /sys, on recorded files and on the kernel of this machine.
import { describe, expect, test } from 'vitest';
import { RecordedMachine } from '../../../../test/pure/recorded-machine.ts';
import { type Machine, thisMachine } from '../machine/machine.ts';
import { describeMachine } from './description.ts';
import { InterfaceReader } from './interface-reader.ts';
import { Measurements, readersOf } from './measurements.ts';
import type { Measured, Reader } from './reader.ts';
import { CpuReader, MemoryReader, TemperatureReader, UptimeReader } from './system-readers.ts';

const meminfo = `MemTotal:         999036 kB
MemFree:          113432 kB
MemAvailable:     624620 kB
Buffers:           48760 kB
Cached:           500452 kB
`;

async function values(reader: Reader, nowMs: number): Promise<Record<string, number | undefined>> {
  return Object.fromEntries((await reader.read(nowMs)).map(({ name, value }) => [name, value]));
}

describe('processor', () => {
  const stat = (line: string) => `cpu  ${line}\ncpu0 1 1 1 1 1 0 0 0 0 0\nintr 5\n`;

  test('is busy for the share of time that it neither idles nor waits for a disk', async () => {
    const machine = new RecordedMachine().file('proc/loadavg', '0.42 0.30 0.25 1/111 4242\n');
    const reader = new CpuReader(machine);
    machine.file('proc/stat', stat('1000 0 500 8000 500 0 0 0 300 0'));
    expect(await values(reader, 0)).toEqual({ cpu_busy_pct: undefined, load1: 0.42 });
    machine.file('proc/stat', stat('1020 0 510 8060 510 0 0 0 310 0'));
    expect(await values(reader, 5000)).toEqual({ cpu_busy_pct: 30, load1: 0.42 });
    machine.file('proc/stat', stat('10 0 5 80 5 0 0 0 0 0'));
    expect(await values(reader, 10_000)).toEqual({ cpu_busy_pct: undefined, load1: 0.42 });
  });

  test('is left out where the kernel says nothing', async () => {
    expect(await new CpuReader(new RecordedMachine()).read(0)).toEqual([]);
  });
});

test('memory counts as used what programs could not get', async () => {
  const machine = new RecordedMachine().file('proc/meminfo', meminfo);
  expect(await values(new MemoryReader(machine), 0)).toEqual({ memory_used_pct: 37.48, memory_available_mb: 639.6 });
  machine.file('proc/meminfo', meminfo.replace(/MemAvailable.*\n/, ''));
  expect(await values(new MemoryReader(machine), 0)).toEqual({ memory_used_pct: 33.67, memory_available_mb: 678.5 });
});

test('uptime is in whole seconds', async () => {
  const machine = new RecordedMachine().file('proc/uptime', '350735.47 234388.90\n');
  expect(await values(new UptimeReader(machine), 0)).toEqual({ uptime_seconds: 350735 });
});

test('temperatures go by their place where there are several, and sensors that fail are left out', async () => {
  const machine = new RecordedMachine()
    .file('sys/class/thermal/thermal_zone0/type', 'cpu-thermal\n')
    .file('sys/class/thermal/thermal_zone0/temp', '52616\n')
    .file('sys/class/thermal/thermal_zone1/type', 'broken\n')
    .file('sys/class/thermal/cooling_device0/type', 'Processor\n');
  expect(await values(new TemperatureReader(machine), 0)).toEqual({ temperature_c: 52.6 });
  for (const zone of [10, 2]) {
    machine.file(`sys/class/thermal/thermal_zone${zone}/type`, 'ddr thermal\n');
    machine.file(`sys/class/thermal/thermal_zone${zone}/temp`, `${zone}000\n`);
  }
  expect(await values(new TemperatureReader(machine), 0)).toEqual({
    'temperature_c_cpu-thermal': 52.6,
    temperature_c_ddr_thermal_1: 2,
    temperature_c_ddr_thermal_2: 10,
  });
});

describe('interfaces', () => {
  const counters = (machine: RecordedMachine, name: string, rx: number, tx: number, wrong = 0) => {
    const folder = `sys/class/net/${name}/statistics`;
    machine.file(`${folder}/rx_bytes`, `${rx}\n`).file(`${folder}/tx_bytes`, `${tx}\n`);
    for (const each of ['rx_errors', 'tx_errors', 'rx_dropped', 'tx_dropped'])
      machine.file(`${folder}/${each}`, `${wrong}\n`);
    return machine;
  };

  test('tell their rates between two looks, and none when a counter has begun anew', async () => {
    const machine = counters(new RecordedMachine(), 'eth0', 1_000_000, 500_000);
    machine.file('sys/class/net/eth0/operstate', 'up\n').file('sys/class/net/eth0/speed', '1000\n');
    counters(machine, 'lo', 5, 5);
    machine.file('sys/class/net/bonding_masters', '\n');
    const reader = new InterfaceReader(machine);
    expect(await values(reader, 0)).toEqual({
      rx_mbps_eth0: undefined,
      tx_mbps_eth0: undefined,
      errors_eth0: undefined,
      drops_eth0: undefined,
      link_up_eth0: 1,
      link_speed_mbps_eth0: 1000,
    });
    counters(machine, 'eth0', 2_250_000, 500_000, 3);
    expect(await values(reader, 2000)).toMatchObject({
      rx_mbps_eth0: 5,
      tx_mbps_eth0: 0,
      errors_eth0: 6,
      drops_eth0: 6,
    });
    counters(machine, 'eth0', 100, 625_000, 0);
    expect(await values(reader, 3000)).toMatchObject({
      rx_mbps_eth0: undefined,
      tx_mbps_eth0: 1,
      errors_eth0: undefined,
    });
    counters(machine, 'eth0', 125_100, 625_000, 0);
    expect(await values(reader, 4000)).toMatchObject({ rx_mbps_eth0: 1, errors_eth0: 0 });
  });

  test('of hardware stand for the machine, those of containers do not', async () => {
    const machine = counters(counters(new RecordedMachine(), 'eth0', 1, 1), 'veth12', 1, 1);
    machine.file('sys/class/net/eth0/device/vendor', '0x1af4\n').file('sys/class/net/eth0/operstate', 'down\n');
    machine.file('sys/class/net/eth0/speed', '-1\n');
    const found = await values(new InterfaceReader(machine), 0);
    expect(Object.keys(found).filter((name) => name.endsWith('veth12'))).toEqual([]);
    expect(found).toMatchObject({ link_up_eth0: 0 });
    expect(found).not.toHaveProperty('link_speed_mbps_eth0');
  });
});

test('the machine is described by what it says of itself', async () => {
  const machine = new RecordedMachine()
    .file('proc/sys/kernel/hostname', 'roof\n')
    .file('proc/sys/kernel/osrelease', '6.6.31+rpt-rpi-v8\n')
    .file('sys/firmware/devicetree/base/model', 'Raspberry Pi 4 Model B Rev 1.4\0');
  expect(await describeMachine(machine)).toEqual({
    hostname: 'roof',
    kernel: '6.6.31+rpt-rpi-v8',
    model: 'Raspberry Pi 4 Model B Rev 1.4',
  });
});

describe('together', () => {
  test('the readers of this machine find its processor, memory and network', async () => {
    const said: string[] = [];
    const machine: Machine = { ...thisMachine, run: new RecordedMachine().run };
    const measurements = new Measurements({ readers: readersOf(machine), say: (text) => said.push(text) });
    await measurements.look(0);
    const found = await measurements.look(1000);
    expect(found.memory_used_pct).toBeGreaterThan(0);
    expect(found.memory_used_pct).toBeLessThanOrEqual(100);
    expect(found.uptime_seconds).toBeGreaterThan(0);
    expect(found.load1).toBeGreaterThanOrEqual(0);
    expect(Object.keys(found)).toContainEqual(expect.stringMatching(/^rx_mbps_/));
    expect(Object.values(found).every((value) => Number.isFinite(value))).toBe(true);
    expect(Object.keys(measurements.declared)).toEqual(expect.arrayContaining(Object.keys(found)));
    expect(said).toEqual([]);
    expect(await describeMachine(machine)).toMatchObject({ hostname: expect.any(String), kernel: expect.any(String) });
  });

  test('a reader that fails is left out, and said once until it works again', async () => {
    let isBroken = true;
    const broken: Reader = {
      subject: 'WiFi',
      read: async () => {
        if (isBroken) throw new Error('iw did not end within 5 s');
        return [{ name: 'channel', value: 36, label: 'Channel' }];
      },
    };
    const said: string[] = [];
    const machine = new RecordedMachine().file('proc/uptime', '7.1 2\n');
    const readers = [broken, new UptimeReader(machine)];
    const measurements = new Measurements({ readers, say: (text) => said.push(text) });
    expect([await measurements.look(), await measurements.look()]).toEqual([
      { uptime_seconds: 7 },
      { uptime_seconds: 7 },
    ]);
    expect(said).toEqual(['WiFi cannot be read: iw did not end within 5 s']);
    expect(measurements.declared).toEqual({ uptime_seconds: { label: 'Uptime', unit: 's' } });
    isBroken = false;
    expect(await measurements.look()).toEqual({ channel: 36, uptime_seconds: 7 });
    expect(said.slice(1)).toEqual(['WiFi can be read again']);
  });

  test('a reader that hangs holds nobody up, is not asked twice, and what it finds in the end comes with the next look', async () => {
    const asked: ((measured: Measured[]) => void)[] = [];
    const slow: Reader = { subject: 'WiFi', read: () => new Promise((resolve) => asked.push(resolve)) };
    const quick: Reader = {
      subject: 'uptime',
      read: async () => [{ name: 'uptime_seconds', value: 7, label: 'Uptime' }],
    };
    const measurements = new Measurements({ readers: [slow, quick], say: () => {}, patienceMs: 10 });
    expect(await measurements.look()).toEqual({ uptime_seconds: 7 });
    expect([await measurements.look(), asked.length]).toEqual([{ uptime_seconds: 7 }, 1]);
    asked[0]!([{ name: 'channel', value: 36, label: 'Channel' }]);
    await new Promise(setImmediate);
    expect([await measurements.look(), asked.length]).toEqual([{ uptime_seconds: 7, channel: 36 }, 1]);
    expect([await measurements.look(), asked.length]).toEqual([{ uptime_seconds: 7 }, 2]);
  });
});
