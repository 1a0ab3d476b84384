// Agents: creates, changes and removes the records of access points, and authenticates agents for auth. Enrolment
// is in enrolment-service.
import { toApId } from '@weft/contract/ap-id';
import { ownOf } from '@weft/contract/is-object';
import { generateAgentSecret } from '@weft/sdk/agent-secret';
import type { Actor, AgentCaller, Caller, CredentialRef, Principal, PrincipalSource } from '../../base/caller.ts';
import { AuthenticationError, notFound, orNotFound, tooMany } from '../../base/errors.ts';
import type { PasswordHasher, PasswordTurn } from '../../base/password-hasher.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import { generateSecret } from '../../base/secrets.ts';
import type { Budget } from '../../base/shares/budget.ts';
import { principalOf } from '../../base/shares/shares.ts';
import type { InSameTransaction, SqlQueries } from '../../base/storage/sql-database.ts';
import type { Network } from '../../network/network.ts';
import type { AuditService } from '../audit/audit-service.ts';
import type { CallerChanges } from '../audit/caller-changes.ts';
import {
  type NewAgent,
  refuseChange,
  type TaggedAgent,
  toChange,
  toNewRecord,
  toPrincipal,
  toTaggedAgent,
} from './agent-answers.ts';
import { agentCreated, agentOnboarded, agentRemoved, agentUpdated } from './agent-entries.ts';
import { hashOf, isGeneratedHash, isPassword, refuseReplaced } from './agent-password.ts';
import {
  type AgentChange,
  type AgentRecord,
  agentExists,
  mergedConfiguration,
  noLabels,
  withoutReadOnlyKeys,
} from './agent-record.ts';
import type { AgentStore } from './agent-store.ts';

export interface AgentServiceOptions {
  network: Pick<Network, 'visibleTo'>;
  agents: AgentStore;
  hasher: PasswordHasher;
  changes: CallerChanges;
  audit: AuditService;
  maxAgents: number;
  /** Called for every new agent and every changed configuration; must not throw. */
  onConfigured?: (agent: { ap_id: string; configuration: Record<string, unknown> }) => void;
  /** Deletes what is stored elsewhere under an agent's name; default: nothing. */
  forgetData?: (ap_id: string) => Promise<void>;
  /** What an agent may change of itself; default: any number. */
  ownChanges?: Budget;
}

export class AgentService implements PrincipalSource {
  readonly #options: AgentServiceOptions;
  readonly #agents: AgentStore;

  constructor(options: AgentServiceOptions) {
    this.#options = options;
    this.#agents = options.agents;
  }

  /** Throws NotFoundError for an agent that is unknown or that the caller may not read. */
  readonly get = async (ap_id: string, caller: Caller) => (await this.getTagged(ap_id, caller)).agent;

