// The interface of a control program: it receives the cells, and devices if it wants to, and returns orders. No clock, no network:
// the same cells at the same times always give the same orders.
import type { Cell } from '@weft/sdk';
import type { SeenDevice } from './seen-device.ts';

export interface Order {
  ap_id: string;
  name: string;
  args?: Record<string, unknown>;
  /** Duration of the lease in seconds of the samples' time. */
  holdSeconds: number;
  because: string;
}

export interface ControlProgram {
  /** Interval of decisions in seconds of the samples' time. */
  everySeconds: number;
  /** Before each decision: all devices as access points see them now. */
  see?(devices: readonly SeenDevice[], nowMs: number): void;
  decide(cells: readonly Cell[], nowMs: number): Order[];
  /** It was not executed: Weft rejected it, the access point failed (`failed`), or it was lost. */
  undone?(order: Order, why: 'refused' | 'failed' | 'lost', nowMs: number): void;
}
