// Between the permissions of an app and the fields of their form. Pure. The names of the fields are those of the 422, so
// that the server's words stand beside the right one.
import { effectivePermissions } from '@weft/contract/app-permissions';
import { parseObject } from '@weft/contract/is-object';
import { Failure } from '../../../api/client.ts';
import type { FormState } from '../../../components/forms/form.tsx';
import { fromLocalMoment, partsOf, toLocalMoment, typedNumber } from '../../../format.ts';

type CommandsMode = 'all' | 'none' | 'list' | 'limits';

export interface CommandLimit {
  command: string;
  argument: string;
  min: string;
  max: string;
}

export type PermissionValues = {
  agentsMode: string;
  'permissions.agents': string;
  'permissions.selector': string;
  'permissions.read': string;
  commandsMode: string;
  'permissions.commands': string;
  /** The rows of limits, as JSON. */
  limits: string;
  emulatorMode: string;
  'permissions.emulator': string;
  'permissions.priority': string;
  'permissions.expires_at': string;
  /** What is left; problems of keys without a field of their own are told here. Last, because it begins like the others. */
  permissions: string;
};

/** Any form that holds these fields among others. */
export type PermissionFormState = FormState<PermissionValues>;

const known = ['agents', 'selector', 'read', 'write', 'commands', 'emulator', 'priority', 'expires_at'];

/** What a new app may do unless somebody chooses more: read the access points that are named. */
export const leastPermissions = { agents: [], commands: false, emulator: false };

/** Throws Failure 422 if the app would see no access point at all. */
export function requirePatterns(values: PermissionValues): void {
  if (patternsOf(values)?.length === 0 && selectorOf(values) === '')
    throw refusal('agents', 'Enter an id, a pattern or a site, or choose all access points');
}

/** The patterns of the access points; undefined: all. */
export function patternsOf(values: PermissionValues): string[] | undefined {
  return values.agentsMode === 'some' ? linesOf(values['permissions.agents']) : undefined;
}

/** Sites, tags and names; both this and the patterns must allow an access point. */
export function selectorOf(values: PermissionValues): string {
  return values.agentsMode === 'some' ? values['permissions.selector'].trim() : '';
}

/** The commands that are named in the form, in their order. */
export function namedCommands(values: PermissionValues): string[] {
  const { commandsMode, limits } = values;
  if (commandsMode === 'list') return [...new Set(linesOf(values['permissions.commands']))];
  if (commandsMode !== 'limits') return [];
  return [...new Set(readLimits(limits).map(({ command }) => command.trim()))].filter((name) => name !== '');
}

export function toPermissionValues(permissions: Record<string, unknown>): PermissionValues {
  const { agents, selector, read, commands, emulator, priority, expires_at } = effectivePermissions(permissions);
  // No pattern at all allows nothing, whatever the selector says; the form has one word for that.
  const hasSelector = typeof selector === 'string' && !(Array.isArray(agents) && agents.length === 0);
  const other = Object.fromEntries(Object.entries(permissions).filter(([key]) => !known.includes(key)));
  return {
    agentsMode: Array.isArray(agents) || hasSelector ? 'some' : 'all',
    'permissions.agents': Array.isArray(agents) ? agents.join('\n') : '',
    'permissions.selector': hasSelector ? selector : '',
    'permissions.read': read === false ? 'no' : 'yes',
    commandsMode: commandsModeOf(commands),
    'permissions.commands': Array.isArray(commands) ? commands.join('\n') : '',
    limits: JSON.stringify(limitsOf(commands)),
    emulatorMode: emulator === undefined || emulator === true ? 'all' : emulator === false ? 'none' : 'some',
    'permissions.emulator': String((emulator as { max_access_points?: number } | undefined)?.max_access_points ?? ''),
    'permissions.priority': priority === undefined ? '' : String(priority),
    'permissions.expires_at': typeof expires_at === 'string' ? toLocalMoment(Date.parse(expires_at)) : '',
    permissions: Object.keys(other).length === 0 ? '' : JSON.stringify(other, null, 2),
  };
}

