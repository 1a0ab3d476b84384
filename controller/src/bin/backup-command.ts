// `weft backup` writes one file with the content of the data folder, while the server runs or is stopped; `weft restore`
// creates a data folder from it.
import { createReadStream, readFileSync } from 'node:fs';
import {
  type CommandLine,
  exitCode,
  interruptedCode,
  ProgressBar,
  type Surroundings,
  toInterfaceJson,
  UsageError,
  writeAll,
} from '@weft/cli';
import packageJson from '../../package.json' with { type: 'json' };
import { type Config, isClickHouse } from '../core/base/config.ts';
import { ifOldSecretIsLost, putOldSecret } from '../core/base/secret-file.ts';
import type { BackupManifest, LeftOut } from '../operations/backup/backup-manifest.ts';
import type { Restored } from '../operations/backup/restore-backup.ts';
import type { BackupRequest, BackupSink } from '../operations/backup/write-backup.ts';
import { readConfig } from './read-config.ts';

export async function backupCommand(line: CommandLine, around: Surroundings): Promise<number> {
  const now = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const [file = `weft-${now}.tar.zst`] = line.words;
  const isPiped = file === '-';
  const isJson = line.has('json');
  if (isPiped && isJson) throw new UsageError('--json needs a FILE: the backup is written to standard output.');
  if (isPiped && around.stdout.isTTY) throw new UsageError('A backup cannot be written to a terminal: give a FILE.');
  const config = readConfig(line, around.env);
  const leftOut = keptElsewhere(config);

  const { BackupError } = await import('../operations/backup/backup-error.ts');
  const { writeBackup } = await import('../operations/backup/write-backup.ts');
  if (config.databaseUrl !== undefined && config.telemetryUrl !== undefined) {
    throw new BackupError(`this installation stores nothing in its data folder. ${inWords(leftOut)}`);
  }
  const progress = new ProgressBar(around.stderr);
  const sink: BackupSink = isPiped ? { write: (chunk) => writeAll(around.stdout, chunk) } : { file };
  const request: BackupRequest = {
    dataDir: config.dataDir,
    leftOut,
    hasRegistry: config.databaseUrl === undefined,
    hasTelemetry: config.telemetryUrl === undefined,
    secret: line.has('with-secret') ? await secretOf(config) : undefined,
    weftVersion: packageJson.version,
    onProgress: (stage, bytes, total) => showBytes(progress, stage, bytes, total),
  };
  const begin = () => {
    const { manifest: work, abandon } = writeBackup(request, sink);
    return { work, abandon };
  };
  const manifest = await endingCleanly(begin, around).finally(() => progress.clear());
  if (isJson) around.stdout.write(`${toInterfaceJson(manifest, 2)}\n`);
  const told = isJson || isPiped ? around.stderr : around.stdout;
  told.write(summary(isPiped ? 'The backup' : file, manifest, config));
  return exitCode.ok;
}

/** The parts in PostgreSQL or ClickHouse, and the commands that back them up. */
function keptElsewhere({ databaseUrl, telemetryUrl }: Config): LeftOut[] {
  const left: LeftOut[] = [];
  if (databaseUrl !== undefined) {
    left.push({ what: 'accounts, agents, apps, jobs and the audit log, in PostgreSQL', command: 'pg_dump' });
  }
  if (telemetryUrl !== undefined) {
    left.push(
      isClickHouse(telemetryUrl)
        ? { what: 'telemetry, in ClickHouse', command: 'BACKUP DATABASE of ClickHouse' }
        : { what: 'telemetry, in PostgreSQL', command: 'pg_dump' },
    );
  }
  return left;
}

function inWords(leftOut: LeftOut[]): string {
  return leftOut.map(({ what, command }) => `Not included: ${what}. Back it up with ${command}.`).join('\n');
}

function summary(name: string, manifest: BackupManifest, { secret, dataDir }: Config): string {
  const { parts, left_out, has_secret } = manifest;
  const size = inBytes(parts.reduce((sum, part) => sum + part.size, 0));
  const lines = [`${name} contains ${size} as of ${manifest.created_at}.`];
  if (left_out.length > 0) lines.push(inWords(left_out));
  if (has_secret) lines.push('It contains the secret: anyone who can read the file can sign tokens and read api keys.');
  else {
    const place = secret === undefined ? `${dataDir}/secret` : 'the value of WEFT_SECRET';
    lines.push(
      `NOT included: the secret. Store ${place} separately: without it, tokens become invalid and api keys are lost.`,
    );
  }
  return `${lines.join('\n')}\n`;
}

