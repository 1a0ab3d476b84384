// The rules for a single value (length, bounds, one of several), in pydantic's words; validator.ts walks the structure
// around them.
import { type Problem, ValidationError } from '../errors.ts';
import { type JsonPath, MAX_PROBLEMS } from './json-scanner.ts';
import { INTEGER_TOO_LARGE, toInteger, toNumber } from './lax-scalars.ts';

export type Loc = (string | number)[];

/** The keywords of JSON Schema that the contract uses. */
export interface Keywords {
  type?: string;
  properties?: Record<string, Keywords>;
  required?: string[];
  items?: Keywords;
  patternProperties?: Record<string, Keywords>;
  additionalProperties?: Keywords | boolean;
  anyOf?: Keywords[];
  const?: unknown;
  enum?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  format?: string;
  title?: string;
  default?: unknown;
}

/** One check of one value: where its problems go, and which integers of the body are not exact. */
export interface Run {
  problems: Problem[];
  inexact: JsonPath[];
  /** Unknown keys are problems unless one of these schemas has them: what answers say here, which people send back. */
  answers?: readonly Keywords[];
}

export const INEXACT_INTEGER = 'an integer of this size cannot be kept exactly, write it as a string';

const wrongTypes = {
  string: ['string_type', 'Input should be a valid string'],
  list: ['list_type', 'Input should be a valid list'],
  bool: ['bool_type', 'Input should be a valid boolean'],
  float: ['float_type', 'Input should be a valid number'],
  datetime: ['datetime_type', 'Input should be a valid datetime'],
} as const;
export type WantedType = keyof typeof wrongTypes;

/** The problem of a value of another JSON type than its place wants. `error`: what else is to be known of the place. */
export function wrongType(loc: Loc, wanted: WantedType, error?: string): Problem {
  const [type, msg] = wrongTypes[wanted];
  return { loc, msg, type, ...(error !== undefined && { ctx: { error } }) };
}

/** The problem of a value that is of the right type and breaks a rule of ours all the same. */
export function valueError(loc: Loc, error: string): Problem {
  return { loc, msg: `Value error, ${error}`, type: 'value_error', ctx: { error } };
}

/** To be thrown where that is the only problem. */
export function invalidValue(loc: Loc, error: string): ValidationError {
  return new ValidationError([valueError(loc, error)]);
}

/** `string_too_short` or `string_too_long`, counted in characters as people and Python count them. */
export function lengthProblem(text: string, min: number | undefined, max: number | undefined, loc: Loc) {
  if (min === undefined && max === undefined) return undefined;
  let length = 0;
  for (const _ of text) length += 1;
  if (min !== undefined && length < min) {
    const msg = `String should have at least ${plural(min, 'character')}`;
    return { loc, msg, type: 'string_too_short', ctx: { min_length: min } };
  }
  if (max !== undefined && length > max) {
    const msg = `String should have at most ${plural(max, 'character')}`;
    return { loc, msg, type: 'string_too_long', ctx: { max_length: max } };
  }
  return undefined;
}

export function checkNumber(schema: Keywords, input: unknown, loc: Loc, run: Run): unknown {
  const result = schema.type === 'integer' ? toInteger(input) : toNumber(input);
  if (!('value' in result)) return report(run, loc, result.type, result.msg);
  const { value } = result;
  const { maximum: le, exclusiveMaximum: lt, minimum: ge, exclusiveMinimum: gt } = schema;
  if (le !== undefined && value > le) {
    return report(run, loc, 'less_than_equal', `Input should be less than or equal to ${le}`, { le });
  }
  if (lt !== undefined && value >= lt) return report(run, loc, 'less_than', `Input should be less than ${lt}`, { lt });
  if (ge !== undefined && value < ge) {
    return report(run, loc, 'greater_than_equal', `Input should be greater than or equal to ${ge}`, { ge });
  }
  if (gt !== undefined && value <= gt) {
    return report(run, loc, 'greater_than', `Input should be greater than ${gt}`, { gt });
  }
  if (schema.type === 'integer' && !Number.isSafeInteger(value)) {
    return report(run, loc, INTEGER_TOO_LARGE.type, INTEGER_TOO_LARGE.msg);
  }
  return value;
}

export function checkLiteral(values: unknown[], input: unknown, loc: Loc, run: Run): unknown {
  if (values.includes(input)) return input;
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  const last = quoted.pop() ?? '';
  const expected = quoted.length > 0 ? `${quoted.join(', ')} or ${last}` : last;
  return report(run, loc, 'literal_error', `Input should be ${expected}`, { expected });
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

export function report(run: Run, loc: Loc, type: string, msg: string, ctx?: Record<string, unknown>): undefined {
  return add(run, ctx ? { loc, msg, type, ctx } : { loc, msg, type });
}

export function add(run: Run, problem: Problem): undefined {
  if (run.problems.length < MAX_PROBLEMS) run.problems.push(problem);
}
