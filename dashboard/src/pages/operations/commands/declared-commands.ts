// What access points say they can do, as a form needs it: which commands fit all that were chosen, which fields they have,
// and what is typed there as a command. Nothing in a configuration is trusted to be of a certain shape.
import {
  type DeclaredCommand as Declaration,
  type DeclaredArgument,
  defaultParameter,
  inverseOf,
  readDeclaredCommands as readDeclarations,
} from '@weft/contract/declared-commands';
import { isObject, parseObject } from '@weft/contract/is-object';
import { problemAt } from '../../../api/client.ts';

export type { DeclaredArgument };
/** As far as a form needs it. */
export type DeclaredCommand = Pick<Declaration, 'name' | 'params'>;

export interface WrittenCommand {
  name: string;
  args: Record<string, unknown>;
}

/** Undefined if the agent lists no commands: anything may be sent to it. */
export function readDeclaredCommands(configuration: Record<string, unknown>): DeclaredCommand[] | undefined {
  const commands = readDeclarations(configuration, { withUnits: true });
  return commands && [...commands.values()].map(({ name, params }) => ({ name, ...(params && { params }) }));
}

/** What all of them know; bounds are those that all of them keep. Agents that list nothing know everything. */
export function commonCommands(lists: readonly (DeclaredCommand[] | undefined)[]): DeclaredCommand[] | undefined {
  const known = lists.filter((list) => list !== undefined);
  const [first, ...others] = known;
  if (!first) return undefined;
  return first.flatMap((command) => {
    const same = others.map((list) => list.find(({ name }) => name === command.name));
    return same.every((other) => other !== undefined) ? [same.reduce(narrowed, command)] : [];
  });
}

/** The fields of the form as a command; empty ones are left out. Throws Failure 422 for arguments that are no JSON. */
export function toCommand(
  commands: readonly DeclaredCommand[] | undefined,
  values: Readonly<Record<string, string>>,
): WrittenCommand {
  const name = (values.name ?? '').trim();
  const declared = commands?.find((command) => command.name === name);
  if (!declared?.params) return { name, args: readFreely(values.arguments ?? '') };
  const args: Record<string, unknown> = {};
  for (const [arg, bounds] of Object.entries(declared.params)) {
    const text = (values[`args.${arg}`] ?? '').trim();
    if (text !== '') args[arg] = toValue(bounds, text);
  }
  return { name, args };
}

/** As `send_command` wants it: a name or free text, or JSON. */
export function writeCommand({ name, args }: WrittenCommand): string {
  return Object.keys(args).length === 0 ? name : JSON.stringify({ name, ...args });
}

/** One that was written so, as in an address or a proposal. */
export function readCommand(given: string): WrittenCommand | undefined {
  if (given === '') return undefined;
  try {
    const { name, ...args } = JSON.parse(given) as Record<string, unknown>;
    return typeof name === 'string' ? { name, args } : undefined;
  } catch {
    return { name: given, args: {} };
  }
}

/** What is known of an access point: what it says of itself, and its newest values. */
export interface KnownValues {
  configuration: Readonly<Record<string, unknown>>;
  latest?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * What an argument of a command is now, as far as a metric or the configuration has its name, that of the parameter
 * (`set_channel` sets `channel`) or both (`tx_power_dbm`).
 */
export function valueNow(
  command: string,
  arg: string,
  { configuration, latest = {} }: KnownValues,
): string | undefined {
  const parameter = defaultParameter(command);
  const named = arg === parameter || arg === 'value' ? [parameter] : [`${parameter}_${arg}`, arg];
  for (const name of named) {
    const newest = Object.hasOwn(latest, name) ? latest[name] : undefined;
    const metric = isObject(newest) ? newest.value : undefined;
    for (const value of [metric, Object.hasOwn(configuration, name) ? configuration[name] : undefined]) {
      if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return String(value);
    }
  }
  return undefined;
}

/**
 * The commands that put back what each has now, or take the command back where it has no arguments (`sleep`); those of whom
 * that is not known are left out.
 */
export function wayBack({ name, args }: WrittenCommand, agents: readonly (KnownValues & { ap_id: string })[]) {
  const groups = new Map<string, string[]>();
  for (const { ap_id, configuration, latest } of agents) {
    const before = Object.entries(args).map(([arg, value]) => {
      const known = valueNow(name, arg, { configuration, latest });
      return [arg, known === undefined || typeof value !== 'number' ? known : Number(known)] as const;
    });
    if (before.some(([, known]) => known === undefined || Number.isNaN(known))) continue;
    const declared = readDeclarations(configuration);
    const own = declared?.get(name);
    const inverse = declared && own && inverseOf(own, declared);
    const command = before.length === 0 ? inverse : writeCommand({ name, args: Object.fromEntries(before) });
    if (command !== undefined) groups.set(command, [...(groups.get(command) ?? []), ap_id]);
  }
  return [...groups].map(([command, ap_ids]) => ({ command, ap_ids }));
}

/** `10 to 38 dBm`, `36, 40, 44`; empty if anything goes. */
export function boundsInWords({ minimum, maximum, multipleOf, unit = '' }: DeclaredArgument): string {
  const suffix = unit === '' ? '' : `\u2009${unit}`;
  const range =
    minimum !== undefined && maximum !== undefined
      ? `${minimum} to ${maximum}`
      : minimum !== undefined
        ? `at least ${minimum}`
        : maximum !== undefined
          ? `at most ${maximum}`
          : '';
  const steps = multipleOf === undefined ? '' : `in steps of ${multipleOf}`;
  return [range && range + suffix, steps].filter(Boolean).join(', ');
}

function readFreely(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  const value = parseObject(text);
  if (value) return value;
  throw problemAt('arguments', 'Enter a JSON object, such as {"dbm": 17}');
}

/** What is not a number is sent as it was typed: the server has words for it. */
function toValue({ type, enum: values }: DeclaredArgument, text: string): unknown {
  const listed = values?.find((value) => String(value) === text);
  if (listed !== undefined) return listed;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type === 'string') return text;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

function narrowed(command: DeclaredCommand, other: DeclaredCommand | undefined): DeclaredCommand {
  const { params } = command;
  const others = other?.params;
  if (!params || !others) return { ...command, params: params ?? others };
  const shared = Object.entries(params).filter(([arg]) => Object.hasOwn(others, arg));
  return { ...command, params: Object.fromEntries(shared.map(([arg, own]) => [arg, narrower(own, others[arg]!)])) };
}

function narrower(one: DeclaredArgument, other: DeclaredArgument): DeclaredArgument {
  const minimum = Math.max(one.minimum ?? -Infinity, other.minimum ?? -Infinity);
  const maximum = Math.min(one.maximum ?? Infinity, other.maximum ?? Infinity);
  const values =
    one.enum && other.enum ? one.enum.filter((value) => other.enum!.includes(value)) : (one.enum ?? other.enum);
  return {
    ...one,
    ...(Number.isFinite(minimum) && { minimum }),
    ...(Number.isFinite(maximum) && { maximum }),
    ...(values && { enum: values }),
  };
}
