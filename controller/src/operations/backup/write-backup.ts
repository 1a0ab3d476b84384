// Writes a backup: takes a snapshot of the data folder, packs it, and renames the file only when
// it is complete and on disk. After a failure nothing is left behind.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { chmod, type FileHandle, link, mkdir, open, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { stampBackup } from '../../core/base/storage/data-folder.ts';
import { packBackup } from './backup-archive.ts';
import { BackupError, toBackupError } from './backup-error.ts';
import { type BackupManifest, type BackupPart, createManifest, type LeftOut } from './backup-manifest.ts';
import { copyLive, type LiveCopyOptions } from './live-copy.ts';

export type BackupStage = 'Copying' | 'Packing';

export interface BackupRequest extends Omit<LiveCopyOptions, 'target' | 'onProgress'> {
  /** Parts of the installation that are stored on other servers. */
  leftOut: LeftOut[];
  weftVersion: string;
  onProgress: (stage: BackupStage, bytes: number, totalBytes: number) => void;
}

/** Where the bytes go. */
export type BackupSink = { file: string } | { write: (chunk: Buffer) => Promise<void> };

export interface RunningBackup {
  manifest: Promise<BackupManifest>;
  /** Removes all files created so far, synchronously: for a process that is about to end. */
  abandon(): void;
}

/** Rejects with a BackupError for every failure that an operator can fix. */
export function writeBackup(request: BackupRequest, sink: BackupSink): RunningBackup {
  let work: string | undefined;
  const abandon = () => {
    if (work !== undefined) rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  };
  const run = async () => {
    requireSource(request);
    const target = 'file' in sink ? resolve(sink.file) : undefined;
    if (target !== undefined && existsSync(target)) throw alreadyThere(target);
    const where = target === undefined ? tmpdir() : dirname(target);
    try {
      // Not later than it exists: a signal between the two would leave it behind.
      work = mkdtempSync(join(where, '.weft-backup-'));
      return await makeBackup(request, work, sink, target);
    } catch (error) {
      throw toBackupError(error, `the backup cannot be written in ${where}`);
    } finally {
      abandon();
    }
  };
  return { manifest: run(), abandon };
}

function requireSource({ dataDir, hasRegistry }: BackupRequest): void {
  if (!statSync(dataDir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new BackupError(`there is no data folder ${dataDir}: set it with --data-dir or WEFT_DATA_DIR`);
  }
  if (hasRegistry && !existsSync(join(dataDir, 'weft.db'))) {
    throw new BackupError(`there is no database in ${dataDir}: set the data folder with --data-dir or WEFT_DATA_DIR`);
  }
}

async function makeBackup(
  request: BackupRequest,
  work: string,
  sink: BackupSink,
  target: string | undefined,
): Promise<BackupManifest> {
  const { onProgress, leftOut: left_out, weftVersion: weft } = request;
  const created_at = new Date().toISOString();
  const parts = join(work, 'parts');
  await mkdir(parts);
  const copy = await copyLive({
    ...request,
    target: parts,
    onProgress: (bytes, totalBytes) => onProgress('Copying', bytes, totalBytes),
  });
  const described: BackupPart[] = [];
  for (const path of copy.paths) described.push(await describe(parts, path));
  const manifest = createManifest({ weft, created_at, schemas: copy.schemas, left_out, parts: described });
  const totalBytes = described.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  const chunks = packBackup(parts, manifest, (sinceLast) => {
    done += sinceLast;
    onProgress('Packing', done, totalBytes);
  });
  if ('write' in sink) {
    for await (const chunk of chunks) await sink.write(chunk);
  } else {
    const packed = join(work, 'packed');
    await writeDurably(packed, chunks);
    await giveName(packed, target!);
    await syncFolder(dirname(target!));
  }
  await stampBackup(request.dataDir);
  return manifest;
}

/** Never replaces a file that was created meanwhile; on file systems without hard links this is not guaranteed. */
async function giveName(packed: string, target: string): Promise<void> {
  try {
    await link(packed, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw alreadyThere(target);
    await rename(packed, target);
  }
}

function alreadyThere(target: string): BackupError {
  return new BackupError(`${target} already exists: choose another name`);
}

async function describe(folder: string, path: string): Promise<BackupPart> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(join(folder, path)) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { path, size, sha256: hash.digest('hex') };
}

/** A new file that only its owner can read, on disk when this resolves. */
export async function writeDurably(path: string, chunks: AsyncIterable<Buffer>): Promise<void> {
  const file: FileHandle = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of chunks) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
  await chmod(path, 0o600);
}

/** New names are durable only when the folder is flushed. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
