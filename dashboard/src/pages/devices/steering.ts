// Where a device could be steered, by whom, and how an attempt ended, in words. Pure.
import { isObject } from '@weft/contract/is-object';
import type { AgentListItem, Command, Device, SteeringAttempt } from '../../api/operations.ts';
import { devicesText } from '../../text/devices.ts';
import { readDeclaredCommands } from '../commands/declared-commands.ts';

const text = devicesText.steer;

export type SteeringOutcome = SteeringAttempt['outcome'];
export const steerDevice = 'steer_device';

export interface SteerTarget {
  ap_id: string;
  rssi_dbm: number | null;
}

/** Other access points that it hears, each once, strongest first. Radios that are no access point of the network cannot be a target. */
export function steerTargets({ links, heard }: Pick<Device, 'links' | 'heard'>): SteerTarget[] {
  const serving = new Set(links.map(({ ap_id }) => ap_id));
  const strongest = new Map<string, number | null>();
  for (const { ap_id, rssi_dbm } of heard) {
    if (ap_id === undefined || serving.has(ap_id)) continue;
    const known = strongest.get(ap_id);
    if (known === undefined || (rssi_dbm !== null && (known === null || rssi_dbm > known)))
      strongest.set(ap_id, rssi_dbm);
  }
  const level = ({ rssi_dbm }: SteerTarget) => rssi_dbm ?? Number.NEGATIVE_INFINITY;
  return [...strongest]
    .map(([ap_id, rssi_dbm]) => ({ ap_id, rssi_dbm }))
    .sort((a, b) => level(b) - level(a) || (a.ap_id < b.ap_id ? -1 : 1));
}

type Serving = Pick<AgentListItem, 'ap_id' | 'may' | 'configuration'>;

export interface Steerers {
  /** Access points of the device that the user may send the command to, and that know it. */
  able: Serving[];
  /** Those that the user may command, but that do not know it. */
  unable: Serving[];
}

/** Whoever lists no commands may know every one. */
export function steerersOf(serving: readonly Serving[]): Steerers {
  const allowed = serving.filter(({ may }) => may.includes('command'));
  const knows = ({ configuration = {} }: Serving) =>
    readDeclaredCommands(configuration)?.some(({ name }) => name === steerDevice) ?? true;
  return { able: allowed.filter(knows), unable: allowed.filter((each) => !knows(each)) };
}

/** As `send_command` wants it. Empty fields are left out; what is not a number goes as it was typed: the server has words for it. */
export function steerCommand(
  device: string,
  { target, timeout, force }: Record<'target' | 'timeout' | 'force', string>,
) {
  const seconds = timeout.trim();
  return JSON.stringify({
    name: steerDevice,
    device,
    target,
    ...(seconds !== '' && { timeout_seconds: Number.isFinite(Number(seconds)) ? Number(seconds) : seconds }),
    ...(force === 'true' && { force: true }),
  });
}

/** What the network saw; undefined while it is unknown, and of commands that ended otherwise. */
export function outcomeOf({ result }: Pick<Command, 'result'>): SteeringOutcome | undefined {
  const outcome = isObject(result) ? result.outcome : undefined;
  return typeof outcome === 'string' && Object.hasOwn(devicesText.outcomes, outcome)
    ? (outcome as SteeringOutcome)
    : undefined;
}

export function outcomeInWords(command: Pick<Command, 'result'>, target: string): string | undefined {
  const outcome = outcomeOf(command);
  if (outcome === undefined) return undefined;
  if (outcome !== 'refused') return text.outcome[outcome](target);
  const code = isObject(command.result) ? command.result.status_code : undefined;
  return text.outcome.refused(target, typeof code === 'number' ? text.outcome.code(code) : '');
}
