// Layers as they are in force, variables and secrets, for callers.
import type {
  ConfigLayer,
  ConfigLayerPage,
  ConfigLayerVersionPage,
  ConfigSecret,
  ConfigSecretPage,
  ConfigVariablePage,
  ConfigVariableSet,
  Reconfigured,
} from '@weft/contract';
import type { AuditService } from '../../audit/audit-service.ts';
import type { AuditLog } from '../../audit/audit-store.ts';
import type { Caller } from '../../caller.ts';
import { ConflictError, NotFoundError, PermissionError } from '../../errors.ts';
import type { FleetIndex } from '../../fleet/index/fleet-index.ts';
import { invalidValue } from '../../input/value-rules.ts';
import { type PageQuery, readNameCursor, toNameCursor } from '../../lists/list-cursor.ts';
import { rightsOf } from '../../rights/rights.ts';
import type { Keyring } from '../../secrets.ts';
import type { SiteStore } from '../../sites/site-store.ts';
import { inSlices, mapInSlices } from '../../time-slices.ts';
import { mayConfigure, seesAllConfig, visibleLayers } from '../config-rights.ts';
import { contextOf } from '../delivery/config-delivery.ts';
import type { LayersInForce } from '../layers-in-force.ts';
import { type Layer, LayerStack, noContext } from '../model/render.ts';
import { secretsOf } from '../model/settings.ts';
import { isManaged } from '../reconciler.ts';
import type { LayerStore, SecretRecord, Variable } from '../store/layer-store.ts';
import type { RolloutStore } from '../store/rollout-store.ts';

/** Above every version: the largest number that the column takes. */
const newestVersion = 2_147_483_647;

export interface ConfigServiceOptions {
  store: LayerStore;
  inForce: LayersInForce;
  rollouts: Pick<RolloutStore, 'open'>;
  index: FleetIndex;
  sites: Pick<SiteStore, 'find' | 'get'>;
  keyring: Pick<Keyring, 'encrypt'>;
  audit: AuditService;
  auditLog: Pick<AuditLog, 'append'>;
  /** Something of it has changed: to be done soon. */
  onChanged: () => void;
  now: () => number;
}

export class ConfigService {
  readonly #options: ConfigServiceOptions;

  constructor(options: ConfigServiceOptions) {
    this.#options = options;
  }

  /** The heaviest first. */
  async layers(caller: Caller, { cursor, limit }: PageQuery): Promise<ConfigLayerPage> {
    const { inForce, index } = this.#options;
    const { layers } = await inForce.current();
    const sorted = (await visibleLayers(caller, layers, index)).sort(
      (a, b) => b.weight - a.weight || (a.id < b.id ? -1 : 1),
    );
    const after = readNameCursor(cursor, 'layers', () => true);
    const start = after === undefined ? 0 : sorted.findIndex(({ id }) => id === after) + 1;
    const items = await this.#counted(caller, sorted.slice(start, start + limit));
    return { items, next: start + limit < sorted.length ? toNameCursor(items.at(-1)!.id, 'layers') : null };
  }

