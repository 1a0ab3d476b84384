// The one table of permissions. Every route names its row; a route without a row prevents the start. The http guard
// applies it before a body is read; permissions for a single object (a job's owner, an app's agent patterns) are marked
// here and checked by the service of the object.

import type { Grant } from '@weft/contract';
import { type AppCaller, type Caller, hasGrants, isGranted } from '../caller.ts';
import { AuthenticationError, PermissionError } from '../errors.ts';
import { parseDateTime } from '../input/date-time.ts';
import {
  adminsAndAuditors,
  adminsAndManagers,
  adminsOnly,
  agentItself,
  alarmHandlers,
  callbacks,
  commandOwners,
  deviceWatchers,
  emulatorOwners,
  everyone,
  fleetReaders,
  jobReaders,
  metricsReaders,
} from './permission-rows.ts';

/** `itself`: the object the request names must be the caller. `own`: the service checks who owns the object. */
type Rule = 'yes' | 'no' | 'itself' | 'own' | 'within_permissions';

/** Other credentials than those of a user, agent or app. */
type OpenTo = 'anyone' | 'anyone_until_first_admin' | 'enrolment_token' | 'callback_token' | 'metrics_network';

interface Row {
  /** Number of the operation in the specification. */
  spec?: number;
  admin: Rule;
  user: Rule;
  agent: Rule;
  third_party_app: Rule;
  /** What a user with grants must have been granted somewhere; for such a user it takes the place of the rule above. */
  grant?: Grant['role'];
  openTo?: OpenTo;
  /** The permission of an app that `within_permissions` checks. */
  right?: 'read' | 'commands' | 'emulator';
}

