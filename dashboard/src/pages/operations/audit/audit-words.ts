// An entry of the audit log in words. Pure. The detail is of any shape: what is not known is shown as it is.
import { isObject, ownOf } from '@weft/contract/is-object';
import type { AuditEntry } from '../../../api/client.ts';
import type { WordOrName } from '../conflicts/conflict-words.ts';

export const auditText = {
  kinds: {
    user: 'user',
    agent: 'access point',
    third_party_app: 'app',
    enrolment_token: 'enrolment token',
    command_line: 'command line',
    system: 'Weft',
    anonymous: 'anonymous user',
    emulation: 'emulated network',
    conflict_rules: 'conflict rules',
    operation: 'operation',
    address: 'address',
  } as Record<string, string>,
  /** The verb between actor and target. */
  actions: {
    first_admin_created: 'created the first administrator',
    user_created: 'created the user',
    user_signed_up: 'signed up as',
    user_updated: 'changed the user',
    user_removed: 'deleted the user',
    user_disabled: 'disabled the user',
    user_enabled: 'enabled the user',
    user_approved: 'approved the user',
    user_refused: 'refused the user',
    login: 'signed in',
    login_refused: 'failed to sign in as',
    token_renewed: 'renewed a session',
    token_ended: 'signed out',
    session_ended: 'ended a session of',
    session_extended: 'extended a session of',
    key_shown: 'viewed the key of',
    request_refused: 'was not permitted to use',
    other_events: 'caused more security events from',
    password_reset: 'reset the password of',
    agent_created: 'registered the access point',
    agent_enrolled: 'enrolled the access point',
    agent_onboarded: 'onboarded',
    agent_updated: 'changed the access point',
    agent_removed: 'deleted the access point',
    app_created: 'registered the app',
    app_updated: 'changed the app',
    app_removed: 'deleted the app',
    command_decided: 'sent a command to',
    device_watched: 'began to watch the device',
    device_unwatched: 'ended the watch of the device',
    device_identities_linked: 'linked identities of the device',
    device_erased: 'erased the device',
    clear_addresses_changed: 'changed whether administrators see addresses of',
    conflict_rules_updated: 'changed the conflict rules',
    emulation_started: 'started the emulated network',
    emulation_ended: 'stopped the emulated network',
    jobs_ended: 'ended jobs of',
    commands_cancelled: 'cancelled queued commands of',
    enrolment_token_created: 'created the enrolment token',
    enrolment_token_removed: 'revoked the enrolment token',
    parameter_frozen: 'froze a parameter of',
    push_secret_created: 'created a push secret for',
    rolled_back: 'rolled back a parameter of',
  } as Record<string, string>,
};

const texts = {
  keys: {
    fields: 'Changed',
    keys: 'Keys',
    more_keys: 'More keys',
    roles: 'Roles',
    permissions: 'Permissions',
    ap_id_pattern: 'Name pattern',
    max_uses: 'Maximum uses',
    uses: 'Uses',
    expires_at: 'Expires',
    address: 'Address',
    count: 'Times',
    since: 'First',
    until: 'Last',
    detail: 'Detail',
    version: 'Version',
  } as Record<string, string>,
  nothing: 'none',
};

export function actionWords(action: string): string {
  return ownOf(auditText.actions, action) ?? action.replaceAll('_', ' ');
}

/** The verb of one entry, with the name of the command if it is about one. */
export function entryWords({
  action,
  detail: { intent, outcome },
}: Pick<AuditEntry, 'action' | 'detail'>): WordOrName[] {
  const command = isObject(intent) ? plainText(intent.name) : undefined;
  if (action !== 'command_decided' || command === undefined) return [actionWords(action)];
  const isRejected = isObject(outcome) && outcome.verdict === 'rejected';
  return [isRejected ? 'could not send ' : 'sent ', { name: command }, ' to'];
}

/**
 * When it was. Logins and refusals are written down together, a while later; their detail says when they were. In
 * milliseconds.
 */
export function momentOf({ ts, detail: { since, count } }: Pick<AuditEntry, 'ts' | 'detail'>): number {
  const first = typeof since === 'string' && typeof count === 'number' ? Date.parse(since) : Number.NaN;
  return Number.isNaN(first) ? Date.parse(ts) : first;
}

/** How often, if one entry is about several events. */
export function timesWords({ detail: { since, count } }: Pick<AuditEntry, 'detail'>): string | undefined {
  return typeof since === 'string' && typeof count === 'number' && count > 1 ? `(${count} times)` : undefined;
}

/** Whether the target says more than the actor does. There is one set of rules, and access points onboard themselves. */
export function hasTarget({ actor, target }: Pick<AuditEntry, 'actor' | 'target'>): boolean {
  return target.kind !== 'conflict_rules' && !(actor.kind === target.kind && actor.name === target.name);
}

