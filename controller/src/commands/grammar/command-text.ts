// The first step of a command: its text (a name, JSON with a name and arguments, or free text) becomes a name and
// arguments that can be stored and sent as they are.

import { isCommandName } from '@weft/contract/declared-commands';
import { type Problem, ValidationError } from '../../errors.ts';
import { isStorableText, scanJson } from '../../input/json-scanner.ts';
import { INEXACT_INTEGER, invalidValue, type Loc, valueError } from '../../input/value-rules.ts';

export interface ParsedCommand {
  name: string;
  args: Record<string, unknown>;
  /** As it was sent. */
  text: string;
  /** The first word of free text as it was spelled, where the name has other letters. */
  spelled?: string;
}

const maxBytes = 64 * 1024;
const maxDepth = 32;
const maxKeyLength = 1024;
const defaultLoc: Loc = ['query', 'command'];
const controlCharacter = /[\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]/;
const nameRule = 'a name is a letter and then at most 63 letters, digits, dots, underscores and hyphens';

/**
 * Reads `{"name":"set_tx_power","dbm":17}`: every key but `name` is an argument, of equal keys the last one counts, and
 * `__proto__` and its like are ordinary keys. What begins with neither `{` nor `[` is free text (`sleep`,
 * `set channel 36`): its first word in lower case is the name, the rest the argument `text`. Throws ValidationError under
 * `loc` for anything else, for more than 64 KiB, for nesting beyond 32 levels, and for numbers and strings that cannot be
 * kept exactly.
 */
export function parseCommand(text: string, loc: Loc = defaultLoc): ParsedCommand {
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) {
    throw invalidValue(loc, `a command has at most ${maxBytes} bytes`);
  }
  if (!/^[ \t\r\n]*\{/.test(text)) return readFreeText(text, loc);
  // Before anything recursive sees it.
  if (nesting(text) > maxDepth) throw invalidValue(loc, `a command is nested at most ${maxDepth} levels deep`);
  return { ...readObject(parseJson(text, loc), loc), text };
}

/** The same for a command that has come as part of a body: the text, or the object itself. */
export function readCommand(input: string | Record<string, unknown>, loc: Loc): ParsedCommand {
  return parseCommand(typeof input === 'string' ? input : JSON.stringify(input), loc);
}

function readFreeText(text: string, loc: Loc): ParsedCommand {
  const [, word, rest = ''] = /^[ \t]*([^ \t]+)[ \t]*(.*)$/s.exec(text) ?? [];
  if (!isCommandName(word)) {
    throw invalidValue(
      loc,
      `a command is a JSON object with a name, or text that begins with the name of the command; ${nameRule}`,
    );
  }
  // Agents may pass the text on to a shell or a serial line: what is one command here must not be two there.
  if (controlCharacter.test(text) || !isStorableText(text)) {
    throw invalidValue(loc, 'a command is one line of text, without control characters');
  }
  const name = word.toLowerCase();
  const said = withoutEndSpace(rest);
  return { name, args: said === '' ? {} : { text: said }, text, ...(name !== word && { spelled: word }) };
}

/** Not by an expression: one that looks for the end of a text takes long for many spaces. */
function withoutEndSpace(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
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

function parseJson(text: string, loc: Loc): Record<string, unknown> {
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