export const permissions = {
  create_token: { spec: 1, ...everyone },
  create_user_public: { spec: 2, ...adminsOnly, openTo: 'anyone_until_first_admin' },
  sign_up: { spec: 3, ...everyone },
  request_password_recovery: { spec: 4, ...everyone },
  reset_password: { spec: 5, ...everyone },
  list_users: { spec: 6, ...adminsAndAuditors },
  create_user: { spec: 7, ...adminsOnly },
  get_user: { spec: 8, admin: 'yes', user: 'itself', agent: 'no', third_party_app: 'no' },
  update_user: { spec: 9, admin: 'yes', user: 'itself', agent: 'no', third_party_app: 'no' },
  remove_user: { spec: 10, admin: 'yes', user: 'itself', agent: 'no', third_party_app: 'no' },
  get_me: { spec: 11, admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'no' },
  create_agent_public: { spec: 12, ...adminsOnly, openTo: 'enrolment_token' },
  create_agent: { spec: 13, ...adminsAndManagers },
  get_agent: { spec: 14, ...metricsReaders },
  update_agent: { spec: 15, admin: 'yes', user: 'no', agent: 'itself', third_party_app: 'no' },
  remove_agent: { spec: 16, ...adminsAndManagers },
  get_labels: metricsReaders,
  update_labels: adminsAndManagers,
  list_agents: fleetReaders,
  explain_selector: fleetReaders,
  agent_metrics_text: fleetReaders,
  /** A user needs a grant, or networks of its own: decided for each access point. */
  start_bulk: { admin: 'yes', user: 'own', agent: 'no', third_party_app: 'within_permissions', right: 'commands' },
  get_bulk: commandOwners,
  list_sites: { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'within_permissions', right: 'read' },
  get_site: { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'within_permissions', right: 'read' },
  create_site: adminsOnly,
  update_site: adminsOnly,
  remove_site: adminsOnly,
  create_third_party_app: { spec: 17, ...adminsOnly },
  get_third_party_app: { spec: 18, admin: 'yes', user: 'no', agent: 'no', third_party_app: 'itself' },
  update_third_party_app: { spec: 19, ...adminsOnly },
  remove_third_party_app: { spec: 20, ...adminsOnly },
  agent_update: { spec: 21, admin: 'no', user: 'no', agent: 'yes', third_party_app: 'no' },
  request_all_agents_details: {
    spec: 22,
    admin: 'yes',
    user: 'yes',
    agent: 'no',
    third_party_app: 'within_permissions',
    right: 'read',
  },
  request_agent_data: { spec: 23, ...metricsReaders },
  send_command: {
    spec: 24,
    admin: 'yes',
    user: 'own',
    grant: 'operator',
    agent: 'no',
    third_party_app: 'within_permissions',
    right: 'commands',
  },
  emulator_spinup: {
    spec: 25,
    admin: 'yes',
    user: 'yes',
    grant: 'operator',
    agent: 'no',
    third_party_app: 'within_permissions',
    right: 'emulator',
  },
  metrics_agent_details: {
    spec: 26,
    admin: 'yes',
    user: 'yes',
    agent: 'own',
    third_party_app: 'within_permissions',
    right: 'read',
  },
  metrics_agent_data: { spec: 27, ...metricsReaders },
  metrics_agent_multi_metric_data: { spec: 28, ...metricsReaders },
  metrics_agent_metrics: { spec: 29, ...metricsReaders },
  callback_agent_data: { spec: 30, ...callbacks },
  callback_agent_details: { spec: 31, ...callbacks },
  callback_emulator: { spec: 32, ...callbacks },
  list_emulator_runs: emulatorOwners,
  get_emulator_run: emulatorOwners,
  stop_emulator_run: emulatorOwners,
  emulator_fault: emulatorOwners,
  emulator_what_if: emulatorOwners,
  emulator_coverage: emulatorOwners,
  emulator_coverage_difference: emulatorOwners,
  callback_emulator_lease: { admin: 'no', user: 'no', agent: 'no', third_party_app: 'no', openTo: 'callback_token' },
  /** An agent reports; an administrator imports history for a named agent. */
  write_line_protocol: { admin: 'yes', user: 'no', agent: 'itself', third_party_app: 'no' },
  metrics_latest: fleetReaders,
  metrics_export: metricsReaders,
  metrics_stream: fleetReaders,
  metrics_presence: fleetReaders,
  job_socket: jobReaders,
  list_jobs: jobReaders,
  get_job: jobReaders,
  cancel_job: jobReaders,
  list_commands: commandOwners,
  get_command: commandOwners,
  cancel_command: commandOwners,
  command_batch: {
    admin: 'yes',
    user: 'own',
    grant: 'operator',
    agent: 'no',
    third_party_app: 'within_permissions',
    right: 'commands',
  },
  answer_command: agentItself,
  agent_channel: agentItself,
  poll_commands: agentItself,
  create_push_secret: { admin: 'yes', user: 'no', agent: 'itself', third_party_app: 'no' },
  list_conflicts: { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'own' },
  get_conflict_rules: { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'yes' },
  update_conflict_rules: adminsOnly,
  end_token: { admin: 'yes', user: 'yes', agent: 'yes', third_party_app: 'yes' },
  renew_token: { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'no' },
  change_password: { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'no' },
  list_sessions: { admin: 'yes', user: 'itself', agent: 'no', third_party_app: 'no' },
  end_session: { admin: 'yes', user: 'itself', agent: 'no', third_party_app: 'no' },
  extend_session: adminsOnly,
  get_grants: { admin: 'yes', user: 'itself', agent: 'no', third_party_app: 'no' },
  set_grants: adminsOnly,
  list_waiting_users: adminsAndAuditors,
  approve_user: adminsOnly,
  refuse_user: adminsOnly,
  list_disabled_users: adminsAndAuditors,
  disable_user: adminsOnly,
  enable_user: adminsOnly,
  create_enrolment_token: adminsAndManagers,
  list_enrolment_tokens: adminsAndManagers,
  remove_enrolment_token: adminsAndManagers,
  list_third_party_apps: adminsOnly,
  list_audit_entries: adminsAndAuditors,
  list_devices: fleetReaders,
  get_device: fleetReaders,
  list_agent_devices: metricsReaders,
  device_history: fleetReaders,
  watch_device: deviceWatchers,
  unwatch_device: deviceWatchers,
  link_device_identity: adminsOnly,
  erase_device: adminsOnly,
  get_device_privacy: adminsAndAuditors,
  set_device_privacy: adminsOnly,
  list_alarms: fleetReaders,
  get_alarm: fleetReaders,
  acknowledge_alarm: alarmHandlers,
  shelve_alarm: alarmHandlers,
  unshelve_alarm: alarmHandlers,
  clear_alarm: alarmHandlers,
  list_alarm_rules: { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'yes' },
  get_alarm_rule: { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'yes' },
  create_alarm_rule: adminsOnly,
  update_alarm_rule: adminsOnly,
  reset_alarm_rule: adminsOnly,
  remove_alarm_rule: adminsOnly,
  preview_alarm_rule: adminsOnly,
  list_silences: { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'no' },
  get_silence: { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'no' },
  create_silence: adminsAndManagers,
  update_silence: adminsAndManagers,
  remove_silence: adminsAndManagers,
  list_events: fleetReaders,
  event_stream: fleetReaders,
  list_webhooks: adminsAndAuditors,
  create_webhook: adminsOnly,
  get_webhook: adminsAndAuditors,
  update_webhook: adminsOnly,
  remove_webhook: adminsOnly,
  renew_webhook_secret: adminsOnly,
  list_webhook_deliveries: adminsAndAuditors,
  test_webhook: adminsOnly,
  replay_webhook: adminsOnly,
  list_notifications: adminsAndAuditors,
  create_notification: adminsOnly,
  get_notification: adminsAndAuditors,
  update_notification: adminsOnly,
  remove_notification: adminsOnly,
  test_notification: adminsOnly,
  network_health: { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'within_permissions', right: 'read' },
  agent_health: metricsReaders,
  health: everyone,
  readiness: everyone,
  service_metrics: { admin: 'no', user: 'no', agent: 'no', third_party_app: 'no', openTo: 'metrics_network' },
  documentation: everyone,
} as const satisfies Record<string, Row>;

