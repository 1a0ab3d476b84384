// The agent's password: generated at the first start, stored in a file that only the agent can read, never shown.
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { generateAgentSecret, isGeneratedSecret } from '@weft/sdk';

/** What a line has in place of an enrolment token when the machine takes over from another one of the same name. */
export const replacementPrefix = 'weft-replace-';
/** What earlier versions generated. */
const olderForm = /^[\w-]{43}$/;

export interface OwnPassword {
  password: string;
  /** The one before, when a new one was stored and Weft may not know it yet. */
  formerPassword?: string | undefined;
}

/** The password of the agent with this state folder. Throws an Error that says what to do. */
export function ownPassword(folder: string): OwnPassword {
  const path = join(folder, 'password');
  return read(path) ?? make(folder, path);
}

/** A new one, with the one of now behind it, in place of the file. */
export function keepPassword(folder: string, password: string, formerPassword: string): void {
  const path = join(folder, 'password');
  const beside = writeBeside(path, `${password}\n${formerPassword}\n`);
  renameSync(beside, path);
  syncFolder(folder);
}

function read(path: string): OwnPassword | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const [password = '', formerPassword] = text.split('\n');
  if (isOne(password) && (formerPassword === undefined || isOne(formerPassword))) return { password, formerPassword };
  throw new Error(
    `${path} does not contain a password. Remove it, delete the agent in Weft and give this access point a new enrolment token.`,
  );
}

/** Written to another file and linked, so that the file is complete or missing, and one of two concurrent starts wins. */
function make(folder: string, path: string): OwnPassword {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const password = generateAgentSecret();
  const beside = writeBeside(path, `${password}\n`);
  try {
    linkSync(beside, path);
    syncFolder(folder);
    return { password };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return read(path)!;
  } finally {
    rmSync(beside, { force: true });
  }
}

function writeBeside(path: string, text: string): string {
  const beside = `${path}.${process.pid}`;
  rmSync(beside, { force: true });
  const file = openSync(beside, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return beside;
}

function isOne(text: string): boolean {
  return isGeneratedSecret(text) || olderForm.test(text);
}

function syncFolder(folder: string): void {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
