// Variables and secrets of access points, of sites and of the installation, for callers. Who manages all of one of these sets them.
import type {
  ConfigSecret,
  ConfigSecretPage,
  ConfigSecretSet,
  ConfigVariablePage,
  ConfigVariableSet,
  Reconfigured,
} from '@weft/contract/operations';
import type { AuditService } from '../../../core/accounts/audit/audit-service.ts';
import type { AuditLog } from '../../../core/accounts/audit/audit-store.ts';
import type { Caller } from '../../../core/base/caller.ts';
import { ConflictError, notFound, PermissionError } from '../../../core/base/errors.ts';
import { invalidValue } from '../../../core/base/input/value-rules.ts';
import { type PageQuery, readNameCursor, toNameCursor } from '../../../core/base/lists/list-cursor.ts';
import { rightsOf } from '../../../core/base/rights/rights.ts';
import type { Keyring } from '../../../core/base/secrets.ts';
import { mapInSlices } from '../../../core/base/time-slices.ts';
import type { AgentRow } from '../../../core/network/agent-rows.ts';
import type { Network } from '../../../core/network/network.ts';
import { managedSelectors, mayConfigure, seesAllConfig } from '../config-rights.ts';
import { contextOf } from '../delivery/config-delivery.ts';
import type { LayersInForce } from '../layers-in-force.ts';
import { coversTarget } from '../model/reach.ts';
import { LayerStack, noContext } from '../model/render.ts';
import { isKept, leavesOf, secretsOf, tooManyDigits } from '../model/settings.ts';
import { isManaged } from '../reconciler.ts';
import type { LayerStore, SecretRecord, ValueKey } from '../store/layer-store.ts';
import type { RolloutStore } from '../store/rollout-store.ts';

type Target = Omit<ValueKey, 'name'>;
type Place = Pick<ConfigSecretSet, 'ap_id' | 'site'>;

export interface ValuesServiceOptions {
  store: LayerStore;
  inForce: LayersInForce;
  rollouts: Pick<RolloutStore, 'open'>;
  network: Network;
  keyring: Pick<Keyring, 'encrypt' | 'decrypt' | 'canDecrypt'>;
  audit: AuditService;
  auditLog: Pick<AuditLog, 'append'>;
  /** Something of it has changed: to be done soon. */
  onChanged: () => void;
  now: () => number;
}

export class ValuesService {
  readonly #options: ValuesServiceOptions;

  constructor(options: ValuesServiceOptions) {
    this.#options = options;
  }

