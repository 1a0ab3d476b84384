// Users as a part: accounts, sign-up and password recovery.

import { openMailer } from '../../../backends.ts';
import { system } from '../../base/caller.ts';
import { StartError } from '../../base/errors.ts';
import { weaknessOfPassword } from '../../base/input/weak-password.ts';
import { createSetupCheck, isSetupCodeNeeded } from '../../http/request/setup-check.ts';
import type { Part, Platform } from '../../part.ts';
import type { AuditService } from '../audit/audit-service.ts';
import type { CallerChanges } from '../audit/caller-changes.ts';
import { PasswordRecoveryService, tokenLifeMs } from './password-recovery-service.ts';
import { ResetTokenStore } from './reset-token-store.ts';
import { SignupService } from './signup-service.ts';
import { userRoutes } from './user-routes.ts';
import { UserService } from './user-service.ts';
import { UserStore } from './user-store.ts';

export function createUsersPart(platform: Platform & { audit: AuditService; changes: CallerChanges }) {
  const { config, database, keyring, hasher, shares, audit, changes, ownUrl, log, onError } = platform;
  const perTenMinutes = (name: string, max: number) => shares.limiter(name, { max, windowMs: 600_000 });
  const { signup, maxUsers } = config;
  const store = new UserStore(database);
  const users = new UserService({
    users: store,
    hasher,
    changes,
    audit,
    maxUsers,
    strictPasswords: config.strictPasswords,
  });
  const signups = new SignupService({ users, store, audit, signup, maxWaiting: config.maxWaitingUsers });
  const resetTokens = new ResetTokenStore(database);
  platform.retention.add({
    name: 'reset tokens',
    keptMs: 2 * tokenLifeMs,
    remove: (nowMs) => resetTokens.removeExpired(Math.min(nowMs, platform.now())),
  });
  const recovery = new PasswordRecoveryService({
    users: store,
    resetTokens,
    mailer: openMailer(config, (file) => log.info({ file }, 'no mail server is set: mail written to the outbox')),
    hasher,
    requireNotName: users.requireNotName.bind(users),
    changes,
    publicUrl: () => config.publicUrl ?? ownUrl(),
    now: platform.now,
    onError,
  });
  return {
    users,
    recovery,
    routes: userRoutes({
      users,
      signups,
      recovery,
      requireSetupRight: createSetupCheck({
        code: keyring.setupCode,
        always: isSetupCodeNeeded(config),
        attempts: perTenMinutes('too_many_setup_codes', 10),
      }),
      limits: {
        signups: perTenMinutes('too_many_signups', config.signupsPerAddress),
        recoveries: perTenMinutes('too_many_recoveries', config.recoveriesPerAddress),
        resets: perTenMinutes('too_many_resets', config.resetsPerAddress),
      },
    }),
    metrics: {
      weft_password_checks_queued: { help: 'Logins that wait for a free core', value: () => hasher.queued },
    },
    authenticator: { hasAdmin: () => users.hasAdmin() },
    async prepare() {
      if (config.admin && !(await users.hasAdmin())) {
        const weakness = config.strictPasswords ? weaknessOfPassword(config.admin.password) : undefined;
        if (weakness !== undefined) throw new StartError(`WEFT_ADMIN_PASSWORD ${weakness}`);
        await users.createFirstAdmin({ ...config.admin, roles: ['admin'] }, system);
      }
    },
    start() {
      if (config.roles.includes('api')) recovery.start();
    },
    stop: () => recovery.stop(),
  } satisfies Part & Record<string, unknown>;
}
