// Runs all readers: each measurement gives a sample and the declarations of its metrics. A failing reader is skipped
// and never delays the others; its failure is logged once, until it works again.
import type { Machine } from '../machine/machine.ts';
import { InterfaceReader } from './interface-reader.ts';
import type { Measured, Reader } from './reader.ts';
import { CpuReader, MemoryReader, TemperatureReader, UptimeReader } from './system-readers.ts';

export type MetricDeclarations = Record<string, { label: string; unit?: string }>;

/** The result of a slower reader, for example when a tool hangs, is part of the next measurement. */
const defaultPatienceMs = 1_000;

export interface MeasurementsOptions {
  readers: Reader[];
  say: (text: string) => void;
  patienceMs?: number;
}

export class Measurements {
  readonly #readers: Reader[];
  readonly #say: (text: string) => void;
  readonly #patienceMs: number;
  readonly #failing = new Set<Reader>();
  /** Results of readers that have not ended, or ended too late for their measurement. */
  readonly #late = new Map<Reader, { measured: Measured[] | undefined }>();
  /** All metrics found so far. */
  readonly declared: MetricDeclarations = {};

  constructor({ readers, say, patienceMs = defaultPatienceMs }: MeasurementsOptions) {
    this.#readers = readers;
    this.#say = say;
    this.#patienceMs = patienceMs;
  }

  /** The current values by name. */
  async look(nowMs = performance.now()): Promise<Record<string, number>> {
    const found = await Promise.all(this.#readers.map((reader) => this.#inTime(reader, nowMs)));
    const values: Record<string, number> = {};
    for (const { name, value, label, unit } of found.flat()) {
      this.declared[name] ??= { label, ...(unit !== undefined && { unit }) };
      if (value !== undefined && Number.isFinite(value)) values[name] = value;
    }
    return values;
  }

  async #inTime(reader: Reader, nowMs: number): Promise<Measured[]> {
    const before = this.#late.get(reader);
    if (before) {
      if (before.measured) this.#late.delete(reader);
      return before.measured ?? [];
    }
    const entry: { measured: Measured[] | undefined } = { measured: undefined };
    this.#late.set(reader, entry);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#patienceMs);
    });
    const reading = this.#read(reader, nowMs).then((measured) => {
      entry.measured = measured;
    });
    await Promise.race([reading, patience]);
    clearTimeout(timer);
    if (entry.measured) this.#late.delete(reader);
    return entry.measured ?? [];
  }

  async #read(reader: Reader, nowMs: number): Promise<Measured[]> {
    try {
      const measured = await reader.read(nowMs);
      if (this.#failing.delete(reader)) this.#say(`${reader.subject} can be read again`);
      return measured;
    } catch (error) {
      if (!this.#failing.has(reader)) this.#say(`${reader.subject} cannot be read: ${(error as Error).message}`);
      this.#failing.add(reader);
      return [];
    }
  }
}

/** Of every machine; radios and links come from elsewhere. */
export function readersOf(machine: Machine): Reader[] {
  return [CpuReader, MemoryReader, UptimeReader, TemperatureReader, InterfaceReader].map((Kind) => new Kind(machine));
}
