// The blocks that were loaded from PostgreSQL, decoded. A block never changes: another one with another id takes its place.
import { Block, DecodedBlocks } from '@weft/timeseries/engine-parts';

const maxDamaged = 10_000;

export class BlockMemory {
  readonly #onDamage: (message: string) => void;
  readonly #decoded = new DecodedBlocks();
  readonly #damaged = new Set<number>();

  constructor(onDamage: (message: string) => void) {
    this.#onDamage = onDamage;
  }

  /** `damaged`: it was loaded and cannot be read. Undefined: it has to be loaded. */
  get(id: number): Block | 'damaged' | undefined {
    return this.#decoded.get(id) ?? (this.#damaged.has(id) ? 'damaged' : undefined);
  }

  put(id: number, data: Uint8Array): void {
    try {
      this.#decoded.put(id, new Block(data));
    } catch (error) {
      if (this.#damaged.size >= maxDamaged) this.#damaged.clear();
      this.#damaged.add(id);
      this.#onDamage(`block ${id} of the telemetry in PostgreSQL cannot be read: ${(error as Error).message}`);
    }
  }
}