/** The different names, for suggestions; of access points what people call them. */
export function namesIn(
  entries: readonly Pick<AuditEntry, 'actor' | 'target'>[],
  part: 'actor' | 'target',
  agentName = (ap_id: string) => ap_id,
): string[] {
  const names = entries.map(({ [part]: { kind, name } }) => (kind === 'agent' && name !== '' ? agentName(name) : name));
  return [...new Set(names)].filter((name) => name !== '' && !name.includes('…')).sort();
}

/** Who did it, for people: a name, or what stands in for one. */
export function actorWords({ kind, name }: AuditEntry['actor']): string {
  const isNamed = name !== '' && name !== kind;
  return isNamed ? name : (ownOf(auditText.kinds, kind) ?? kind);
}

/** The simple parts of the detail as lines; whatever is nested deeper is left to the JSON beside them. */
export function detailLines(detail: Record<string, unknown>): { name: string; value: string }[] {
  const decision = decisionLines(detail);
  if (decision) return decision;
  return Object.entries(detail).flatMap(([key, value]) => {
    const text = plainText(value);
    return text === undefined ? [] : [{ name: ownOf(texts.keys, key) ?? readable(key), value: text }];
  });
}

/** A decision about a command notes all that it was made of; this is what a reader wants of it first. */
function decisionLines({ intent, outcome }: Record<string, unknown>): { name: string; value: string }[] | undefined {
  if (!isObject(intent) || !isObject(outcome)) return undefined;
  const args = isObject(intent.args) && Object.keys(intent.args).length > 0 ? ` ${JSON.stringify(intent.args)}` : '';
  return [
    { name: 'Command', value: `${plainText(intent.name)}${args}` },
    { name: 'Parameter', value: plainText(intent.parameter) ?? '' },
    { name: 'Decision', value: readable(plainText(outcome.verdict) ?? '') },
    { name: 'Reason', value: readable(plainText(outcome.reason) ?? '') },
    { name: 'Detail', value: plainText(outcome.detail) ?? '' },
  ];
}

/** Whether the lines leave something out. */
export function hasMore(detail: Record<string, unknown>): boolean {
  return Object.values(detail).some((value) => plainText(value) === undefined);
}

function plainText(value: unknown): string | undefined {
  if (value === null || value === undefined) return texts.nothing;
  if (typeof value === 'string') return value === '' ? texts.nothing : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => (Array.isArray(item) ? undefined : plainText(item)));
    if (items.includes(undefined)) return undefined;
    return items.length === 0 ? texts.nothing : items.join(', ');
  }
  const { before, after, ...rest } = value as Record<string, unknown>;
  if (Object.keys(rest).length > 0 || !('before' in (value as object)) || !('after' in (value as object)))
    return undefined;
  const [old, fresh] = [plainText(before), plainText(after)];
  return old === undefined || fresh === undefined ? undefined : `${old} → ${fresh}`;
}

function readable(key: string): string {
  const words = key.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export interface DiffLine {
  kind: 'removed' | 'added';
  text: string;
}

/** In the order of the rules; of one place first what was there, then what is. Undefined if one side is not in the entry. */
export function rulesDiff({ before, rules }: Record<string, unknown>): DiffLine[] | undefined {
  if (!isObject(before) || !isObject(rules)) return undefined;
  const [old, fresh] = [linesOf(before), linesOf(rules)];
  const places = new Set([...old.keys(), ...fresh.keys()]);
  return [...places].flatMap((place) => {
    const [was, is] = [old.get(place), fresh.get(place)];
    if (was === is) return [];
    return [...toLine('removed', place, was), ...toLine('added', place, is)];
  });
}

function toLine(kind: DiffLine['kind'], place: string, value: string | undefined): DiffLine[] {
  return value === undefined ? [] : [{ kind, text: `${place}: ${value}` }];
}

/** Place -> value, such as `groups.5g_energy.hold_s` -> `30`. Groups are known by their names, and their order is a value. */
function linesOf(rules: Record<string, unknown>): Map<string, string> {
  const lines = new Map<string, string>();
  const { groups, ...rest } = rules;
  if (Array.isArray(groups)) {
    const names = groups.map((group, index) => nameOf(group, index, groups));
    groups.forEach((group, index) => {
      addLines(lines, `groups.${names[index]}`, group);
    });
    lines.set('order of the groups', names.join(', '));
  }
  for (const [key, value] of Object.entries(rest)) addLines(lines, key, value);
  return lines;
}

/** Of several groups with one name the later ones are numbered. */
function nameOf(group: unknown, index: number, groups: readonly unknown[]): string {
  const name = isObject(group) && typeof group.name === 'string' ? group.name : String(index + 1);
  const earlier = groups.slice(0, index).filter((other) => isObject(other) && other.name === name).length;
  return earlier === 0 ? name : `${name} (${earlier + 1})`;
}

function addLines(lines: Map<string, string>, place: string, value: unknown): void {
  if (isObject(value)) for (const [key, part] of Object.entries(value)) addLines(lines, `${place}.${key}`, part);
  else lines.set(place, Array.isArray(value) && value.every(isPlain) ? value.join(', ') : JSON.stringify(value));
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}