async function secretOf({ secret, dataDir }: Config): Promise<string> {
  if (secret !== undefined) return secret;
  const { readFileSync } = await import('node:fs');
  const { BackupError } = await import('../operations/backup/backup-error.ts');
  try {
    return readFileSync(`${dataDir}/secret`, 'utf8').trim();
  } catch (error) {
    throw new BackupError(`${dataDir}/secret cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

export function showBytes(bar: ProgressBar, stage: string, bytes: number, totalBytes: number): void {
  bar.show(totalBytes === 0 ? 1 : bytes / totalBytes, `${stage}: ${inBytes(bytes)} of ${inBytes(totalBytes)}`);
}

export function inBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[power]}`;
}

// For commands with temporary files: removes them when the process is ended early.
const hungUp = 129;

/** Work in progress, and a function that removes its files at once. */
export interface Begun<T> {
  work: Promise<T>;
  abandon(): void;
}

/** Settles with the work. If the process is ended before, the work is abandoned on exit. */
export async function endingCleanly<T>(begin: () => Begun<T>, around: Surroundings): Promise<T> {
  let begun: Begun<T> | undefined;
  const signal = around.interruption?.();
  const onExit = () => {
    begun?.abandon();
    // Whatever the reason, such as a closed reader of standard output: the command was not completed.
    if (!process.exitCode) process.exitCode = exitCode.failure;
  };
  const onAbort = () => process.exit(interruptedCode());
  const onHangUp = () => process.exit(hungUp);
  process.on('exit', onExit);
  signal?.addEventListener('abort', onAbort);
  if (!isNohup()) process.on('SIGHUP', onHangUp);
  try {
    begun = begin();
    return await begun.work;
  } finally {
    process.off('exit', onExit);
    process.off('SIGHUP', onHangUp);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Whether SIGHUP is ignored (nohup); adding a listener would undo that. */
function isNohup(): boolean {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
    return (BigInt(`0x${mask}`) & 1n) === 1n;
  } catch {
    return false;
  }
}

export async function restoreCommand(line: CommandLine, around: Surroundings): Promise<number> {
  const file = line.words[0]!;
  const config = readConfig(line, around.env);
  const { restoreBackup } = await import('../operations/backup/restore-backup.ts');
  const progress = new ProgressBar(around.stderr);
  const begin = () => {
    const { restored: work, abandon } = restoreBackup({
      name: file === '-' ? 'standard input' : file,
      archive: file === '-' ? (around.stdin as AsyncIterable<Buffer>) : readPieces(file),
      dataDir: config.dataDir,
      force: line.has('force'),
      onProgress: (bytes, total) => showBytes(progress, 'Restoring', bytes, total),
    });
    return { work, abandon };
  };
  const restored = await endingCleanly(begin, around).finally(() => progress.clear());
  if (line.has('json')) around.stdout.write(`${toInterfaceJson(restored.manifest, 2)}\n`);
  const told = line.has('json') ? around.stderr : around.stdout;
  told.write(restoreSummary(restored, config));
  const isForgotten = line.has('forget-app-keys');
  if (config.databaseUrl === undefined) told.write(await appKeys(restored, config, { file, isForgotten }));
  return exitCode.ok;
}

/** Opened at the first read: an earlier error would not be caught. */
async function* readPieces(file: string): AsyncGenerator<Buffer> {
  yield* createReadStream(file) as AsyncIterable<Buffer>;
}

/** About the keys of apps, which are stored under the secret. */
async function appKeys(
  { manifest }: Restored,
  config: Config,
  { file, isForgotten }: { file: string; isForgotten: boolean },
): Promise<string> {
  const { appsOf, forgetAppKeys } = await import('../offline.ts');
  if (isForgotten) {
    const names = await forgetAppKeys(config);
    const next = 'Give each a new one: weft apps rotate NAME';
    return names.length === 0
      ? 'All keys of apps can be read.\n'
      : `These apps need new keys: ${names.join(', ')}. ${next}\n`;
  }
  if (manifest.has_secret || config.secret !== undefined) return '';
  const names = await appsOf(config);
  if (names.length === 0) return '';
  return `Without the old secret Weft does not start, because of the keys of ${names.join(', ')}. ${ifOldSecretIsLost(config.dataDir, file === '-' ? 'FILE' : file)}\n`;
}

function restoreSummary({ manifest, movedTo }: Restored, { dataDir, secret }: Config): string {
  const lines = [`Restored ${dataDir} as of ${manifest.created_at}.`];
  if (movedTo !== undefined) lines.push(`The previous folder was moved to ${movedTo}.`);
  for (const { what, command } of manifest.left_out) {
    lines.push(`Not in the backup: ${what}. Restore it from the output of ${command}.`);
  }
  if (!manifest.has_secret && secret === undefined) {
    lines.push(
      `NOT in the backup: the secret. Before weft serve, ${putOldSecret(dataDir)}.`,
      'With another secret tokens are invalid.',
    );
  }
  return `${lines.join('\n')}\n`;
}
