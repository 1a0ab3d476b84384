// The permissions table against a second copy of it, written down from the specification's point of view.
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../caller.ts';
import { AuthenticationError, PermissionError } from '../errors.ts';
import type { Page } from '../http/pages/page.ts';
import { ServiceMetrics } from '../http/pages/service-metrics.ts';
import { createLogger } from '../http/request/log.ts';
import type { Route } from '../http/request/route.ts';
import { createServer } from '../http/server/server.ts';
import { checkAppPermissions } from '../input/app-permissions.ts';
import { createFormats } from '../input/formats.ts';
import { Validator } from '../input/validator.ts';
import { LocalShares } from '../shares/shares.local.ts';
import { isOpen, type Operation, permissionRow, permissions, requirePermission } from './permissions.ts';

// Number in the specification, operation, then admin, user, agent, app: `open` for everybody, yes, no, `self` for the
// caller's own record, `own` where a service decides by owner, or the permission of an app that decides. At the end: what a
// user with grants must have been granted instead.
const table = `
   1  create_token                    open open open open
   2  create_user_public              yes  no   no   no
   3  sign_up                         open open open open
   4  request_password_recovery       open open open open
   5  reset_password                  open open open open
   6  list_users                      yes  no   no   no auditor
   7  create_user                     yes  no   no   no
   8  get_user                        yes  self no   no
   9  update_user                     yes  self no   no
  10  remove_user                     yes  self no   no
  11  get_me                          yes  yes  no   no
  12  create_agent_public             yes  no   no   no
  13  create_agent                    yes  no   no   no manager
  14  get_agent                       yes  yes  self read
  15  update_agent                    yes  no   self no
  16  remove_agent                    yes  no   no   no manager
  17  create_third_party_app          yes  no   no   no
  18  get_third_party_app             yes  no   no   self
  19  update_third_party_app          yes  no   no   no
  20  remove_third_party_app          yes  no   no   no
  21  agent_update                    no   no   yes  no
  22  request_all_agents_details      yes  yes  no   read
  23  request_agent_data              yes  yes  self read
  24  send_command                    yes  own  no   commands operator
  25  emulator_spinup                 yes  yes  no   emulator operator
  26  metrics_agent_details           yes  yes  own  read
  27  metrics_agent_data              yes  yes  self read
  28  metrics_agent_multi_metric_data yes  yes  self read
  29  metrics_agent_metrics           yes  yes  self read
  30  callback_agent_data             yes  own  no   own
  31  callback_agent_details          yes  own  no   own
  32  callback_emulator               yes  own  no   own
   -  get_labels                      yes  yes  self read
   -  update_labels                   yes  no   no   no manager
   -  list_agents                     yes  yes  own  read
   -  start_bulk                      yes  own  no   commands
   -  get_bulk                        yes  own  no   own
   -  agent_metrics_text              yes  yes  own  read
   -  explain_selector                yes  yes  own  read
   -  list_sites                      yes  yes  no   read
   -  get_site                        yes  yes  no   read
   -  create_site                     yes  no   no   no
   -  update_site                     yes  no   no   no
   -  remove_site                     yes  no   no   no
   -  list_emulator_runs              yes  own  no   own
   -  get_emulator_run                yes  own  no   own
   -  stop_emulator_run               yes  own  no   own
   -  emulator_fault                  yes  own  no   own
   -  emulator_what_if                yes  own  no   own
   -  emulator_coverage               yes  own  no   own
   -  emulator_coverage_difference    yes  own  no   own
   -  callback_emulator_lease         no   no   no   no
   -  job_socket                      yes  own  own  own
   -  list_jobs                       yes  own  own  own
   -  get_job                         yes  own  own  own
   -  cancel_job                      yes  own  own  own
   -  list_commands                   yes  own  no   own
   -  get_command                     yes  own  no   own
   -  cancel_command                  yes  own  no   own
   -  command_batch                   yes  own  no   commands operator
   -  answer_command                  no   no   self no
   -  agent_channel                   no   no   self no
   -  poll_commands                   no   no   self no
   -  create_push_secret              yes  no   self no
   -  list_conflicts                  yes  yes  no   own
   -  get_conflict_rules              yes  yes  no   yes
   -  update_conflict_rules           yes  no   no   no
   -  write_line_protocol             yes  no   self no
   -  metrics_latest                  yes  yes  own  read
   -  metrics_export                  yes  yes  self read
   -  metrics_stream                  yes  yes  own  read
   -  metrics_presence                yes  yes  own  read
   -  end_token                       yes  yes  yes  yes
   -  renew_token                     yes  yes  no   no
   -  change_password                 yes  yes  no   no
   -  list_sessions                   yes  self no   no
   -  end_session                     yes  self no   no
   -  extend_session                  yes  no   no   no
   -  get_grants                      yes  self no   no
   -  set_grants                      yes  no   no   no
   -  list_waiting_users              yes  no   no   no auditor
   -  approve_user                    yes  no   no   no
   -  refuse_user                     yes  no   no   no
   -  list_disabled_users             yes  no   no   no auditor
   -  disable_user                    yes  no   no   no
   -  enable_user                     yes  no   no   no
   -  create_enrolment_token          yes  no   no   no manager
   -  list_enrolment_tokens           yes  no   no   no manager
   -  remove_enrolment_token          yes  no   no   no manager
   -  list_third_party_apps           yes  no   no   no
   -  list_audit_entries              yes  no   no   no auditor
   -  list_devices                    yes  yes  own  read
   -  get_device                      yes  yes  own  read
   -  list_agent_devices              yes  yes  self read
   -  device_history                  yes  yes  own  read
   -  watch_device                    yes  own  no   read
   -  unwatch_device                  yes  own  no   read
   -  link_device_identity            yes  no   no   no
   -  erase_device                    yes  no   no   no
   -  get_device_privacy              yes  no   no   no auditor
   -  set_device_privacy              yes  no   no   no
   -  list_alarms                     yes  yes  own  read
   -  get_alarm                       yes  yes  own  read
   -  acknowledge_alarm               yes  own  no   no operator
   -  shelve_alarm                    yes  own  no   no operator
   -  unshelve_alarm                  yes  own  no   no operator
   -  clear_alarm                     yes  own  no   no operator
   -  list_alarm_rules                yes  yes  no   yes
   -  get_alarm_rule                  yes  yes  no   yes
   -  create_alarm_rule               yes  no   no   no
   -  update_alarm_rule               yes  no   no   no
   -  reset_alarm_rule                yes  no   no   no
   -  remove_alarm_rule               yes  no   no   no
   -  preview_alarm_rule              yes  no   no   no
   -  list_silences                   yes  yes  no   no
   -  get_silence                     yes  yes  no   no
   -  create_silence                  yes  no   no   no manager
   -  update_silence                  yes  no   no   no manager
   -  remove_silence                  yes  no   no   no manager
   -  list_events                     yes  yes  own  read
   -  event_stream                    yes  yes  own  read
   -  list_webhooks                   yes  no   no   no auditor
   -  create_webhook                  yes  no   no   no
   -  get_webhook                     yes  no   no   no auditor
   -  update_webhook                  yes  no   no   no
   -  remove_webhook                  yes  no   no   no
   -  renew_webhook_secret            yes  no   no   no
   -  list_webhook_deliveries         yes  no   no   no auditor
   -  test_webhook                    yes  no   no   no
   -  replay_webhook                  yes  no   no   no
   -  list_notifications              yes  no   no   no auditor
   -  create_notification             yes  no   no   no
   -  get_notification                yes  no   no   no auditor
   -  update_notification             yes  no   no   no
   -  remove_notification             yes  no   no   no
   -  test_notification               yes  no   no   no
   -  network_health                  yes  yes  no   read
   -  agent_health                    yes  yes  self read
   -  health                          open open open open
   -  readiness                       open open open open
   -  service_metrics                 no   no   no   no
   -  documentation                   open open open open
`;
const rows = table
  .trim()
  .split('\n')
  .map((line) => {
    const [spec = '', operation, admin = '', user = '', agent = '', third_party_app = '', grant] = line
      .trim()
      .split(/\s+/);
    return { spec, operation: operation as Operation, admin, user, agent, third_party_app, grant };
  });

