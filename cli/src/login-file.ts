// Where `weft login` leaves who is logged in: one file of the user's own that nobody else can read.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandFailure, type Surroundings } from './surroundings.ts';

export interface Login {
  url: string;
  kind: 'user' | 'third_party_app';
  name: string;
  /** Ends by itself, after an hour unless Weft was told otherwise. */
  token: string;
  /** RFC 3339. */
  expires_at: string;
  /** The password or key, if it was to be kept. */
  secret?: string;
}

export function loginFile({ XDG_CONFIG_HOME, HOME }: Surroundings['env']): string {
  return join(XDG_CONFIG_HOME || join(HOME || homedir(), '.config'), 'weft', 'login.json');
}

/** Undefined if nobody is logged in. */
export function readLogin(path: string): Login | undefined {
  try {
    const login = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof login?.url !== 'string' || typeof login.token !== 'string') throw new Error('there is no login in it');
    return login;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CommandFailure(`${path} cannot be used: ${(error as Error).message}. weft login writes it anew.`);
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
    throw new CommandFailure(`The login cannot be kept: ${(error as Error).message}`);
  }
}

function removeBeside(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // What kept it from being written keeps it from being removed.
  }
}

/** Whether there was one, whatever state it was in. */
export function removeLogin(path: string): boolean {
  const wasThere = existsSync(path);
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw new CommandFailure(`The login cannot be removed: ${(error as Error).message}`);
  }
  return wasThere;
}
