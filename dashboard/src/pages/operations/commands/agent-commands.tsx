// Commands on the page of an agent: the form to send one, and what was sent and refused recently.
import { useMemo } from 'preact/hooks';
import type { AgentListItem, Command, Conflict } from '../../../api/client.ts';
import { Loading, SkeletonLines } from '../../../components/feedback.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { formatMoment } from '../../../format.ts';
import { commandsText } from '../../../text/pages.ts';
import './agent-commands.css';
import { CommandForm } from './command-form.tsx';
import { isEnded, RivalLink, StatusDots } from './command-marks.tsx';
import { commandInWords, decisionSentence, parameterWords, rivalSentence, withFullStop } from './command-words.ts';
import type { WrittenCommand } from './declared-commands.ts';

const title = 'Commands';
const history = 'Recent';

const readRows = 100;
const shownRows = 12;

/** A command that another part of the page puts into the form, and what is done with it at once. */
export interface CommandDraft {
  /** Another one for each, so that the form begins again. */
  key: number;
  command: WrittenCommand;
  atOnce: 'what_if' | 'dry_run' | 'send';
}

interface AgentCommandsProps {
  ap_id: string;
  /** Undefined until it has come. */
  configuration: Record<string, unknown> | undefined;
  listed: AgentListItem | undefined;
  draft: CommandDraft | undefined;
}

/** The same for its charts and its list. */
export function useCommandsOf(ap_id: string) {
  const query = { agent: ap_id, limit: readRows };
  const commands = useOperation('list_commands', { query }, { pollMs: (list) => (list.every(isEnded) ? 3000 : 700) });
  const conflicts = useOperation('list_conflicts', { query }, { pollMs: 5000, firstAfterMs: 3000 });
  return { commands, conflicts };
}

type Entry = { at: number } & ({ command: Command } | { conflict: Conflict });

export function AgentCommands({ ap_id, configuration, listed, draft }: AgentCommandsProps) {
  const { commands, conflicts } = useCommandsOf(ap_id);
  // The configuration is asked for again and again; only a new one makes a new form.
  const key = JSON.stringify([configuration?.commands, listed?.may]);
  const fixed = useMemo(
    () => (configuration ? [{ ap_id, configuration, may: listed?.may }] : []),
    [ap_id, key, configuration === undefined],
  );
  const targets = useMemo(() => fixed.map((one) => ({ ...one, latest: listed?.latest })), [fixed, listed?.latest]);
  const entries = useMemo(
    () => toEntries(commands.data ?? [], conflicts.data?.items ?? []),
    [commands.data, conflicts.data],
  );
  const failure = commands.failure ?? conflicts.failure;
  return (
    <section class="card agent-commands" aria-label={title}>
      <div class="agent-commands-grid">
        <div class="stack">
          <h2>{title}</h2>
          {configuration ? (
            <CommandForm key={draft?.key} targets={targets} initial={draft?.command} atOnce={draft?.atOnce} />
          ) : (
            <SkeletonLines count={4} />
          )}
        </div>
        <div class="stack">
          <div class="spread">
            <h3>{history}</h3>
            <a class="small" href={`/commands?agent=${encodeURIComponent(ap_id)}`}>
              Show all
            </a>
          </div>
          <Loading data={commands.data} failure={failure} lines={4} />
          {commands.data && entries.length === 0 && <p class="soft">No commands were sent to this access point yet.</p>}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <ol class="agent-history" tabIndex={0} aria-label={history}>
            {entries.map((entry) => (
              <HistoryRow key={'command' in entry ? entry.command.command_id : entry.conflict.seq} entry={entry} />
            ))}
          </ol>
        </div>
      </div>
    </section>
  );
}

function HistoryRow({ entry }: { entry: Entry }) {
  const time = <time class="faint small">{formatMoment(entry.at)}</time>;
  if ('command' in entry) {
    const { command } = entry;
    const sentence = rivalSentence(command);
    return (
      <li>
        <a class="what" href={`/commands/${encodeURIComponent(command.command_id)}`}>
          {commandInWords(command)}
        </a>
        <StatusDots command={command} />
        <span class="soft">
          {commandsText.states[command.state]} · {command.caller_name}
        </span>
        {time}
        {sentence && <p class="soft small">{sentence}</p>}
      </li>
    );
  }
  const { conflict } = entry;
  const kinds = { parameter_frozen: 'Frozen', rolled_back: 'Rolled back', command_decided: commandsText.rejected };
  return (
    <li>
      <span class="what">{parameterWords(conflict.parameter)}</span>
      <strong class="conflict-kind">{kinds[conflict.kind]}</strong>
      <span class="soft">{conflict.caller_name}</span>
      {time}
      <p class="soft small">
        {withFullStop(decisionSentence(conflict))} <RivalLink rival={conflict.rival} />
      </p>
    </li>
  );
}

/** What was sent, and what never was, by time; a conflict that led to a command stands with that command. */
function toEntries(commands: readonly Command[], conflicts: readonly Conflict[]): Entry[] {
  const known = new Set(commands.map(({ command_id }) => command_id));
  const others = conflicts.filter(
    ({ command_id, kind, verdict }) =>
      (command_id === null || !known.has(command_id)) && (kind !== 'command_decided' || verdict === 'rejected'),
  );
  return [
    ...commands.map((command): Entry => ({ at: Date.parse(command.created_at), command })),
    ...others.map((conflict): Entry => ({ at: Date.parse(conflict.ts), conflict })),
  ]
    .sort((a, b) => b.at - a.at)
    .slice(0, shownRows);
}
