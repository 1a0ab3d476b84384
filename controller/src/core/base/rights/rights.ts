// What a caller may do, in the few questions that services ask; nothing else looks at the kind of a caller to decide. Users
// without grants see everything and command what they have spun up; users with grants have those; an agent has itself; an app
// what its permissions name. Rights are those of the record that the caller was made from: ask again for a newer one.
import type { AppPermissions, Grant } from '@weft/contract';
import { BoundedMap } from '@weft/contract/bounded-map';
import { matchesGlob } from '@weft/contract/glob';
import { matchesSelector, namesLabel, parseSelector, type Selector } from '@weft/contract/selector';
import type { Actor, AgentCaller, AppCaller, Caller } from '../caller.ts';
import { notFound, PermissionError } from '../errors.ts';
import { parseDateTime } from '../input/date-time.ts';

type Role = Grant['role'];

/** What of an agent decides. */
export interface VisibleAgent {
  ap_id: string;
  /** The id of the caller that created the emulated network; null for a real agent. No caller can write it. */
  emulated_for: string | null;
  /** What people read instead of the ap_id. These three are written by administrators and managers, never by the agent. */
  display_name: string | null;
  /** The path of its site. */
  site: string | null;
  tags: readonly string[];
}

type Labels = Pick<VisibleAgent, 'site' | 'tags'>;

/** Of jobs, commands, emulated networks. */
interface Owned {
  owner_kind: string;
  owner_id: string;
}

export function rightsOf(actor: Actor): Rights {
  return new Rights(actor);
}

export class Rights {
  /** May do everything that people may. */
  readonly isAdmin: boolean;
  readonly isUser: boolean;
  /** The caller, if it is an access point: what it may do is about itself. */
  readonly agent: AgentCaller | undefined;
  readonly app: AppCaller | undefined;
  /** Whether a user has what it was granted and nothing else. */
  readonly hasGrants: boolean;
  readonly #grants: readonly Grant[];
  readonly #actor: Actor;

  constructor(actor: Actor) {
    this.#actor = actor;
    this.isUser = actor.kind === 'user';
    this.isAdmin = actor.kind === 'user' && actor.isAdmin;
    this.#grants = actor.kind === 'user' ? (actor.grants ?? none) : none;
    this.hasGrants = !this.isAdmin && this.#grants.length > 0;
    this.agent = actor.kind === 'agent' ? actor : undefined;
    this.app = actor.kind === 'third_party_app' ? actor : undefined;
  }

  /** The permissions of an app; of all others none, which limits nothing. */
  get limits(): AppPermissions {
    return this.app?.permissions ?? noLimits;
  }

  /** Whether a user has this grant, or one that includes it, on anything. */
  isGranted(role: Role): boolean {
    return this.#grants.some((grant) => includes(grant.role, role));
  }

  /** The selectors of a user's grants of exactly this role; empty for all access points. */
  selectorsOf(role: Role): string[] {
    return this.#grants.filter((grant) => grant.role === role).map(({ selector }) => selector ?? '');
  }

  owns({ owner_kind, owner_id }: Owned): boolean {
    return owner_kind === this.#actor.kind && owner_id === this.#actor.id;
  }

  /** For what only its owner and administrators see. */
  ownsOrAdministers(object: Owned): boolean {
    return this.isAdmin || this.owns(object);
  }

  /** Whether an app hands in results of jobs whoever owns them, as workers do. */
  get isWorker(): boolean {
    return this.limits.callbacks === true && !this.hasExpired();
  }

  /** Whether it may see every agent. */
  get seesAll(): boolean {
    if (this.isUser) return !this.hasGrants || this.isGranted('auditor');
    return this.app !== undefined && this.limits.agents === undefined && this.limits.selector === undefined;
  }

  /** Whether the name alone decides that it may see the agent; if not, its record does. */
  seesName(ap_id: string): boolean {
    if (this.agent) return this.agent.name === ap_id;
    if (this.isUser) return this.seesAll;
    return this.app !== undefined && this.limits.selector === undefined && this.#isWithinPatterns(ap_id);
  }

