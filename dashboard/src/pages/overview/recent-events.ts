// Recent events from three sources: changes of presence, commands, and conflicts. Pure.
import type { AgentPresence, Command, Conflict, Presence } from '../../api/operations.ts';

export type RecentEvent = { id: string; at: number } & (
  | { kind: 'presence'; presence: Presence; ap_ids: string[] }
  | { kind: 'command'; command: Command }
  | { kind: 'conflict'; conflict: Conflict }
);

interface Sources {
  presence: readonly AgentPresence[];
  commands: readonly Command[];
  conflicts: readonly Conflict[];
}

/** Access points that changed to the same state within this time share one event. */
const togetherMs = 10_000;

/** Newest first. */
export function recentEvents({ presence, commands, conflicts }: Sources, max = 30): RecentEvent[] {
  const inConflict = new Set(conflicts.map(({ command_id }) => command_id));
  return [
    ...presenceChanges(presence),
    ...commands
      // A rejected command is listed as a conflict.
      .filter(({ command_id, state }) => state !== 'rejected' || !inConflict.has(command_id))
      .map(
        (command): RecentEvent => ({
          id: `command ${command.command_id}`,
          at: Date.parse(command.created_at),
          kind: 'command',
          command,
        }),
      ),
    ...conflicts.map(
      (conflict): RecentEvent => ({
        id: `conflict ${conflict.seq}`,
        at: Date.parse(conflict.ts),
        kind: 'conflict',
        conflict,
      }),
    ),
  ]
    .sort((a, b) => b.at - a.at)
    .slice(0, max);
}

function presenceChanges(agents: readonly AgentPresence[]): RecentEvent[] {
  const changes = agents
    .flatMap(({ ap_id, presence, since }) => (since === null ? [] : [{ ap_id, presence, at: Date.parse(since) }]))
    .sort((a, b) => b.at - a.at);
  const groups: Extract<RecentEvent, { kind: 'presence' }>[] = [];
  for (const { ap_id, presence, at } of changes) {
    const group = groups.find((known) => known.presence === presence && known.at - at <= togetherMs);
    if (group) group.ap_ids.push(ap_id);
    else groups.push({ id: `${presence} ${ap_id} ${at}`, at, kind: 'presence', presence, ap_ids: [ap_id] });
  }
  return groups;
}
