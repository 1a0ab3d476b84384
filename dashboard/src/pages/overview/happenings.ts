// What happened lately, out of three sources: who came and went, what was asked of access points, and who got in whose way.
// Pure.
import type { AgentPresence, Command, Conflict, Presence } from '../../api/operations.ts';

export type Happening = { id: string; at: number } & (
  | { kind: 'presence'; presence: Presence; ap_ids: string[] }
  | { kind: 'command'; command: Command }
  | { kind: 'conflict'; conflict: Conflict }
);

interface Sources {
  presence: readonly AgentPresence[];
  commands: readonly Command[];
  conflicts: readonly Conflict[];
}

/** Access points that changed to the same state within this time are told of together. */
const togetherMs = 10_000;

/** Newest first. */
export function happeningsOf({ presence, commands, conflicts }: Sources, max = 30): Happening[] {
  const asked = new Set(conflicts.map(({ command_id }) => command_id));
  return [
    ...presenceChanges(presence),
    ...commands
      // A command that was refused is told of as the conflict that it is.
      .filter(({ command_id, state }) => state !== 'rejected' || !asked.has(command_id))
      .map(
        (command): Happening => ({
          id: `command ${command.command_id}`,
          at: Date.parse(command.created_at),
          kind: 'command',
          command,
        }),
      ),
    ...conflicts.map(
      (conflict): Happening => ({
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

function presenceChanges(agents: readonly AgentPresence[]): Happening[] {
  const changes = agents
    .flatMap(({ ap_id, presence, since }) => (since === null ? [] : [{ ap_id, presence, at: Date.parse(since) }]))
    .sort((a, b) => b.at - a.at);
  const told: Extract<Happening, { kind: 'presence' }>[] = [];
  for (const { ap_id, presence, at } of changes) {
    const group = told.find((known) => known.presence === presence && known.at - at <= togetherMs);
    if (group) group.ap_ids.push(ap_id);
    else told.push({ id: `${presence} ${ap_id} ${at}`, at, kind: 'presence', presence, ap_ids: [ap_id] });
  }
  return told;
}

/** From being asked to its end, in seconds; undefined while it is under way. */
export function secondsTaken({ created_at, ended_at }: Command): number | undefined {
  return ended_at === null ? undefined : Math.max(0, Date.parse(ended_at) - Date.parse(created_at)) / 1000;
}
