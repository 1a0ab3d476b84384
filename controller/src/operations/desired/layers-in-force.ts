// The layers in force, variables and secrets in the memory of this node, and what they make of an access point, also with the change of
// a roll-out or of a draft in place of some layers.

import { BoundedMap } from '@weft/contract/bounded-map';
import { type DeclaredSetting, readDeclaredSettings } from '@weft/contract/declared-settings';
import type { Relabelled } from '../../core/accounts/agents/label-service.ts';
import { headOf, type Replica, wholeReplica } from '../../core/base/storage/replica.ts';
import type { SqlQueries } from '../../core/base/storage/sql-database.ts';
import { inSlices } from '../../core/base/time-slices.ts';
import type { AgentRowStore } from '../../core/network/agent-row-store.ts';
import type { AgentRow } from '../../core/network/agent-rows.ts';
import type { Network } from '../../core/network/network.ts';
import type { Layer, Managed, RenderedAgent } from './model/layer.ts';
import { coversTarget, type Target } from './model/reach.ts';
import { LayerStack, type RenderContext, type Rendered, unusableOf } from './model/render.ts';
import type { SecretReference } from './model/settings.ts';
import { configHead, type LayerStore, type SecretRecord } from './store/layer-store.ts';

/** Layers that stand in place of those in force, unless these are newer. */
export interface LayerOverlay {
  after: readonly Layer[];
  /** With which version each of these ends. */
  ends: Readonly<Record<string, number>>;
}

export interface InForce {
  layers: readonly Layer[];
  secrets: readonly SecretRecord[];
  /** What an access point gets variables and secrets of, the nearest first: ids, and the empty text for the installation. */
  targetsOf(agent: RenderedAgent): string[];
  /** The secret that a rendered reference stands for; undefined if it is another one by now. */
  given(reference: SecretReference): SecretRecord | undefined;
  /** The nearest secret of this name, of those that are shared or that all of these may name. */
  nearest(agent: RenderedAgent, name: string, managed: Managed): SecretRecord | undefined;
  /** What it makes of agents; with an overlay, what it would. */
  stack(overlay?: LayerOverlay): LayerStack;
}

export interface LayersInForceOptions {
  database: SqlQueries;
  store: LayerStore;
  network: Network;
  configurations: AgentRowStore['configurations'];
}

const maxModels = 1_000;

type Declared = ReadonlyMap<string, DeclaredSetting>;
type Tables = Awaited<ReturnType<LayerStore['tables']>>;

export class LayersInForce {
  readonly #options: LayersInForceOptions;
  /** All of them are one row: who has only some of them would give secrets to layers that are not in force. */
  readonly replica: Replica<number, Tables>;
  #known: { tables: Tables; sites: ReadonlyMap<string, string>; inForce: InForce } | undefined;
  /** Of an agent as it was read: another configuration is another object. */
  readonly #declared = new WeakMap<AgentRow, Declared>();
  /** By its JSON: those of one model declare the same, and are rendered alike. */
  readonly #models = new BoundedMap<string, Declared>(maxModels);

  constructor(options: LayersInForceOptions) {
    this.#options = options;
    const list = async () => [await options.store.tables()];
    this.replica = wholeReplica(headOf(options.database, configHead), list, { keyOf: () => '' });
  }

  /** Unusable ones in force. */
  get leftOut(): readonly Layer[] {
    return unusableOf(this.replica.get('')?.layers ?? []);
  }

