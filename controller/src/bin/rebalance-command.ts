// `weft rebalance`: moves access points between the servers of telemetry.
import {
  exitCode,
  interruptedCode,
  ProgressBar,
  type Surroundings,
  toInterfaceJson,
  toTable,
  UsageError,
} from '@weft/cli';
import { ConfigError, isClickHouse } from '../config.ts';
import type { RebalanceReport } from '../moving/rebalance.ts';
import { parseCommandLine } from './command-line.ts';
import { readConfig } from './read-config.ts';

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
  const progress = new ProgressBar(around.stderr);
  const signal = around.interruption?.();
  const report = await rebalanceTelemetry(config, {
    drain: line.options.get('drain'),
    use: line.options.get('use'),
    signal,
    onStage: (text) => {
      progress.clear();
      around.stderr.write(`${text}\n`);
    },
    onProgress: (share, text) => progress.show(share, text),
  })
    .catch((error: unknown) => {
      if (!signal?.aborted) throw error;
      return 'interrupted' as const;
    })
    .finally(() => progress.clear());
  if (report === 'interrupted') {
    around.stderr.write('Interrupted. Run the same command again to go on.\n');
    return interruptedCode();
  }
  around.stdout.write(line.options.has('json') ? `${toInterfaceJson(report, 2)}\n` : inWords(report));
  return exitCode.ok;
}

function inWords({ moved, servers }: RebalanceReport): string {
  const rows = servers.map(({ place, agents, is_drained }) => [place, String(agents), is_drained ? 'drained' : '']);
  const table = toTable(['server', 'access points', ''], rows, {});
  return `${table.trimEnd()}\nMoved: ${moved.agents} access points with ${moved.samples} samples, equal on both sides.\n`;
}
