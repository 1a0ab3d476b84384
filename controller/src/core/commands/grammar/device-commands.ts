// Commands about one device. What they set belongs to the device and not to the access point that they go to, so two callers who
// want it in two places are in conflict wherever they send it.
import { isObject } from '@weft/contract/is-object';
import { isSameWant, type Want } from './requested-value.ts';

export const steerDevice = 'steer_device';
const deviceCommands: ReadonlySet<string> = new Set([steerDevice, 'set_link_policy']);
export const devicePrefix = 'device/';
export const defaultTimeoutSeconds = 30;
const maxTimeoutSeconds = 300;

export function isDeviceCommand(name: string): boolean {
  return deviceCommands.has(name);
}

/** The device that a command is about, by its pseudonym; undefined for any other command. */
export function deviceOf({ name, args }: Want): string | undefined {
  return isDeviceCommand(name) && typeof args.device === 'string' ? args.device : undefined;
}

/** Whose parameter a command sets: the device's (`device/dev-...`), else the access point's. */
export function subjectOf(want: Want & { ap_id: string }): string {
  const device = deviceOf(want);
  return device === undefined ? want.ap_id : `${devicePrefix}${device}`;
}

/** Who sends a device to the same place wants the same, however long each waits. */
export function wantsTheSame(a: Want, b: Want): boolean {
  const isSteering = a.name === steerDevice && b.name === steerDevice && deviceOf(a) !== undefined;
  return isSteering ? deviceOf(a) === deviceOf(b) && a.args.target === b.args.target : isSameWant(a, b);
}

/** As people read it. */
export function subjectInWords(subject: string): string {
  return subject.startsWith(devicePrefix) ? subject.slice(devicePrefix.length) : subject;
}

/** What the network saw of a device that was to be moved. */
export type SteeringOutcome = 'moved' | 'refused' | 'unreachable' | 'ignored';

/** What the access point saw; undefined: only what the network sees next can tell. */
export function outcomeOfAnswer(state: 'succeeded' | 'failed', result: unknown): SteeringOutcome | undefined {
  const answer = isObject(result) ? result.answer : undefined;
  if (answer === 'refused') return 'refused';
  if (answer === 'not_here') return 'unreachable';
  // An access point that could not even try; whatever it tried, the device may still go.
  if (state === 'failed' && answer === undefined) return 'ignored';
  return undefined;
}

/** How long the target has to report the device, from when the access point has the command. */
export function timeoutMsOf(args: Record<string, unknown>): number {
  const seconds = args.timeout_seconds;
  const isGiven = typeof seconds === 'number' && seconds >= 1 && seconds <= maxTimeoutSeconds;
  return (isGiven ? seconds : defaultTimeoutSeconds) * 1000;
}

/** The agent's result with what the network saw. */
export function withOutcome(result: unknown, outcome: SteeringOutcome): string {
  return JSON.stringify({ ...(isObject(result) ? result : result === null ? {} : { said: result }), outcome });
}
