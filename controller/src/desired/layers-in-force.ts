// The layers in force, variables and secrets in the memory of this node, and what they make of an access point, also with the change of
// a roll-out or of a draft in place of some layers.
import { BoundedMap } from '@weft/contract/bounded-map';
import { type DeclaredSetting, readDeclaredSettings } from '@weft/contract/declared-settings';
import type { Relabelled } from '../events.ts';
import type { FleetIndex, IndexedAgent } from '../fleet/index/fleet-index.ts';
import type { FleetStore } from '../fleet/index/fleet-store.ts';
import type { SiteStore } from '../sites/site-store.ts';
import { inSlices } from '../time-slices.ts';
import { type Layer, LayerStack, type Rendered, unusableOf, type VariableValue } from './model/render.ts';
import type { LayerStore, SecretRecord } from './store/layer-store.ts';

/** Layers that stand in place of those in force, unless these are newer. */
export interface LayerOverlay {
  after: readonly Layer[];
  /** With which version each of these ends. */
  ends: Readonly<Record<string, number>>;
}

export interface InForce {
  layers: readonly Layer[];
  secrets: ReadonlyMap<string, SecretRecord>;
  /** What it makes of agents; with an overlay, what it would. */
  stack(overlay?: LayerOverlay): LayerStack;
}

export interface LayersInForceOptions {
  store: LayerStore;
  sites: Pick<SiteStore, 'get'>;
  index: FleetIndex;
  configurations: FleetStore['configurations'];
}

const maxModels = 1_000;

type Declared = ReadonlyMap<string, DeclaredSetting>;

export class LayersInForce {
  readonly #options: LayersInForceOptions;
  /** Unusable ones in force, as they were read last. */
  leftOut: readonly Layer[] = [];
  #revision = -1;
  #known: InForce | undefined;
  /** Of an agent as it was read: another configuration is another object. */
  readonly #declared = new WeakMap<IndexedAgent, Declared>();
  /** By its JSON: those of one model declare the same, and are rendered alike. */
  readonly #models = new BoundedMap<string, Declared>(maxModels);

  constructor(options: LayersInForceOptions) {
    this.#options = options;
  }

  /** Reads what has changed; resolves the revision of what is known now. */
  async read(): Promise<number> {
    await this.current();
    return this.#revision;
  }

  /** Knows every change that was durable before the call. */
  async current(): Promise<InForce> {
    const { store } = this.#options;
    const revision = await store.revision();
    if (this.#known && revision === this.#revision) return this.#known;
    const layers = await store.layers();
    const variables = await this.#variables();
    const secrets = new Map((await store.secrets()).map((secret) => [secret.name, secret]));
    const context = {
      variable: ({ ap_id, site }: { ap_id: string; site: string | null }, name: string) => variables(ap_id, site, name),
      secretVersion: (name: string) => secrets.get(name)?.version,
    };
    const plain = new LayerStack(layers, context);
    this.#known = {
      layers,
      secrets,
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
    this.leftOut = unusableOf(layers);
    this.#revision = revision;
    return this.#known;
  }

  /** What these agents can be set to; of one that is gone nothing. */
  async declared(agents: readonly IndexedAgent[]): Promise<(agent: IndexedAgent) => Declared> {
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
    await this.#options.index.refresh();
    const { layers, stack } = await this.current();
    const changed = new Set<string>();
    if (layers.length === 0) return changed;
    const agents = changes.flatMap(({ ap_id }) => this.#options.index.get(ap_id) ?? []);
    const declared = await this.declared(agents);
    await inSlices(changes, ({ ap_id, before, after }) => {
      const agent = this.#options.index.get(ap_id);
      if (!agent) return;
      const [old, now] = [before, after].map((labels) => stack().render({ ...agent, ...labels }, declared(agent)));
      if (old!.hash !== now!.hash) changed.add(ap_id);
    });
    return changed;
  }

  /** Of the agent, else of its site, else of the sites above, the nearest first. */
  async #variables(): Promise<(ap_id: string, site: string | null, name: string) => VariableValue | undefined> {
    const { store, sites, index } = this.#options;
    const ofAgents = new Map<string, VariableValue>();
    const ofSites = new Map<string, VariableValue>();
    const paths = new Map<string, string | undefined>();
    for (const { scope, target, name, value } of await store.variables()) {
      if (scope === 'agent') ofAgents.set(`${target} ${name}`, value);
      else {
        if (!paths.has(target)) paths.set(target, (await sites.get(target))?.path);
        const path = paths.get(target);
        if (path !== undefined) ofSites.set(`${name} ${path}`, value);
      }
    }
    return (ap_id, site, name) => {
      const own = ofAgents.get(`${index.get(ap_id)?.id} ${name}`);
      if (own !== undefined || site === null) return own;
      for (let end = site.length; end > 0; end = site.lastIndexOf('/', end - 1)) {
        const value = ofSites.get(`${name} ${site.slice(0, end)}`);
        if (value !== undefined) return value;
      }
      return undefined;
    };
  }
}

/** In words, for the state of the agent. */
export function problemsInWords({ problems }: Rendered): string {
  return problems
    .map(({ leaf, detail }) => (leaf === '' ? detail : `${leaf}: ${detail}`))
    .join('; ')
    .slice(0, 1000);
}
