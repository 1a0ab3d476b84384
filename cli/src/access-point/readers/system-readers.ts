// The utilisation of all processors together, and the load average.
import { readdir } from 'node:fs/promises';
import { readKernelFile, readKernelNumber } from '../machine/machine.ts';
import { Counters, MachineReader, type Measured, rounded } from './reader.ts';

export class CpuReader extends MachineReader {
  override readonly subject = 'processor';
  readonly #counters = new Counters();

  override async read(nowMs: number): Promise<Measured[]> {
    this.#counters.begin();
    const measured: Measured[] = [];
    const ticks = parseTicks(await readKernelFile(this.machine.proc, 'stat'));
    if (ticks) {
      const total = this.#counters.rise('total', ticks.total, nowMs);
      const idle = this.#counters.rise('idle', ticks.idle, nowMs);
      const share = total && idle && total.by > 0 ? 1 - Math.min(idle.by, total.by) / total.by : undefined;
      const value = share === undefined ? undefined : rounded(100 * share);
      measured.push({ name: 'cpu_busy_pct', value, label: 'Processor busy', unit: '%' });
    }
    const load = Number((await readKernelFile(this.machine.proc, 'loadavg'))?.split(' ')[0] || Number.NaN);
    if (Number.isFinite(load)) measured.push({ name: 'load1', value: load, label: 'Load, 1 minute' });
    return measured;
  }
}

/** The line of all processors: user, nice, system, idle, iowait, irq, softirq, steal; guests are within user. */
function parseTicks(text: string | undefined): { total: number; idle: number } | undefined {
  const line = /^cpu +(.*)$/m.exec(text ?? '')?.[1];
  const ticks = line?.split(' ').slice(0, 8).map(Number);
  if (!ticks || ticks.length < 4 || ticks.some(Number.isNaN)) return undefined;
  return { total: ticks.reduce((sum, tick) => sum + tick, 0), idle: ticks[3]! + (ticks[4] ?? 0) };
}

/** The memory in use, and the memory available to programs. */
export class MemoryReader extends MachineReader {
  override readonly subject = 'memory';

  override async read(): Promise<Measured[]> {
    const text = (await readKernelFile(this.machine.proc, 'meminfo')) ?? '';
    const kilobytes = (name: string) => {
      const found = new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)?.[1];
      return found === undefined ? undefined : Number(found);
    };
    const total = kilobytes('MemTotal');
    // Kernels before 3.14 have no MemAvailable.
    const free = (kilobytes('MemFree') ?? 0) + (kilobytes('Buffers') ?? 0) + (kilobytes('Cached') ?? 0);
    const available = kilobytes('MemAvailable') ?? free;
    if (!total) return [];
    return [
      { name: 'memory_used_pct', value: rounded(100 * (1 - available / total)), label: 'Memory used', unit: '%' },
      {
        name: 'memory_available_mb',
        value: rounded((available * 1024) / 1e6, 1),
        label: 'Memory available',
        unit: 'MB',
      },
    ];
  }
}

// The temperature of each sensor of the kernel. A single sensor has no suffix.
const maxZones = 16;

export class TemperatureReader extends MachineReader {
  override readonly subject = 'temperature';

  override async read(): Promise<Measured[]> {
    const folder = `${this.machine.sys}/class/thermal`;
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('thermal_zone'));
    const zones = await Promise.all(
      names
        .sort((a, b) => zoneNumber(a) - zoneNumber(b))
        .slice(0, maxZones)
        .map(async (name) => ({
          type: (await readKernelFile(folder, name, 'type'))?.trim() || name,
          milli: await readKernelNumber(folder, name, 'temp'),
        })),
    );
    const warm = zones.flatMap(({ type, milli }) => (milli === undefined ? [] : [{ type, celsius: milli / 1000 }]));
    const isOnly = warm.length === 1;
    return warm.map(({ type, celsius }, index) => {
      const isShared = warm.some((other, at) => other.type === type && at !== index);
      const place = isShared ? `${type}_${index}` : type;
      return {
        name: isOnly ? 'temperature_c' : `temperature_c_${place.replaceAll(/[^\w.-]/g, '_')}`,
        value: rounded(celsius, 1),
        label: isOnly ? 'Temperature' : `Temperature, ${place}`,
        unit: '°C',
      };
    });
  }
}

function zoneNumber(name: string): number {
  return Number(name.slice('thermal_zone'.length)) || 0;
}

/** The uptime of the machine. */
export class UptimeReader extends MachineReader {
  override readonly subject = 'uptime';

  override async read(): Promise<Measured[]> {
    const seconds = Number((await readKernelFile(this.machine.proc, 'uptime'))?.split(' ')[0] || Number.NaN);
    if (!Number.isFinite(seconds)) return [];
    return [{ name: 'uptime_seconds', value: Math.floor(seconds), label: 'Uptime', unit: 's' }];
  }
}
