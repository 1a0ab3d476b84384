// The utilisation of all processors together, and the load average.

import { type Machine, readKernelFile } from '../machine/machine.ts';
import { Counters } from './counter.ts';
import { type Measured, type Reader, rounded } from './reader.ts';

export class CpuReader implements Reader {
  readonly subject = 'processor';
  readonly #machine: Machine;
  readonly #counters = new Counters();

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  async read(nowMs: number): Promise<Measured[]> {
    this.#counters.begin();
    const measured: Measured[] = [];
    const ticks = parseTicks(await readKernelFile(this.#machine.proc, 'stat'));
    if (ticks) {
      const total = this.#counters.rise('total', ticks.total, nowMs);
      const idle = this.#counters.rise('idle', ticks.idle, nowMs);
      const share = total && idle && total.by > 0 ? 1 - Math.min(idle.by, total.by) / total.by : undefined;
      const value = share === undefined ? undefined : rounded(100 * share);
      measured.push({ name: 'cpu_busy_pct', value, label: 'Processor busy', unit: '%' });
    }
    const load = Number((await readKernelFile(this.#machine.proc, 'loadavg'))?.split(' ')[0] || Number.NaN);
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
