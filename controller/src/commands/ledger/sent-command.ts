// What goes out for a command: its text and its arguments.
import { toCommandText } from '@weft/contract/command-text';
import type { CommandRecord } from './command-store.ts';

/**
 * The text is what the caller sent, unless Weft has changed the arguments (a merge): an agent that reads only the text must
 * do what was decided.
 */
export function toSent({
  name,
  args,
  sent_args,
  text,
  verdict,
}: Pick<CommandRecord, 'name' | 'args' | 'sent_args' | 'text' | 'verdict'>): {
  text: string;
  args: Record<string, unknown>;
} {
  const sent = sent_args ?? args;
  const isChanged = verdict === 'accepted_modified';
  return { text: text === null || isChanged ? toCommandText(name, sent) : text, args: sent };
}
