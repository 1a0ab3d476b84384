// The memory in use, and the memory available to programs.
import { type Machine, readKernelFile } from '../machine/machine.ts';
import { type Measured, type Reader, rounded } from './reader.ts';

export class MemoryReader implements Reader {
  readonly subject = 'memory';
  readonly #machine: Machine;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  async read(): Promise<Measured[]> {
    const text = (await readKernelFile(this.#machine.proc, 'meminfo')) ?? '';
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
