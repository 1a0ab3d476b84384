// The keys of an app's `permissions` that mean something, checked strictly: a limit that was mistyped must not become a
// right. What passes is stored exactly as it was given.
import { AppPermissions } from '@weft/contract';
import { isObject } from '@weft/contract/is-object';
import { parseSelector, requireOwnedByAdministrators, SelectorError } from '@weft/contract/selector';
import type { Problem } from '../errors.ts';
import { parseDateTime } from './date-time.ts';
import { type Loc, valueError, type WantedType, wrongType } from './value-rules.ts';

const MAX_PATTERNS = 1000;
const MAX_PATTERN_LENGTH = 128;

const RULES: Record<string, { type?: WantedType; isValid: (value: unknown) => boolean; wanted: string }> = {
  agents: { type: 'list', isValid: isNameList, wanted: 'a list of at most 1000 patterns of 1 to 128 characters' },
  read: { type: 'bool', isValid: isBoolean, wanted: 'true or false' },
  write: { type: 'bool', isValid: isBoolean, wanted: 'true or false' },
  commands: {
    isValid: (value) => isBoolean(value) || isNameList(value) || isCommandLimits(value),
    wanted: 'true, false, a list of command names, or command names with limits on their arguments',
  },
  emulator: {
    isValid: (value) => isBoolean(value) || isEmulatorLimit(value),
    wanted: 'true, false or {"max_access_points": n}',
  },
  alarms: { type: 'bool', isValid: isBoolean, wanted: 'true or false' },
  callbacks: { type: 'bool', isValid: isBoolean, wanted: 'true or false' },
  config: {
    type: 'string',
    isValid: (value) => AppPermissions.properties.config.enum.some((level) => level === value),
    wanted: "'read', 'draft' or 'roll_out'",
  },
  priority: {
    type: 'float',
    isValid: (value) => typeof value === 'number' && value >= 0 && value <= 100,
    wanted: 'a number from 0 to 100',
  },
  expires_at: {
    type: 'datetime',
    isValid: (value) => typeof value === 'string' && 'ms' in parseDateTime(value),
    wanted: 'a date-time',
  },
};

const jsonTypes: Record<WantedType, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  list: Array.isArray,
  bool: isBoolean,
  float: (value) => typeof value === 'number',
  datetime: (value) => typeof value === 'string',
};

const NEAR_MISSES: ReadonlyMap<string, string> = new Map([
  ['command', 'commands'],
  ['agent', 'agents'],
  ['selectors', 'selector'],
  ['emulators', 'emulator'],
  ['alarm', 'alarms'],
  ['callback', 'callbacks'],
  ['expires', 'expires_at'],
]);

/** One problem for each key with a value of the wrong kind, or that was probably meant to be another; in their order. */
export function checkAppPermissions(permissions: Record<string, unknown>, loc: Loc): Problem[] {
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(permissions)) {
    const error = keyError(key, value);
    if (error === undefined) continue;
    const type = key === 'selector' ? 'string' : Object.hasOwn(RULES, key) ? RULES[key]!.type : undefined;
    const odd = Array.isArray(value) ? value.findIndex((item) => typeof item !== 'string') : -1;
    const isOfType = type === undefined || jsonTypes[type](value);
    if (isOfType && odd >= 0) problems.push(wrongType([...loc, key, odd], 'string', error));
    else problems.push(isOfType ? valueError([...loc, key], error) : wrongType([...loc, key], type, error));
  }
  return problems;
}

function keyError(key: string, value: unknown): string | undefined {
  if (key === 'selector') return rightsSelectorError(value);
  const rule = Object.hasOwn(RULES, key) ? RULES[key] : undefined;
  if (rule) return rule.isValid(value) ? undefined : `${key} should be ${rule.wanted}`;
  const lowerCase = key.toLowerCase();
  const meant = Object.hasOwn(RULES, lowerCase) || lowerCase === 'selector' ? lowerCase : NEAR_MISSES.get(lowerCase);
  return meant === undefined ? undefined : `unknown key, did you mean '${meant}'?`;
}

/** What is wrong with a selector that rights are to depend on; undefined if nothing is. */
export function rightsSelectorError(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'selector should be a text such as "site:uk/bristol/** -tag:lab"';
  try {
    requireOwnedByAdministrators(parseSelector(value));
    return undefined;
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return error.message;
  }
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_PATTERN_LENGTH;
}

function isNameList(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MAX_PATTERNS && value.every(isName);
}

function isCommandLimits(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(
    ([name, limits]) => isName(name) && isObject(limits) && Object.values(limits).every(isLimit),
  );
}

/** Only `min` and `max`, because a limit under any other name would not be kept. */
function isLimit(value: unknown): boolean {
  if (!isObject(value)) return false;
  const isKnown = Object.entries(value).every(
    ([key, bound]) => (key === 'min' || key === 'max') && typeof bound === 'number',
  );
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = value as { min?: number; max?: number };
  return isKnown && min <= max;
}

function isEmulatorLimit(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).length !== 1) return false;
  const limit = value.max_access_points;
  return typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 0;
}
