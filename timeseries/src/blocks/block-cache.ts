// The blocks of the tables, decoded; those that were read recently stay in memory.
import { Block } from './block-codec.ts';
import { DecodedBlocks } from './decoded-blocks.ts';
import type { Tables } from './tables.ts';

export class BlockCache {
  readonly #tables: Tables;
  readonly #onDamage: (message: string) => void;
  readonly #decoded = new DecodedBlocks();

  constructor(tables: Tables, onDamage: (message: string) => void) {
    this.#tables = tables;
    this.#onDamage = onDamage;
  }

  /** Undefined for a damaged block, which is reported; the others stay readable. */
  get(id: number): Block | undefined {
    const known = this.#decoded.get(id);
    if (known) return known;
    let block: Block;
    try {
      block = new Block(this.#tables.blockData(id));
    } catch (error) {
      this.#onDamage(`block ${id} of the telemetry store cannot be read: ${(error as Error).message}`);
      return undefined;
    }
    this.#decoded.put(id, block);
    return block;
  }

  forget(id: number): void {
    this.#decoded.forget(id);
  }

  clear(): void {
    this.#decoded.clear();
  }
}
