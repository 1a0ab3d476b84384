// A command: its description, from which its help is generated, and its parsed arguments.
import { parseArgs } from 'node:util';
import { didYouMean } from '@weft/contract/closest-name';
import { toJson } from './json-text.ts';
import { type Surroundings, UsageError } from './surroundings.ts';

export interface CommandOption {
  /** Undefined if another page says it. */
  about?: string;
  /** The placeholder of its value in the help; undefined if the option takes no value. */
  value?: string;
  /** One letter, for people who type. */
  short?: string;
  /** May be given several times. */
  isMany?: boolean;
  /** Of what is not taken from a command line: what to do instead. */
  refusal?: string;
}

export interface Command {
  /** A few words for the overview, with which the help begins; or those on each line that the overview has of it. */
  summary: string | Readonly<Record<string, string>>;
  /** Without `weft`. Says which words and options each action takes (checkUsage). */
  usage: readonly string[];
  /** Said in place of the usage where words are missing or too many. */
  ask?: string;
  /** More paragraphs for the help, one per line. */
  about?: string;
  options: Readonly<Record<string, CommandOption>>;
  examples: readonly string[];
  /** The end of the help. */
  reference?: () => string;
  /** What follows the first word belongs to another program. */
  passesOn?: boolean;
  /** Resolves the exit code; without one, the command has succeeded. */
  run(line: CommandLine, around: Surroundings): Promise<number> | Promise<void>;
}

/** The arguments of a command: the words, and the options that were given. */
export interface CommandLine {
  words: readonly string[];
  /** The last value; undefined if the option was not given. */
  get(option: string): string | undefined;
  all(option: string): readonly string[];
  has(option: string): boolean;
  /** The names of the given options. */
  given: readonly string[];
}

export const jsonOption = { json: { about: 'print JSON' } } as const;

const helpWidth = 100;
const secretOption = /-(password|token|key|secret)$/;
const everybodyReads = 'is not accepted, because everybody on this machine can read a command line.';

/** Throws UsageError. */
export function parseLine(args: string[], options: Command['options']): CommandLine {
  const { tokens } = parseArgs({
    args,
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(options).map(([name, { value, short }]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', ...(short !== undefined && { short }) },
      ]),
    ),
  });
  const words: string[] = [];
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option || (!rawName.startsWith('--') && rawName !== `-${option.short}`)) throw unknownOption(rawName, options);
    if (option.refusal !== undefined) throw new UsageError(`${rawName} ${everybodyReads} ${option.refusal}`);
    if (option.value === undefined && value !== undefined) throw new UsageError(`${rawName} takes no value.`);
    if (option.value !== undefined && value === undefined) throw new UsageError(`${rawName} needs a value.`);
    const before = given.get(name) ?? [];
    if (before.length > 0 && !option.isMany) throw new UsageError(`${rawName} was given twice.`);
    given.set(name, [...before, value ?? '']);
  }
  return {
    words,
    get: (name) => given.get(name)?.at(-1),
    all: (name) => given.get(name) ?? [],
    has: (name) => given.has(name),
    given: [...given.keys()],
  };
}

/** For a value that is none of the known ones. */
export function unknownValue(what: string, value: string, known: readonly string[]): UsageError {
  return new UsageError(`${what} must be ${oneOf(known)}, not ${JSON.stringify(value)}.${didYouMean(value, known)}`);
}

/** What was given, if all of it is known. Throws UsageError. */
export function checked<Word extends string>(option: string, given: readonly string[], words: readonly Word[]): Word[] {
  for (const word of given) if (!words.includes(word as Word)) throw unknownValue(option, word, words);
  return given as Word[];
}

function oneOf(known: readonly string[]): string {
  return known.length < 2 ? known.join() : `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`;
}

/** Undefined if the option was not given. Throws UsageError. */
export function countOf(line: CommandLine, option: string): number | undefined {
  const given = line.get(option);
  const count = Number(given ?? 1);
  if (!Number.isInteger(count) || count < 1) throw new UsageError(`--${option} must be a whole number above 0.`);
  return given === undefined ? undefined : count;
}

/** One JSON object for programs, a sentence for people. */
export function printResult(result: unknown, words: string, line: CommandLine, { stdout, stderr }: Surroundings): void {
  if (line.has('json')) stdout.write(`${toJson(result)}\n`);
  else stderr.write(`${words}\n`);
}

/** For a command whose usage does not say which options its actions take. Throws UsageError. */
export function requireOptions(line: CommandLine, action: string, known: readonly string[]): void {
  const foreign = line.given.find((name) => !known.includes(name));
  if (foreign !== undefined) throw new UsageError(`weft ${action} takes no --${foreign}.`);
}

function unknownOption(rawName: string, options: Command['options']): UsageError {
  if (!rawName.startsWith('--')) return new UsageError(`There is no option ${rawName}.`);
  if (secretOption.test(rawName)) {
    const ways = 'Type the secret at the prompt, or pass it on standard input or in the environment: see the help.';
    return new UsageError(`${rawName} ${everybodyReads} ${ways}`);
  }
  const known = Object.keys(options).filter((name) => options[name]!.refusal === undefined);
  const hint = didYouMean(
    rawName,
    known.map((name) => `--${name}`),
  );
  return new UsageError(`There is no option ${rawName}.${hint}`);
}

/** The help on a command. */
export function helpOf({ summary, usage, about, options, examples, reference }: Command): string {
  const rows = Object.entries(options).flatMap(([name, { value, short, about: what }]): [string, string][] =>
    what === undefined
      ? []
      : [[`${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`, what]],
  );
  const indent = Math.max(0, ...rows.map(([name]) => name.length)) + 4;
  const optionRows = rows.map(([name, what]) => wrap(what, indent, `  ${name}`.padEnd(indent)));
  const first = typeof summary === 'string' ? [`${summary[0]!.toUpperCase()}${summary.slice(1)}.`] : [];
  return [
    ...[...first, ...(about?.split('\n') ?? [])].map((paragraph) => wrap(paragraph)),
    `\nUsage:\n${usage.map((line) => `  weft ${line}\n`).join('')}`,
    ...(rows.length > 0 ? [`\nOptions:\n${optionRows.join('')}`] : []),
    `\nExamples:\n${examples.map((line) => `  weft ${line}\n`).join('')}`,
    ...(reference ? [`\n${reference()}`] : []),
  ].join('');
}

/** Wraps at a width that fits most terminals; later lines are indented. */
export function wrap(text: string, indent = 0, start = ''): string {
  const lines = [start];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    const isFirst = line.length <= indent;
    if (!isFirst && line.length + word.length >= helpWidth) lines.push(' '.repeat(indent) + word);
    else lines[lines.length - 1] = isFirst ? line + word : `${line} ${word}`;
  }
  return `${lines.join('\n')}\n`;
}
