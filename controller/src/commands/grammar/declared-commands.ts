// The commands that an access point declares: reads `configuration.commands`, and validates a command by it before anybody
// decides about it.
import { didYouMean } from '@weft/cli/closest-name';
import { type Problem, ValidationError } from '../../errors.ts';
import { MAX_PROBLEMS } from '../../input/json-scanner.ts';
import { isCommandName, type ParsedCommand } from './command-text.ts';

const argumentTypes = ['number', 'integer', 'string', 'boolean'] as const;

/** The bounds of one argument; those that are absent do not bind. */
export interface DeclaredArgument {
  type?: (typeof argumentTypes)[number];
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  enum?: unknown[];
}

export interface DeclaredCommand {
  name: string;
  /** What it sets: commands that set the same can be in conflict. */
  parameter: string;
  /** undefined when the agent does not say; then any argument passes. */
  params?: Record<string, DeclaredArgument>;
}

type Loc = (string | number)[];

const defaultParameters: ReadonlyMap<string, string> = new Map([
  ['sleep', 'power_state'],
  ['wake', 'power_state'],
  ['steer_device', 'steering'],
]);
/** An agent's list may be long; a message need not be. */
const maxShownValues = 20;

/** What a command sets, unless its declaration says otherwise. */
export function defaultParameter(name: string): string {
  const known = defaultParameters.get(name);
  if (known !== undefined) return known;
  const rest = name.startsWith('set_') ? name.slice(4) : '';
  return isCommandName(rest) ? rest : name;
}

/**
 * The commands of an agent by name, or undefined if it lists none and anything well-formed may be sent. Declarations that
 * make no sense are left out, and so is each bound that makes none; of equal names the last one counts.
 */
export function readDeclaredCommands(configuration: Record<string, unknown>): Map<string, DeclaredCommand> | undefined {
  const list = configuration.commands;
  if (!Array.isArray(list)) return undefined;
  const commands = new Map<string, DeclaredCommand>();
  for (const item of list) {
    const { name, parameter, params }: Record<string, unknown> = isObject(item) ? item : { name: item };
    if (!isCommandName(name)) continue;
    const command: DeclaredCommand = {
      name,
      parameter: isCommandName(parameter) ? parameter : defaultParameter(name),
    };
    if (isObject(params)) {
      command.params = Object.fromEntries(Object.entries(params).map(([arg, bounds]) => [arg, readArgument(bounds)]));
    }
    commands.set(name, command);
  }
  return commands;
}

/**
 * The declaration of this command; undefined if the agent has no list. Throws ValidationError for a command that is not in
 * the list, or with every problem of its arguments.
 */
export function requireDeclared(
  declared: ReadonlyMap<string, DeclaredCommand> | undefined,
  { name, args }: ParsedCommand,
  loc: Loc = ['query', 'command'],
): DeclaredCommand | undefined {
  if (!declared) return undefined;
  const declaration = declared.get(name);
  if (!declaration) {
    const error = `the agent does not know this command.${didYouMean(name, declared.keys())}`;
    throw new ValidationError([{ loc, msg: `Value error, ${error}`, type: 'value_error', ctx: { error } }]);
  }
  const problems = checkArguments(declaration, args, loc);
  if (problems.length > 0) throw new ValidationError(problems);
  return declaration;
}

/** What is wrong with the arguments, at most one problem for each and MAX_PROBLEMS in all, in their order. */
export function checkArguments(
  { params }: DeclaredCommand,
  args: Record<string, unknown>,
  loc: Loc = ['query', 'command'],
): Problem[] {
  if (!params) return [];
  const problems = Object.entries(args).flatMap(([arg, value]) => {
    const place = [...loc, arg.slice(0, 256).toWellFormed()];
    if (Object.hasOwn(params, arg)) return checkArgument(params[arg]!, value, place);
    return [{ loc: place, msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }];
  });
  return problems.slice(0, MAX_PROBLEMS);
}

/** Whether the value is a whole number of steps, as far as doubles can tell. */
export function isMultiple(value: number, step: number): boolean {
  const steps = value / step;
  return Math.abs(steps - Math.round(steps)) <= 1e-9 * Math.max(1, Math.abs(steps));
}

function checkArgument(bounds: DeclaredArgument, value: unknown, loc: Loc): Problem[] {
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

function readArgument(input: unknown): DeclaredArgument {
  const bounds: DeclaredArgument = {};
  if (!isObject(input)) return bounds;
  const type = argumentTypes.find((known) => known === input.type);
  if (type !== undefined) bounds.type = type;
  for (const key of ['minimum', 'maximum', 'multipleOf'] as const) {
    const value = input[key];
    if (typeof value === 'number' && Number.isFinite(value) && (key !== 'multipleOf' || value > 0)) bounds[key] = value;
  }
  // Only plain values can be compared with what comes.
  if (Array.isArray(input.enum)) {
    const plain = input.enum.filter((value) => value === null || typeof value !== 'object');
    if (plain.length > 0) bounds.enum = plain;
  }
  return bounds;
}

function inWords(values: unknown[]): string {
  const shown = values.slice(0, maxShownValues).map((value) => {
    return typeof value === 'string' ? `'${value.slice(0, 64).toWellFormed()}'` : String(value);
  });
  if (values.length > maxShownValues) return `${shown.join(', ')} or one of ${values.length - maxShownValues} more`;
  const last = shown.pop()!;
  return shown.length > 0 ? `${shown.join(', ')} or ${last}` : last;
}

function isObject(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}
