// An access point takes a command: checks it against what it declares, begins to follow it, and says what it made of it.
import { type AccessPoint, dozeWakeS, durations, enter, isAgentUp, isDeaf } from './access-point.ts';
import { commandsOf, type DeclaredArgument, retuned, setters, settingsOf } from './command-table.ts';
import { pace, possibleSettings, type Settings } from './settings.ts';

export type CommandArguments = Record<string, unknown>;

export type CommandResult =
  | {
      state: 'succeeded';
      /** What really holds from now on; differs from what was asked where the access point could not do exactly that. */
      applied: Record<string, string | number>;
      /** After so much model time the network shows the effect in full. */
      settles_in_seconds: number;
    }
  | { state: 'failed'; reason: string; answer?: DeviceAnswer }
  /** The access point is unreachable, or behaves as if the command had never come: its agent must not answer. */
  | { state: 'unanswered' };

/** What the access point saw of a device that did not go: it refused, or is not attached. */
export type DeviceAnswer = 'refused' | 'not_here';

/** The device that goes, or why none does. */
export type SteeringAnswer = { device: string } | { reason: string; answer?: DeviceAnswer };

/** What commands about devices need of the world. */
export interface Steering {
  /** Sends a device of this access point (the worst served if undefined) to another. */
  steer(device: string | undefined, target: string, isForced: boolean): SteeringAnswer;
  /** How a device that has a link to this access point uses its links from now on. */
  setLinkPolicy(device: string, policy: Record<string, unknown>): SteeringAnswer;
}

/** A refused command changes nothing. */
export function execute(
  ap: AccessPoint,
  name: string,
  args: CommandArguments,
  step: number,
  steering: Steering,
): CommandResult {
  if (isDeaf(ap)) return { state: 'unanswered' };
  const declared = commandsOf(ap.type, ap.scenario).find((command) => command.name === name);
  if (!declared) return { state: 'failed', reason: `a ${ap.type} access point does not know this command` };
  const problem = findProblem(declared.params, args);
  if (problem !== undefined) return { state: 'failed', reason: problem };
  const setter = Object.hasOwn(setters, name) ? setters[name] : undefined;
  if (setter) return set(ap, setter.setting, setter.argument, Number(args[setter.argument]), step);
  switch (name) {
    case 'sleep':
      return sleep(ap, step, 'deep');
    case 'doze':
      return sleep(ap, step, 'light');
    case 'wake':
      return wake(ap, step);
    case 'reboot':
      enter(ap, 'down', step + durations[ap.type].rebootS);
      return done({}, durations[ap.type].rebootS);
    case 'set_report_interval':
      ap.report_interval_seconds = Number(args.seconds);
      ap.nextReportAtStep = step + ap.report_interval_seconds;
      return done({ seconds: ap.report_interval_seconds }, 0);
    case 'set_link_policy':
      return setPolicy(args, steering);
    default:
      return steer(args, steering);
  }
}

/** Why these are no arguments for the command; undefined if they are. */
export function findProblem(
  params: Record<string, DeclaredArgument>,
  args: CommandArguments,
  areAllOptional = false,
): string | undefined {
  for (const name of Object.keys(args)) {
    if (!Object.hasOwn(params, name)) return `unknown argument ${name.slice(0, 64)}`;
  }
  for (const [name, { type, minimum = -Infinity, maximum = Infinity, enum: values, optional }] of Object.entries(
    params,
  )) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined && (optional || areAllOptional)) continue;
    if (type === undefined) continue;
    if (type === 'string') {
      if (typeof value !== 'string' || value === '') return `${name} must be a text`;
      if (values && !values.includes(value)) return `${name} must be one of ${values.join(', ')}`;
      continue;
    }
    if (type === 'boolean') {
      if (typeof value !== 'boolean') return `${name} must be true or false`;
      continue;
    }
    if (typeof value !== 'number' || !Number.isFinite(value)) return `${name} must be a number`;
    if (type === 'integer' && !Number.isInteger(value)) return `${name} must be a whole number`;
    if (value < minimum || value > maximum) return `${name} must be ${minimum} to ${maximum}`;
    if (values && !values.includes(value)) return `${name} must be one of ${values.join(', ')}`;
  }
  return undefined;
}

