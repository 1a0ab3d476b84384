// The `format`s of the contract: rules that JSON Schema has no keyword for, or that are a setting.
import { nameRule, readApId, readApIdGlob, toApId } from '@weft/contract/ap-id';
import { isObject } from '@weft/contract/is-object';
import { parseSelector, SelectorError } from '@weft/contract/selector';
import type { Problem } from '../errors.ts';
import { checkAppPermissions, rightsSelectorError } from './app-permissions.ts';
import { parseDateTime, toTime } from './date-time.ts';
import { parseEmailAddress } from './email-address.ts';
import type { FormatCheck, Formats } from './validator.ts';
import { type Loc, lengthProblem, valueError, wrongType } from './value-rules.ts';
import { weaknessOfPassword } from './weak-password.ts';

const MAX_FREE_FORM_BYTES = 64 * 1024;
const UUID_GROUPS = [8, 4, 4, 4, 12];

export interface PasswordRules {
  passwordLength: { min: number; max: number };
  /** The minimum for agents, if it is another one. */
  agentPasswordMinLength?: number | undefined;
  /** The minimum for keys of apps; default: 1. */
  appKeyMinLength?: number;
  /** Whether passwords of users must not be easy to guess. */
  strictPasswords?: boolean;
}

export function createFormats(rules: PasswordRules): Formats {
  const { passwordLength, agentPasswordMinLength, appKeyMinLength = 1, strictPasswords } = rules;
  const { min, max } = passwordLength;
  return {
    email: stringCheck(checkEmail),
    'new-password': stringCheck((text, loc) => {
      const checked = checkLength(text, min, max, loc);
      if ('problems' in checked || !strictPasswords) return checked;
      const weakness = weaknessOfPassword(text);
      return weakness === undefined ? checked : { problems: [valueError(loc, `the password ${weakness}`)] };
    }),
    'new-agent-password': stringCheck((text, loc) => checkLength(text, agentPasswordMinLength ?? min, max, loc)),
    'new-api-key': stringCheck((text, loc) => checkLength(text, appKeyMinLength, undefined, loc)),
    'agent-name': stringCheck((text) => ({ value: toApId(text) })),
    'new-agent-name': stringCheck((text, loc) => named(readApId(text), nameRule, loc)),
    'agent-pattern': stringCheck((text, loc) => named(readApIdGlob(text), `${nameRule}, and * and ?`, loc)),
    'date-time': stringCheck(checkDateTime),
    uuid: stringCheck(checkUuid),
    'app-name': stringCheck(checkAppName),
    'rights-selector': stringCheck((text, loc) => {
      const error = rightsSelectorError(text);
      return error === undefined ? { value: text } : { problems: [valueError(loc, error)] };
    }),
    label: stringCheck(checkLabel),
    'time-zone': stringCheck(checkTimeZone),
    selector: stringCheck(checkSelector),
    'text-or-object': (value, loc) =>
      typeof value === 'string' || isObject(value) ? { value } : { problems: [wrongType(loc, 'string')] },
    configuration: (value, loc) => checkSize('configuration', value, loc),
    'app-permissions': (value, loc) => {
      const problems = checkAppPermissions(value as Record<string, unknown>, loc);
      return problems.length > 0 ? { problems } : checkSize('permissions', value, loc);
    },
  };
}

type Checked = ReturnType<FormatCheck>;

function named(name: string | undefined, rule: string, loc: Loc): Checked {
  return name === undefined
    ? { problems: [valueError(loc, `the name of an access point has ${rule}`)] }
    : { value: name };
}

function checkLength(text: string, min: number, max: number | undefined, loc: Loc): Checked {
  const problem = lengthProblem(text, min, max, loc);
  return problem ? { problems: [problem] } : { value: text };
}

function stringCheck(check: (text: string, loc: Loc) => Checked): FormatCheck {
  return (value, loc) => check(String(value), loc);
}