const callers = {
  admin: { kind: 'user', id: '1', name: 'admin@weft.test', roles: ['admin'], isAdmin: true },
  user: { kind: 'user', id: '2', name: 'ada@weft.test', roles: ['user'], isAdmin: false },
  agent: { kind: 'agent', id: '3', name: 'ap-1' },
  third_party_app: { kind: 'third_party_app', id: '4', name: 'app-1', permissions: {} },
} as const satisfies Record<string, Caller>;
type CallerName = keyof typeof callers;

function app(granted: Extract<Caller, { kind: 'third_party_app' }>['permissions']): Caller {
  return { ...callers.third_party_app, permissions: granted };
}

function outcome(operation: Operation, caller: Caller | undefined, target?: string, now?: number): string {
  try {
    requirePermission(operation, caller, target, now);
    return 'passes';
  } catch (error) {
    if (error instanceof AuthenticationError) return 'unknown';
    if (error instanceof PermissionError) return error.code;
    throw error;
  }
}

describe('the permissions table', () => {
  it('has a row for each operation of the specification and each of ours, and no other', () => {
    expect(Object.keys(permissions).sort()).toEqual(rows.map(({ operation }) => operation).sort());
    for (const { spec, operation } of rows) expect(String(permissionRow(operation).spec ?? '-'), operation).toBe(spec);
  });

  it.each(rows)('lets in to $operation whom it should', (row) => {
    const { operation } = row;
    expect(isOpen(operation)).toBe(row.admin === 'open');
    expect(outcome(operation, undefined)).toBe(row.admin === 'open' ? 'passes' : 'unknown');
    for (const [name, caller] of Object.entries(callers) as [CallerName, Caller][]) {
      const rule = row[name];
      expect(outcome(operation, caller, caller.name), `${name}, own`).toBe(rule === 'no' ? 'not_permitted' : 'passes');
      expect(outcome(operation, caller, 'somebody-else'), `${name}, foreign`).toBe(
        rule === 'no' || rule === 'self' ? 'not_permitted' : 'passes',
      );
    }
  });

  it.each(rows)('asks an app at $operation for the right that belongs to it, and for no other', (row) => {
    for (const right of ['read', 'commands', 'emulator'] as const) {
      const without = outcome(row.operation, app({ [right]: false }), callers.third_party_app.name);
      const expected = row.third_party_app === right || row.third_party_app === 'no' ? 'not_permitted' : 'passes';
      expect(without, right).toBe(expected);
    }
  });

  it.each(rows)(
    'asks a user with grants at $operation for the one that belongs to it',
    ({ operation, user, grant }) => {
      const included = { viewer: [], operator: ['operator'], manager: ['operator', 'manager'], auditor: ['auditor'] };
      for (const [role, roles] of Object.entries(included)) {
        const caller: Caller = { ...callers.user, grants: [{ role: role as keyof typeof included }] };
        const isPermitted = grant === undefined ? user !== 'no' : (roles as string[]).includes(grant);
        expect(outcome(operation, caller, caller.name), role).toBe(isPermitted ? 'passes' : 'not_permitted');
      }
      const without: Caller = { ...callers.user, grants: [] };
      expect(outcome(operation, without, without.name)).toBe(user === 'no' ? 'not_permitted' : 'passes');
      const promoted: Caller = { ...callers.admin, grants: [{ role: 'viewer' }] };
      expect(outcome(operation, promoted)).toBe(outcome(operation, callers.admin));
    },
  );

  it.each(rows)('ends the rights of an app at $operation when they expire', (row) => {
    const expires_at = '2026-03-01T12:00:00+02:00';
    const end = Date.UTC(2026, 2, 1, 10);
    const isByRight = ['read', 'commands', 'emulator'].includes(row.third_party_app);
    const before = row.third_party_app === 'no' ? 'not_permitted' : 'passes';
    expect(outcome(row.operation, app({ expires_at }), 'app-1', end - 1)).toBe(before);
    expect(outcome(row.operation, app({ expires_at }), 'app-1', end)).toBe(isByRight ? 'permissions_expired' : before);
  });

  it.each([
    ['2026-03-01T10:00:00Z'],
    ['2026-03-01T10:00:00'],
    ['2026-03-01t10:00:00z'],
    ['2026-03-01 10:00:00.000+00:00'],
    ['2026-03-01_10:00:00'],
    [String(Date.UTC(2026, 2, 1, 10) / 1000)],
    [String(Date.UTC(2026, 2, 1, 10))],
  ])('reads the end of the rights as the door does that accepted it: %s', (expires_at) => {
    const end = Date.UTC(2026, 2, 1, 10);
    expect(checkAppPermissions({ expires_at }, [])).toEqual([]);
    expect(outcome('get_agent', app({ expires_at }), 'ap-1', end - 1)).toBe('passes');
    expect(outcome('get_agent', app({ expires_at }), 'ap-1', end)).toBe('permissions_expired');
  });

  it.each([
    { commands: true, emulator: true },
    { commands: ['sleep'], emulator: { max_access_points: 0 } },
    { commands: { set_tx_power: {} } },
  ])('leaves the finer limits of %j to whoever knows the command or the number', (granted) => {
    expect(outcome('send_command', app(granted))).toBe('passes');
    expect(outcome('emulator_spinup', app(granted))).toBe('passes');
  });

  it('compares usernames without regard to case, and all other names exactly', () => {
    expect(outcome('get_user', callers.user, 'Ada@WEFT.test')).toBe('passes');
    expect(outcome('update_agent', callers.agent, 'AP-1')).toBe('not_permitted');
    expect(outcome('get_third_party_app', callers.third_party_app, 'App-1')).toBe('not_permitted');
  });

  it('gives a user with both roles the rights of an administrator, and one with neither those of a user', () => {
    expect(outcome('list_users', { ...callers.admin, roles: ['user', 'admin'] })).toBe('passes');
    expect(outcome('list_users', { ...callers.user, roles: ['nonadmin'] })).toBe('not_permitted');
  });
});