/** Throws Failure 422 for what cannot even be sent; all else is the server's to judge. */
export function toPermissions(values: PermissionValues): Record<string, unknown> {
  const priority = values['permissions.priority'].trim();
  const until = values['permissions.expires_at'];
  return {
    ...agentsFrom(values),
    ...(values['permissions.read'] === 'no' && { read: false }),
    ...commandsFrom(values),
    ...emulatorFrom(values),
    ...(priority !== '' && { priority: typedNumber(priority) }),
    ...(until !== '' && { expires_at: fromLocalMoment(until) }),
    ...otherFrom(values.permissions),
  };
}

export function readLimits(text: string): CommandLimit[] {
  return JSON.parse(text) as CommandLimit[];
}

function commandsModeOf(commands: unknown): CommandsMode {
  if (commands === undefined || commands === true) return 'all';
  if (Array.isArray(commands)) return 'list';
  return typeof commands === 'object' && commands !== null ? 'limits' : 'none';
}

function limitsOf(commands: unknown): CommandLimit[] {
  if (typeof commands !== 'object' || commands === null || Array.isArray(commands)) return [];
  return Object.entries(commands as Record<string, Record<string, { min?: number; max?: number }>>).flatMap(
    ([command, limits]) => {
      const rows = Object.entries(limits).map(([argument, { min, max }]) => ({
        command,
        argument,
        min: String(min ?? ''),
        max: String(max ?? ''),
      }));
      return rows.length > 0 ? rows : [{ command, argument: '', min: '', max: '' }];
    },
  );
}

function agentsFrom(values: PermissionValues): { agents?: string[]; selector?: string } {
  const [agents, selector] = [patternsOf(values), selectorOf(values)];
  return {
    ...(agents && (agents.length > 0 || selector === '') && { agents }),
    ...(selector !== '' && { selector }),
  };
}

function commandsFrom(values: PermissionValues): { commands?: unknown } {
  switch (values.commandsMode as CommandsMode) {
    case 'all':
      return {};
    case 'none':
      return { commands: false };
    case 'list':
      return { commands: linesOf(values['permissions.commands']) };
    case 'limits': {
      const commands = new Map<string, Map<string, object>>();
      for (const { command, argument, min, max } of readLimits(values.limits)) {
        const name = command.trim();
        if (name === '') continue;
        const limits = commands.get(name) ?? new Map<string, object>();
        commands.set(name, limits);
        const bound = {
          ...(min.trim() !== '' && { min: typedNumber(min) }),
          ...(max.trim() !== '' && { max: typedNumber(max) }),
        };
        if (argument.trim() !== '') limits.set(argument.trim(), bound);
      }
      return {
        commands: Object.fromEntries([...commands].map(([name, limits]) => [name, Object.fromEntries(limits)])),
      };
    }
  }
}

function emulatorFrom(values: PermissionValues): { emulator?: unknown } {
  if (values.emulatorMode === 'all') return {};
  if (values.emulatorMode === 'none') return { emulator: false };
  const given = values['permissions.emulator'].trim();
  if (!/^\d+$/.test(given)) throw refusal('emulator', 'this should be a whole number');
  return { emulator: { max_access_points: Number(given) } };
}

function otherFrom(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  const parsed = parseObject(text);
  if (!parsed) throw refusal('', 'this should be a JSON object, such as {"team": "energy"}');
  const taken = Object.keys(parsed).find((key) => known.includes(key));
  if (taken !== undefined) throw refusal('', `use the field above for “${taken}”`);
  return parsed;
}

function refusal(key: string, msg: string): Failure {
  const loc = ['body', 'permissions', ...(key === '' ? [] : [key])];
  return new Failure(422, 'validation_error', msg, { problems: [{ loc, msg, type: 'value_error' }] });
}

const linesOf = (text: string) => partsOf(text, /[\n,]/);
