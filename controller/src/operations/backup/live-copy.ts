// Copies a consistent snapshot of a data folder, while a server may be writing it, into another folder.
//
// Not copied on purpose: the outbox (its mails contain tokens), and the secret, unless requested. Waiting jobs are
// published again from weft.db.
import { createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SqliteSnapshot } from './sqlite-snapshot.ts';
import { type OpenSegment, takeTelemetrySnapshot } from './telemetry-snapshot.ts';

export interface LiveCopyOptions {
  dataDir: string;
  target: string;
  hasRegistry: boolean;
  hasTelemetry: boolean;
  secret: string | undefined;
  /** Called after each step with the bytes copied so far. */
  onProgress: (bytes: number, totalBytes: number) => void;
}

export interface LiveCopy {
  /** Of the files in the target folder. */
  paths: string[];
  schemas: { registry?: number; telemetry?: number };
}

/** The copy contains everything that Weft answered before this call. */
export async function copyLive(options: LiveCopyOptions): Promise<LiveCopy> {
  const { dataDir, target, hasRegistry, hasTelemetry, secret, onProgress } = options;
  const copy: LiveCopy = { paths: [], schemas: {} };
  const inTelemetry = join(dataDir, 'telemetry');
  const telemetry =
    hasTelemetry && existsSync(join(inTelemetry, 'telemetry.db'))
      ? await takeTelemetrySnapshot(inTelemetry)
      : undefined;
  let registry: SqliteSnapshot | undefined;
  try {
    registry = hasRegistry ? SqliteSnapshot.take(join(dataDir, 'weft.db')) : undefined;
    const segments = telemetry?.segments ?? [];
    const total = [telemetry?.tables.bytes ?? 0, registry?.bytes ?? 0, ...segments.map(({ size }) => size)];
    const totalBytes = total.reduce((sum, bytes) => sum + bytes);
    let done = 0;
    const onBytes = (sinceLast: number) => {
      done += sinceLast;
      onProgress(done, totalBytes);
    };
    await copyEmulator(join(dataDir, 'emulator'), target, copy.paths);
    if (registry) {
      copy.schemas.registry = registry.value('SELECT max(version) FROM schema_migrations');
      await registry.copyTo(join(target, 'weft.db'), onBytes);
      copy.paths.push('weft.db');
    }
    if (telemetry) {
      mkdirSync(join(target, 'telemetry', 'journal'), { recursive: true });
      copy.schemas.telemetry = telemetry.tables.value('PRAGMA user_version');
      for (const segment of segments) copy.paths.push(await copySegment(segment, target, onBytes));
      await telemetry.tables.copyTo(join(target, 'telemetry', 'telemetry.db'), onBytes);
      copy.paths.push('telemetry/telemetry.db');
    }
  } finally {
    telemetry?.close();
    registry?.close();
  }
  if (secret !== undefined) {
    writeFileSync(join(target, 'secret'), `${secret}\n`);
    copy.paths.push('secret');
  }
  return copy;
}

async function copySegment(
  { name, handle, size }: OpenSegment,
  target: string,
  onBytes: (sinceLast: number) => void,
): Promise<string> {
  const path = `telemetry/journal/${name}`;
  const to = createWriteStream(join(target, path));
  if (size === 0) to.end();
  else await pipeline(createReadStream('', { fd: handle, autoClose: false, start: 0, end: size - 1 }), to);
  onBytes(size);
  return path;
}

/**
 * The state of emulated networks. The journal of a run is copied before its snapshot: entries that a newer snapshot includes
 * are skipped at a restore, whereas in the other order some would be missing.
 */
async function copyEmulator(folder: string, target: string, paths: string[]): Promise<void> {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const inOrder = [/^[\w-]{1,64}\.commands$/, /^[\w-]{1,64}\.world$/].flatMap((kind) =>
    names.filter((name) => kind.test(name)),
  );
  if (inOrder.length > 0) mkdirSync(join(target, 'emulator'), { recursive: true });
  for (const name of inOrder) {
    try {
      await copyFile(join(folder, name), join(target, 'emulator', name));
      paths.push(`emulator/${name}`);
    } catch (error) {
      // Its run has ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
