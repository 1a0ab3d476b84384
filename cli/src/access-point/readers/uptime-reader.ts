// The uptime of the machine.
import { type Machine, readKernelFile } from '../machine/machine.ts';
import type { Measured, Reader } from './reader.ts';

export class UptimeReader implements Reader {
  readonly subject = 'uptime';
  readonly #machine: Machine;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  async read(): Promise<Measured[]> {
    const seconds = Number((await readKernelFile(this.#machine.proc, 'uptime'))?.split(' ')[0] || Number.NaN);
    if (!Number.isFinite(seconds)) return [];
    return [{ name: 'uptime_seconds', value: Math.floor(seconds), label: 'Uptime', unit: 's' }];
  }
}
