// `weft backup`: writes one file with the content of the data folder, while the server runs or is stopped.
import { exitCode, ProgressBar, type Surroundings, toInterfaceJson, UsageError, writeAll } from '@weft/cli';
import packageJson from '../../package.json' with { type: 'json' };
import type { BackupManifest, LeftOut } from '../backup/backup-manifest.ts';
import type { BackupRequest, BackupSink } from '../backup/write-backup.ts';
import { type Config, isClickHouse } from '../config.ts';
import { inBytes, showBytes } from './byte-progress.ts';
import { parseCommandLine } from './command-line.ts';
import { endingCleanly } from './ending-cleanly.ts';
import { readConfig } from './read-config.ts';

const usage = 'Usage: weft backup [FILE|-] [--with-secret] [--json]';

export async function backupCommand(args: string[], around: Surroundings): Promise<number> {
  const line = parseCommandLine(args, { bare: ['with-secret', 'json'] });
  const [file = defaultName(), ...rest] = line.words;
  if (rest.length > 0) throw new UsageError(usage);
  const isPiped = file === '-';
  const isJson = line.options.has('json');
  if (isPiped && isJson) throw new UsageError('--json needs a FILE: the backup is written to standard output.');
  if (isPiped && around.stdout.isTTY) throw new UsageError('A backup cannot be written to a terminal: give a FILE.');
  const config = readConfig(line, around.env);
  const leftOut = keptElsewhere(config);

  const { BackupError } = await import('../backup/backup-error.ts');
  const { writeBackup } = await import('../backup/write-backup.ts');
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
    secret: line.options.has('with-secret') ? await secretOf(config) : undefined,
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
  const { BackupError } = await import('../backup/backup-error.ts');
  try {
    return readFileSync(`${dataDir}/secret`, 'utf8').trim();
  } catch (error) {
    throw new BackupError(`${dataDir}/secret cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function defaultName(): string {
  return `weft-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}.tar.zst`;
}
