// The temperature of each sensor of the kernel. A single sensor has no suffix.
import { readdir } from 'node:fs/promises';
import { type Machine, readKernelFile, readKernelNumber } from '../machine/machine.ts';
import { type Measured, type Reader, rounded } from './reader.ts';

const maxZones = 16;

export class TemperatureReader implements Reader {
  readonly subject = 'temperature';
  readonly #machine: Machine;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  async read(): Promise<Measured[]> {
    const folder = `${this.#machine.sys}/class/thermal`;
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
