// The conflicts there were, newest first, each as a sentence.
import { Fragment } from 'preact';
import type { Conflict } from '../../../api/client.ts';
import { AgentLink } from '../../../components/agent-name.tsx';
import { EmptyState, Loading } from '../../../components/feedback.tsx';
import {
  FilterAgent,
  FilterBar,
  FilterChoice,
  FilterMoment,
  FilterText,
  OlderButton,
  useFilters,
} from '../../../components/tables/filter-bar.tsx';
import { usePages } from '../../../data/use-feed.ts';
import { formatExactly, formatMoment, formatNumber } from '../../../format.ts';
import { session } from '../../../session/session.ts';
import { commandsText } from '../../../text/pages.ts';
import { commandHref, maySee, RivalLink } from '../commands/command-marks.tsx';
import { type ConflictSide, callerHref, conflictSentence, conflictSides } from './conflict-words.ts';

const text = {
  name: 'Name',
  sides: { asked: 'asked for', held: 'holds', sent: 'Sent instead', priority: (value: string) => `priority ${value}` },
  reasons: {
    held_by_other: 'Leased by another caller',
    held_in_group: 'Group leased by another caller',
    waits_for_lease: 'Waits until the lease ends',
    higher_rank: 'Users take precedence over apps',
    higher_priority: 'Higher priority',
    last_wins: 'Last command wins',
    merged: 'Merged',
    related: 'Related setting leased by another caller',
    too_soon: 'Too soon after the last command',
    frozen: 'Frozen after oscillation',
    blast_radius: 'Too many access points at once',
    same_value: 'Same value',
    own_lease: 'Own lease',
    free: 'Not leased',
  } as Record<string, string>,
  kinds: { parameter_frozen: 'Frozen', rolled_back: 'Rolled back' } as Record<string, string>,
};

const pageSize = 50;

export function ConflictLog() {
  const filters = useFilters('agent', 'caller', 'reason', 'since', 'until');
  const feed = usePages('list_conflicts', { query: { ...filters.query, limit: pageSize } }, { pollMs: 5000 });
  const { rows, failure } = feed;
  return (
    <>
      <FilterBar label="Filters" filters={filters} clear="Clear filters">
        <FilterAgent label="Access point" {...filters.of('agent')} placeholder={text.name} />
        <FilterText label="App or user" {...filters.of('caller')} placeholder={text.name} />
        <FilterChoice label="Reason" {...filters.of('reason')} options={{ '': 'All reasons', ...text.reasons }} />
        <FilterMoment label="From" {...filters.of('since')} />
        <FilterMoment label="Until" {...filters.of('until')} />
      </FilterBar>
      <Loading data={rows} failure={failure} again="list_conflicts" lines={8} />
      {rows?.length === 0 && (
        <EmptyState
          title={filters.isSet ? 'No conflicts found' : 'No conflicts yet'}
          words={
            filters.isSet
              ? 'Show older conflicts, choose a longer period, or clear the filters.'
              : 'A conflict occurs when two callers want different values on the same access point. The decision and its reason appear here.'
          }
        />
      )}
      {rows && rows.length > 0 && (
        <ol class="card conflict-list">
          {rows.map((conflict) => (
            <Entry key={conflict.seq} conflict={conflict} />
          ))}
        </ol>
      )}
      <OlderButton feed={feed} words="Show older conflicts" />
    </>
  );
}

function Entry({ conflict }: { conflict: Conflict }) {
  const { seq, ts, kind, verdict, reason, command_id, parameter_group } = conflict;
  const at = Date.parse(ts);
  return (
    <li class="conflict">
      <time class="faint" dateTime={ts} title={formatExactly(at)}>
        {formatMoment(at)}
      </time>
      <div class="words">
        <p>
          {conflictSentence(conflict).map((part, index) =>
            typeof part === 'string' ? (
              part
            ) : 'agent' in part ? (
              <AgentLink key={index} ap_id={part.agent} />
            ) : (
              <code key={index}>{part.name}</code>
            ),
          )}
        </p>
        <Sides sides={conflictSides(conflict)} />
        <p class="faint small cluster">
          {reason && <span>{text.reasons[reason] ?? reason}</span>}
          {command_id !== null && verdict !== 'rejected' && maySee(conflict) && (
            <a href={commandHref(command_id)}>Command</a>
          )}
          {parameter_group !== null && (
            <a href={`/conflicts?${new URLSearchParams({ view: 'rules', rule: parameter_group })}`}>
              {`Rule ${parameter_group}`}
            </a>
          )}
          <RivalLink rival={conflict.rival} />
          <span>{`Audit log entry ${String(seq)}`}</span>
        </p>
      </div>
      <span class={`verdict ${verdict ?? kind}`}>
        {verdict === null ? (text.kinds[kind] ?? kind) : (commandsText.verdicts[verdict] ?? verdict)}
      </span>
    </li>
  );
}

function Sides({ sides }: { sides: readonly ConflictSide[] }) {
  if (sides.length === 0) return null;
  return (
    <dl class="conflict-sides small">
      {sides.map(({ role, value, priority, ...caller }) => (
        <Fragment key={role}>
          <dt>
            {role === 'sent' ? text.sides.sent : <CallerName {...caller} />}
            {role !== 'sent' && <span class="faint"> {text.sides[role]}</span>}
          </dt>
          <dd>
            <code>{value}</code>
            {priority !== null && <span class="faint"> {text.sides.priority(formatNumber(priority))}</span>}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** With a link for those who can open the page of an app or a user. */
function CallerName(caller: Pick<ConflictSide, 'caller_kind' | 'caller_name'>) {
  const href = session.value?.isAdmin ? callerHref(caller) : undefined;
  return href === undefined ? caller.caller_name : <a href={href}>{caller.caller_name}</a>;
}
