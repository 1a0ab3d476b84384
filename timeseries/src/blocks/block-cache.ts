// The blocks of the tables, decoded; those that were read recently stay in memory.
import { Block } from './block-codec.ts';
import type { Tables } from './tables.ts';

const maxBytes = 64 * 1024 * 1024;

/** Blocks that were read recently, decoded, within a memory limit. */
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

export class BlockCache extends DecodedBlocks {
  readonly #tables: Tables;
  readonly #onDamage: (message: string) => void;

  constructor(tables: Tables, onDamage: (message: string) => void) {
    super();
    this.#tables = tables;
    this.#onDamage = onDamage;
  }

  /** Undefined for a damaged block, which is reported; the others stay readable. */
  override get(id: number): Block | undefined {
    const known = super.get(id);
    if (known) return known;
    let block: Block;
    try {
      block = new Block(this.#tables.blockData(id));
    } catch (error) {
      this.#onDamage(`block ${id} of the telemetry store cannot be read: ${(error as Error).message}`);
      return undefined;
    }
    this.put(id, block);
    return block;
  }
}
