// The conflicts there were, newest first, each as a sentence.
import { Fragment } from 'preact';
import type { Conflict } from '../../api/client.ts';
import { AgentLink } from '../../components/agent-name.tsx';
import { EmptyState, Loading } from '../../components/feedback.tsx';
import {
  FilterAgent,
  FilterBar,
  FilterChoice,
  FilterMoment,
  FilterText,
  OlderButton,
  useFilters,
} from '../../components/tables/filter-bar.tsx';
import { usePages } from '../../data/use-feed.ts';
import { formatExactly, formatMoment, formatNumber } from '../../format.ts';
import { session } from '../../session/session.ts';
import { conflictsText as text } from '../../text/conflicts.ts';
import { commandHref, maySee, RivalLink } from '../commands/command-marks.tsx';
import { type ConflictSide, callerHref, conflictSentence, conflictSides } from './conflict-words.ts';

const pageSize = 50;

export function ConflictLog() {
  const filters = useFilters('agent', 'caller', 'reason', 'since', 'until');
  const feed = usePages('list_conflicts', { query: { ...filters.query, limit: pageSize } }, { pollMs: 5000 });
  const { rows, failure } = feed;
  return (
    <>
      <FilterBar label={text.filters} filters={filters} clear={text.clear}>
        <FilterAgent label={text.agent} {...filters.of('agent')} placeholder={text.name} />
        <FilterText label={text.caller} {...filters.of('caller')} placeholder={text.name} />
        <FilterChoice label={text.reason} {...filters.of('reason')} options={{ '': text.anyReason, ...text.reasons }} />
        <FilterMoment label={text.since} {...filters.of('since')} />
        <FilterMoment label={text.until} {...filters.of('until')} />
      </FilterBar>
      <Loading data={rows} failure={failure} again="list_conflicts" lines={8} />
      {rows?.length === 0 && (
        <EmptyState
          title={filters.isSet ? text.none : text.empty}
          words={filters.isSet ? text.noneWords : text.emptyWords}
        />
      )}
      {rows && rows.length > 0 && (
        <ol class="card conflict-list">
          {rows.map((conflict) => (
            <Entry key={conflict.seq} conflict={conflict} />
          ))}
        </ol>
      )}
      <OlderButton feed={feed} words={text.older} />
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
            <a href={commandHref(command_id)}>{text.command}</a>
          )}
          {parameter_group !== null && (
            <a href={`/conflicts?${new URLSearchParams({ view: 'rules', rule: parameter_group })}`}>
              {text.rule(parameter_group)}
            </a>
          )}
          <RivalLink rival={conflict.rival} />
          <span>{text.entry(String(seq))}</span>
        </p>
      </div>
      <span class={`verdict ${verdict ?? kind}`}>
        {verdict === null ? (text.kinds[kind] ?? kind) : (text.verdicts[verdict] ?? verdict)}
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
