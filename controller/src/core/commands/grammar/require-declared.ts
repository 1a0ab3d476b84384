// Validates a command against what its agent declares, before anybody decides about it.
import { didYouMean } from '@weft/contract/closest-name';
import type { DeclaredArgument, DeclaredCommand } from '@weft/contract/declared-commands';
import { type Problem, ValidationError } from '../../base/errors.ts';
import { MAX_PROBLEMS } from '../../base/input/json-scanner.ts';
import { invalidValue, type Loc } from '../../base/input/value-rules.ts';
import type { ParsedCommand } from './command-text.ts';

/** An agent's list may be long; a message need not be. */
const maxShownValues = 20;

/**
 * The declaration of this command; undefined if the agent has no list. Throws ValidationError for a command that is not in
 * the list, or with every problem of its arguments.
 */
export function requireDeclared(
  declared: ReadonlyMap<string, DeclaredCommand> | undefined,
  { name, args }: Pick<ParsedCommand, 'name' | 'args'>,
  loc: Loc = ['query', 'command'],
): DeclaredCommand | undefined {
  if (!declared) return undefined;
  const declaration = declared.get(name);
  if (!declaration) {
    throw invalidValue(loc, `the agent does not know this command.${didYouMean(name, declared.keys())}`);
  }
  const problems = checkArguments(declaration, args, loc);
  if (problems.length > 0) throw new ValidationError(problems);
  return declaration;
}

/** What is wrong with the arguments, at most one problem for each and MAX_PROBLEMS in all: of those that are given, then of those that are missing. */
export function checkArguments(
  { params }: DeclaredCommand,
  args: Record<string, unknown>,
  loc: Loc = ['query', 'command'],
): Problem[] {
  if (!params) return [];
  const locOf = (arg: string) => [...loc, arg.slice(0, 256).toWellFormed()];
  const problems = Object.entries(args).flatMap(([arg, value]) => {
    const place = locOf(arg);
    if (Object.hasOwn(params, arg)) return checkArgument(params[arg]!, value, place);
    return [{ loc: place, msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }];
  });
  for (const [arg, { optional }] of Object.entries(params)) {
    if (optional || Object.hasOwn(args, arg)) continue;
    problems.push({ loc: locOf(arg), msg: 'Field required', type: 'missing' });
  }
  return problems.slice(0, MAX_PROBLEMS);
}

/** Whether the value is a whole number of steps, as far as doubles can tell. */
export function isMultiple(value: number, step: number): boolean {
  const steps = value / step;
  return Math.abs(steps - Math.round(steps)) <= 1e-9 * Math.max(1, Math.abs(steps));
}

export function checkArgument(bounds: DeclaredArgument, value: unknown, loc: Loc): Problem[] {
  const problem = (type: string, msg: string, ctx?: Record<string, unknown>): Problem[] => [
    ctx ? { loc, msg, type, ctx } : { loc, msg, type },
  ];
  const { type, minimum: ge, maximum: le, multipleOf: multiple_of, enum: values } = bounds;
  const isBounded = ge !== undefined || le !== undefined || multiple_of !== undefined;
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  if (type === 'string' && typeof value !== 'string') return problem('string_type', 'Input should be a valid string');
  if (type === 'boolean' && typeof value !== 'boolean') return problem('bool_type', 'Input should be a valid boolean');
  if (type === 'integer' && !Number.isSafeInteger(value)) return problem('int_type', 'Input should be a valid integer');
  // A bound on something else than a number cannot be kept.
  if (!isNumber && (type === 'number' || (type === undefined && isBounded))) {
    return problem('float_type', 'Input should be a valid number');
  }
  if (isNumber && le !== undefined && value > le) {
    return problem('less_than_equal', `Input should be less than or equal to ${le}`, { le });
  }
  if (isNumber && ge !== undefined && value < ge) {
    return problem('greater_than_equal', `Input should be greater than or equal to ${ge}`, { ge });
  }
  if (isNumber && multiple_of !== undefined && !isMultiple(value, multiple_of)) {
    return problem('multiple_of', `Input should be a multiple of ${multiple_of}`, { multiple_of });
  }
  if (values && !values.includes(value)) {
    const expected = inWords(values);
    return problem('enum', `Input should be ${expected}`, { expected });
  }
  return [];
}

function inWords(values: readonly unknown[]): string {
  const shown = values.slice(0, maxShownValues).map((value) => {
    return typeof value === 'string' ? `'${value.slice(0, 64).toWellFormed()}'` : String(value);
  });
  if (values.length > maxShownValues) return `${shown.join(', ')} or one of ${values.length - maxShownValues} more`;
  const last = shown.pop()!;
  return shown.length > 0 ? `${shown.join(', ')} or ${last}` : last;
}
