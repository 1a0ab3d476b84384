// What can be done with an access point in a step: a list of choices, the same for all, made from the commands that they
// declare; and for each access point and moment, which of them it would take.
import { type AccessPoint, isDeaf } from '../access-points/access-point.ts';
import { commandsOf, type DeclaredArgument, type DeclaredCommand, setters } from '../access-points/command-table.ts';
import { type CommandArguments, findProblem } from '../access-points/commands.ts';
import type { Settings } from '../access-points/settings.ts';
import type { WorldState } from '../world/world-state.ts';
import { EnvironmentError, type WantedActions } from './environment-spec.ts';

export interface Choice {
  /** `nothing`, `sleep`, `set_channel 36`. */
  label: string;
  /** Undefined for nothing. */
  command: { name: string; args: CommandArguments } | undefined;
  /** What it sets, if it sets something. */
  setting: keyof Settings | undefined;
}

/** By access point and choice, 1 where the access point declares the command and the value is in its range. */
export interface Choices {
  list: readonly Choice[];
  isLegal: readonly Uint8Array[];
}

const levels = 5;
const maxChoices = 256;
/** A step is no report, and a reboot is of use to nobody who learns; both can be asked for. */
const unusual = ['reboot', 'set_report_interval'];
const nothing: Choice = { label: 'nothing', command: undefined, setting: undefined };

/** Throws EnvironmentError `invalid_spec` for an action that no access point takes. */
export function choicesOf(accessPoints: readonly AccessPoint[], wanted: WantedActions | undefined): Choices {
  const declared = accessPoints.map(({ type, scenario }) => commandsOf(type, scenario));
  const actions = wanted ?? usualActions(declared.flat());
  const list = [nothing, ...Object.entries(actions).flatMap(([name, values]) => toChoices(name, values, declared))];
  if (list.length > maxChoices) throw new EnvironmentError('invalid_spec', `there are at most ${maxChoices} choices`);
  const isLegal = declared.map((commands) => Uint8Array.from(list, (choice) => (takes(commands, choice) ? 1 : 0)));
  for (const [index, { label }] of list.entries()) {
    if (isLegal.some((row) => row[index] === 1)) continue;
    throw new EnvironmentError('invalid_spec', `actions: no access point takes ${label}`);
  }
  return { list, isLegal };
}

/** Whether the access point would take the choice now. What it has not come to yet must settle first. */
export function isAllowed({ step }: WorldState, ap: AccessPoint, { command, setting }: Choice): boolean {
  if (!command) return true;
  if (isDeaf(ap)) return false;
  if (setting !== undefined) {
    const isRetuning = (setting === 'channel' || setting === 'channel_width_mhz') && step < ap.retunesUntilStep;
    return !isRetuning && ap.wished[setting] === ap.actual[setting];
  }
  const { power_state } = ap;
  if (command.name === 'sleep') return power_state === 'on' || power_state === 'dozing';
  if (command.name === 'doze') return power_state === 'on' || power_state === 'asleep';
  if (command.name === 'wake') return power_state === 'asleep' || power_state === 'dozing';
  return true;
}

function toChoices(name: string, values: unknown, declared: readonly DeclaredCommand[][]): Choice[] {
  const command = declared.flat().find((each) => each.name === name);
  if (!command) throw new EnvironmentError('invalid_spec', `actions: no access point knows ${name.slice(0, 64)}`);
  const [argument] = Object.keys(command.params);
  if (values === true && argument === undefined) {
    return [{ label: name, command: { name, args: {} }, setting: undefined }];
  }
  const isNumeric = argument !== undefined && Object.values(command.params).every((each) => isNumber(each));
  if (!isNumeric || !Array.isArray(values) || values.some((value) => typeof value !== 'number')) {
    const form = argument === undefined ? 'true' : isNumeric ? 'a list of numbers' : 'left out: it takes names';
    throw new EnvironmentError('invalid_spec', `actions: ${name} must be ${form}`);
  }
  const setting = Object.hasOwn(setters, name) ? setters[name]!.setting : undefined;
  return values.map((value) => ({
    label: `${name} ${value}`,
    command: { name, args: { [argument]: value } },
    setting,
  }));
}

function takes(commands: readonly DeclaredCommand[], { command }: Choice): boolean {
  if (!command) return true;
  const declared = commands.find(({ name }) => name === command.name);
  return declared !== undefined && findProblem(declared.params, command.args) === undefined;
}

function usualActions(commands: readonly DeclaredCommand[]): WantedActions {
  const actions: Record<string, true | number[]> = {};
  for (const { name, params } of commands) {
    const given = Object.values(params);
    if (unusual.includes(name) || !given.every(isNumber)) continue;
    if (given.length === 0) actions[name] = true;
    // Cells that differ in range share the values of both; each has its own mask.
    else actions[name] = [...new Set([...((actions[name] as number[]) ?? []), ...valuesOf(given[0]!)])];
  }
  return actions;
}

function isNumber({ type }: DeclaredArgument): boolean {
  return type === 'number' || type === 'integer';
}

function valuesOf({ type, minimum = 0, maximum = 0, enum: values }: DeclaredArgument): number[] {
  if (values) return values as number[];
  return Array.from({ length: levels }, (_, n) => {
    const value = minimum + ((maximum - minimum) * n) / (levels - 1);
    return type === 'integer' ? Math.round(value) : value;
  });
}
