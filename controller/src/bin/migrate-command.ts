// `weft migrate`: moves an installation with the embedded stores to PostgreSQL.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type CommandLine,
  exitCode,
  interruptedCode,
  ProgressBar,
  type Surroundings,
  toInterfaceJson,
  toTable,
} from '@weft/cli';
import { type Config, ConfigError, isClickHouse } from '../core/base/config.ts';
import type { MigrationReport, MoveHooks } from '../operations/moving/migration.ts';
import { readConfig } from './read-config.ts';

export async function migrateCommand(line: CommandLine, around: Surroundings): Promise<number> {
  const config = readConfig(line, around.env);
  const from = resolve(line.get('from') ?? config.dataDir);
  requireTarget(config, from);

  const { moveInstallation } = await import('../offline.ts');
  const move = await runMove(around, (hooks) => moveInstallation(from, config, hooks));
  if ('exitCode' in move) return move.exitCode;
  const { report } = move;
  if (report === undefined) {
    around.stdout.write(`${from} was moved before. Nothing was changed.\n`);
    return exitCode.ok;
  }
  if (line.has('json')) around.stdout.write(`${toInterfaceJson(report, 2)}\n`);
  else around.stdout.write(inWords(report));
  around.stderr.write(
    `Moved. Start the new servers now. ${from} is kept as it was, and no server starts on it alone.\n`,
  );
  return exitCode.ok;
}

/** With a progress bar. If it is interrupted, it says how to go on, and gives the exit code of its process. */
async function runMove<Report>(
  around: Surroundings,
  move: (hooks: MoveHooks) => Promise<Report>,
): Promise<{ report: Report } | { exitCode: number }> {
  const progress = new ProgressBar(around.stderr);
  const signal = around.interruption?.();
  const onStage = (text: string) => {
    progress.clear();
    around.stderr.write(`${text}\n`);
  };
  try {
    return { report: await move({ onStage, onProgress: (share, text) => progress.show(share, text), signal }) };
  } catch (error) {
    if (!signal?.aborted) throw error;
    progress.clear();
    around.stderr.write('Interrupted. Run the same command again to go on.\n');
    return { exitCode: interruptedCode() };
  } finally {
    progress.clear();
  }
}

function requireTarget(config: Config, from: string): void {
  const problems: string[] = [];
  if (config.databaseUrl === undefined) problems.push('WEFT_DATABASE_URL is missing: where accounts go');
  if (config.telemetryUrl === undefined) problems.push('WEFT_TELEMETRY_URL is missing: where telemetry goes');
  else if (isClickHouse(config.telemetryUrl)) {
    problems.push('WEFT_TELEMETRY_URL names ClickHouse: telemetry can be moved to PostgreSQL only');
  }
  const file = join(from, 'secret');
  if (config.secret !== undefined && existsSync(file)) {
    const old = readFileSync(file, 'utf8').trim();
    if (![config.secret, ...config.previousSecrets].includes(old)) {
      problems.push(`WEFT_SECRET is not that of the old installation: set WEFT_SECRET_FILE=${file}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
}

function inWords({ tables, telemetry, audit, files, closed_ms }: MigrationReport): string {
  const { agents, fields, blocks, rows, rollups, hash } = telemetry;
  const counted = [
    ...tables.map((table) => [table.table, String(table.rows), table.hash]),
    ['telemetry: agents', String(agents), hash],
    ['telemetry: fields', String(fields), ''],
    ['telemetry: samples', String(rows), ''],
    ['telemetry: blocks', String(blocks), ''],
    ['telemetry: roll-ups', String(rollups), ''],
    ...files.map(({ path, sha256 }) => [path, '1', sha256]),
  ];
  const table = toTable(['what', 'count', 'SHA-256, equal on both sides'], counted, {});
  const seconds = (closed_ms / 1000).toFixed(1);
  return `${table.trimEnd()}\nThe audit log is intact: ${audit.entries} entries, ${audit.head}.\nNo server could run for ${seconds} s.\n`;
}
