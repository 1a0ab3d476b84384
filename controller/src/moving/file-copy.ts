// The files of a data folder that are neither in a database nor in the telemetry store: the secret, keys, mails, the state of
// emulated networks. They stay where they are, unless the new node has another data folder.
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { markName } from './migration-state.ts';

/** What has moved to the databases, and what belongs to the process that runs. */
const leftBehind = /^(weft\.db.*|broker\.db.*|telemetry|lock.*)$/;

export interface FileReport {
  path: string;
  sha256: string;
}

/** Each file is durable and complete under its name, or not there; copying again replaces it. */
export function copyFiles(from: string, to: string): FileReport[] {
  if (resolve(from) === resolve(to)) return [];
  const paths = filesBelow(from).filter((path) => !leftBehind.test(path.split('/')[0]!) && !path.startsWith(markName));
  return paths.map((path) => {
    const bytes = readFileSync(join(from, path));
    const file = join(to, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const handle = openSync(`${file}.moving`, 'w', 0o600);
    writeSync(handle, bytes);
    fsyncSync(handle);
    closeSync(handle);
    renameSync(`${file}.moving`, file);
    const sha256 = sha256Of(bytes);
    if (sha256Of(readFileSync(file)) !== sha256) throw new Error(`${file} differs from ${join(from, path)}`);
    return { path, sha256 };
  });
}

function filesBelow(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return below === '' && leftBehind.test(path) ? [] : filesBelow(folder, path);
    return entry.isFile() ? [path] : [];
  });
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
