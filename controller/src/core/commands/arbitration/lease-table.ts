// Leases by agent, in memory: finds the few that matter to a decision among very many.
import type { Lease } from './conflict-intent.ts';

export class LeaseTable {
  readonly #byAgent = new Map<string, Map<string, Lease>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** A caller has one lease on a parameter of an agent; a new one replaces it. */
  set(lease: Lease): void {
    let leases = this.#byAgent.get(lease.ap_id);
    if (!leases) {
      leases = new Map();
      this.#byAgent.set(lease.ap_id, leases);
    }
    const before = leases.size;
    leases.set(keyOf(lease), lease);
    this.#size += leases.size - before;
  }

  /** Takes this very lease away, not a newer one in its place. */
  remove(lease: Lease): void {
    const leases = this.#byAgent.get(lease.ap_id);
    if (leases?.get(keyOf(lease))?.command_id !== lease.command_id) return;
    leases.delete(keyOf(lease));
    this.#size -= 1;
    if (leases.size === 0) this.#byAgent.delete(lease.ap_id);
  }

  of(ap_id: string): Lease[] {
    return [...(this.#byAgent.get(ap_id)?.values() ?? [])];
  }

  /** Those of the agent itself, and those of this group of its neighbours. */
  around(ap_id: string, neighbours: Iterable<string>, parameterGroup: string): Lease[] {
    return [...this.of(ap_id), ...this.near(neighbours, parameterGroup).filter((lease) => lease.ap_id !== ap_id)];
  }

  /** Those of this group of the agents. */
  near(agents: Iterable<string>, parameterGroup: string): Lease[] {
    const found: Lease[] = [];
    for (const ap_id of agents) {
      for (const lease of this.#byAgent.get(ap_id)?.values() ?? []) {
        if (lease.parameter_group === parameterGroup) found.push(lease);
      }
    }
    return found;
  }

  /** Removes all that have ended by then. */
  removeEnded(nowMs: number): void {
    for (const leases of [...this.#byAgent.values()]) {
      for (const lease of [...leases.values()]) if (lease.until <= nowMs) this.remove(lease);
    }
  }
}

function keyOf({ parameter, caller_id }: Lease): string {
  return `${parameter} ${caller_id}`;
}
