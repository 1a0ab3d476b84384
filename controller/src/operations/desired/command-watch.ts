// Commands lie over settings: the value that one has set is no drift, and stays until another command, an explicit apply, or the
// command's own end takes it back. Read from the event log, on the node with the lease, so that none is missed.
import type { EventLog } from '../../core/accounts/event-log/event-log.ts';
import { PeriodicTask } from '../../core/base/periodic-task.ts';
import type { NodeLease } from '../../core/base/storage/node-lease.ts';
import type { Evidence } from './model/agent-config.ts';
import { leavesOf, type Settings } from './model/settings.ts';
import type { ReconcilerOptions } from './reconciler.ts';
import type { AgentKey } from './store/agent-config-store.ts';
import { type LayerStore, noteSeenEvent } from './store/layer-store.ts';

const everyMs = 1_000;
const atOnce = 500;
const kinds = ['command.succeeded', 'command.rolled_back'];

type OfReconciler = 'configs' | 'inForce' | 'network' | 'onError' | 'now';

export interface CommandWatchOptions extends Pick<ReconcilerOptions, OfReconciler> {
  store: LayerStore;
  eventLog: Pick<EventLog, 'newest' | 'read'>;
  lease: Pick<NodeLease, 'isHeld' | 'require'>;
}

export class CommandWatch extends PeriodicTask {
  readonly #options: CommandWatchOptions;

  constructor(options: CommandWatchOptions) {
    super({ everyMs, what: 'commands that lie over settings', run: () => this.look(), onError: options.onError });
    this.#options = options;
  }

  /** Takes what has happened since the last look. */
  async look(): Promise<void> {
    const { store, configs, eventLog, lease, now } = this.#options;
    while (lease.isHeld && !this.isStopped) {
      const after = await store.seenEvent();
      const newest = await eventLog.newest();
      if (newest <= after) return;
      const { events, next } = await eventLog.read({ kinds, after, limit: atOnce });
      const seen = next ?? Math.max(newest, events.at(-1)?.id ?? 0);
      const given: { agent: AgentKey; evidence: Evidence }[] = [];
      for (const { kind, ap_id, data, ts } of events) {
        const { command_id, parameter } = data;
        if (ap_id === null || typeof command_id !== 'string') continue;
        const found = await this.#leavesOf(ap_id, parameter);
        if (!found) continue;
        const evidence: Evidence =
          kind === 'command.succeeded'
            ? { kind: 'commanded', leaves: found.leaves, command_id, at: ts }
            : { kind: 'taken_back', command_id };
        given.push({ agent: found.agent, evidence });
      }
      await configs.advance(given, now(), async (tx) => {
        await lease.require(tx);
        await noteSeenEvent(tx, seen);
      });
      if (next === null) return;
    }
  }

  /** The leaves that it shall have and that commands set by this parameter. */
  async settingsOf(ap_id: string, parameter: string): Promise<string[]> {
    const found = await this.#leavesOf(ap_id, parameter);
    if (!found?.text) return [];
    const shall = leavesOf(JSON.parse(found.text) as Settings);
    return found.leaves.filter((leaf) => shall.has(leaf));
  }

  /** What the access point calls what the command has set, and what it shall be; undefined if it has no settings. */
  async #leavesOf(
    ap_id: string,
    parameter: unknown,
  ): Promise<{ agent: AgentKey; leaves: string[]; text: string } | undefined> {
    const agent = this.#options.network.get(ap_id);
    const config = agent && (await this.#options.configs.get(ap_id));
    if (!config) return undefined;
    const declared = (await this.#options.inForce.declared([agent]))(agent);
    const leaves = [...declared].filter(([, setting]) => setting.parameter === parameter).map(([leaf]) => leaf);
    return { agent: { agent_id: agent.id, ap_id }, leaves, text: config.text };
  }
}