  async getTagged(ap_id: string, caller: Caller): Promise<TaggedAgent> {
    (await this.#options.network.visibleTo(caller)).require(ap_id);
    return toTaggedAgent(orNotFound(await this.#agents.get(ap_id), 'Agent'));
  }

  async create({ ap_id, password, configuration }: NewAgent, by: Actor): Promise<TaggedAgent> {
    rightsOf(by).requireManagerOfNew({ ap_id, emulated_for: null, ...noLabels });
    return (await this.register({ ap_id, password, configuration }, by, async (agent, also) => {
      await this.#agents.create(agent, also);
      return true;
    }))!;
  }

  /** Creates the record of a new agent and passes it to `write`. Resolves undefined if `write` did not store it. */
  async register(
    input: NewAgent,
    by: Actor,
    write: (agent: AgentRecord, also: InSameTransaction<AgentRecord>) => Promise<boolean>,
  ): Promise<TaggedAgent | undefined> {
    await this.requireRoomFor(1);
    // Checked before a password is hashed: access points that restart with their enrolment token get here each time.
    if (await this.#agents.get(input.ap_id)) throw agentExists();
    const agent = toNewRecord(
      input,
      await hashOf(input.password, this.#options.hasher, { principal: principalOf(by) }),
    );
    // Checked again: hashing is slow, and others may have been created meanwhile.
    await this.requireRoomFor(1);
    // Late telemetry of an earlier agent with this name may still be stored.
    if (!(await this.#agents.get(agent.ap_id))) await this.#options.forgetData?.(agent.ap_id);
    const also = this.#options.audit.entry<AgentRecord>(() => agentCreated(by, agent));
    if (!(await write(agent, also))) return undefined;
    this.#options.onConfigured?.(agent);
    return toTaggedAgent(agent);
  }

  /** Called when the records of emulated agents are durable; the emulator service creates them with their network. */
  emulated(agents: readonly AgentRecord[]): void {
    for (const agent of agents) this.#options.onConfigured?.(agent);
  }

  /** Throws TryLaterError 429 `too_many_agents` if this number of agents would exceed the limit. Emulated ones keep no real ones out. */
  async requireRoomFor(more: number, { areEmulated = false } = {}): Promise<void> {
    if ((await this.#agents.count()) + more <= this.#options.maxAgents) return;
    const counted = areEmulated ? await this.#agents.countPresent() : await this.#agents.countReal();
    if (counted + more > this.#options.maxAgents) throw tooMany('too_many_agents', this.#options.maxAgents);
  }

  /** Throws PreconditionError if the record is not what `ifMatch` names, in the transaction of the change. */
  async update(
    ap_id: string,
    input: { password?: string | null; configuration?: Record<string, unknown> | null },
    by: Actor,
    ifMatch?: string,
  ): Promise<TaggedAgent> {
    const { agent } = rightsOf(by);
    if (agent) refuseChange(this.takeOwnChange(agent));
    const change: AgentChange = {};
    if (input.configuration) change.configuration = withoutReadOnlyKeys(input.configuration);
    if (input.password) {
      if (!(await this.#agents.get(ap_id))) throw notFound('Agent');
      change.password_hash = await hashOf(input.password, this.#options.hasher, { principal: principalOf(by) });
      change.ver = generateSecret();
      change.isReplaced = agent === undefined;
    }
    if (ifMatch !== undefined) change.ifMatch = ifMatch;
    const after = await (Object.keys(change).length > 0 ? this.#update(ap_id, change, by) : this.#agents.get(ap_id));
    if (!after) throw notFound('Agent');
    if (change.configuration) this.#options.onConfigured?.(after);
    return toTaggedAgent(after);
  }

  #update(ap_id: string, change: AgentChange, by: Actor): Promise<AgentRecord | undefined> {
    return this.#options.changes.make<AgentRecord, AgentRecord | undefined>(
      ({ before, after }) => ({
        entry: agentUpdated(by, before!, after!),
        ...(change.ver && { change: { ...toChange(after!, 'changed', by), caller: toPrincipal(after!).caller } }),
      }),
      (also) => this.#agents.update(ap_id, change, also),
    );
  }

  /**
   * Whether merging these top-level keys would change the agent's configuration. Throws AuthenticationError if the agent
   * does not exist any more, ValidationError if the result would be too large.
   */
  async wouldChangeConfiguration(agent: AgentCaller, keys: Record<string, unknown>): Promise<boolean> {
    const record = await this.#agents.get(agent.name);
    if (record?.id !== agent.id) throw new AuthenticationError('invalid_token', 'Could not validate credentials');
    const before = record.configuration;
    const merged = mergedConfiguration(before, keys);
    return Object.keys(merged).some((key) => JSON.stringify(merged[key]) !== JSON.stringify(ownOf(before, key)));
  }

  /** 0, or the seconds after which the agent may change itself again: each change is an entry of the audit log, for ever. */
  readonly takeOwnChange = ({ name }: AgentCaller): number => this.#options.ownChanges?.spend(name, 1) ?? 0;

  /**
   * Merges these top-level keys into the agent's configuration; concurrent merges do not overwrite each other. Does
   * nothing if the agent does not exist any more; throws ValidationError if the result would be too large.
   */
  async mergeConfiguration(agent: AgentCaller, keys: Record<string, unknown>): Promise<void> {
    const after = await this.#agents.changeConfiguration(
      agent.name,
      ({ id, configuration }) => (id === agent.id ? mergedConfiguration(configuration, keys) : configuration),
      this.#options.audit.entry(({ before, after }) => agentUpdated(agent, before!, after!)),
    );
    if (after) this.#options.onConfigured?.(after);
  }

  async remove(ap_id: string, by: Actor): Promise<void> {
    const agent = orNotFound(await this.#agents.get(ap_id), 'Agent');
    rightsOf(by).requireManager(agent);
    // The data first: if its store is unavailable, the agent is not deleted either and the request can be repeated.
    await this.#options.forgetData?.(ap_id);
    const isRemoved = await this.#options.changes.make<AgentRecord, boolean>(
      ({ before }) => ({ entry: agentRemoved(by, before!), change: toChange(before!, 'removed', by) }),
      (also) => this.#agents.remove(ap_id, also),
    );
    if (!isRemoved) throw notFound('Agent');
  }

  async principal(name: string): Promise<Principal | undefined> {
    const agent = await this.#agents.get(toApId(name));
    return agent && toPrincipal(agent);
  }

  revision(): Promise<number> {
    return this.#agents.revision();
  }

  async present(tx: SqlQueries, refs: readonly CredentialRef[]): Promise<Caller[]> {
    return (await this.#agents.byIds(tx, refs)).map((agent) => toPrincipal(agent).caller);
  }

  /** The first successful login sets `onboard`. */
  async authenticate(ap_id: string, password: string, turn?: PasswordTurn): Promise<Principal | undefined> {
    const agent = await this.#agents.get(toApId(ap_id));
    if (!(await isPassword(agent?.password_hash, password, this.#options.hasher, turn)))
      return refuseReplaced(password, (hash) => this.#agents.isReplaced(toApId(ap_id), hash));
    const principal = toPrincipal(agent!);
    if (!agent!.onboard) {
      const also = this.#options.audit.entry<AgentRecord>(({ before }) => agentOnboarded(principal.caller, before!));
      await this.#agents.update(agent!.ap_id, { onboard: true }, also);
    }
    return principal;
  }

  /** A secret for an agent whose password has to be checked slowly; undefined if it has none. Nothing is stored. */
  async offerSecret(agent: AgentCaller): Promise<string | undefined> {
    const record = await this.#agents.get(agent.name);
    return record?.id === agent.id && !isGeneratedHash(record.password_hash) ? generateAgentSecret() : undefined;
  }
}
