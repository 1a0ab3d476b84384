// What pydantic's lax mode makes of a value where an integer, a number or a boolean is wanted: query parameters are
// always text, and clients rely on `"5"` being five in bodies too.

/** The value to use, or the type and words of the problem. */
export type Scalar<T> = { value: T } | { type: string; msg: string };

// Each has one way to match a given text, so that none backtracks.
const INTEGER = /^[+-]?[0-9]+(?:_[0-9]+)*(?:\.0+)?$/;
const NUMBER = /^[+-]?(?:[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const NON_FINITE = /^[+-]?(?:nan|inf|infinity)$/i;
const MAX_INTEGER_LENGTH = 4300;
const TRUE_WORDS = new Set(['1', 'true', 't', 'yes', 'y', 'on']);
const FALSE_WORDS = new Set(['0', 'false', 'f', 'no', 'n', 'off']);

const NOT_FINITE = { type: 'finite_number', msg: 'Input should be a finite number' };
export const INTEGER_TOO_LARGE = {
  type: 'int_parsing_size',
  msg: 'Unable to parse input string as an integer, exceeded maximum size',
};

export function toInteger(input: unknown): Scalar<number> {
  if (typeof input === 'boolean') return { value: Number(input) };
  if (typeof input === 'number') {
    if (!Number.isFinite(input)) return NOT_FINITE;
    if (Number.isInteger(input)) return { value: input === 0 ? 0 : input };
    return { type: 'int_from_float', msg: 'Input should be a valid integer, got a number with a fractional part' };
  }
  if (typeof input !== 'string') return { type: 'int_type', msg: 'Input should be a valid integer' };
  const text = input.trim();
  if (text.length > MAX_INTEGER_LENGTH) return INTEGER_TOO_LARGE;
  if (!INTEGER.test(text)) {
    return { type: 'int_parsing', msg: 'Input should be a valid integer, unable to parse string as an integer' };
  }
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isFinite(value)) return INTEGER_TOO_LARGE;
  return { value: value === 0 ? 0 : value };
}

export function toNumber(input: unknown): Scalar<number> {
  if (typeof input === 'boolean') return { value: Number(input) };
  if (typeof input === 'number') return Number.isFinite(input) ? { value: input } : NOT_FINITE;
  if (typeof input !== 'string') return { type: 'float_type', msg: 'Input should be a valid number' };
  const text = input.trim();
  if (NON_FINITE.test(text)) return NOT_FINITE;
  if (!NUMBER.test(text)) {
    return { type: 'float_parsing', msg: 'Input should be a valid number, unable to parse string as a number' };
  }
  const value = Number(text.replaceAll('_', ''));
  return Number.isFinite(value) ? { value } : NOT_FINITE;
}

export function toBoolean(input: unknown): Scalar<boolean> {
  if (typeof input === 'boolean') return { value: input };
  if (typeof input === 'string' || (typeof input === 'number' && Number.isInteger(input))) {
    const word = String(input).toLowerCase();
    if (TRUE_WORDS.has(word)) return { value: true };
    if (FALSE_WORDS.has(word)) return { value: false };
    return { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to interpret input' };
  }
  return { type: 'bool_type', msg: 'Input should be a valid boolean' };
}
