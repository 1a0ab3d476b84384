// Which Weft a command connects to, and as which caller: flags, then the environment, then the stored login.
import { readFileSync } from 'node:fs';
import { App, type AppOptions } from '@weft/sdk';
import { type CommandLine, jsonOption } from './command.ts';
import { type Login, loginFile, readLogin } from './login-file.ts';
import { CommandFailure, type Surroundings, UsageError } from './surroundings.ts';
import { tableOptions } from './table.ts';

export const defaultUrl = 'http://127.0.0.1:8000';

export const urlOption = {
  url: { value: 'URL', about: 'address of Weft (WEFT_URL); default: the address of the last weft login' },
} as const;

/** Of a command that asks Weft for a list. */
export const listOptions = { ...tableOptions, ...jsonOption, ...urlOption };

/** The end of the help of every command that connects. */
export const identityHelp = `The command uses the account of weft login. Scripts can use an app instead (WEFT_APP_NAME and WEFT_APP_KEY or WEFT_APP_KEY_FILE), or a token (WEFT_TOKEN).`;

const talkedTo = new WeakMap<Surroundings, string>();

/** The Weft that a command has connected to, for what it says of a failure. */
export function weftOf(around: Surroundings): string | undefined {
  return talkedTo.get(around);
}

export function noteWeft(around: Surroundings, url: string): void {
  talkedTo.set(around, url);
}

/** Throws CommandFailure if there is no login, UsageError if the address is invalid. */
export function connect(line: CommandLine, around: Surroundings, { patienceMs = 10_000 } = {}): App {
  const { url, ...identity } = whoIsCalling(line, around);
  noteWeft(around, url);
  return new App({ url, ...identity, patienceMs });
}

/** An address with its scheme and without a slash at the end. */
export function parseUrl(text: string): string {
  if (/^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    throw new UsageError(`${JSON.stringify(text)} is not a valid address: use http or https.`);
  }
  const given = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  try {
    const { origin, pathname, username, password } = new URL(given);
    if (username || password) throw new UsageError('The address must not contain a username or password.');
    return (origin + pathname).replace(/\/+$/, '');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${JSON.stringify(text)} is not a valid address. Example: ${defaultUrl}`);
  }
}

/** The address of Weft. */
export function urlOf(line: CommandLine, { env }: Surroundings): string {
  return parseUrl(line.get('url') ?? env.WEFT_URL ?? readLogin(loginFile(env))?.url ?? defaultUrl);
}

function whoIsCalling(line: CommandLine, around: Surroundings): Pick<AppOptions, 'url'> & AppOptions {
  const { env } = around;
  const url = urlOf(line, around);
  if (env.WEFT_TOKEN) return { url, token: env.WEFT_TOKEN };
  if (env.WEFT_APP_NAME) return { url, name: env.WEFT_APP_NAME, key: appKey(env) };
  const login = readLogin(loginFile(env));
  if (!login) throw new CommandFailure(`You are not logged in. Try: weft login ${url}`);
  // A token must only be sent to the address that issued it.
  if (login.url !== url) throw new CommandFailure(`You are not logged in at ${url}. Try: weft login ${url}`);
  return { url, ...identityOf(login) };
}

function identityOf({ kind, name, secret, token, expires_at, url }: Login) {
  if (secret !== undefined) return kind === 'user' ? { username: name, password: secret } : { name, key: secret };
  if (Date.parse(expires_at) <= Date.now()) {
    throw new CommandFailure(`The login of ${name} has expired. Try: weft login ${url}`);
  }
  return { token };
}

function appKey(env: Surroundings['env']): string {
  if (env.WEFT_APP_KEY) return env.WEFT_APP_KEY;
  if (!env.WEFT_APP_KEY_FILE)
    throw new CommandFailure('WEFT_APP_NAME is set, but neither WEFT_APP_KEY nor WEFT_APP_KEY_FILE.');
  try {
    return readFileSync(env.WEFT_APP_KEY_FILE, 'utf8').trim();
  } catch (error) {
    throw new CommandFailure(`WEFT_APP_KEY_FILE cannot be read: ${(error as Error).message}`);
  }
}