  /** Users every agent or those of their grants, an agent itself, an app those of its permissions; and all callers those of their own networks. */
  sees(agent: VisibleAgent): boolean {
    if (this.seesName(agent.ap_id) || this.#isOwnNetwork(agent)) return true;
    if (this.isUser) return this.#isGrantedOn('viewer', agent);
    return this.app !== undefined && this.#isWithinPatterns(agent.ap_id) && selects(this.limits.selector, agent);
  }

  /** Whether it may send the agent commands, as far as the agent decides. */
  operates(agent: VisibleAgent): boolean {
    if (!this.isUser) return this.app !== undefined && this.sees(agent);
    if (this.isAdmin) return true;
    const isOwn = this.#isOwnNetwork(agent) && (!this.hasGrants || this.isGranted('operator'));
    return isOwn || this.#isGrantedOn('operator', agent);
  }

  /** Whether it may label and remove the agent. */
  manages(agent: VisibleAgent): boolean {
    return this.isAdmin || this.#isGrantedOn('manager', agent);
  }

  /**
   * Throws NotFoundError or PermissionError for a user who may not label or remove it. Others have been let in for other
   * reasons: Weft itself, an enrolment token, the command line.
   */
  requireManager(agent: VisibleAgent): void {
    if (this.isUser && !this.manages(agent) && !this.sees(agent)) {
      throw notFound('Agent');
    }
    this.requireManagerOfNew(agent);
  }

  /** The same of one that does not exist yet, or not like this: there is nothing to hide. */
  requireManagerOfNew(agent: VisibleAgent): void {
    if (!this.isUser || this.manages(agent)) return;
    throw new PermissionError(
      'not_permitted',
      'You may manage only the access points that an administrator has granted you',
    );
  }

  /**
   * Throws PermissionError for a site or tags that a manager gives or takes and that its own grants do not name: they decide
   * what others may do.
   */
  requireOwnLabels(before: Labels, after: Labels): void {
    if (!this.isUser || this.isAdmin) return;
    const sites = before.site === after.site ? [] : [before.site, after.site].filter((site) => site !== null);
    const tags = [...before.tags, ...after.tags].filter(
      (tag) => before.tags.includes(tag) !== after.tags.includes(tag),
    );
    const own = this.selectorsOf('manager').map(parsed);
    const isOwn = (key: 'site' | 'tag') => (value: string) => own.some((each) => namesLabel(each, key, value));
    const other = sites.find((site) => !isOwn('site')(site)) ?? tags.find((tag) => !isOwn('tag')(tag));
    if (other === undefined) return;
    throw new PermissionError(
      'not_permitted',
      `You may set only sites and tags that your own grants name: not ${other}`,
    );
  }

  /** Whether sites, tags and names decide what it may do. */
  get dependsOnLabels(): boolean {
    return this.hasGrants || this.limits.selector !== undefined;
  }

  /** Whether the time of an app's permissions is over; never for others. An invalid time counts as over. */
  hasExpired(now = Date.now()): boolean {
    const { expires_at } = this.limits;
    if (expires_at === undefined) return false;
    // Parsed as when it was accepted.
    const parsed = parseDateTime(expires_at);
    return !('ms' in parsed && parsed.ms > now);
  }

  #isOwnNetwork({ emulated_for }: VisibleAgent): boolean {
    return (this.isUser || this.app !== undefined) && emulated_for === this.#actor.id;
  }

  #isWithinPatterns(ap_id: string): boolean {
    const { agents } = this.limits;
    return agents === undefined || agents.some((pattern) => matchesGlob(pattern, ap_id));
  }

  #isGrantedOn(role: Role, agent: VisibleAgent): boolean {
    return this.#grants.some((grant) => includes(grant.role, role) && selects(grant.selector, agent));
  }
}

/** Where the permission lets in agents only; this tells the compiler. */
export function requireAgent(caller: Caller): AgentCaller {
  if (caller.kind !== 'agent') throw new PermissionError();
  return caller;
}

const none: readonly Grant[] = [];
const noLimits: AppPermissions = {};

const included: Record<Role, readonly Role[]> = {
  viewer: ['viewer'],
  operator: ['viewer', 'operator'],
  manager: ['viewer', 'operator', 'manager'],
  auditor: ['viewer', 'auditor'],
  none: [],
};

/** Whether who is granted `role` may do what `needed` may. */
function includes(role: Role, needed: Role): boolean {
  return included[role].includes(needed);
}

function selects(text: string | undefined, agent: VisibleAgent): boolean {
  // Managers set display names: rights do not depend on them.
  return text === undefined || matchesSelector(parsed(text), { ...agent, display_name: null, access_point_type: null });
}

/** There are few, and they are asked about for every agent of a list. */
const parsedSelectors = new BoundedMap<string, Selector>(1_000);

function parsed(text: string): Selector {
  return parsedSelectors.getOrInsert(text, () => parseSelector(text));
}