  /** Knows every change that was durable before the call; the same object while nothing has changed. */
  async current(): Promise<InForce> {
    await this.replica.fresh();
    const [tables, { sites }] = [this.replica.get('')!, this.#options.network];
    if (this.#known?.tables !== tables || this.#known.sites !== sites)
      this.#known = { tables, sites, inForce: this.#toInForce(tables, sites) };
    return this.#known.inForce;
  }

  #toInForce({ layers, variables: values, secrets }: Tables, sites: ReadonlyMap<string, string>): InForce {
    const { network } = this.#options;
    const variables = new Map(values.map((each) => [keyOf(each.target, each.name), each.value]));
    const byKey = new Map(secrets.map((secret) => [keyOf(secret.target, secret.name), secret]));
    const owners = new Set(secrets.map(({ target }) => target));
    const ids = new Map([...sites].map(([id, path]) => [path, id]));
    const targetsOf: InForce['targetsOf'] = ({ ap_id, site }) => {
      const found: (string | undefined)[] = [network.get(ap_id)?.id];
      for (let end = site?.length ?? 0; end > 0; end = site!.lastIndexOf('/', end - 1))
        found.push(ids.get(site!.slice(0, end)));
      return [...found.filter((each) => each !== undefined), ''];
    };
    const nearest: InForce['nearest'] = (agent, name, managed) => {
      for (const target of targetsOf(agent)) {
        const secret = byKey.get(keyOf(target, name));
        if (!secret) continue;
        const mayName = () => managed.every((each) => coversTarget(each, targetOf(secret, agent, sites)));
        if (secret.is_shared || mayName()) return secret;
      }
      return undefined;
    };
    const context: RenderContext = {
      variable: (agent, name) => {
        for (const target of targetsOf(agent)) {
          const value = variables.get(keyOf(target, name));
          if (value !== undefined) return value;
        }
        return undefined;
      },
      secret: (agent, name, managed) => {
        const found = nearest(agent, name, managed);
        return found && { secret: name, ...(found.target !== '' && { of: found.target }), version: found.version };
      },
      placeOf: ({ ap_id, site }) => (owners.has(network.get(ap_id)?.id ?? '-') ? undefined : (site ?? '')),
    };
    const plain = new LayerStack(layers, context);
    return {
      layers,
      secrets,
      nearest,
      targetsOf,
      given: ({ secret, of = '', version }) => {
        const found = byKey.get(keyOf(of, secret));
        return found?.version === version ? found : undefined;
      },
      stack(overlay) {
        if (!overlay) return plain;
        const versions = new Map(layers.map(({ id, version }) => [id, version]));
        const isAhead = ({ id, version }: Pick<Layer, 'id' | 'version'>) => version > (versions.get(id) ?? 0);
        const after = overlay.after.filter(isAhead);
        const ended = Object.entries(overlay.ends).filter(([id, version]) => isAhead({ id, version }));
        const gone = new Set([...ended.map(([id]) => id), ...after.map(({ id }) => id)]);
        return new LayerStack([...layers.filter(({ id }) => !gone.has(id)), ...after], context);
      },
    };
  }

  /** What these agents can be set to; of one that is gone nothing. */
  async declared(agents: readonly AgentRow[]): Promise<(agent: AgentRow) => Declared> {
    const unknown = agents.filter((agent) => !this.#declared.has(agent));
    const texts = await this.#options.configurations(unknown.map(({ ap_id }) => ap_id));
    for (const agent of unknown) {
      const text = texts.get(agent.ap_id);
      const { settings } = JSON.parse(text ?? '{}') as { settings?: unknown };
      const model = this.#models.getOrInsert(JSON.stringify(settings ?? null), () =>
        readDeclaredSettings({ settings }),
      );
      this.#declared.set(agent, model);
    }
    return (agent) => this.#declared.get(agent) ?? new Map();
  }

  /** Who gets other settings by these labels. */
  async reconfigured(changes: readonly Relabelled[]): Promise<Set<string>> {
    await this.#options.network.fresh();
    const { layers, stack } = await this.current();
    const changed = new Set<string>();
    if (layers.length === 0) return changed;
    const agents = changes.flatMap(({ ap_id }) => this.#options.network.get(ap_id) ?? []);
    const declared = await this.declared(agents);
    await inSlices(changes, ({ ap_id, before, after }) => {
      const agent = this.#options.network.get(ap_id);
      if (!agent) return;
      const [old, now] = [before, after].map((labels) => stack().render({ ...agent, ...labels }, declared(agent)));
      if (old!.hash !== now!.hash) changed.add(ap_id);
    });
    return changed;
  }
}

function keyOf(target: string, name: string): string {
  return `${target} ${name}`;
}

function targetOf({ scope, target }: SecretRecord, agent: RenderedAgent, sites: ReadonlyMap<string, string>): Target {
  if (scope === 'agent') return { scope, agent };
  return scope === 'all' ? { scope } : { scope, path: sites.get(target)!, paths: sites.values() };
}

/** In words, for the state of the agent. */
export function problemsInWords({ problems }: Rendered): string {
  return problems
    .map(({ leaf, detail }) => (leaf === '' ? detail : `${leaf}: ${detail}`))
    .join('; ')
    .slice(0, 1000);
}
