// What the command line needs of an installation without a server: its accounts and its audit log.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserCreate, UserUpdate } from '@weft/contract';
import { openDatabase, openKeyring, requireOldSecret, sealEmbeddedTelemetry } from './backends.ts';
import { AgentStore } from './core/accounts/agents/agent-store.ts';
import { AuditService } from './core/accounts/audit/audit-service.ts';
import { AuditLog } from './core/accounts/audit/audit-store.ts';
import { CallerChanges } from './core/accounts/audit/caller-changes.ts';
import { appUpdated } from './core/accounts/third-party-apps/third-party-app-service.ts';
import {
  type ThirdPartyAppRecord,
  ThirdPartyAppStore,
} from './core/accounts/third-party-apps/third-party-app-store.ts';
import { SignupService } from './core/accounts/users/signup-service.ts';
import { UserService } from './core/accounts/users/user-service.ts';
import { UserStore } from './core/accounts/users/user-store.ts';
import { type Actor, type CallerChange, isEnded } from './core/base/caller.ts';
import type { Config } from './core/base/config.ts';
import { StartError } from './core/base/errors.ts';
import { createFormats } from './core/base/input/formats.ts';
import { Validator } from './core/base/input/validator.ts';
import { PasswordHasher } from './core/base/password-hasher.ts';
import { hasNoSecret } from './core/base/secret-file.ts';
import { generateSecret, type Keyring } from './core/base/secrets.ts';
import { prepareDataFolder } from './core/base/storage/data-folder.ts';
import type { SqlDatabase } from './core/base/storage/sql-database.ts';
import { createCommandCore } from './core/commands/command-core.ts';
import { CommandEnding } from './core/commands/ledger/command-ending.ts';
import { CommandStore } from './core/commands/ledger/command-store.ts';
import { commandableAmong } from './core/commands/ledger/present-rights.ts';
import { DeviceExtrasStore } from './core/devices/store/device-extras-store.ts';
import type { ChangeEvent } from './core/event-kinds.ts';
import { createEvents } from './core/events.ts';
import { JobEnding } from './core/jobs/mailbox/job-ending.ts';
import { MailboxStore } from './core/jobs/mailbox/mailbox-store.ts';
import { JobStore } from './core/jobs/store/job-store.ts';
import { OwnedJobs } from './core/jobs/store/owned-jobs.ts';
import { AgentRowStore } from './core/network/agent-row-store.ts';
import { Network } from './core/network/network.ts';
import { EmulatorRunStore } from './core/networks/emulator-run-store.ts';
import { RunCloser } from './core/networks/run-closer.ts';
import { RunEnding } from './core/networks/run-ending.ts';
import { type MoveHooks, migrate } from './operations/moving/migration.ts';
import { refuseMovedFolder } from './operations/moving/migration-state.ts';

const hour = 3_600_000;

