// Sends orders and tracks their results. After a conflict it skips the access point until the end of the lease;
// an order is never sent twice at the same time.
import { type App, CommandConflict, WeftRefusal } from '@weft/sdk';
import type { Order } from './control-program.ts';

/** By the clock: an order that has not arrived by then is outdated. */
const expiresInSeconds = 20;
/** If Weft gives no time for a retry. */
const usualPauseMs = 5_000;

export type Outcome = 'done' | 'failed' | 'refused' | 'lost';

export interface Tally {
  orders: number;
  done: number;
  failed: number;
  /** By reason, as Weft gives it. */
  refused: Record<string, number>;
  /** Clock time from the decision until the access point had executed it. */
  delaysMs: number[];
}

export class OrderDesk {
  readonly #app: App;
  readonly #onOutcome: (order: Order, outcome: Outcome, detail: string) => void;
  readonly #open = new Set<string>();
  readonly #leaveUntilMs = new Map<string, number>();
  readonly tally: Tally = { orders: 0, done: 0, failed: 0, refused: {}, delaysMs: [] };

  constructor(app: App, onOutcome: (order: Order, outcome: Outcome, detail: string) => void) {
    this.#app = app;
    this.#onOutcome = onOutcome;
  }

  /** `pace` is the speed of the samples' time: leases of Weft use the clock. */
  async send(order: Order, pace: number, signal: AbortSignal): Promise<void> {
    const { ap_id, name, args, holdSeconds } = order;
    const key = `${ap_id} ${name}`;
    if (this.#open.has(ap_id) || Date.now() < (this.#leaveUntilMs.get(key) ?? 0)) return;
    this.#open.add(ap_id);
    this.tally.orders++;
    const startedAtMs = performance.now();
    try {
      const hold = Math.max(1, Math.min(3600, Math.round(holdSeconds / pace)));
      const options = { holdSeconds: hold, expiresIn: expiresInSeconds, signal };
      const command = await this.#app.command(ap_id, name, args, options);
      const { state, result } = await command.result({ signal });
      if (state === 'succeeded') {
        this.tally.delaysMs.push(performance.now() - startedAtMs);
        this.tally.done++;
        this.#onOutcome(order, 'done', '');
      } else {
        this.tally.failed++;
        this.#onOutcome(order, state === 'failed' ? 'failed' : 'lost', reasonOf(result) ?? state);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#lost(order, key, error);
    } finally {
      this.#open.delete(ap_id);
    }
  }

  /** Weft rejected it, or was unreachable. */
  #lost(order: Order, key: string, error: unknown): void {
    const retryAtMs = error instanceof CommandConflict ? error.retryAt?.getTime() : undefined;
    this.#leaveUntilMs.set(key, retryAtMs ?? Date.now() + usualPauseMs);
    if (error instanceof WeftRefusal) {
      const reason = error instanceof CommandConflict ? error.reason : error.code;
      this.tally.refused[reason] = (this.tally.refused[reason] ?? 0) + 1;
      this.#onOutcome(order, 'refused', error.message);
    } else {
      this.tally.failed++;
      this.#onOutcome(order, 'lost', error instanceof Error ? error.message : String(error));
    }
  }
}

/** What the access point says of a command that failed. */
function reasonOf(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null) return result === undefined ? undefined : String(result);
  const { outcome, detail, error } = result as Record<string, unknown>;
  const said = [outcome, detail ?? error].filter((part) => typeof part === 'string');
  return said.length > 0 ? said.join(': ') : JSON.stringify(result);
}
