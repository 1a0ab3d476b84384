// `weft login` and `weft logout`: the account that the other commands use.
import { App, WeftRefusal } from '@weft/sdk';
import type { Command } from '../command.ts';
import { defaultUrl, noteWeft, parseUrl } from '../connection.ts';
import { type Login, loginFile, readLogin, removeLogin, writeLogin } from '../login-file.ts';
import { toMoment } from '../moments.ts';
import { readLine, readSecret } from '../password-input.ts';
import { CommandFailure, type Surroundings, UsageError } from '../surroundings.ts';

export const loginCommand: Command = {
  summary: 'log in; the other commands use this account',
  usage: ['login [URL] [--user NAME | --app NAME] [--password-stdin] [--keep] [--force]'],
  about: `Asks for username and password. Stores the token in a file that only you can read. The token expires (default: after an hour). There is one login: a login at another Weft takes its place, and is asked about first.`,
  options: {
    user: { value: 'NAME', about: 'log in as this user; default: ask' },
    app: { value: 'NAME', about: 'log in as this third-party app, with its key as the password' },
    'password-stdin': { about: 'read the password or key from standard input' },
    force: { about: 'do not ask before a login at another Weft takes the place of the present one' },
    keep: { about: 'store the password or key as well, so that the login does not expire' },
  },
  examples: [
    'login',
    'login https://weft.example.org --user ada@example.org',
    'login --app saver --keep --password-stdin < key.txt',
  ],
  async run(line, around) {
    const [given] = line.words;
    if (line.has('user') && line.has('app')) throw new UsageError('Give --user or --app, not both.');
    const before = storedLogin(around);
    const url = parseUrl(given ?? around.env.WEFT_URL ?? before?.url ?? defaultUrl);
    noteWeft(around, url);
    if (before && before.url !== url && !line.has('force')) await requireMove(before, url, around);
    const kind = line.has('app') ? 'third_party_app' : 'user';
    const name = line.get('app') ?? line.get('user') ?? (await readLine('Username: ', around));
    const secret = await readSecret(kind === 'user' ? 'Password: ' : 'Key: ', line.has('password-stdin'), around);
    const identity = kind === 'user' ? { username: name, password: secret } : { name, key: secret };
    const { token, expiresAt = new Date() } = await new App({ url, ...identity, patienceMs: 10_000 })
      .logIn()
      .catch(async (error) => {
        const isWrong = error instanceof WeftRefusal && error.status === 401;
        if (isWrong && (await hasNoAccount(url))) {
          throw new CommandFailure(`There is no account at ${url} yet. Open it in a browser to create the first one.`);
        }
        throw isWrong
          ? new CommandFailure(
              `${url} knows no such ${kind === 'user' ? 'user with this password' : 'app with this key'}.`,
            )
          : error;
      });
    const path = loginFile(around.env);
    const expires_at = expiresAt.toISOString();
    writeLogin(path, { url, kind, name, token, expires_at, ...(line.has('keep') && { secret }) });
    const until = line.has('keep') ? '' : ` until ${toMoment(expiresAt)}`;
    around.stderr.write(`Logged in at ${url} as ${name}${until}.\n`);
  },
};

/** All commands go where the last login was, whatever the folder. Throws CommandFailure unless that may change. */
async function requireMove({ url: from, name }: Login, to: string, around: Surroundings): Promise<void> {
  const now = `You are logged in at ${from} as ${name}. After a login at ${to} all commands go there.`;
  if (!around.stdin.isTTY || !around.stderr.isTTY) throw new CommandFailure(`${now} Add --force if that is meant.`);
  const answer = await readLine(`${now} Go on? [y/N] `, around);
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new CommandFailure(`Nothing was changed: commands go to ${from}, not to ${to}.`);
}

async function hasNoAccount(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/setup.json`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  const setup = (await answer?.json().catch(() => null)) as { has_admin?: unknown } | null | undefined;
  return setup?.has_admin === false;
}

/** An invalid login is ignored. */
function storedLogin({ env }: Surroundings): Login | undefined {
  try {
    return readLogin(loginFile(env));
  } catch (error) {
    if (error instanceof CommandFailure) return undefined;
    throw error;
  }
}

export const logoutCommand: Command = {
  summary: 'end the stored login and delete it',
  usage: ['logout'],
  options: {},
  examples: ['logout'],
  async run(_, around) {
    const stored = storedLogin(around);
    const wasThere = removeLogin(loginFile(around.env));
    const isEnded = stored === undefined || (await endToken(stored));
    around.stderr.write(wasThere ? 'Logged out.\n' : 'You were not logged in.\n');
    if (!isEnded) {
      around.stderr.write(`${stored.url} did not answer: the token remains valid there until ${stored.expires_at}.\n`);
    }
  },
};

/** Whether it is known that the token is no longer valid. */
async function endToken({ url, token }: Login): Promise<boolean> {
  try {
    await new App({ url, token, patienceMs: 0 }).logOut({ signal: AbortSignal.timeout(5_000) });
    return true;
  } catch (error) {
    return error instanceof WeftRefusal && error.status === 401;
  }
}
