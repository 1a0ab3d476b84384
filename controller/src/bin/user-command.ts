// `weft user`: manages user accounts directly in the database.
import { userInfo } from 'node:os';
import {
  type CommandLine,
  exitCode,
  readNewPassword,
  type Surroundings,
  toInterfaceJson,
  toMoment,
  UsageError,
} from '@weft/cli';
import type { UserRecord } from '../core/accounts/users/user-record.ts';
import { readConfig } from './read-config.ts';

export async function userCommand(line: CommandLine, around: Surroundings): Promise<number> {
  const [action, username] = line.words;
  const role = line.get('role') ?? 'user';
  if (role !== 'admin' && role !== 'user') throw new UsageError('--role must be admin or user.');
  const config = readConfig(line, around.env);
  // Read before the database is opened, so that no lock is held while the user types.
  const needsPassword = action === 'add' || action === 'set-password';
  const password = needsPassword ? await readNewPassword(line.has('password-stdin'), around) : '';

  const { isNewDatabase, openAccounts, requireDatabase } = await import('../offline.ts');
  // The first administrator may be created before the first start.
  const isNew = isNewDatabase(config);
  if (action !== 'add') requireDatabase(config);
  const accounts = await openAccounts(config, operatorName());
  try {
    if (username === undefined) {
      const users = await accounts.users.list();
      around.stdout.write(line.has('json') ? `${toInterfaceJson(users, 2)}\n` : toTable(users));
    } else if (action === 'add') {
      const user = await accounts.users.create({ username, password, roles: [role] });
      around.stderr.write(`Created ${user.username} (${user.roles}).\n`);
      if (isNew) around.stderr.write(`There was no database in ${config.dataDir}; it is new.\n`);
    } else if (action === 'disable') {
      await accounts.users.disable(username);
      around.stderr.write(`Disabled ${username}; all its tokens are revoked.\n`);
    } else if (action === 'enable') {
      await accounts.users.enable(username);
      around.stderr.write(`Enabled ${username}; the user can sign in again.\n`);
    } else if (action === 'approve') {
      await accounts.users.approve(username);
      around.stderr.write(`Approved ${username}; the user can sign in.\n`);
    } else {
      await accounts.users.setPassword(username, password);
      around.stderr.write(`Set the password of ${username}; earlier tokens are revoked.\n`);
    }
    return exitCode.ok;
  } finally {
    await accounts.close();
  }
}

/** The account of the shell, for the audit log. An account without a name, as in a container, is named by its uid. */
function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

type ListedUser = Pick<UserRecord, 'username' | 'created_at' | 'disabled_at' | 'disabled_by' | 'waiting_since'> & {
  roles: string;
};

function toTable(users: ListedUser[]): string {
  const width = Math.max(0, ...users.map(({ username }) => username.length));
  return users
    .map((user) =>
      [user.username.padEnd(width), user.roles.padEnd(10), toMoment(user.created_at), toState(user)].join('  '),
    )
    .map((text) => `${text}\n`)
    .join('');
}

function toState({ disabled_at, disabled_by, waiting_since }: ListedUser): string {
  if (disabled_at !== null) return `disabled by ${disabled_by}, ${toMoment(disabled_at)}`;
  return waiting_since === null ? 'enabled' : `waits for approval since ${toMoment(waiting_since)}`;
}
