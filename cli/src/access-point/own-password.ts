// The agent's password: generated at the first start, stored in a file that only the agent can read, never shown.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const pattern = /^[\w-]{43}$/;

/** The password of the agent with this state folder. Throws an Error that says what to do. */
export function ownPassword(folder: string): string {
  const path = join(folder, 'password');
  return read(path) ?? make(folder, path);
}

function read(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (pattern.test(text)) return text;
  throw new Error(
    `${path} does not contain a password. Remove it, delete the agent in Weft and give this access point a new enrolment token.`,
  );
}

/** Written to another file and linked, so that the file is complete or missing, and one of two concurrent starts wins. */
function make(folder: string, path: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const password = randomBytes(32).toString('base64url');
  const beside = `${path}.${process.pid}`;
  rmSync(beside, { force: true });
  try {
    const file = openSync(beside, 'wx', 0o600);
    try {
      writeSync(file, `${password}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(beside, path);
    syncFolder(folder);
    return password;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return read(path)!;
  } finally {
    rmSync(beside, { force: true });
  }
}

function syncFolder(folder: string): void {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