describe('a server', () => {
  const page: Page = { operation: 'health', url: '/healthz', handle: () => ({}) };
  const route: Route = {
    operation: 'list_users',
    method: 'GET',
    url: '/api/v1/users',
    tag: 'Users',
    summary: 'List',
    response: Type.Unknown(),
    handle: async () => [],
  };

  function start(routes: Route[], pages: Page[]) {
    return createServer({
      routes,
      pages,
      authenticator: {
        authenticate: () => callers.admin,
        remembered: () => undefined,
        authenticateAgent: () => callers.agent,
        authenticateApp: () => callers.third_party_app,
        hasAdmin: async () => true,
        isEnrolmentToken: () => false,
        requireEnrolment: async () => {},
        mayReadServiceMetrics: () => false,
      },
      validator: new Validator(createFormats({ passwordLength: { min: 8, max: 128 } })),
      metrics: new ServiceMetrics(),
      log: createLogger('silent'),
      isReady: () => true,
      host: '127.0.0.1',
      publicUrl: undefined,
      allowedHosts: [],
      corsOrigins: [],
      trustedProxies: [],
      tls: undefined,
      maxConnections: 10,
      shares: new LocalShares(),
    });
  }

  it('starts when every route has a row', async () => {
    const server = start([route], [page]);
    await server.ready();
    await server.close();
  });

  it.each([undefined, 'no_such_operation', 'constructor', 'toString', ''])(
    'does not start with a route or a page of the operation %j (Z1)',
    (operation) => {
      const nameless = { operation: operation as Operation };
      expect(() => start([{ ...route, ...nameless }], [page])).toThrow(/permissions table/);
      expect(() => start([route], [{ ...page, ...nameless }])).toThrow(/permissions table/);
    },
  );
});