  async variables(caller: Caller, query: PageQuery): Promise<ConfigVariablePage> {
    const all = await this.#options.store.variables();
    return this.#page(caller, query, 'variables', all, ({ name, value, updated_at }) => ({
      name,
      value,
      updated_at: new Date(updated_at).toISOString(),
    }));
  }

  /** Resolves how many access points get other settings by it, at once. */
  async setVariable(caller: Caller, { ap_id, site, name, value }: ConfigVariableSet): Promise<Reconfigured> {
    const { store, audit, now, onChanged } = this.#options;
    if (ap_id === undefined && site === undefined) throw invalidValue(['body'], 'should have either ap_id or site');
    if (!isKept(value)) throw invalidValue(['body', 'value'], tooManyDigits);
    const target = { ...(await this.#target(caller, { ap_id, site })), name };
    const before = await this.#hashes();
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

  /** Those that the caller may set, and those that are shared with what it configures. */
  async secrets(caller: Caller, query: PageQuery): Promise<ConfigSecretPage> {
    return this.#page(caller, query, 'secrets', await this.#options.store.secrets(), toSecret);
  }

  async setSecret(
    caller: Caller,
    { ap_id, site, name, value, shared, to_site }: ConfigSecretSet,
  ): Promise<ConfigSecret> {
    const { store, keyring, auditLog, now, onChanged } = this.#options;
    if (value === undefined && shared === undefined && to_site === undefined)
      throw invalidValue(['body'], 'should have a value, shared or to_site');
    const from = { ...(await this.#target(caller, { ap_id, site })), name };
    const isForAdmins = to_site !== undefined || (shared !== undefined && from.scope === 'all');
    if (isForAdmins && !rightsOf(caller).isAdmin)
      throw new PermissionError(
        'not_permitted',
        'Only an administrator shares a secret of the installation, or moves one',
      );
    const key = to_site === undefined ? from : { ...(await this.#target(caller, { site: to_site })), name };
    const isMoved = key.target !== from.target;
    if (isMoved) await this.#requireUnused(from, to_site);
    const seal = (before: SecretRecord | undefined) => {
      if (value !== undefined) return keyring.encrypt(value, contextOf(key));
      if (!before || !isMoved) return undefined;
      if (!keyring.canDecrypt(before.value))
        throw new ConflictError('secret_unreadable', 'It was encrypted with a key that is gone: give its value too');
      return keyring.encrypt(keyring.decrypt(before.value, contextOf(before)), contextOf(key));
    };
    const owner = { owner_kind: caller.kind, owner_id: caller.id };
    const change = { ...owner, by: caller, seal, is_shared: shared, from: isMoved ? from : undefined };
    const detail = { ap_id, site, shared, to_site };
    const entry = { actor: caller, action: 'config_secret_set', target: { kind: 'config_secret', name }, detail };
    const secret = await store.setSecret(key, change, now(), (tx) => auditLog.append(tx, [entry]));
    if (!secret) throw notFound('Secret');
    onChanged();
    const place: Place = isMoved ? { site: to_site } : { ap_id, site };
    return { ap_id: place.ap_id ?? null, site: place.site ?? null, ...toSecret(secret) };
  }

  /** Throws ConflictError while an access point has it by a layer that is in force, or part of a roll-out that is not over. */
  async removeSecret(caller: Caller, name: string, { ap_id, site }: Place): Promise<void> {
    const { store, auditLog, onChanged } = this.#options;
    const key = { ...(await this.#target(caller, { ap_id, site })), name };
    await this.#requireUnused(key);
    const target = { kind: 'config_secret', name };
    const entry = { actor: caller, action: 'config_secret_removed', target, detail: { ap_id, site } };
    if (!(await store.removeSecret(key, (tx) => auditLog.append(tx, [entry])))) throw notFound('Secret');
    onChanged();
  }

  /** By who has it now, below `except` nobody; of the installation also by a layer that is about nobody yet. */
  async #requireUnused({ target, scope, name }: ValueKey, except?: string): Promise<void> {
    const { inForce, rollouts, network } = this.#options;
    const { layers, nearest } = await inForce.current();
    const ahead = (await rollouts.open()).flatMap(({ changes }) => changes.after);
    const naming = [...layers, ...ahead].filter(({ settings }) => secretsOf(settings).has(name));
    for (const layer of naming) {
      const stack = new LayerStack([layer], noContext);
      const about = network.agents.filter((agent) => isManaged(agent) && stack.matching(agent).length > 0);
      const leaves = [...leavesOf(layer.settings)].filter(([, value]) => secretsOf(value).has(name));
      const reach = new Map(layer.reach);
      const uses = (agent: AgentRow) =>
        leaves.some(([leaf]) => nearest(agent, name, reach.get(leaf) ?? [])?.target === target);
      const isUsed =
        about.length === 0
          ? scope === 'all'
          : about.some((agent) => uses(agent) && (except === undefined || !isBelow(agent.site, except)));
      if (isUsed) throw new ConflictError('secret_in_use', `The layer ${layer.name} uses this secret`);
    }
  }

  /** What a variable or secret belongs to. Throws PermissionError unless the caller manages all of it. */
  async #target(caller: Caller, { ap_id, site }: Place): Promise<Target> {
    const { network } = this.#options;
    if (ap_id !== undefined && site !== undefined) throw invalidValue(['body'], 'should have either ap_id or site');
    await network.fresh();
    const agent = ap_id === undefined ? undefined : network.get(ap_id);
    const id = [...network.sites].find(([, path]) => path === site)?.[0];
    const isOwn = agent !== undefined && mayConfigure(caller, agent);
    if (agent && !isOwn) rightsOf(caller).requireManager(agent);
    if (ap_id !== undefined && !isOwn) throw notFound('Agent');
    if (site !== undefined && id === undefined) throw notFound('Site');
    if (agent) return { scope: 'agent', target: agent.id };
    const target: Target = id === undefined ? { scope: 'all', target: '' } : { scope: 'site', target: id };
    if (this.#manages(caller, target)) return target;
    const sight = network.sight(caller);
    const sees = (each: AgentRow) => isBelow(each.site, site) && sight.sees(each);
    if (site !== undefined && !seesAllConfig(caller) && !network.agents.some(sees)) throw notFound('Site');
    const what = id === undefined ? 'Those of the installation are' : 'Those of a site and all below it are';
    throw new PermissionError('not_permitted', `${what} set by who manages every access point there, now and later`);
  }

  /** Whether it manages every access point there, now and later; not for one access point. */
  #manages(caller: Caller, { scope, target }: Target): boolean {
    const { sites } = this.#options.network;
    const path = sites.get(target) ?? '';
    const whole = scope === 'all' ? ({ scope } as const) : ({ scope: 'site', path, paths: sites.values() } as const);
    return coversTarget(managedSelectors(caller), whole);
  }

  /** Of the records that the caller may see, each with what it belongs to. */
  async #page<Stored extends ValueKey & { is_shared?: boolean }, Told extends object>(
    caller: Caller,
    { cursor, limit }: PageQuery,
    list: 'variables' | 'secrets',
    stored: readonly Stored[],
    tell: (record: Stored) => Told,
  ) {
    const { network } = this.#options;
    await network.fresh();
    const agents = new Map(network.agents.map((agent) => [agent.id, agent]));
    const seen = new Map<string, boolean>();
    const isSeen = (record: Stored) => {
      const { target, is_shared } = record;
      const key = `${target} ${is_shared}`;
      if (!seen.has(key)) seen.set(key, this.#isSeen(caller, record, agents.get(target)));
      return seen.get(key);
    };
    const after = readNameCursor(cursor, list, () => true) ?? '';
    const left = stored
      .filter((each) => keyOf(each) > after && isSeen(each))
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const items = left.slice(0, limit).map((record) => ({
      ap_id: agents.get(record.target)?.ap_id ?? null,
      site: network.sites.get(record.target) ?? null,
      ...tell(record),
    }));
    return { items, next: left.length > limit ? toNameCursor(keyOf(left[limit - 1]!), list) : null };
  }

  /** Variables, and secrets that are shared, by who configures an access point that gets them; others by who sets them. */
  #isSeen(caller: Caller, record: Target & { is_shared?: boolean }, agent: AgentRow | undefined): boolean {
    const { scope, target, is_shared = true } = record;
    const { network } = this.#options;
    if (scope === 'agent') return agent !== undefined && (mayConfigure(caller, agent) || seesAllConfig(caller));
    const path = network.sites.get(target);
    if (scope === 'site' && path === undefined) return false;
    if (seesAllConfig(caller) || this.#manages(caller, record)) return true;
    return is_shared && network.agents.some((each) => isBelow(each.site, path) && mayConfigure(caller, each));
  }

  async #hashes(): Promise<Map<string, string>> {
    const { inForce, network } = this.#options;
    const stack = (await inForce.current()).stack();
    const agents = network.agents.filter((agent) => isManaged(agent) && stack.matching(agent).length > 0);
    const declared = await inForce.declared(agents);
    return new Map(await mapInSlices(agents, (agent) => [agent.id, stack.render(agent, declared(agent)).hash]));
  }
}

/** In this site or below it; without one: everywhere. */
function isBelow(site: string | null, path: string | undefined): boolean {
  return path === undefined || site === path || (site?.startsWith(`${path}/`) ?? false);
}

function keyOf({ scope, target, name }: ValueKey): string {
  return `${scope} ${target} ${name}`;
}

function toSecret(secret: SecretRecord): Omit<ConfigSecret, 'ap_id' | 'site'> {
  const { name, is_shared: shared, version, updated_at } = secret;
  return { name, shared, version, updated_at: new Date(updated_at).toISOString() };
}