/** For the command line, where `operator` sits: the accounts without a server. */
export async function openAccounts(config: Config, operator = 'somebody') {
  prepareDataFolder(config.dataDir);
  if (config.databaseUrl === undefined) refuseMovedFolder(config);
  const database = openDatabase(config);
  await database.migrate();
  await requireOldSecret(config, database);
  const hasher = new PasswordHasher();
  const store = new UserStore(database);
  const keyring = openKeyring(config);
  const log = new AuditLog(database, { key: keyring });
  const audit = new AuditService(log);
  const by: Actor = { kind: 'command_line', id: null, name: operator };
  const users = new UserService({
    users: store,
    hasher,
    changes: new CallerChanges(log, endings({ database, config, keyring, audit: log })),
    audit,
    maxUsers: config.maxUsers,
    strictPasswords: config.strictPasswords,
  });
  const signups = new SignupService({
    users,
    store,
    audit,
    signup: config.signup,
    maxWaiting: config.maxWaitingUsers,
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

interface EndingsDeps {
  database: SqlDatabase;
  config: Config;
  keyring: Keyring;
  audit: AuditLog;
}

/** What ends with a caller, as the parts of a server end it; a server that runs finds out by itself. */
function endings({ database, config, keyring, audit }: EndingsDeps): ChangeEvent<CallerChange> {
  const event = createEvents().callerChanged;
  const retentionMs = config.jobRetentionHours * hour;
  const [agents, jobs] = [new AgentStore(database), new JobStore(database)];
  const [owned, mailbox, store] = [new OwnedJobs(database), new MailboxStore(database), new CommandStore(database)];
  const network = new Network(new AgentRowStore(database));
  const rights = { commandable: commandableAmong(network) };
  const isPublished = config.amqpUrl !== undefined;
  const { ledger, operations } = createCommandCore({
    ...{ database, network, store, jobs, mailbox, audit, keyring, retentionMs, isPublished },
    onError: () => {},
  });
  const runs = new EmulatorRunStore(database, agents, jobs);
  const changes = new CallerChanges(audit, event);
  const keepMs = config.emulatorKeepHours * hour;
  const commands = new CommandEnding({ store, ledger, operations, rights });
  const extras = new DeviceExtrasStore(database);
  // Alarms and incidents of its access points end with the next look of a server.
  const ending = createEvents().networkEnded;
  ending.within(commands.network);
  ending.within(async (tx, { agents: at }) => {
    await extras.removeWatchesAt(tx, at);
    return {};
  });
  const closer = new RunCloser({ runs, jobs, mailbox, database, audit, owned, changes, ending, keepMs });
  const silent = { mailbox, retentionMs, tell: () => {} };
  event.within(async (tx, change) => {
    if (isEnded(change)) await extras.removeWatchesOf(tx, change.kind, change.id);
    return {};
  });
  event.within(new JobEnding({ ...silent, owned, network }).step);
  event.within(commands.step);
  event.within(new RunEnding({ ...silent, runs, closer }).step);
  return event;
}

/** For `weft migrate`: from this data folder to what the settings name. Throws StartError as requireDatabase does. */
export async function moveInstallation(from: string, config: Config, hooks: MoveHooks) {
  const old: Config = { ...config, dataDir: from, databaseUrl: undefined, telemetryUrl: undefined };
  requireDatabase(old);
  prepareDataFolder(config.dataDir);
  const keyring = openKeyring(config);
  const [local, target] = [openDatabase(old), openDatabase(config)];
  try {
    return await migrate({
      from,
      config,
      keyring,
      local,
      target,
      sealTelemetry: () => sealEmbeddedTelemetry(old, hooks.onStage),
      verifyAudit: () => new AuditLog(target, { key: keyring }).verify({}),
      ...hooks,
    });
  } finally {
    await local.close();
    await target.close();
  }
}

/** Whether opening it would make a new, empty one. */
export function isNewDatabase({ databaseUrl, dataDir }: Config): boolean {
  return databaseUrl === undefined && !existsSync(join(dataDir, 'weft.db'));
}

/** Throws StartError rather than make a new, empty database where the folder was mistyped. */
export function requireDatabase(config: Config): void {
  if (!isNewDatabase(config)) return;
  throw new StartError(
    `there is no database in ${config.dataDir}: set the data folder with --data-dir or WEFT_DATA_DIR`,
  );
}

/** For a restored folder without its secret: the names of its apps, whose keys are stored under that. */
export async function appsOf(config: Config): Promise<string[]> {
  const database = openDatabase(config);
  try {
    await database.migrate();
    return (await new ThirdPartyAppStore(database).list()).map(({ app_name }) => app_name);
  } finally {
    await database.close();
  }
}

/** Gives those whose keys cannot be read random keys, so that Weft starts. Resolves their names. */
export async function forgetAppKeys(config: Config): Promise<string[]> {
  const database = openDatabase(config);
  try {
    await database.migrate();
    const keyring = openKeyring(config);
    const apps = new ThirdPartyAppStore(database);
    const audit = new AuditService(new AuditLog(database, { key: keyring }));
    const by: Actor = { kind: 'command_line', id: null, name: 'weft restore' };
    const lost = (await apps.list()).filter(({ api_key_encrypted }) => !keyring.canDecrypt(api_key_encrypted));
    for (const { app_name, id } of lost) {
      const change = { api_key_encrypted: keyring.encrypt(generateSecret(), id), ver: generateSecret() };
      const also = audit.entry<ThirdPartyAppRecord>(({ before, after }) => appUpdated(by, before!, after!));
      await apps.update(app_name, change, { also });
    }
    return lost.map(({ app_name }) => app_name);
  } finally {
    await database.close();
  }
}

/** For the command line: the audit log without a server. Throws StartError as requireDatabase does. */
export async function openAuditLog(config: Config) {
  requireDatabase(config);
  const database = openDatabase(config);
  await database.migrate();
  // Whoever has only a copy of the database can check the hashes; the seals need the secret, which is not made up here.
  const log = new AuditLog(database, { key: hasNoSecret(config) ? undefined : openKeyring(config) });
  return {
    verify: (options: Parameters<typeof log.verify>[0]) => log.verify(options),
    page: (fromSeq: number, limit: number) => log.page(fromSeq, limit),
    close: () => database.close(),
  };
}
