// `weft doctor`: one line per check, with advice for those that fail.

import { exitCode, hasColor, type Surroundings, toInterfaceJson, UsageError } from '@weft/cli';
import { type Config, ConfigError } from '../config.ts';
import { parseCommandLine } from './command-line.ts';
import { type CheckResult, machineChecks, nodeCheck } from './doctor-checks.ts';
import { readConfig } from './read-config.ts';

export async function doctorCommand(args: string[], around: Surroundings): Promise<number> {
  const line = parseCommandLine(args, { bare: ['json'] });
  if (line.words.length > 0) throw new UsageError(`weft doctor takes no ${line.words[0]}.`);
  const results = [nodeCheck()];
  try {
    const config = readConfig(line, around.env);
    results.push(configurationCheck(config), ...(await machineChecks(config)), ...(await backendChecks(config)));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const detail of error.problems) results.push({ name: 'settings', ok: false, detail });
  }
  const isWell = results.every(({ ok }) => ok);
  around.stdout.write(line.options.has('json') ? `${toInterfaceJson(results, 2)}\n` : toText(results, around));
  return isWell ? exitCode.ok : exitCode.failure;
}

function configurationCheck({ warnings }: Config): CheckResult {
  if (warnings.length === 0) return { name: 'settings', ok: true, detail: 'all valid' };
  return { name: 'settings', ok: true, detail: `valid, with warnings: ${warnings.join(' ')}` };
}

async function backendChecks(config: Config): Promise<CheckResult[]> {
  const { checkBackends } = await import('../serve.ts');
  return checkBackends(config);
}

function toText(results: CheckResult[], around: Surroundings): string {
  const paint = (code: number, text: string) =>
    hasColor(around.stdout, around.env) ? `\x1b[${code}m${text}\x1b[0m` : text;
  const width = Math.max(...results.map(({ name }) => name.length));
  return results
    .map(({ name, ok, detail, advice }) => {
      const mark = ok ? paint(32, '✓') : paint(31, '✗');
      const next = advice === undefined ? '' : `${' '.repeat(width + 4)}→ ${advice}\n`;
      return `${mark} ${name.padEnd(width)}  ${detail}\n${next}`;
    })
    .join('');
}
