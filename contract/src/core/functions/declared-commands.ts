// What an access point says it can do: `configuration.commands`, as everybody reads it who sends, checks or offers
// commands. Nothing in a configuration is trusted to have a certain shape.
import { isObject } from './is-object.ts';

const argumentTypes = ['number', 'integer', 'string', 'boolean'] as const;
const commandName = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** The bounds of one argument, which Weft checks before a command is sent; those that are absent do not bind. */
export interface DeclaredArgument {
  type?: (typeof argumentTypes)[number];
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  enum?: readonly unknown[];
  /** A command may come without it. All other arguments are required. */
  optional?: true;
  /** Whether its value is kept out of logs and answers; absent: its name decides. */
  secret?: boolean;
  /** For people. */
  unit?: string;
}

export interface DeclaredCommand {
  name: string;
  /** What it sets: commands that set the same can be in conflict. */
  parameter: string;
  /** undefined when the agent does not say; then any argument passes, and none is required. */
  params?: Record<string, DeclaredArgument>;
  /** The command, without arguments, that takes this one back. */
  inverse?: string;
}

const defaultParameters: ReadonlyMap<string, string> = new Map([
  ...['sleep', 'wake', 'turn_on', 'turn_off', 'on', 'off', 'power_on', 'power_off', 'enable', 'disable'].map(
    (name) => [name, 'power_state'] as const,
  ),
  ['steer_device', 'steering'],
]);

const pairs = 'sleep wake,turn_off turn_on,off on,power_off power_on,disable enable'
  .split(',')
  .map((pair) => pair.split(' '));
const defaultInverses = new Map(pairs.flatMap(([off, on]) => [[off!, on!] as const, [on!, off!] as const]));

/** Whether commands and parameters may have this name. */
export function isCommandName(name: unknown): name is string {
  return typeof name === 'string' && commandName.test(name);
}

/** What a command sets, unless its declaration says otherwise. */
export function defaultParameter(name: string): string {
  const known = defaultParameters.get(name);
  if (known !== undefined) return known;
  const rest = name.startsWith('set_') ? name.slice(4) : '';
  return isCommandName(rest) ? rest : name;
}

/**
 * The commands of an agent by name, or undefined if it lists none and anything well-formed may be sent. Declarations that
 * make no sense are left out, and so is each bound that makes none; of equal names the last one counts. Units are read only
 * where they are asked for: a decision does not need them.
 */
export function readDeclaredCommands(
  configuration: Record<string, unknown>,
  { withUnits = false } = {},
): Map<string, DeclaredCommand> | undefined {
  const list = configuration.commands;
  if (!Array.isArray(list)) return undefined;
  const commands = new Map<string, DeclaredCommand>();
  for (const item of list) {
    const { name, parameter, params, inverse }: Record<string, unknown> = isObject(item) ? item : { name: item };
    if (!isCommandName(name)) continue;
    const command: DeclaredCommand = {
      name,
      parameter: isCommandName(parameter) ? parameter : defaultParameter(name),
    };
    if (isObject(params)) {
      command.params = Object.fromEntries(
        Object.entries(params).map(([arg, bounds]) => [arg, readArgument(bounds, withUnits)]),
      );
    }
    if (isCommandName(inverse)) command.inverse = inverse;
    commands.set(name, command);
  }
  return commands;
}

/** The command among these that takes this one back without arguments: the one it names, or the other of a known pair. */
export function inverseOf(
  { name, parameter, inverse = defaultInverses.get(name) }: DeclaredCommand,
  declared: ReadonlyMap<string, DeclaredCommand>,
): string | undefined {
  const found = inverse === undefined ? undefined : declared.get(inverse);
  const needsNothing = Object.values(found?.params ?? {}).every(({ optional }) => optional);
  return found?.parameter === parameter && needsNothing ? inverse : undefined;
}

export function readArgument(input: unknown, withUnits: boolean): DeclaredArgument {
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
  // The agent has a value of its own, or needs none.
  if (input.optional === true || input.required === false || Object.hasOwn(input, 'default')) bounds.optional = true;
  if (typeof input.secret === 'boolean') bounds.secret = input.secret;
  if (withUnits && typeof input.unit === 'string') bounds.unit = input.unit;
  return bounds;
}

// Which commands interrupt the service of an access point, by their names: whoever sends one is asked first.
const names = new Set([
  ...['sleep', 'turn_off', 'power_off', 'off', 'disable', 'shutdown', 'stop', 'reset', 'factory_reset', 'upgrade'],
  ...['reboot', 'restart', 'set_channel', 'set_bandwidth', 'set_channel_width'],
]);

/** A name that begins with `restart_` or `reboot_` restarts a part of it. */
export function interruptsService(name: string): boolean {
  const plain = name.trim().toLowerCase();
  return names.has(plain) || /^(restart|reboot|reset)_/.test(plain);
}

/** A command as text, as `send_command` takes it: a bare name, or JSON with the arguments beside the name. */
export function toCommandText(name: string, args: Record<string, unknown> = {}): string {
  return Object.keys(args).length === 0 ? name : JSON.stringify({ ...args, name });
}
