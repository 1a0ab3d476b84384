// Keeps what each access point shall be in step with layers, labels and variables, on one node of all: whoever comes to match a
// layer, or gets other labels, gets what it shall be at once, with a trial of its own. Whichever node takes over looks at all.
import { randomUUID } from 'node:crypto';
import { PeriodicTask } from '../../core/base/periodic-task.ts';
import type { NodeLease } from '../../core/base/storage/node-lease.ts';
import type { SqlQueries } from '../../core/base/storage/sql-database.ts';
import { giveWay } from '../../core/base/time-slices.ts';
import type { AgentRow } from '../../core/network/agent-rows.ts';
import type { Network } from '../../core/network/network.ts';
import { type InForce, type LayerOverlay, type LayersInForce, problemsInWords } from './layers-in-force.ts';
import type { Evidence } from './model/agent-config.ts';
import type { AgentConfigStore } from './store/agent-config-store.ts';
import type { RolloutRecord, RolloutStore } from './store/rollout-store.ts';

export const defaultTrialSeconds = 120;
const atOnce = 200;
const everyMs = 1_000;

/** What was decided from has changed meanwhile: nothing took effect. */
export class Overtaken extends Error {}

export interface Wanted {
  overlay: LayerOverlay | undefined;
  rollout_id: string | null;
  trial_seconds: number;
  /** Also to those that have it, and over what commands have set. */
  isAgain?: boolean;
  /** Only while this roll-out, or none, is the one that treats them: what another wants is not undone. */
  isTreated?: boolean;
}

export interface ReconcilerOptions {
  inForce: LayersInForce;
  network: Network;
  configs: AgentConfigStore;
  rollouts: RolloutStore;
  lease: Pick<NodeLease, 'isHeld' | 'taken'>;
  onError: (error: unknown, message: string) => void;
  now: () => number;
}

export class Reconciler extends PeriodicTask {
  readonly #options: ReconcilerOptions;
  readonly #changed = new Set<string>();
  /** What all of them were looked at with. */
  #passed: InForce | undefined;

  constructor(options: ReconcilerOptions) {
    super({ everyMs, what: 'what access points shall be', run: () => this.reconcile(), onError: options.onError });
    this.#options = options;
    options.network.taken.on(({ ap_id }) => this.#changed.add(ap_id));
    options.lease.taken.on(() => {
      this.#passed = undefined;
    });
  }

  /** Does what has become due. */
  async reconcile(): Promise<void> {
    const { network, inForce, lease } = this.#options;
    if (!lease.isHeld) return;
    await network.fresh();
    const current = await inForce.current();
    const isWhole = current !== this.#passed;
    const some = [...this.#changed].flatMap((ap_id) => network.get(ap_id) ?? []);
    if (!isWhole && some.length === 0) return;
    this.#changed.clear();
    try {
      await this.#pass(isWhole ? network.agents : some);
      if (isWhole) this.#passed = current;
    } catch (error) {
      for (const { ap_id } of some) this.#changed.add(ap_id);
      throw error;
    }
  }

  async #pass(agents: readonly AgentRow[]): Promise<void> {
    const { configs, rollouts, inForce } = this.#options;
    const known = await configs.hashes();
    // Before the layers: what comes into force meanwhile counts once, as an overlay or as a layer.
    const treatedBy = await rollouts.treatedBy();
    const layers = await inForce.current();
    for (let start = 0; start < agents.length; start += atOnce) {
      const part = agents.slice(start, start + atOnce).filter((agent) => isManaged(agent));
      for (const [rollout, group] of Map.groupBy(part, ({ id }) => treatedBy.get(id))) {
        const stack = layers.stack(rollout?.changes);
        const meant = group.filter((agent) => known.has(agent.id) || stack.matching(agent).length > 0);
        const declared = await inForce.declared(meant);
        const changed = meant.filter((agent) => {
          const { hash, problems, text } = stack.render(agent, declared(agent));
          const before = known.get(agent.id);
          // It has said what it runs, and nobody has ever asked anything of it.
          const isFree = before === undefined || before === '';
          if (isFree && text === '{}' && problems.length === 0) return false;
          return before !== hash || problems.length > 0;
        });
        // Whom a roll-out has come to meanwhile, the next round looks at.
        await this.want(changed, wantedBy(rollout)).catch((error) => {
          if (!(error instanceof Overtaken)) throw error;
          for (const { ap_id } of changed) this.#changed.add(ap_id);
        });
      }
      await giveWay();
    }
  }

  /** It gets what it shall be again, also if it has it, and over what commands have set. */
  async again(agent: AgentRow, within: (tx: SqlQueries) => Promise<void>): Promise<void> {
    const rollout = (await this.#options.rollouts.treatedBy()).get(agent.id);
    await this.want([agent], { ...wantedBy(rollout), isAgain: true }, within).catch((error) => {
      if (!(error instanceof Overtaken)) throw error;
      return this.again(agent, within);
    });
  }

  /** These shall be what the layers say, from now on; `within` runs in the same transaction as the last of them. Throws Overtaken. */
  async want(
    agents: readonly AgentRow[],
    { overlay, rollout_id, trial_seconds, isAgain = false, isTreated = false }: Wanted,
    within?: (tx: SqlQueries) => Promise<void>,
  ): Promise<void> {
    const { inForce, configs, rollouts, now } = this.#options;
    const stack = (await inForce.current()).stack(overlay);
    const declared = await inForce.declared(agents);
    const given = agents.map((agent) => {
      const rendered = stack.render(agent, declared(agent));
      const { text, hash, problems } = rendered;
      const evidence: Evidence =
        problems.length > 0
          ? { kind: 'impossible', detail: problemsInWords(rendered), rollout_id }
          : {
              kind: 'wanted',
              text,
              hash,
              sources: JSON.stringify(rendered.sources),
              rollout_id,
              config_id: randomUUID(),
              is_due: true,
              trial_seconds,
              isAgain,
            };
      return { agent: { agent_id: agent.id, ap_id: agent.ap_id }, evidence };
    });
    if (given.length === 0 && !within) return;
    await configs.advance(given, now(), async (tx) => {
      const treatedBy = isTreated && (await rollouts.treatedBy(tx, agents));
      if (treatedBy && agents.some(({ id }) => (treatedBy.get(id)?.id ?? null) !== rollout_id)) throw new Overtaken();
      await within?.(tx);
    });
    // A round that has read their rows just before knows nothing of this: what has changed since it was decided is looked at again.
    if (!isTreated) for (const { ap_id } of agents) this.#changed.add(ap_id);
  }
}

function wantedBy(rollout: RolloutRecord | undefined): Wanted {
  const trial_seconds = rollout?.plan.trial_seconds ?? defaultTrialSeconds;
  return { overlay: rollout?.changes, rollout_id: rollout?.id ?? null, trial_seconds, isTreated: true };
}

/** Agents of devices, and emulated ones whose run is over, are not configured. */
export function isManaged({ isDevice, isEnded }: AgentRow): boolean {
  return !isDevice && !isEnded;
}
