// Links to commands, for those who may see them: their senders and administrators. To others there is no such command.
import type { Rival } from '../../api/operations.ts';
import { session } from '../../session/session.ts';
import { commandsText } from '../../text/commands.ts';

interface Sender {
  caller_kind: string | null;
  caller_name: string | null;
}

export function maySee({ caller_kind, caller_name }: Sender): boolean {
  const { isAdmin = false, username } = session.value ?? {};
  return isAdmin || (caller_kind === 'user' && caller_name === username);
}

export function commandHref(command_id: string): string {
  return `/commands/${encodeURIComponent(command_id)}`;
}

/** The command that was in the way; nothing for those who may not see it. */
export function RivalLink({ rival }: { rival: Rival | null }) {
  if (!rival || !maySee(rival)) return null;
  return <a href={commandHref(rival.command_id)}>{commandsText.rival(rival.caller_name)}</a>;
}