function set(ap: AccessPoint, setting: keyof Settings, argument: string, value: number, step: number): CommandResult {
  const before = ap.wished;
  const after = possibleSettings(ap.type, { ...before, [setting]: value });
  const applied: Record<string, number> = { [argument]: after[setting] };
  // A channel can bring a lower limit of power with it.
  if (setting !== 'tx_power_dbm' && after.tx_power_dbm !== before.tx_power_dbm) applied.dbm = after.tx_power_dbm;
  const isRetuning = retuned.has(setting) && after[setting] !== before[setting];
  if (isRetuning) ap.retunesUntilStep = step + 1 + durations[ap.type].retuneS;
  ap.wished = after;
  const way = Math.abs(after[setting] - ap.actual[setting]);
  return done(applied, isRetuning ? durations[ap.type].retuneS + 1 : Math.ceil(way / pace[setting]));
}

/**
 * Sets these for good, as commands would; returns what it runs then. Its agent does this, also while nobody reaches it: throws
 * Error if that is down, or for what it does not declare, and changes nothing.
 */
export function configure(ap: AccessPoint, given: Record<string, unknown>, step: number): Record<string, number> {
  if (!isAgentUp(ap)) throw new Error('the access point is down');
  const problem = findProblem(settingsOf(ap.type, ap.scenario) as Record<string, DeclaredArgument>, given, true);
  if (problem !== undefined) throw new Error(problem);
  // The channel first: how much power is allowed depends on it.
  const names = Object.keys(given).sort((a, b) => Number(b === 'channel') - Number(a === 'channel'));
  for (const name of names) set(ap, name as keyof Settings, name, Number(given[name]), step);
  return runningSettings(ap);
}

/** What it is set to, of all that it declares. */
export function runningSettings({ type, scenario, wished }: AccessPoint): Record<string, number> {
  const names = Object.keys(settingsOf(type, scenario)) as (keyof Settings)[];
  return Object.fromEntries(names.map((name) => [name, wished[name]]));
}

function sleep(ap: AccessPoint, step: number, depth: AccessPoint['depth']): CommandResult {
  const { drainS } = durations[ap.type];
  const asleep = depth === 'light' ? 'dozing' : 'asleep';
  ap.depth = depth;
  if (ap.power_state === 'starting' || ap.power_state === 'asleep' || ap.power_state === 'dozing') enter(ap, asleep);
  else if (ap.power_state === 'on') enter(ap, 'draining', step + drainS);
  const left = ap.power_state === 'draining' ? ap.nextStateAtStep - step : 0;
  return done({}, left);
}

function wake(ap: AccessPoint, step: number): CommandResult {
  const { wakeS } = durations[ap.type];
  if (ap.power_state === 'draining') enter(ap, 'on');
  else if (ap.power_state === 'asleep') enter(ap, 'starting', step + wakeS);
  else if (ap.power_state === 'dozing') enter(ap, 'starting', step + dozeWakeS);
  const left = ap.power_state === 'starting' ? ap.nextStateAtStep - step : 0;
  return done({}, left);
}

function steer(args: CommandArguments, steering: Steering): CommandResult {
  const target = String(args.target);
  const answer = steering.steer(
    args.device === undefined ? undefined : String(args.device),
    target,
    args.force === true,
  );
  if ('reason' in answer) return { state: 'failed', ...answer };
  return done({ device: answer.device, target }, 1);
}

function setPolicy({ device, ...policy }: CommandArguments, steering: Steering): CommandResult {
  const answer = steering.setLinkPolicy(String(device), policy);
  if ('reason' in answer) return { state: 'failed', ...answer };
  return done({ device: answer.device, mode: String(policy.mode) }, 1);
}

function done(applied: Record<string, string | number>, settles_in_seconds: number): CommandResult {
  return { state: 'succeeded', applied, settles_in_seconds };
}
