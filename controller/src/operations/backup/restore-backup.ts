// Restores a backup to a data folder. It is unpacked and verified in a temporary folder, which is renamed
// when everything is valid and on disk; an existing folder is renamed, never deleted.
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { chown, mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Tables } from '@weft/timeseries';
import { lockDataFolder } from '../../core/base/storage/data-folder.ts';
import { unpackBackup } from './backup-archive.ts';
import { BackupError, toBackupError } from './backup-error.ts';
import type { BackupManifest } from './backup-manifest.ts';
import { syncFolder, writeDurably } from './write-backup.ts';

export interface RestoreRequest {
  /** The name of the backup in messages. */
  name: string;
  archive: AsyncIterable<Buffer>;
  dataDir: string;
  /** Renames an existing folder. */
  force: boolean;
  onProgress: (bytes: number, totalBytes: number) => void;
}

export interface Restored {
  manifest: BackupManifest;
  /** The new name of the existing folder. */
  movedTo: string | undefined;
}

export interface RunningRestore {
  restored: Promise<Restored>;
  /** Removes all files created so far, synchronously: for a process that is about to end. */
  abandon(): void;
}

/** Rejects with a BackupError, or a StartError while a server runs on the folder, and then nothing has changed. */
export function restoreBackup(request: RestoreRequest): RunningRestore {
  let work: string | undefined;
  const abandon = () => {
    if (work !== undefined) rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  };
  const run = async (): Promise<Restored> => {
    const named = resolve(request.dataDir);
    // A symbolic link to a folder is kept: the restored data belongs on that disk.
    const dataDir = isThere(named) ? realpathSync(named) : named;
    const isOccupied = isThere(dataDir) && readdirSync(dataDir).length > 0;
    if (isOccupied && !request.force) {
      throw new BackupError(`${dataDir} is not empty: choose another folder, or use --force to rename it`);
    }
    const lock = isOccupied ? lockDataFolder(dataDir) : undefined;
    try {
      work = mkdtempSync(join(dirname(dataDir), `.${basename(dataDir)}-restore-`));
      const fresh = join(work, 'data');
      const manifest = await unpackInto(fresh, request);
      if (isThere(dataDir)) await giveTo(fresh, dataDir, manifest);
      const movedTo = isOccupied ? asideName(dataDir) : undefined;
      if (movedTo !== undefined) await rename(dataDir, movedTo);
      await rename(fresh, dataDir).catch(async (error) => {
        if (movedTo !== undefined) await rename(movedTo, dataDir);
        throw error;
      });
      await syncFolder(dirname(dataDir));
      return { manifest, movedTo };
    } catch (error) {
      throw toBackupError(error, `${dataDir} cannot be written`);
    } finally {
      lock?.release();
      abandon();
    }
  };
  return { restored: run(), abandon };
}

async function unpackInto(folder: string, { name, archive, onProgress }: RestoreRequest): Promise<BackupManifest> {
  let totalBytes = 0;
  let done = 0;
  let failure: unknown;
  const folders = [folder, ...['telemetry', 'telemetry/journal', 'emulator'].map((path) => join(folder, path))];
  const write = async (path: string, bytes: AsyncIterable<Buffer>): Promise<void> => {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeDurably(path, bytes);
    } catch (error) {
      // An error of the disk, not of the archive.
      if ((error as NodeJS.ErrnoException).syscall !== undefined) failure = error;
      throw error;
    }
  };
  async function* counted(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      yield chunk;
      done += chunk.length;
      onProgress(done, totalBytes);
    }
  }
  try {
    await mkdir(folder, { mode: 0o700 });
    const manifest = await unpackBackup(archive, {
      onManifest: ({ parts }) => {
        totalBytes = parts.reduce((sum, { size }) => sum + size, 0);
      },
      write: ({ path }, bytes) => write(join(folder, path), counted(bytes)),
    });
    requireKnownTelemetry(join(folder, 'telemetry', 'telemetry.db'));
    for (const path of folders) if (existsSync(path)) await syncFolder(path);
    return manifest;
  } catch (error) {
    if (failure !== undefined) throw failure;
    if (error instanceof BackupError) throw new BackupError(`${name} cannot be restored: ${error.message}`);
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) throw toBackupError(error, `${name} cannot be read`);
    throw new BackupError(`${name} is damaged or not a backup of Weft, and nothing was restored: ${message}`, {
      cause: error,
    });
  }
}

/** Opened like the store does, which rejects data of a newer Weft. */
function requireKnownTelemetry(file: string): void {
  if (!existsSync(file)) return;
  try {
    new Tables(file).close();
  } catch (error) {
    throw new BackupError(`its telemetry is invalid: ${(error as Error).message.replace(file, 'telemetry.db')}`);
  }
}

/** The new folder has the owner of the previous one, even if root restores it. */
async function giveTo(fresh: string, before: string, { parts }: BackupManifest): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(before);
  const paths = new Set(['.']);
  for (const { path } of parts) for (let up = path; up !== '.'; up = dirname(up)) paths.add(up);
  for (const path of paths) await chown(join(fresh, path), uid, gid);
}

function asideName(dataDir: string): string {
  const moment = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  for (let number = 1; ; number++) {
    const name = `${dataDir}.before-${moment}${number === 1 ? '' : `-${number}`}`;
    if (!existsSync(name)) return name;
  }
}

function isThere(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw new BackupError(`${folder} is not a folder`);
  return found !== undefined;
}
