// What a permission means for each kind of caller. auth/permission-walk.test.ts has the permissions of all routes.
import * as Type from '@weft/contract/schema';
import { describe, expect, it } from 'vitest';
import type { Page } from '../../http/pages/page.ts';
import { ServiceMetrics } from '../../http/pages/service-metrics.ts';
import { createLogger } from '../../http/request/log.ts';
import type { Route } from '../../http/request/route.ts';
import { createServer } from '../../http/server/server.ts';
import type { Caller } from '../caller.ts';
import { AuthenticationError, PermissionError } from '../errors.ts';
import { checkAppPermissions } from '../input/app-permissions.ts';
import { createFormats } from '../input/formats.ts';
import { Validator } from '../input/validator.ts';
import { Shares } from '../shares/shares.ts';
import {
  adminsAndAgentItself,
  adminsAndManagers,
  adminsOnly,
  agentReaders,
  commandSenders,
  emulatorStarters,
  everyCaller,
  everyone,
  owners,
  type Permission,
  requirePermission,
  userItself,
} from './permission.ts';

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

const nobody: Permission = { admin: 'no', user: 'no', agent: 'no', third_party_app: 'no' };

function outcome(permission: Permission, caller: Caller | undefined, target?: string, now?: number): string {
  try {
    requirePermission(permission, caller, target, now);
    return 'passes';
  } catch (error) {
    if (error instanceof AuthenticationError) return 'unknown';
    if (error instanceof PermissionError) return error.code;
    throw error;
  }
}

const kinds = Object.keys(callers) as CallerName[];

describe('a permission', () => {
  it.each(kinds)('decides by the rule of its kind: %s', (kind) => {
    const caller = callers[kind];
    for (const [rule, own, foreign] of [
      ['yes', 'passes', 'passes'],
      ['no', 'not_permitted', 'not_permitted'],
      ['itself', 'passes', 'not_permitted'],
      ['own', 'passes', 'passes'],
    ] as const) {
      if (kind === 'admin' && (rule === 'itself' || rule === 'own')) continue;
      const permission = { ...(rule === 'no' ? everyCaller : nobody), [kind]: rule };
      expect(outcome(permission, caller, caller.name), rule).toBe(own);
      expect(outcome(permission, caller, 'somebody-else'), rule).toBe(foreign);
      expect(outcome(permission, caller), rule).toBe(rule === 'no' ? 'not_permitted' : 'passes');
      expect(outcome(permission, undefined), rule).toBe('unknown');
    }
  });

  it('that is open to anyone asks nobody for a token; other credentials are for the guard', () => {
    expect(outcome({ ...nobody, openTo: 'anyone' }, undefined)).toBe('passes');
    for (const openTo of [
      'anyone_until_first_admin',
      'enrolment_token',
      'callback_token',
      'metrics_network',
    ] as const) {
      expect(outcome({ ...nobody, openTo }, undefined)).toBe('unknown');
      expect(outcome({ ...nobody, openTo }, callers.admin)).toBe('not_permitted');
    }
  });

  it('asks an app for the right that it names, and for no other', () => {
    const rights = ['read', 'commands', 'emulator'] as const;
    for (const right of rights) {
      for (const missing of rights) {
        const permission = { ...nobody, third_party_app: right };
        expect(outcome(permission, app({ [missing]: false }))).toBe(missing === right ? 'not_permitted' : 'passes');
      }
    }
  });

  it('asks a user with grants for the one that it names, in place of the rule for users', () => {
    const included = { viewer: [], operator: ['operator'], manager: ['operator', 'manager'], auditor: ['auditor'] };
    for (const [role, roles] of Object.entries(included)) {
      const caller: Caller = { ...callers.user, grants: [{ role: role as keyof typeof included }] };
      for (const grant of ['operator', 'manager', 'auditor'] as const) {
        for (const rest of [nobody, everyCaller]) {
          const isPermitted = (roles as string[]).includes(grant);
          expect(outcome({ ...rest, grant }, caller), role).toBe(isPermitted ? 'passes' : 'not_permitted');
        }
      }
      expect(outcome(everyCaller, caller), role).toBe('passes');
      expect(outcome(nobody, caller), role).toBe('not_permitted');
    }
    expect(outcome({ ...nobody, user: 'yes', grant: 'manager' }, { ...callers.user, grants: [] })).toBe('passes');
    expect(outcome(adminsAndManagers, { ...callers.user, grants: [] })).toBe('not_permitted');
    expect(outcome(adminsAndManagers, { ...callers.admin, grants: [{ role: 'viewer' }] })).toBe('passes');
  });

  it('that asks an app for a right ends when its permissions expire', () => {
    const expires_at = '2026-03-01T12:00:00+02:00';
    const end = Date.UTC(2026, 2, 1, 10);
    expect(outcome(agentReaders, app({ expires_at }), 'app-1', end - 1)).toBe('passes');
    expect(outcome(agentReaders, app({ expires_at }), 'app-1', end)).toBe('permissions_expired');
    for (const permission of [everyCaller, owners]) {
      expect(outcome(permission, app({ expires_at }), 'app-1', end)).toBe('passes');
    }
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
    expect(outcome(agentReaders, app({ expires_at }), 'ap-1', end - 1)).toBe('passes');
    expect(outcome(agentReaders, app({ expires_at }), 'ap-1', end)).toBe('permissions_expired');
  });

  it.each([
    { commands: true, emulator: true },
    { commands: ['sleep'], emulator: { max_access_points: 0 } },
    { commands: { set_tx_power: {} } },
  ])('leaves the finer limits of %j to whoever knows the command or the number', (granted) => {
    expect(outcome(commandSenders, app(granted))).toBe('passes');
    expect(outcome(emulatorStarters, app(granted))).toBe('passes');
  });

  it('compares usernames without regard to case, and all other names exactly', () => {
    expect(outcome(userItself, callers.user, 'Ada@WEFT.test')).toBe('passes');
    expect(outcome(adminsAndAgentItself, callers.agent, 'AP-1')).toBe('not_permitted');
    expect(outcome({ ...adminsOnly, third_party_app: 'itself' }, callers.third_party_app, 'App-1')).toBe(
      'not_permitted',
    );
  });

  it('gives a user with both roles the rights of an administrator, and one with neither those of a user', () => {
    expect(outcome(adminsOnly, { ...callers.admin, roles: ['user', 'admin'] })).toBe('passes');
    expect(outcome(adminsOnly, { ...callers.user, roles: ['nonadmin'] })).toBe('not_permitted');
  });
});

describe('a server', () => {
  const page: Page = { operation: 'health', permission: everyone, url: '/healthz', handle: () => ({}) };
  const route: Route = {
    operation: 'list_users',
    permission: adminsOnly,
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
        schemes: [],
        hasAdmin: async () => true,
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
      shares: new Shares(),
    });
  }

  it('starts when every route has a permission', async () => {
    const server = start([route], [page]);
    await server.ready();
    await server.close();
  });

  it('does not start with a route or a page without an operation or a permission (Z1)', () => {
    for (const missing of [{ operation: undefined }, { operation: '' }, { permission: undefined }]) {
      expect(() => start([{ ...route, ...missing } as Route], [page])).toThrow(/operation|permission/);
      expect(() => start([route], [{ ...page, ...missing } as Page])).toThrow(/operation|permission/);
    }
  });
});
