// `weft rebalance`: moves access points between the servers of telemetry.
import { exitCode, type Surroundings, toInterfaceJson, toTable, UsageError } from '@weft/cli';
import { ConfigError, isClickHouse } from '../config.ts';
import type { RebalanceReport } from '../moving/rebalance.ts';
import { parseCommandLine } from './command-line.ts';
import { readConfig } from './read-config.ts';
import { runMove } from './run-move.ts';

export async function rebalanceCommand(args: string[], around: Surroundings): Promise<number> {
  const line = parseCommandLine(args, { valued: ['drain', 'use'], bare: ['json'] });
  if (line.words.length > 0) {
    throw new UsageError('Usage: weft rebalance [--drain SERVER | --use SERVER] [--json] [settings]');
  }
  const config = readConfig(line, around.env);
  if (config.telemetryUrl === undefined || isClickHouse(config.telemetryUrl)) {
    throw new ConfigError(['WEFT_TELEMETRY_URL names no PostgreSQL: only there telemetry can be on several servers']);
  }

  const { rebalanceTelemetry } = await import('../offline.ts');
  const [drain, use] = [line.options.get('drain'), line.options.get('use')];
  const move = await runMove(around, (hooks) => rebalanceTelemetry(config, { drain, use, ...hooks }));
  if ('exitCode' in move) return move.exitCode;
  around.stdout.write(line.options.has('json') ? `${toInterfaceJson(move.report, 2)}\n` : inWords(move.report));
  return exitCode.ok;
}

function inWords({ moved, servers }: RebalanceReport): string {
  const rows = servers.map(({ place, agents, is_drained }) => [place, String(agents), is_drained ? 'drained' : '']);
  const table = toTable(['server', 'access points', ''], rows, {});
  return `${table.trimEnd()}\nMoved: ${moved.agents} access points with ${moved.samples} samples, equal on both sides.\n`;
}