function refuse(loc: Loc, type: string, msg: string, ctx: Record<string, unknown>): { problems: Problem[] } {
  return { problems: [{ loc, msg, type, ctx }] };
}

function checkEmail(text: string, loc: Loc): Checked {
  const result = parseEmailAddress(text);
  if ('address' in result) return { value: result.address };
  const { reason } = result;
  return refuse(loc, 'value_error', `value is not a valid email address: ${reason}`, { reason });
}

/** Beyond its pattern: names that look alike would be two apps, and clients remove these two from paths. */
function checkAppName(text: string, loc: Loc): Checked {
  if (text === '.' || text === '..') return { problems: [valueError(loc, 'a name is not . or ..')] };
  if (text === text.normalize('NFC')) return { value: text };
  return { problems: [valueError(loc, 'a name is in Unicode normalization form C')] };
}

/** What people read: in one line, and two that look alike are the same. */
function checkLabel(text: string, loc: Loc): Checked {
  const value = text.normalize('NFC').trim();
  if (value !== '' && !/\p{C}/u.test(value)) return { value };
  return { problems: [valueError(loc, 'should be printable characters in one line')] };
}

/** As IANA spells it. An offset such as +01:00 knows no summer time. */
function checkTimeZone(text: string, loc: Loc): Checked {
  try {
    if (!/^[A-Za-z]/.test(text)) throw new RangeError();
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    return { value: timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { problems: [valueError(loc, 'should be the name of a time zone, such as Europe/London')] };
  }
}

function checkSelector(text: string, loc: Loc): Checked {
  try {
    parseSelector(text);
    return { value: text };
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const { message, column } = error;
    return refuse(loc, 'selector', message, { error: message, column });
  }
}

function checkDateTime(text: string, loc: Loc): Checked {
  const result = parseDateTime(text);
  if ('ms' in result) return { value: toTime(result.ms) };
  const { error, type } = result;
  const wanted = type === 'datetime_parsing' ? 'datetime' : 'datetime or date';
  return refuse(loc, type, `Input should be a valid ${wanted}, ${error}`, { error });
}

function checkUuid(text: string, loc: Loc): Checked {
  const bare = withoutUuidWrapping(text);
  const error = uuidError(bare);
  if (error !== undefined) return refuse(loc, 'uuid_parsing', `Input should be a valid UUID, ${error}`, { error });
  const hex = bare.replaceAll('-', '').toLowerCase();
  const groups: string[] = [];
  for (const length of UUID_GROUPS) {
    const start = groups.join('').length;
    groups.push(hex.slice(start, start + length));
  }
  return { value: groups.join('-') };
}

function withoutUuidWrapping(text: string): string {
  if (text.startsWith('urn:uuid:')) return text.slice('urn:uuid:'.length);
  return text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
}

function uuidError(text: string): string | undefined {
  const characters = [...text];
  const wrong = characters.findIndex((character) => !/^[0-9a-fA-F-]$/.test(character));
  if (wrong >= 0) return `invalid character: found \`${characters[wrong]}\` at ${wrong + 1}`;
  const groups = text.split('-');
  if (groups.length === 1) {
    return text.length === 32
      ? undefined
      : `invalid length: expected length 32 for simple format, found ${text.length}`;
  }
  if (groups.length !== UUID_GROUPS.length) return `invalid group count: expected 5, found ${groups.length}`;
  const index = groups.findIndex((group, at) => group.length !== UUID_GROUPS[at]);
  if (index < 0) return undefined;
  return `invalid group length in group ${index}: expected ${UUID_GROUPS[index]}, found ${groups[index]?.length}`;
}

function checkSize(name: string, value: unknown, loc: Loc): Checked {
  if (Buffer.byteLength(JSON.stringify(value)) <= MAX_FREE_FORM_BYTES) return { value };
  return { problems: [valueError(loc, `${name} should have at most ${MAX_FREE_FORM_BYTES} bytes as JSON`)] };
}
