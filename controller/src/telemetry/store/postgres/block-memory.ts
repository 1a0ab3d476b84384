// Blocks that were read lately, decoded. A block never changes: another one with another id takes its place.
import { Block } from '@weft/timeseries/engine-parts';

const maxBytes = 64 * 1024 * 1024;

export class BlockMemory {
  /** Least recently used first. */
  readonly #blocks = new Map<number, Block>();
  #bytes = 0;

  has(id: number): boolean {
    return this.#blocks.has(id);
  }

  get(id: number): Block | undefined {
    const block = this.#blocks.get(id);
    if (!block) return undefined;
    this.#blocks.delete(id);
    this.#blocks.set(id, block);
    return block;
  }

  put(id: number, data: Uint8Array): void {
    const block = new Block(data);
    this.#blocks.set(id, block);
    this.#bytes += block.maxBytes;
    for (const [oldest, evicted] of this.#blocks) {
      if (this.#bytes <= maxBytes || oldest === id) break;
      this.#blocks.delete(oldest);
      this.#bytes -= evicted.maxBytes;
    }
  }
}
