// What an agent tells Weft of a command that its access point has executed, or has not.
import { CommandFailed, type CommandOutcome } from '@weft/sdk';
import type { CommandResult } from '../access-points/commands.ts';
import type { GivenCommand } from './emulated-run.ts';

/** As IEEE 802.11 says it: there is no suitable candidate. */
const noCandidate = 7;

/** What holds now, where that is not what was asked for; for a device that was told to go, that it agreed. */
export function toOutcome(
  { name, args }: Pick<GivenCommand, 'name' | 'args'>,
  { applied, settles_in_seconds }: Extract<CommandResult, { state: 'succeeded' }>,
): CommandOutcome {
  const hasChanged = Object.entries(applied).some(([argument, value]) => args[argument] !== value);
  const chosen = args.device === undefined && { device: applied.device };
  const result =
    name === 'steer_device' ? { answer: 'accepted', ...chosen, settles_in_seconds } : { settles_in_seconds };
  return hasChanged ? { result, applied } : { result };
}

/** To be thrown. */
export function toFailure({ reason, answer }: Extract<CommandResult, { state: 'failed' }>): Error {
  if (answer === undefined) return new Error(reason);
  const code = answer === 'refused' ? { status_code: noCandidate } : {};
  return new CommandFailed(reason, { answer, ...code, detail: reason });
}
