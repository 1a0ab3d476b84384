// Blocks that were read recently, decoded, within a memory limit.
import type { Block } from './block-codec.ts';

const maxBytes = 64 * 1024 * 1024;

export class DecodedBlocks {
  /** Least recently used first. */
  readonly #blocks = new Map<number, Block>();
  #bytes = 0;

  get(id: number): Block | undefined {
    const block = this.#blocks.get(id);
    if (!block) return undefined;
    this.#blocks.delete(id);
    this.#blocks.set(id, block);
    return block;
  }

  put(id: number, block: Block): void {
    this.#blocks.set(id, block);
    this.#bytes += block.maxBytes;
    for (const [oldest, evicted] of this.#blocks) {
      if (this.#bytes <= maxBytes || oldest === id) break;
      this.#blocks.delete(oldest);
      this.#bytes -= evicted.maxBytes;
    }
  }

  forget(id: number): void {
    const block = this.#blocks.get(id);
    if (!block) return;
    this.#blocks.delete(id);
    this.#bytes -= block.maxBytes;
  }

  clear(): void {
    this.#blocks.clear();
    this.#bytes = 0;
  }
}
