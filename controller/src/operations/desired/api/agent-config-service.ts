// One access point: what it shall be, what it runs, how they differ and why; and what to do about a difference.
import type { AgentConfigView } from '@weft/contract/operations';
import type { AuditLog } from '../../../core/accounts/audit/audit-store.ts';
import type { Caller } from '../../../core/base/caller.ts';
import { ConflictError } from '../../../core/base/errors.ts';
import { rightsOf } from '../../../core/base/rights/rights.ts';
import type { AgentRow } from '../../../core/network/agent-rows.ts';
import type { Network } from '../../../core/network/network.ts';
import { mayConfigure, ownSelector } from '../config-rights.ts';
import { differingLeaves, isAsked } from '../model/agent-config.ts';
import type { LeafSource } from '../model/render.ts';
import { asData, fromLeaves, isLeafOf, leavesOf, type Settings } from '../model/settings.ts';
import type { Reconciler } from '../reconciler.ts';
import type { AgentConfigStore } from '../store/agent-config-store.ts';
import type { ChangeSetService } from './change-set-service.ts';
import type { RolloutStart } from './rollout-start.ts';

export const configViews = ['desired', 'running', 'diff', 'why'] as const;
type View = (typeof configViews)[number];
/** Over everything else: it is about this access point alone. */
const adoptedWeight = 1_000;

export interface AgentConfigServiceOptions {
  configs: AgentConfigStore;
  network: Network;
  reconciler: Reconciler;
  changeSets: ChangeSetService;
  rolloutStart: RolloutStart;
  auditLog: Pick<AuditLog, 'append'>;
  /** Takes the commands that have ended so far. */
  caughtUp: () => Promise<void>;
}

export class AgentConfigService {
  readonly #options: AgentConfigServiceOptions;

  constructor(options: AgentConfigServiceOptions) {
    this.#options = options;
  }

  /** Throws NotFoundError for one that is unknown or that the caller may not see. */
  async get(caller: Caller, ap_id: string, view: View): Promise<AgentConfigView> {
    const agent = await this.#find(caller, ap_id);
    await this.#options.caughtUp();
    const config = await this.#options.configs.get(agent.ap_id);
    const has = config !== undefined && (config.hash !== '' || config.state === 'refused');
    const answer: AgentConfigView = {
      ap_id: agent.ap_id,
      state: config && isAsked(config) ? config.state : null,
      detail: config && isAsked(config) ? config.detail : null,
      rollout_id: config?.rollout_id ?? null,
      hash: config?.hash || null,
      running_hash: config?.running_hash ?? null,
      running_at: toTime(config?.running_at),
      updated_at: toTime(config?.updated_at),
    };
    const desired = config?.text ? (JSON.parse(config.text) as Settings) : {};
    const running = config?.running ? (JSON.parse(config.running) as Settings) : {};
    if (view === 'desired') return { ...answer, settings: desired };
    if (view === 'running') return { ...answer, settings: running };
    const [shall, runs] = [leavesOf(desired), leavesOf(running)];
    const held = new Map<string, string>(Object.entries(JSON.parse(config?.overridden ?? '{}')));
    const now = (leaf: string) => ({ running: runs.get(leaf) ?? null, command_id: held.get(leaf) ?? null });
    if (view === 'why') {
      const sources = has ? (JSON.parse(config.sources) as Record<string, LeafSource>) : {};
      const leaves = [...shall].map(([leaf, value]) => ({ leaf, value, ...sources[leaf]!, ...now(leaf) }));
      return { ...answer, leaves };
    }
    const differences = (config ? differingLeaves(config) : []).map((leaf) => ({
      leaf,
      desired: shall.get(leaf) ?? null,
      ...now(leaf),
    }));
    return { ...answer, differences };
  }

  /** It gets what it shall be again, also over what commands have set. */
  async apply(caller: Caller, ap_id: string): Promise<AgentConfigView> {
    const { reconciler, auditLog } = this.#options;
    const agent = await this.#manage(caller, ap_id);
    const entry = { actor: caller, action: 'config_applied', target: { kind: 'agent', name: ap_id }, detail: {} };
    await reconciler.again(agent, (tx) => auditLog.append(tx, [entry]));
    return this.get(caller, ap_id, 'diff');
  }

  /** What it runs otherwise becomes a layer of its own. Throws ConflictError if there is nothing. */
  async adopt(caller: Caller, ap_id: string, why: string): Promise<AgentConfigView> {
    const { configs, changeSets, rolloutStart } = this.#options;
    const agent = await this.#manage(caller, ap_id);
    const config = await configs.get(ap_id);
    const leaves = config ? differingLeaves(config) : [];
    const runs = leavesOf(config?.running ? (JSON.parse(config.running) as Settings) : {});
    const shall = leavesOf(config?.text ? (JSON.parse(config.text) as Settings) : {});
    const known = leaves
      .map((leaf) => [leaf, asData(runs.get(leaf), shall.get(leaf))] as const)
      .filter(([, value]) => value !== undefined);
    const settings = fromLeaves(known);
    if (known.length === 0 || !known.every(([leaf]) => isLeafOf(settings, leaf)))
      throw new ConflictError('nothing_to_adopt', 'It says of nothing that it runs it otherwise');
    const name = `${agent.ap_id}: ${why}`.slice(0, 128);
    const layer = { name, selector: ownSelector(caller, agent), weight: adoptedWeight, settings };
    const set = await changeSets.create(caller, { title: name, layers: [layer] });
    await rolloutStart.start(caller, set.id, {}).catch(async (error) => {
      // Nobody asked for a draft, and it would take of the caller's share.
      await changeSets.remove(caller, set.id);
      throw error;
    });
    return this.get(caller, ap_id, 'diff');
  }

  async #find(caller: Caller, ap_id: string): Promise<AgentRow> {
    return (await this.#options.network.visibleTo(caller)).require(ap_id);
  }

  async #manage(caller: Caller, ap_id: string): Promise<AgentRow> {
    const agent = await this.#find(caller, ap_id);
    if (!mayConfigure(caller, agent)) rightsOf(caller).requireManager(agent);
    return agent;
  }
}

function toTime(ms: number | null | undefined): string | null {
  return ms ? new Date(ms).toISOString() : null;
}
