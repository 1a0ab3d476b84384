// What goes out for a command: its text and its arguments. Where arguments are secret, the record has fingerprints of them,
// and the values are sealed beside it until the command ends.
import { toCommandText } from '@weft/contract/declared-commands';
import type { Keyring } from '../../base/secrets.ts';
import { withSecretArguments } from '../grammar/secret-arguments.ts';
import type { CommandRecord } from './command-record.ts';

export interface SentCommand {
  text: string;
  args: Record<string, unknown>;
}

type Sendable = Pick<CommandRecord, 'name' | 'args' | 'sent_args' | 'text' | 'verdict'>;

/**
 * The text is what the caller sent, unless Weft has changed the arguments (a merge): an agent that reads only the text must
 * do what was decided.
 */
export function toSent({ name, args, sent_args, text, verdict }: Sendable): SentCommand {
  const sent = sent_args ?? args;
  const isChanged = verdict === 'accepted_modified';
  return { text: text === null || isChanged ? toCommandText(name, sent) : text, args: sent };
}

export function seal(keyring: Pick<Keyring, 'encrypt'>, command_id: string, given: SentCommand): string {
  return keyring.encrypt(JSON.stringify(given), command_id);
}

/** With its secret arguments, for the agent. Throws if they were sealed with a secret that is not known any more. */
export function toSentWithSecrets(
  keyring: Pick<Keyring, 'decrypt'>,
  command: Sendable & Pick<CommandRecord, 'command_id' | 'sealed'>,
): SentCommand {
  const { command_id, sealed, args: shown } = command;
  const sent = toSent(command);
  if (sealed === null) return sent;
  const given = JSON.parse(keyring.decrypt(sealed, command_id)) as SentCommand;
  const args = withSecretArguments(sent.args, shown, given.args);
  return toSent({ ...command, text: given.text, sent_args: args });
}
