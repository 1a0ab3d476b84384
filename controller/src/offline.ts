// What the command line needs of an installation without a server: its accounts and its audit log.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserCreate, UserUpdate } from '@weft/contract';
import { AuditService } from './audit/audit-service.ts';
import { createAuditLog } from './audit/audit-store.sql.ts';
import { openDatabase, openKeyring } from './backends.ts';
import type { Actor } from './caller.ts';
import type { Config } from './config.ts';
import { createFormats } from './input/formats.ts';
import { Validator } from './input/validator.ts';
import { PasswordHasher } from './password-hasher.ts';
import { StartError } from './start-error.ts';
import { prepareDataFolder } from './storage/data-folder.ts';
import { SignupService } from './users/signup-service.ts';
import { UserService } from './users/user-service.ts';
import { createUserStore } from './users/user-store.sql.ts';

/** For the command line, where `operator` sits: the accounts without a server. */
export async function openAccounts(config: Config, operator = 'somebody') {
  prepareDataFolder(config.dataDir);
  const database = openDatabase(config);
  await database.migrate();
  const hasher = new PasswordHasher();
  const store = createUserStore(database);
  const { quotas } = config;
  const audit = new AuditService(createAuditLog(database, { key: openKeyring(config) }));
  const by: Actor = { kind: 'command_line', id: null, name: operator };
  const users = new UserService({
    users: store,
    hasher,
    callerChanged: () => {},
    audit,
    maxUsers: quotas.users,
    strictPasswords: config.strictPasswords,
  });
  const signups = new SignupService({
    users,
    store,
    audit,
    signup: config.signup,
    maxWaiting: quotas.waitingUsers,
  });
  const validator = new Validator(createFormats(config));
  return {
    users: {
      list: async () =>
        (await store.list()).map(({ username, roles, created_at, disabled_at, disabled_by, waiting_since }) => ({
          username,
          roles: roles.join(),
          created_at,
          disabled_at,
          disabled_by,
          waiting_since,
        })),
      create: (input: UserCreate) => users.create(validator.require(UserCreate, input), by),
      setPassword: (username: string, password: string) =>
        users.update(username, validator.require(UserUpdate, { password }), by),
      disable: (username: string) => users.disable(username, by),
      enable: (username: string) => users.enable(username, by),
      approve: (username: string) => signups.approve(username, by),
    },
    close: () => database.close(),
  };
}

/** For the command line: the audit log without a server. Throws StartError rather than make a new, empty one. */
export async function openAuditLog(config: Config) {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'weft.db'))) {
    throw new StartError(`there is no database in ${config.dataDir}`);
  }
  const database = openDatabase(config);
  await database.migrate();
  // Whoever has only a copy of the database can check the hashes; the seals need the secret, which is not made up here.
  const hasSecret = config.secret !== undefined || existsSync(join(config.dataDir, 'secret'));
  const log = createAuditLog(database, { key: hasSecret ? openKeyring(config) : undefined });
  return {
    verify: (options: Parameters<typeof log.verify>[0]) => log.verify(options),
    page: (fromSeq: number, limit: number) => log.page(fromSeq, limit),
    close: () => database.close(),
  };
}
