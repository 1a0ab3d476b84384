// Recent events, newest first, each with a link to its page.
import { useMemo } from 'preact/hooks';
import { AgentName } from '../../components/agent-name.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { StateDot } from '../../components/glyph.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import type { FleetAgent } from '../../data/fleet.ts';
import { useOperation } from '../../data/use-operation.ts';
import { formatNumber, formatValue } from '../../format/numbers.ts';
import { shortAgentName } from '../../format/short-agent-name.ts';
import { formatExactly, formatMoment, formatSpan } from '../../format/times.ts';
import { overviewText } from '../../text/overview.ts';
import { secondsTaken } from '../commands/status-steps.ts';
import { conflictSentence } from '../conflicts/conflict-sentence.ts';
import { type RecentEvent, recentEvents } from './recent-events.ts';

const text = overviewText.recent;
const limit = 20;

export function RecentEventsCard({ agents }: { agents: readonly FleetAgent[] }) {
  const commands = useOperation('list_commands', { query: { limit } }, { pollMs: 2000 });
  const conflicts = useOperation('list_conflicts', { query: { limit } }, { pollMs: 5000 });
  const events = useMemo(
    () =>
      recentEvents({
        presence: agents.flatMap(({ details }) => (details ? [details] : [])),
        commands: commands.data ?? [],
        conflicts: conflicts.data?.conflicts ?? [],
      }),
    [agents, commands.data, conflicts.data],
  );
  const isWaiting = !commands.data && !commands.failure;
  return (
    <section class="card recent-events" aria-label={text.title}>
      <h2>{text.title}</h2>
      {isWaiting && <SkeletonLines count={6} />}
      {!isWaiting && events.length === 0 && <p class="soft">{text.none}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol tabIndex={0} aria-label={text.title}>
        {!isWaiting && events.map((event) => <EventRow key={event.id} {...{ event }} />)}
      </ol>
    </section>
  );
}

function EventRow({ event }: { event: RecentEvent }) {
  const { at } = event;
  return (
    <li>
      <time dateTime={new Date(at).toISOString()} title={formatExactly(at)}>
        {formatMoment(at)}
      </time>
      <EventWords {...{ event }} />
    </li>
  );
}

function EventWords({ event }: { event: RecentEvent }) {
  if (event.kind === 'presence') {
    const { presence, ap_ids } = event;
    const [first] = ap_ids;
    return (
      <>
        <StateDot state={presence} />
        <span>
          {ap_ids.length === 1 ? (
            <AgentLink ap_id={first!} />
          ) : (
            <a href={`/agents?state=${presence}`}>{text.many(formatNumber(ap_ids.length))}</a>
          )}{' '}
          {(ap_ids.length === 1 ? text.changedTo : text.changedToMany)[presence]}
        </span>
      </>
    );
  }
  if (event.kind === 'conflict') {
    const { conflict } = event;
    return (
      <>
        <Icon name="conflict" size={14} />
        <a class="quiet-link" href="/conflicts">
          {conflictSentence(conflict)
            .map((part) => (typeof part === 'string' ? part : shortAgentName(part.name)))
            .join(' ')
            .replaceAll(/\s+/g, ' ')
            .replaceAll(/ ([.,;:)])/g, '$1')}
        </a>
      </>
    );
  }
  const { command } = event;
  const seconds = secondsTaken(command);
  return (
    <>
      <Icon name={commandIcon(command.state)} size={14} />
      <span>
        {text.sent(command.caller_name)} <a href={`/commands/${command.command_id}`}>{command.name}</a> {text.to}{' '}
        <AgentLink ap_id={command.ap_id} />:{' '}
        <span class={command.state === 'failed' ? 'bad' : 'soft'}>
          {text.states[command.state]}
          {seconds !== undefined && ` ${text.after(formatTaken(seconds))}`}
        </span>
      </span>
    </>
  );
}

function AgentLink({ ap_id }: { ap_id: string }) {
  return (
    <a href={`/agents/${encodeURIComponent(ap_id)}`}>
      <AgentName ap_id={ap_id} />
    </a>
  );
}

function commandIcon(state: string): IconName {
  if (state === 'succeeded') return 'check';
  return state === 'failed' || state === 'rejected' || state === 'expired' ? 'warning' : 'commands';
}

function formatTaken(seconds: number): string {
  if (seconds < 1) return formatValue(Math.round(seconds * 1000), 'ms');
  return seconds < 10 ? formatValue(seconds, 's') : formatSpan(seconds);
}
