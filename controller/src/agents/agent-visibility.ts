// What a caller may do with an agent: see it, command it, manage it. Users without grants see everything and command what they
// have spun up; users with grants have those; an agent has itself; an app what its permissions name.
import type { Grant } from '@weft/contract';
import { BoundedMap } from '@weft/contract/bounded-map';
import { matchesGlob } from '@weft/contract/glob';
import { matchesSelector, parseSelector, type Selector } from '@weft/contract/selector';
import {
  type Actor,
  type AppCaller,
  type Caller,
  grantIncludes,
  hasGrants,
  isGranted,
  type UserCaller,
} from '../caller.ts';
import { NotFoundError, PermissionError } from '../errors.ts';

/** What of an agent decides. */
export interface VisibleAgent {
  ap_id: string;
  /** The id of the caller that created the emulated network; null for a real agent. */
  emulated_for: string | null;
  /** These three are written by administrators and managers, never by the agent. */
  display_name: string | null;
  site: string | null;
  tags: readonly string[];
}

/** Users may read every agent or those of their grants, an agent itself, an app the agents of its permissions; and all callers those of their own networks. */
export function canSeeAgent(caller: Caller, agent: VisibleAgent): boolean {
  if (canSeeName(caller, agent.ap_id) || isOwnNetwork(caller, agent)) return true;
  if (caller.kind === 'agent') return false;
  if (caller.kind === 'user') return isGrantedOn(caller, 'viewer', agent);
  return isWithinGlobs(caller, agent.ap_id) && selects(caller.permissions.selector, agent);
}

/** Whether the caller may send it commands, as far as the agent decides. */
export function mayOperate(caller: Caller, agent: VisibleAgent): boolean {
  if (caller.kind === 'agent') return false;
  if (caller.kind === 'third_party_app') return canSeeAgent(caller, agent);
  if (caller.isAdmin) return true;
  const isOwn = isOwnNetwork(caller, agent) && (!hasGrants(caller) || isGranted(caller, 'operator'));
  return isOwn || isGrantedOn(caller, 'operator', agent);
}

/** Whether the caller may label it, and remove it. */
export function mayManage(caller: Caller, agent: VisibleAgent): boolean {
  return caller.kind === 'user' && (caller.isAdmin || isGrantedOn(caller, 'manager', agent));
}

/**
 * Throws NotFoundError or PermissionError for a user who may not label or remove it. Others have been let in for other reasons:
 * Weft itself, an enrolment token, the command line.
 */
export function requireManager(by: Actor, agent: VisibleAgent): void {
  if (by.kind === 'user' && !mayManage(by, agent) && !canSeeAgent(by, agent)) {
    throw new NotFoundError('agent_not_found', 'Agent not found');
  }
  requireManagerOfNew(by, agent);
}

/** The same of one that does not exist yet, or not like this: there is nothing to hide. */
export function requireManagerOfNew(by: Actor, agent: VisibleAgent): void {
  if (by.kind !== 'user' || mayManage(by, agent)) return;
  throw new PermissionError(
    'not_permitted',
    'You may manage only the access points that an administrator has granted you',
  );
}

/** Whether the name alone decides that the caller may see the agent; if not, its record does. */
export function canSeeName(caller: Caller, ap_id: string): boolean {
  if (caller.kind === 'agent') return caller.name === ap_id;
  if (caller.kind === 'user') return canSeeAll(caller);
  return caller.permissions.selector === undefined && isWithinGlobs(caller, ap_id);
}

/** Whether the caller may see every agent. */
export function canSeeAll(caller: Caller): boolean {
  if (caller.kind === 'user') return !hasGrants(caller) || isGranted(caller, 'auditor');
  if (caller.kind === 'agent') return false;
  const { agents, selector } = caller.permissions;
  return agents === undefined && selector === undefined;
}

/** Whether sites, tags and names decide what the caller may do. */
export function dependsOnLabels(caller: Caller): boolean {
  if (caller.kind === 'user') return hasGrants(caller);
  return caller.kind === 'third_party_app' && caller.permissions.selector !== undefined;
}

function isOwnNetwork(caller: Caller, { emulated_for }: VisibleAgent): boolean {
  return caller.kind !== 'agent' && emulated_for === caller.id;
}

function isWithinGlobs(app: AppCaller, ap_id: string): boolean {
  const { agents } = app.permissions;
  return agents === undefined || agents.some((pattern) => matchesGlob(pattern, ap_id));
}

function isGrantedOn({ grants = [] }: UserCaller, role: Grant['role'], agent: VisibleAgent): boolean {
  return grants.some((grant) => grantIncludes(grant.role, role) && selects(grant.selector, agent));
}

function selects(text: string | undefined, agent: VisibleAgent): boolean {
  return text === undefined || matchesSelector(parsed(text), { ...agent, access_point_type: null });
}

/** There are few, and they are asked about for every agent of a list. */
const parsedSelectors = new BoundedMap<string, Selector>(1_000);

function parsed(text: string): Selector {
  return parsedSelectors.getOrInsert(text, () => parseSelector(text));
}

/** What a caller sees of the network at one moment, for features that show access points inside of something else. */
export interface AgentSight {
  /** Whether nothing is hidden from the caller. */
  seesAll: boolean;
  isSeen(ap_id: string): boolean;
  /** Whether it matches the selector that was asked for. */
  isSelected(ap_id: string): boolean;
  typeOf(ap_id: string): string | null;
}
