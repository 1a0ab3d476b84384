// Blocks that were read lately, decoded. A block never changes: another one with another id takes its place.
import { Block } from '@weft/timeseries/engine-parts';

const maxBytes = 64 * 1024 * 1024;
const maxDamaged = 10_000;

export class BlockMemory {
  readonly #onDamage: (message: string) => void;
  /** Least recently used first. */
  readonly #blocks = new Map<number, Block>();
  readonly #damaged = new Set<number>();
  #bytes = 0;

  constructor(onDamage: (message: string) => void) {
    this.#onDamage = onDamage;
  }

  /** Whether it was read, and can still be had without reading it again. */
  has(id: number): boolean {
    return this.#blocks.has(id) || this.#damaged.has(id);
  }

  /** Undefined for one that is damaged; the others stay readable. */
  get(id: number): Block | undefined {
    const block = this.#blocks.get(id);
    if (!block) return undefined;
    this.#blocks.delete(id);
    this.#blocks.set(id, block);
    return block;
  }

  put(id: number, data: Uint8Array): void {
    let block: Block;
    try {
      block = new Block(data);
    } catch (error) {
      if (this.#damaged.size >= maxDamaged) this.#damaged.clear();
      this.#damaged.add(id);
      this.#onDamage(`block ${id} of the telemetry in PostgreSQL cannot be read: ${(error as Error).message}`);
      return;
    }
    this.#blocks.set(id, block);
    this.#bytes += block.maxBytes;
    for (const [oldest, evicted] of this.#blocks) {
      if (this.#bytes <= maxBytes || oldest === id) break;
      this.#blocks.delete(oldest);
      this.#bytes -= evicted.maxBytes;
    }
  }
}
