// The stored login: one file that only the user can read.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandFailure, type Surroundings } from './surroundings.ts';

export interface Login {
  url: string;
  kind: 'user' | 'third_party_app';
  name: string;
  /** Expires; default: after an hour. */
  token: string;
  /** RFC 3339. */
  expires_at: string;
  /** The password or key, with --keep. */
  secret?: string;
}

export function loginFile({ XDG_CONFIG_HOME, HOME }: Surroundings['env']): string {
  return join(XDG_CONFIG_HOME || join(HOME || homedir(), '.config'), 'weft', 'login.json');
}

/** Undefined if there is no login. */
export function readLogin(path: string): Login | undefined {
  try {
    const login = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof login?.url !== 'string' || typeof login.token !== 'string') throw new Error('it contains no login');
    return login;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CommandFailure(`${path} is invalid: ${(error as Error).message}. Create it again with weft login.`);
  }
}

export function writeLogin(path: string, login: Login): void {
  const beside = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(beside, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
    chmodSync(beside, 0o600);
    renameSync(beside, path);
  } catch (error) {
    removeBeside(beside);
    throw new CommandFailure(`The login cannot be saved: ${(error as Error).message}`);
  }
}

function removeBeside(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The reason why it was not written also prevents its removal.
  }
}

/** Whether there was one, valid or not. */
export function removeLogin(path: string): boolean {
  const wasThere = existsSync(path);
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw new CommandFailure(`The login cannot be removed: ${(error as Error).message}`);
  }
  return wasThere;
}
