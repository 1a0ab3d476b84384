// Shows progress on one line of a terminal. Writes nothing if the output is not a terminal.

import type { Output } from './surroundings.ts';
import { cut } from './table.ts';

const barWidth = 24;
const drawEveryMs = 100;

export class ProgressBar {
  readonly #output: Output;
  #drawnAt = 0;
  #isThere = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** `share` from 0 to 1, undefined if unknown. */
  show(share: number | undefined, text: string): void {
    if (!this.#output.isTTY || performance.now() - this.#drawnAt < drawEveryMs) return;
    this.#drawnAt = performance.now();
    this.#isThere = true;
    const filled = Math.round(Math.min(1, Math.max(0, share ?? 0)) * barWidth);
    const bar = share === undefined ? '' : `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${percent(share)} `;
    this.#output.write(`\r${cut(bar + text, (this.#output.columns ?? 80) - 1)}\x1b[K`);
  }

  /** Leaves an empty line. */
  clear(): void {
    if (this.#isThere) this.#output.write('\r\x1b[K');
    this.#isThere = false;
  }
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`.padStart(5);
}
