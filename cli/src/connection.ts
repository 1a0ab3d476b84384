// Which Weft a command speaks to, and as whom: flags before the environment before what `weft login` left.
import { readFileSync } from 'node:fs';
import { App, type AppOptions } from '@weft/sdk';
import type { CommandLine } from './command.ts';
import { type Login, loginFile, readLogin } from './login-file.ts';
import { CommandFailure, type Surroundings, UsageError } from './surroundings.ts';

export const defaultUrl = 'http://127.0.0.1:8000';

export const urlOption = {
  url: { value: 'URL', about: 'where Weft is (WEFT_URL); the one that was logged in to unless told' },
} as const;

/** What the help of every command that connects ends with. */
export const identityHelp = `A command acts as whoever logged in with weft login, or, for scripts, as the app of WEFT_APP_NAME and WEFT_APP_KEY (or WEFT_APP_KEY_FILE), or with the token in WEFT_TOKEN.`;

/** Throws CommandFailure if nobody is logged in, UsageError if the address is none. */
export function connect(line: CommandLine, around: Surroundings, { patienceMs = 10_000 } = {}): App {
  const { url, ...identity } = whoIsCalling(line, around);
  return new App({ url, ...identity, patienceMs });
}

/** An address with its scheme and without a slash at the end. */
export function parseUrl(text: string): string {
  if (/^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    throw new UsageError(`${JSON.stringify(text)} is no address of Weft, which speaks http and https.`);
  }
  const given = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  try {
    const { origin, pathname, username, password } = new URL(given);
    if (username || password) throw new UsageError('The address must not hold a name or a password.');
    return (origin + pathname).replace(/\/+$/, '');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${JSON.stringify(text)} is no address; one looks like ${defaultUrl}.`);
  }
}

/** Where Weft is, whoever calls. */
export function urlOf(line: CommandLine, { env }: Surroundings): string {
  return parseUrl(line.get('url') ?? env.WEFT_URL ?? readLogin(loginFile(env))?.url ?? defaultUrl);
}

function whoIsCalling(line: CommandLine, around: Surroundings): Pick<AppOptions, 'url'> & AppOptions {
  const { env } = around;
  const url = urlOf(line, around);
  if (env.WEFT_TOKEN) return { url, token: env.WEFT_TOKEN };
  if (env.WEFT_APP_NAME) return { url, name: env.WEFT_APP_NAME, key: appKey(env) };
  const login = readLogin(loginFile(env));
  if (!login) throw new CommandFailure(`Nobody is logged in. Try: weft login ${url}`);
  // A token must not go where it does not come from.
  if (login.url !== url) throw new CommandFailure(`Nobody is logged in at ${url}. Try: weft login ${url}`);
  return { url, ...identityOf(login) };
}

function identityOf({ kind, name, secret, token, expires_at, url }: Login) {
  if (secret !== undefined) return kind === 'user' ? { username: name, password: secret } : { name, key: secret };
  if (Date.parse(expires_at) <= Date.now()) {
    throw new CommandFailure(`The login of ${name} has ended. Try: weft login ${url}`);
  }
  return { token };
}

function appKey(env: Surroundings['env']): string {
  if (env.WEFT_APP_KEY) return env.WEFT_APP_KEY;
  if (!env.WEFT_APP_KEY_FILE)
    throw new CommandFailure('WEFT_APP_NAME is set; WEFT_APP_KEY or WEFT_APP_KEY_FILE is not.');
  try {
    return readFileSync(env.WEFT_APP_KEY_FILE, 'utf8').trim();
  } catch (error) {
    throw new CommandFailure(`WEFT_APP_KEY_FILE cannot be read: ${(error as Error).message}`);
  }
}
