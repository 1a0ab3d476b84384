// Users as a part: accounts, sign-up and password recovery.
import type { AuditService } from '../audit/audit-service.ts';
import type { CallerChanges } from '../audit/caller-changes.ts';
import { openMailer } from '../backends.ts';
import { system } from '../caller.ts';
import { createSetupCheck, isSetupCodeNeeded } from '../http/request/setup-check.ts';
import type { Part, Platform } from '../part.ts';
import { limitPerMinutes } from '../shares/rate-limiter.ts';
import { PasswordRecoveryService } from './password-recovery-service.ts';
import { createResetTokenStore } from './reset-token-store.sql.ts';
import { userRoutes } from './user-routes.ts';
import { UserService } from './user-service.ts';
import { createUserStore } from './user-store.sql.ts';

export function createUsersPart(platform: Platform & { audit: AuditService; changes: CallerChanges }) {
  const { config, database, keyring, hasher, audit, changes, ownUrl, log, onError } = platform;
  const { limits, signup, quotas } = config;
  const store = createUserStore(database);
  const users = new UserService({
    users: store,
    hasher,
    changes,
    audit,
    signup,
    maxUsers: quotas.users,
  });
  const recovery = new PasswordRecoveryService({
    users: store,
    resetTokens: createResetTokenStore(database),
    mailer: openMailer(config, (file) => log.info({ file }, 'no mail server is set: mail written to the outbox')),
    hasher,
    changes,
    publicUrl: () => config.publicUrl ?? ownUrl(),
    onError,
  });
  return {
    users,
    recovery,
    routes: userRoutes({
      users,
      recovery,
      requireSetupRight: createSetupCheck({
        code: keyring.setupCode,
        always: isSetupCodeNeeded(config),
        attempts: limitPerMinutes('too_many_setup_codes', 10, 10),
      }),
      limits: {
        signups: limitPerMinutes('too_many_signups', limits.signupsPerAddress, 10),
        recoveries: limitPerMinutes('too_many_recoveries', limits.recoveriesPerAddress, 10),
        resets: limitPerMinutes('too_many_resets', limits.resetsPerAddress, 10),
      },
    }),
    metrics: {
      weft_password_checks_queued: { help: 'Logins that wait for a free core', value: () => hasher.queued },
    },
    authenticator: { hasAdmin: () => users.hasAdmin() },
    async prepare() {
      if (config.admin && !(await users.hasAdmin())) {
        await users.createFirstAdmin({ ...config.admin, roles: ['admin'] }, system);
      }
    },
    start() {
      if (config.roles.includes('api')) recovery.start();
    },
    stop: () => recovery.stop(),
  } satisfies Part & Record<string, unknown>;
}
