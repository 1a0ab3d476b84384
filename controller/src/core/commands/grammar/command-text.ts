// The first step of a command: its text (a name, JSON with a name and arguments, or free text) becomes a name and
// arguments that can be stored and sent as they are.

import { createHash } from 'node:crypto';
import { defaultParameter, isCommandName } from '@weft/contract/declared-commands';
import { looksLikeAddress } from '@weft/contract/device-address';
import { type Problem, ValidationError } from '../../base/errors.ts';
import { isStorableText, scanJson } from '../../base/input/json-scanner.ts';
import { looksSecret } from '../../base/input/secret-names.ts';
import { INEXACT_INTEGER, invalidValue, type Loc, valueError } from '../../base/input/value-rules.ts';

export interface ParsedCommand {
  name: string;
  args: Record<string, unknown>;
  /** As it was sent. */
  text: string;
  /** The first word of free text as it was spelled, where the name has other letters. */
  spelled?: string;
  /** More than one word, or a word that no command can have as its name. */
  isFreeText?: true;
  /** For agents that say they take several lines. */
  hasLines?: true;
}

const maxBytes = 64 * 1024;
const maxDepth = 32;
const maxKeyLength = 1024;
const maxNameLength = 64;
const maxParameterLength = 128;
const defaultLoc: Loc = ['query', 'command'];
const controlCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]/;
const lineBreak = /[\n\r\x85\u2028\u2029]/;
const nameRule = 'a name is a letter and then at most 63 letters, digits, dots, underscores and hyphens';

/**
 * Reads `{"name":"set_tx_power","dbm":17}`: every key but `name` is an argument, of equal keys the last one counts, and
 * `__proto__` and its like are ordinary keys. Whatever else comes is free text (`sleep`, `set channel 36`, `["a"]`): its first
 * word in lower case is the name, the rest the argument `text`. Throws ValidationError under `loc` for an empty text, control
 * characters, more than 64 KiB, nesting beyond 32 levels, and for numbers and strings that cannot be kept exactly.
 */
export function parseCommand(text: string, loc: Loc = defaultLoc): ParsedCommand {
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) {
    throw invalidValue(loc, `a command has at most ${maxBytes} bytes`);
  }
  if (!/^[ \t\r\n]*\{/.test(text)) return readFreeText(text, loc);
  // Before anything recursive sees it.
  if (nesting(text) > maxDepth) throw invalidValue(loc, `a command is nested at most ${maxDepth} levels deep`);
  const input = parseJson(text, loc);
  // An agent may have a notation of its own that looks like this.
  return isCommandName(input?.name) ? { ...readObject(input!, loc), text } : readFreeText(text, loc);
}

/** The same for a command that has come as part of a body: the text, or the object itself, which must have a name. */
export function readCommand(input: string | Record<string, unknown>, loc: Loc): ParsedCommand {
  if (typeof input === 'string') return parseCommand(input, loc);
  readObject(input, loc);
  return parseCommand(JSON.stringify(input), loc);
}

/**
 * What free text sets, at an agent that declares no commands: all but its last word, which is taken for the value. Not what may
 * contain a credential or an address of a device: parameters are shown and kept.
 */
export function parameterOfText({ name, text }: ParsedCommand): string {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const said = words.slice(0, Math.max(1, words.length - 1)).join(' ');
  if (said === name || speaksOfSecret(text) || looksLikeAddress(text)) return defaultParameter(name);
  if (said.length <= maxParameterLength) return said;
  const digest = createHash('sha256').update(said).digest('hex').slice(0, 16);
  return `${said.slice(0, maxParameterLength - digest.length - 1).toWellFormed()}…${digest}`;
}

function speaksOfSecret(text: string): boolean {
  return text.split(/[^\w-]+/).some(looksSecret);
}

function readFreeText(text: string, loc: Loc): ParsedCommand {
  const [, word, rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(text) ?? [];
  if (word === undefined) throw invalidValue(loc, 'a command is not empty');
  if (controlCharacter.test(text) || !isStorableText(text)) {
    throw invalidValue(loc, 'a command is text without control characters');
  }
  const said = withoutEndSpace(rest);
  const isName = isCommandName(word);
  const free = { text, ...(!(isName && said === '') && { isFreeText: true as const }) };
  const lines = lineBreak.test(text) && { hasLines: true as const };
  // A name is shown and kept.
  if (!isName && speaksOfSecret(word)) return { name: 'text', args: { text: text.trim() }, ...free, ...lines };
  const lower = word.toLowerCase();
  const name = lower.length > maxNameLength ? `${lower.slice(0, maxNameLength - 1).toWellFormed()}…` : lower;
  const spelled = isName && name !== word && { spelled: word };
  return { name, args: said === '' ? {} : { text: said }, ...free, ...spelled, ...lines };
}

/** Not by an expression: one that looks for the end of a text takes long for many spaces. */
function withoutEndSpace(text: string): string {
  let end = text.length;
  while (end > 0 && /\s/.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

function readObject(input: Record<string, unknown>, loc: Loc): Pick<ParsedCommand, 'name' | 'args'> {
  const { name, ...args } = input;
  if (!Object.hasOwn(input, 'name')) {
    throw new ValidationError([{ loc: [...loc, 'name'], msg: 'Field required', type: 'missing' }]);
  }
  if (!isCommandName(name)) throw invalidValue([...loc, 'name'], nameRule);
  if (Object.keys(args).some((key) => key.length > maxKeyLength)) {
    throw invalidValue(loc, `the name of an argument has at most ${maxKeyLength} characters`);
  }
  return { name, args };
}

/** Undefined if it is not valid JSON. */
function parseJson(text: string, loc: Loc): Record<string, unknown> | undefined {
  let problems: Problem[];
  try {
    const scanned = scanJson(text);
    const inexact = scanned.inexact.map((path) => valueError(['body', ...path.map(wellFormed)], INEXACT_INTEGER));
    problems = [...scanned.problems, ...inexact];
    // Text that was not escaped passes the scan as it is.
    if (problems.length === 0 && !isStorableText(text)) {
      const msg = 'Input should be a valid string, unable to parse raw data as a unicode string';
      problems.push({ loc: ['body'], msg, type: 'string_unicode' });
    }
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    problems = error.problems;
  }
  if (problems.length === 0) return JSON.parse(text);
  if (problems.some(({ type }) => type === 'json_invalid')) return undefined;
  throw new ValidationError(problems.map((problem) => ({ ...problem, loc: [...loc, ...problem.loc.slice(1)] })));
}

/** How deep the brackets outside of strings go; for a text that is not JSON, any number. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isInString) {
      if (character === '\\') index += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}

function wellFormed(step: string | number): string | number {
  return typeof step === 'string' ? step.toWellFormed() : step;
}
