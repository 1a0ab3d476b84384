#!/usr/bin/env node
import '@weft/contract/closed-prototype';
import { didYouMean } from '@weft/contract/closest-name';
import { productLine, productOf } from '@weft/contract/product';
import packageJson from '../../package.json' with { type: 'json' };
// The command `weft` without a server: what Weft hands out as one file, to people's machines and to access points.
import {
  clientCommand,
  clientCommandNames,
  clientHelp,
  clientOverview,
  endProcess,
  exitCode,
  onInterruption,
  runClientCommand,
  type Surroundings,
  tellFailure,
  terminalOf,
  UsageError,
  watchOutputs,
} from '../index.ts';

watchOutputs();
const { env, stdin } = process;
const [stdout, stderr] = [terminalOf(process.stdout), terminalOf(process.stderr)];
await endProcess(await run(process.argv.slice(2), { env, stdin, stdout, stderr, interruption: onInterruption }));

async function run(args: string[], around: Surroundings): Promise<number> {
  const [name, ...rest] = args;
  try {
    if (name === '--version' || name === '-V' || name === 'version') {
      around.stdout.write(productLine(productOf(packageJson)));
      return exitCode.ok;
    }
    const isHelp = name === undefined || ['--help', '-h', 'help'].includes(name);
    if (isHelp || rest.includes('--help') || rest.includes('-h')) {
      const topic = isHelp ? rest[0] : name;
      const help = topic === undefined ? await overview() : await clientHelp(topic);
      if (help === undefined) throw unknown(topic!);
      (name === undefined ? around.stderr : around.stdout).write(help);
      return name === undefined ? exitCode.usage : exitCode.ok;
    }
    const command = await clientCommand(name);
    if (!command) throw unknown(name);
    return await runClientCommand(command, rest, around);
  } catch (error) {
    const code = tellFailure(error, around);
    if (code !== undefined) return code;
    around.stderr.write(`weft: unexpected failure: ${error instanceof Error ? error.stack : String(error)}\n`);
    return exitCode.failure;
  }
}

async function overview(): Promise<string> {
  return `Weft: one controller for 5G, WiFi and LiFi access points

Usage: weft COMMAND [options]

${await clientOverview()}
weft help COMMAND shows the help on a command. The controller itself is a package of its own.
`;
}

function unknown(name: string): UsageError {
  return new UsageError(`There is no command ${name} here.${didYouMean(name, clientCommandNames)}`);
}
