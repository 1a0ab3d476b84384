// One call of `weft`: finds the command or the help that was asked for, runs it, and reports what failed. There are two
// programs of this name: that of the server, and the one that Weft hands out as one file.
import { didYouMean } from '@weft/contract/closest-name';
import { type Product, productLine } from '@weft/contract/product';
import { type Command, helpOf, parseLine } from './command.ts';
import { weftOf } from './connection.ts';
import { failedAt, tellFailure } from './failures.ts';
import { endProcess, onInterruption, watchOutputs } from './process-end.ts';
import { exitCode, readColorFlag, type Surroundings, terminalOf, UsageError } from './surroundings.ts';
import { checkUsage } from './usage.ts';

/** Most are loaded when needed: help must not wait for everything. */
export type Commands = Readonly<Record<string, Command | ((weft: Weft) => Promise<Command>)>>;

export interface Weft {
  product: Product;
  /** By their headings in the overview. A name that is there twice is one of two commands, by what stands after it. */
  commands: Readonly<Record<string, Commands>>;
  /** The end of the overview. */
  closing: string;
  /** For a program that has not all commands. */
  where?: string;
  /** Reports errors that only commands of this program have. Undefined for unexpected ones. */
  tell?(error: unknown, around: Surroundings): number | undefined;
}

/** Runs one command line as this process. */
export async function runProcess(weft: Weft, { argv, env, stdin, stdout, stderr }: NodeJS.Process): Promise<never> {
  watchOutputs();
  const outputs = { stdout: terminalOf(stdout), stderr: terminalOf(stderr) };
  // Explicit, so that handles left open by a failed start do not keep the process alive.
  return endProcess(await runWeft(weft, argv.slice(2), { env, stdin, ...outputs, interruption: onInterruption }));
}

/** Runs one command line and resolves its exit code. */
export async function runWeft(weft: Weft, args: string[], around: Surroundings): Promise<number> {
  try {
    return await findAndRun(weft, args, around);
  } catch (error) {
    const code = tellFailure(error, around) ?? weft.tell?.(error, around);
    if (code !== undefined) return code;
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    around.stderr.write(`weft: unexpected failure: ${what}\n`);
    return exitCode.failure;
  }
}

async function findAndRun(weft: Weft, [name, ...rest]: string[], around: Surroundings): Promise<number> {
  if (name === undefined) {
    around.stderr.write(await overview(weft));
    return exitCode.usage;
  }
  if (['--version', '-V', 'version'].includes(name)) {
    around.stdout.write(productLine(weft.product));
    return exitCode.ok;
  }
  const isHelp = ['--help', '-h', 'help'].includes(name);
  const topic = isHelp ? rest.find((word) => !word.startsWith('-')) : name;
  const found = topic === undefined ? [] : await commandsCalled(weft, topic);
  if (topic !== undefined && found.length === 0) {
    const what = `${isHelp ? 'help on' : 'command'} ${topic}${weft.where ?? ''}`;
    throw new UsageError(`There is no ${what}.${didYouMean(topic, namesOf(weft))}`);
  }
  const command = found.find(({ usage }) => usage.some((line) => line.split(' ')[1] === rest[0])) ?? found[0];
  const args = command?.passesOn && rest.length > 1 ? ['--', ...rest] : rest;
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  if (!command || isHelp || args.slice(0, end).some((arg) => arg === '--help' || arg === '-h')) {
    around.stdout.write(topic === undefined ? await overview(weft) : await helpOn(weft, topic));
    return exitCode.ok;
  }
  return execute(command, args, around);
}

/** Resolves the exit code; throws errors that tellFailure can report. */
export async function execute(command: Command, args: string[], around: Surroundings): Promise<number> {
  const { rest, env } = readColorFlag(args, around.env);
  const own = { ...around, env };
  try {
    const line = parseLine(rest, command.options);
    checkUsage(command, line);
    return (await command.run(line, own)) ?? exitCode.ok;
  } catch (error) {
    const url = weftOf(own);
    throw url !== undefined && error instanceof Error && !(error instanceof UsageError) ? failedAt(url, error) : error;
  }
}

export function namesOf({ commands }: Weft): string[] {
  return [...new Set(Object.values(commands).flatMap(Object.keys))];
}

export async function commandsCalled(weft: Weft, name: string): Promise<Command[]> {
  const found = Object.values(weft.commands).filter((group) => Object.hasOwn(group, name));
  return Promise.all(found.map((group) => load(group[name]!, weft)));
}

async function load(command: Commands[string], weft: Weft): Promise<Command> {
  return typeof command === 'function' ? command(weft) : command;
}

/** Empty if there is no such command. */
export async function helpOn(weft: Weft, name: string): Promise<string> {
  return (await commandsCalled(weft, name)).map(helpOf).join('\n');
}

async function overview(weft: Weft): Promise<string> {
  const groups = Object.entries(weft.commands).map(async ([heading, commands]) => {
    const rows = Object.entries(commands).map(async ([name, command]) => {
      const { summary } = await load(command, weft);
      const lines = Object.entries(typeof summary === 'string' ? { [name]: summary } : summary);
      return lines.map(([what, words]) => `  ${what.padEnd(27)}  ${words}\n`).join('');
    });
    return (heading && `${heading}\n`) + (await Promise.all(rows)).join('');
  });
  const lists = (await Promise.all(groups)).join('\n');
  const title = 'Weft: one controller for 5G, WiFi and LiFi access points\n\nUsage: weft COMMAND [options]';
  return `${title}\n\n${lists}\n${weft.closing}`;
}