  /** Throws NotFoundError for one that is not in force or that the caller may not see. */
  async layer(caller: Caller, id: string): Promise<ConfigLayer> {
    const { layers } = await this.#options.inForce.current();
    const found = layers.filter((layer) => layer.id === id);
    const [layer] = await visibleLayers(caller, found, this.#options.index);
    if (!layer) throw layerNotFound();
    return (await this.#counted(caller, [layer]))[0]!;
  }

  /** Each with how many access points it is about. */
  async #counted(caller: Caller, layers: readonly Layer[]): Promise<ConfigLayer[]> {
    const { index } = this.#options;
    await index.refresh();
    const stack = new LayerStack(layers, noContext);
    const counts = new Map<string, number>();
    await inSlices(index.agents, (agent) => {
      if (!isManaged(agent) || !rightsOf(caller).sees(agent)) return;
      for (const { id } of stack.matching(agent)) counts.set(id, (counts.get(id) ?? 0) + 1);
    });
    return layers.map((layer) => ({ ...layer, access_points: counts.get(layer.id) ?? 0 }));
  }

  /** Newest first; also of a layer that has ended. Each is seen by whom it was about. */
  async versions(caller: Caller, id: string, { cursor, limit }: PageQuery): Promise<ConfigLayerVersionPage> {
    const before = Number(readNameCursor(cursor, 'versions', (name) => /^[0-9]{1,9}$/.test(name)) ?? newestVersion);
    const found = await this.#options.store.versions(id, before, limit);
    const visible = await visibleLayers(caller, found, this.#options.index);
    if (visible.length === 0 && (found.length === 0 || before === newestVersion)) throw layerNotFound();
    const items = visible.map(({ layer_id, created_at, ...version }) => ({
      ...version,
      id: layer_id,
      created_at: new Date(created_at).toISOString(),
    }));
    return { items, next: found.length === limit ? toNameCursor(String(found.at(-1)!.version), 'versions') : null };
  }

  async variables(caller: Caller, { cursor, limit }: PageQuery): Promise<ConfigVariablePage> {
    const { store, index, sites } = this.#options;
    await index.refresh();
    const names = new Map(index.agents.map((agent) => [agent.id, agent]));
    const all = (await store.variables()).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const after = readNameCursor(cursor, 'variables', () => true) ?? '';
    const items: ConfigVariablePage['items'] = [];
    let last: Variable | undefined;
    for (const variable of all) {
      if (keyOf(variable) <= after) continue;
      if (items.length === limit) return { items, next: toNameCursor(keyOf(last!), 'variables') };
      const agent = variable.scope === 'agent' ? names.get(variable.target) : undefined;
      const site = variable.scope === 'site' ? (await sites.get(variable.target))?.path : undefined;
      const isSeen = agent ? mayConfigure(caller, agent) || seesAllConfig(caller) : this.#seesSite(caller, site);
      if (!isSeen || (!agent && site === undefined)) continue;
      const { name, value, updated_at } = variable;
      items.push({
        ap_id: agent?.ap_id ?? null,
        site: site ?? null,
        name,
        value,
        updated_at: new Date(updated_at).toISOString(),
      });
      last = variable;
    }
    return { items, next: null };
  }

  /** Resolves how many access points get other settings by it, at once. */
  async setVariable(caller: Caller, { ap_id, site, name, value }: ConfigVariableSet): Promise<Reconfigured> {
    const { store, index, sites, audit, now, onChanged } = this.#options;
    if ((ap_id === undefined) === (site === undefined))
      throw invalidValue(['body'], 'should have either ap_id or site');
    await index.refresh();
    const agent = ap_id === undefined ? undefined : index.get(ap_id);
    const found = site === undefined ? undefined : await sites.find(site);
    if (agent && !mayConfigure(caller, agent)) rightsOf(caller).requireManager(agent);
    if (!agent && !found)
      throw new NotFoundError(
        ap_id === undefined ? 'site_not_found' : 'agent_not_found',
        ap_id === undefined ? 'Site not found' : 'Agent not found',
      );
    if (found && !this.#managesSite(caller, found.path))
      throw new PermissionError('not_permitted', 'You may set only variables of sites that you manage as a whole');
    const before = await this.#hashes();
    const target = { scope: agent ? ('agent' as const) : ('site' as const), target: agent?.id ?? found!.id, name };
    const also = audit.entry<unknown>(() => ({
      actor: caller,
      action: value === null ? 'config_variable_removed' : 'config_variable_set',
      target: { kind: 'config_variable', name: `${ap_id ?? site} ${name}` },
      detail: { ...(value !== null && { value }) },
    }));
    await store.setVariable(target, value ?? undefined, caller, now(), also);
    onChanged();
    const after = await this.#hashes();
    let reconfigured = 0;
    for (const [id, hash] of after) if (before.get(id) !== hash) reconfigured++;
    return { reconfigured };
  }

  async secrets(_caller: Caller, { cursor, limit }: PageQuery): Promise<ConfigSecretPage> {
    const after = readNameCursor(cursor, 'secrets', () => true) ?? '';
    const all = (await this.#options.store.secrets()).filter(({ name }) => name > after);
    const items = all.slice(0, limit).map(toSecret);
    return { items, next: all.length > limit ? toNameCursor(items.at(-1)!.name, 'secrets') : null };
  }

  async setSecret(caller: Caller, name: string, value: string): Promise<ConfigSecret> {
    const { store, keyring, auditLog, now, onChanged } = this.#options;
    this.#requireWhole(caller);
    const seal = () => keyring.encrypt(value, contextOf(name));
    const key = { scope: 'all', target: '', name } as const;
    const owner = { owner_kind: caller.kind, owner_id: caller.id };
    const entry = { actor: caller, action: 'config_secret_set', target: { kind: 'config_secret', name }, detail: {} };
    const secret = await store.setSecret(key, { ...owner, seal, by: caller }, now(), (tx) =>
      auditLog.append(tx, [entry]),
    );
    onChanged();
    return toSecret(secret!);
  }

  /** Throws ConflictError while a layer names it that is in force, or part of a roll-out that is not over. */
  async removeSecret(caller: Caller, name: string): Promise<void> {
    const { store, auditLog, inForce, rollouts, onChanged } = this.#options;
    const { secrets, layers } = await inForce.current();
    if (!secrets.has(name)) throw secretNotFound();
    this.#requireWhole(caller);
    const ahead = (await rollouts.open()).flatMap(({ changes }) => changes.after);
    const used = [...layers, ...ahead].find(({ settings }) => secretsOf(settings).has(name));
    if (used) throw new ConflictError('secret_in_use', `The layer ${used.name} uses this secret`);
    const target = { kind: 'config_secret', name };
    const entry = { actor: caller, action: 'config_secret_removed', target, detail: {} };
    const key = { scope: 'all', target: '', name } as const;
    if (!(await store.removeSecret(key, (tx) => auditLog.append(tx, [entry])))) throw secretNotFound();
    onChanged();
  }

  /** Secrets may be used by any layer: only who may configure everything sets them. */
  #requireWhole(caller: Caller): void {
    const rights = rightsOf(caller);
    const isWhole = rights.isUser ? rights.isAdmin || rights.selectorsOf('manager').includes('') : rights.seesAll;
    if (!isWhole) throw new PermissionError('not_permitted', 'Secrets are set by who manages all access points');
  }

  async #hashes(): Promise<Map<string, string>> {
    const { inForce, index } = this.#options;
    const stack = (await inForce.current()).stack();
    const agents = index.agents.filter((agent) => isManaged(agent) && stack.matching(agent).length > 0);
    const declared = await inForce.declared(agents);
    return new Map(await mapInSlices(agents, (agent) => [agent.id, stack.render(agent, declared(agent)).hash]));
  }

  #seesSite(caller: Caller, site: string | undefined): boolean {
    if (site === undefined || seesAllConfig(caller)) return site !== undefined;
    return this.#agentsBelow(site).some((agent) => mayConfigure(caller, agent));
  }

  #managesSite(caller: Caller, site: string): boolean {
    const rights = rightsOf(caller);
    if (rights.isAdmin) return true;
    const below = this.#agentsBelow(site);
    return below.length > 0 && below.every((agent) => mayConfigure(caller, agent));
  }

  #agentsBelow(site: string) {
    return this.#options.index.agents.filter((agent) => agent.site === site || agent.site?.startsWith(`${site}/`));
  }
}

function keyOf({ scope, target, name }: Variable): string {
  return `${scope} ${target} ${name}`;
}

function toSecret({ name, version, updated_at }: SecretRecord): ConfigSecret {
  return { name, version, updated_at: new Date(updated_at).toISOString() };
}

function secretNotFound(): NotFoundError {
  return new NotFoundError('secret_not_found', 'Secret not found');
}

export function layerNotFound(): NotFoundError {
  return new NotFoundError('layer_not_found', 'Layer not found');
}
