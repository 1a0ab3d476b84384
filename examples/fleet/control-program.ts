// What a control program is to the loop that runs it: it sees the cells and says what is to be done. No clock, no network:
// the same cells at the same times always give the same orders.
import type { Cell } from './fleet.ts';

export interface Order {
  ap_id: string;
  name: string;
  args?: Record<string, unknown>;
  /** For so many seconds, of the samples' time, others shall not change it. */
  holdSeconds: number;
  because: string;
}

export interface ControlProgram {
  /** Pause between two decisions, in seconds of the samples' time. */
  everySeconds: number;
  decide(cells: readonly Cell[], nowMs: number): Order[];
  /** It was not carried out: Weft refused it, the access point could not do it (`failed`), or it was lost on the way. */
  undone?(order: Order, why: 'refused' | 'failed' | 'lost', nowMs: number): void;
}
