// Free space on the disk of the data folder: measured every ten seconds, with a warning before it runs out.
import { statfs } from 'node:fs/promises';
import { PeriodicTask } from '../periodic-task.ts';

const everyMs = 10_000;

export interface DiskSpaceOptions {
  folder: string;
  /** Below this there is a warning. */
  reserveBytes: number;
  onChange: (message: string, isLow: boolean) => void;
}

export class DiskSpace extends PeriodicTask {
  readonly #options: DiskSpaceOptions;
  #freeBytes = Number.NaN;
  #isLow = false;

  constructor(options: DiskSpaceOptions) {
    super({ everyMs, what: 'the measuring of free space', run: () => this.measure() });
    this.#options = options;
  }

  /** NaN until it is known. */
  get freeBytes(): number {
    return this.#freeBytes;
  }

  get isLow(): boolean {
    return this.#isLow;
  }

  async measure(): Promise<void> {
    const { folder, reserveBytes, onChange } = this.#options;
    try {
      const { bavail, bsize } = await statfs(folder);
      this.#freeBytes = bavail * bsize;
    } catch {
      this.#freeBytes = Number.NaN;
      return;
    }
    const isLow = this.#freeBytes < reserveBytes;
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    const free = `${Math.floor(this.#freeBytes / 1024 / 1024)} MiB free on the disk of ${folder}`;
    onChange(
      isLow ? `${free}: free some space before writing fails (WEFT_DISK_RESERVE_MB)` : `${free}: enough again`,
      isLow,
    );
  }
}
