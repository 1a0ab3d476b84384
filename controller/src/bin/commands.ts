// The commands, and how their errors are reported.
import {
  clientCommand,
  clientCommandNames,
  clientHelp,
  completionCommand,
  exitCode,
  readColorFlag,
  runClientCommand,
  type Surroundings,
  tellFailure,
  UsageError,
} from '@weft/cli';
import { didYouMean } from '@weft/contract/closest-name';
import { productLine, productOf } from '@weft/contract/product';
import packageJson from '../../package.json' with { type: 'json' };
import { ConfigError } from '../core/base/config.ts';
import { StartError, ValidationError, WeftError } from '../core/base/errors.ts';
import { commandHelp, helpTopics, overview } from './help.ts';

type Command = (args: string[], around: Surroundings) => Promise<number>;

// Loaded on demand: `weft --help` must not load the server's code.
const commands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./serve-command.ts')).serveCommand,
  demo: async () => (await import('./demo-command.ts')).demoCommand,
  doctor: async () => (await import('./doctor-command.ts')).doctorCommand,
  user: async () => (await import('./user-command.ts')).userCommand,
  backup: async () => (await import('./backup-command.ts')).backupCommand,
  restore: async () => (await import('./backup-command.ts')).restoreCommand,
  migrate: async () => (await import('./migrate-command.ts')).migrateCommand,
  audit: async () => (await import('./audit-command.ts')).auditCommand,
  conflicts: async () => (await import('./conflicts-command.ts')).conflictsCommand,
  env: async () => (await import('./env-command.ts')).envCommand,
  run: async () => (await import('./run-command.ts')).runFileCommand,
  completion: async () => (args, around) =>
    runClientCommand(
      completionCommand([...new Set([...Object.keys(commands), ...clientCommandNames])], helpOn),
      args,
      around,
    ),
  config: async () => (await import('./config-command.ts')).configCommand,
};

/** Runs one command line and resolves its exit code. */
export async function runCommand(args: string[], around: Surroundings): Promise<number> {
  const [name, ...rest] = args;
  try {
    if (name === undefined) {
      around.stderr.write(await overview());
      return exitCode.usage;
    }
    if (name === '--version' || name === '-V' || name === 'version') {
      around.stdout.write(productLine(productOf(packageJson)));
      return exitCode.ok;
    }
    if (['--help', '-h', 'help'].includes(name)) return await showHelp(rest, around);
    const isOfProgram = name === 'run' && rest.length > 1;
    if (!isOfProgram && beforeDoubleDash(rest).some((arg) => arg === '--help' || arg === '-h'))
      return await showHelp(args, around);
    // The settings of Weft itself are printed here; those of access points are a client's.
    const isOfClient = name === 'config' && rest[0] !== 'print' && rest.length > 0;
    const command = Object.hasOwn(commands, name) && !isOfClient ? commands[name] : undefined;
    if (command !== undefined) {
      if (name === 'run') return await (await command())(rest, around);
      const own = readColorFlag(rest, around.env);
      return await (await command())(own.rest, { ...around, env: own.env });
    }
    const ofClient = await clientCommand(name);
    if (ofClient !== undefined) return await runClientCommand(ofClient, rest, around);
    const known = [...Object.keys(commands), ...clientCommandNames];
    throw new UsageError(`There is no command ${name}.${didYouMean(name, known)}`);
  } catch (error) {
    return tell(error, around);
  }
}

async function showHelp(topic: string[], around: Surroundings): Promise<number> {
  const words = topic.filter((word) => !word.startsWith('-'));
  const help = words.length === 0 ? await overview() : await helpOn(words[0]!);
  if (help === undefined)
    throw new UsageError(
      `There is no help on ${words[0]}.${didYouMean(words[0]!, [...helpTopics, ...clientCommandNames])}`,
    );
  around.stdout.write(help);
  return exitCode.ok;
}

async function helpOn(name: string): Promise<string | undefined> {
  const both = [commandHelp([name]), await clientHelp(name)].filter((help) => help !== undefined);
  return both.length === 0 ? undefined : both.join('\n');
}

function beforeDoubleDash(args: string[]): string[] {
  const end = args.indexOf('--');
  return end === -1 ? args : args.slice(0, end);
}

function tell(error: unknown, { stderr }: Surroundings): number {
  const known = tellFailure(error, { stderr });
  if (known !== undefined) return known;
  if (error instanceof ConfigError) {
    for (const problem of error.problems) stderr.write(`weft: ${problem}\n`);
    return exitCode.configuration;
  }
  if (error instanceof ValidationError) {
    for (const { loc, msg } of error.problems) stderr.write(`weft: ${loc.slice(1).join('.')}: ${msg}\n`);
    return exitCode.failure;
  }
  if (error instanceof StartError || error instanceof WeftError) {
    stderr.write(`weft: ${error.message}\n`);
    return exitCode.failure;
  }
  stderr.write(
    `weft: unexpected failure: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return exitCode.failure;
}
