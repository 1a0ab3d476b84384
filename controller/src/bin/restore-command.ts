// `weft restore`: creates a data folder from a backup.
import { createReadStream } from 'node:fs';
import { exitCode, ProgressBar, type Surroundings, toInterfaceJson, UsageError } from '@weft/cli';
import type { Restored } from '../backup/restore-backup.ts';
import type { Config } from '../config.ts';
import { showBytes } from './byte-progress.ts';
import { parseCommandLine } from './command-line.ts';
import { endingCleanly } from './ending-cleanly.ts';
import { readConfig } from './read-config.ts';

export async function restoreCommand(args: string[], around: Surroundings): Promise<number> {
  const line = parseCommandLine(args, { bare: ['force', 'json'] });
  const [file, ...rest] = line.words;
  if (file === undefined || rest.length > 0) {
    throw new UsageError('Usage: weft restore FILE|- [--data-dir DIR] [--force] [--json]');
  }
  const config = readConfig(line, around.env);
  const { restoreBackup } = await import('../backup/restore-backup.ts');
  const progress = new ProgressBar(around.stderr);
  const begin = () => {
    const { restored: work, abandon } = restoreBackup({
      name: file === '-' ? 'standard input' : file,
      archive: file === '-' ? (around.stdin as AsyncIterable<Buffer>) : readPieces(file),
      dataDir: config.dataDir,
      force: line.options.has('force'),
      onProgress: (bytes, total) => showBytes(progress, 'Restoring', bytes, total),
    });
    return { work, abandon };
  };
  const restored = await endingCleanly(begin, around).finally(() => progress.clear());
  if (line.options.has('json')) around.stdout.write(`${toInterfaceJson(restored.manifest, 2)}\n`);
  const told = line.options.has('json') ? around.stderr : around.stdout;
  told.write(summary(restored, config));
  return exitCode.ok;
}

/** Opened at the first read: an earlier error would not be caught. */
async function* readPieces(file: string): AsyncGenerator<Buffer> {
  yield* createReadStream(file) as AsyncIterable<Buffer>;
}

function summary({ manifest, movedTo }: Restored, { dataDir, secret }: Config): string {
  const lines = [`Restored ${dataDir} as of ${manifest.created_at}.`];
  if (movedTo !== undefined) lines.push(`The previous folder was moved to ${movedTo}.`);
  for (const { what, command } of manifest.left_out) {
    lines.push(`Not in the backup: ${what}. Restore it from the output of ${command}.`);
  }
  if (!manifest.has_secret && secret === undefined) {
    lines.push(
      'NOT in the backup: the secret. Before weft serve, put the old secret into WEFT_SECRET,',
      `or into ${dataDir}/secret (chmod 600). With another secret tokens are invalid, and a Weft with apps does not start.`,
    );
  }
  return `${lines.join('\n')}\n`;
}