export type Operation = keyof typeof permissions;

export function permissionRow(operation: Operation): Row {
  const row: Row | undefined = Object.hasOwn(permissions, operation) ? permissions[operation] : undefined;
  if (!row) throw new Error(`operation ${String(operation)} has no row in the permissions table`);
  return row;
}

/** True if the operation is public and ignores tokens. */
export function isOpen(operation: Operation): boolean {
  return permissionRow(operation).openTo === 'anyone';
}

/**
 * Returns if the caller has permission; throws AuthenticationError without a caller, PermissionError for the wrong kind, role,
 * name or grant. `target` is the name in the request; without one, `itself` passes and validation decides.
 */
export function requirePermission(
  operation: Operation,
  caller: Caller | undefined,
  target?: string,
  now?: number,
): void {
  const row = permissionRow(operation);
  if (row.openTo === 'anyone') return;
  if (!caller) throw new AuthenticationError();
  if (row.grant && caller.kind === 'user' && hasGrants(caller)) {
    if (!isGranted(caller, row.grant)) throw new PermissionError();
    return;
  }
  const rule = caller.kind === 'user' && caller.isAdmin ? row.admin : row[caller.kind];
  if (rule === 'no') throw new PermissionError();
  if (rule === 'itself' && target !== undefined && !isNamed(caller, target)) throw new PermissionError();
  if (rule === 'within_permissions') requireRight(caller as AppCaller, row.right!, now);
}

/** Of a user, `me` is the caller's own name: usernames are e-mail addresses. */
function isNamed(caller: Caller, target: string): boolean {
  if (caller.kind !== 'user') return caller.name === target;
  return target === 'me' || target.toLowerCase() === caller.name;
}

function requireRight(app: AppCaller, right: NonNullable<Row['right']>, now?: number): void {
  if (hasExpired(app, now)) {
    const { expires_at } = app.permissions;
    throw new PermissionError('permissions_expired', `The permissions of this app expired at ${expires_at}`);
  }
  if (app.permissions[right] === false) throw new PermissionError();
}

/** Whether the time of an app's permissions is over; never for others. */
export function hasExpired(caller: Caller, now = Date.now()): boolean {
  if (caller.kind !== 'third_party_app') return false;
  const { expires_at } = caller.permissions;
  return expires_at !== undefined && !isLater(expires_at, now);
}

/** Parsed as when it was accepted; an invalid time counts as expired. */
function isLater(time: string, now: number): boolean {
  const parsed = parseDateTime(time);
  return 'ms' in parsed && parsed.ms > now;
}
