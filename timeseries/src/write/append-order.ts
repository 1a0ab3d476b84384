// Keeps the appends of a source in order while some of them need time before they can be written, because they have names that
// are new: those behind them wait until they are in the line, or they would be stored, and their callers told, first.
import { TooManyNames } from '../time-series.ts';

interface Line {
  underWay: number;
  /** Settles once all who came so far are in the line for the next commit. */
  entered: Promise<unknown>;
}

export class AppendOrder {
  readonly #lines = new Map<string, Line>();

  /** Whether an append of it has to go behind others. */
  has(source: string): boolean {
    return this.#lines.has(source);
  }

  /** `enter` is called once all before it have entered; what it resolves to settles when the append is done. */
  async add<T>(source: string, enter: () => Promise<{ stored: Promise<T> }>): Promise<T> {
    const line = this.#lines.get(source) ?? { underWay: 0, entered: Promise.resolve() };
    this.#lines.set(source, line);
    line.underWay++;
    const entered = line.entered.then(enter);
    // Who waits behind one that finds no database would wait for the same in vain, one after the other.
    line.entered = entered.catch((error) => {
      if (!(error instanceof TooManyNames)) throw error;
    });
    line.entered.catch(() => {});
    try {
      return await (await entered).stored;
    } finally {
      if (--line.underWay === 0) this.#lines.delete(source);
    }
  }
}
