// The conflicts there were, newest first, each as a sentence.
import { Fragment } from 'preact';
import { call } from '../../api/client.ts';
import type { Conflict, ConflictPage } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { FilterBar, FilterChoice, FilterMoment, FilterText } from '../../components/tables/filter-bar.tsx';
import { useFeed } from '../../data/use-feed.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { formatNumber } from '../../format/numbers.ts';
import { formatExactly, formatMoment } from '../../format/times.ts';
import { setQuery } from '../../router/location.ts';
import { useQueryState } from '../../router/use-query-state.ts';
import { session } from '../../session/session.ts';
import { conflictsText as text } from '../../text/conflicts.ts';
import { commandHref, maySee, RivalLink } from '../commands/command-link.tsx';
import { conflictSentence } from './conflict-sentence.ts';
import { type ConflictSide, callerHref, conflictSides } from './conflict-sides.ts';

const pageSize = 50;
const nothing = { agent: undefined, reason: undefined, since: undefined, until: undefined };

export function ConflictLog() {
  const [agent, setAgent] = useQueryState('agent');
  const [reason, setReason] = useQueryState('reason');
  const [since, setSince] = useQueryState('since');
  const [until, setUntil] = useQueryState('until');
  const filter = Object.fromEntries(
    Object.entries({ agent, reason, since, until }).filter(([, value]) => value !== ''),
  );
  const isFiltered = Object.keys(filter).length > 0;
  const query = { ...filter, limit: pageSize };
  const newest = useOperation('list_conflicts', { query }, { pollMs: 5000 });
  const { rows, failure, loadOlder, isLoadingOlder } = useFeed({
    key: JSON.stringify(query),
    newest,
    toPage: ({ conflicts, next_before }: ConflictPage) => ({ rows: conflicts, next: next_before ?? undefined }),
    readOlder: (before) => call('list_conflicts', { query: { ...query, before } }),
    idOf: ({ seq }) => seq,
  });
  return (
    <>
      <FilterBar label={text.filters}>
        <FilterText label={text.agent} value={agent} onChange={setAgent} placeholder={text.exactly} />
        <FilterChoice
          label={text.reason}
          value={reason}
          onChange={setReason}
          options={[['', text.anyReason], ...Object.entries(text.reasons)]}
        />
        <FilterMoment label={text.since} value={since} onChange={setSince} />
        <FilterMoment label={text.until} value={until} onChange={setUntil} />
        {isFiltered && (
          <Button kind="quiet" onClick={() => setQuery(nothing)}>
            {text.clear}
          </Button>
        )}
      </FilterBar>
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('list_conflicts')} />}
      {!rows && !failure && <SkeletonLines count={8} />}
      {rows?.length === 0 && (
        <EmptyState title={isFiltered ? text.none : text.empty}>
          {isFiltered ? text.noneWords : text.emptyWords}
        </EmptyState>
      )}
      {rows && rows.length > 0 && (
        <ol class="card conflict-list">
          {rows.map((conflict) => (
            <Entry key={conflict.seq} conflict={conflict} />
          ))}
        </ol>
      )}
      {loadOlder && (
        <div>
          <Button isBusy={isLoadingOlder} onClick={loadOlder}>
            {text.older}
          </Button>
        </div>
      )}
    </>
  );
}

function Entry({ conflict }: { conflict: Conflict }) {
  const { seq, ts, kind, verdict, reason, command_id, ap_id, parameter_group } = conflict;
  const at = Date.parse(ts);
  return (
    <li class="conflict">
      <time class="faint" dateTime={ts} title={formatExactly(at)}>
        {formatMoment(at)}
      </time>
      <div class="words">
        <p>
          {conflictSentence(conflict).map((part, index) =>
            typeof part === 'string' ? part : <code key={index}>{part.name}</code>,
          )}
        </p>
        <Sides sides={conflictSides(conflict)} />
        <p class="faint small cluster">
          {reason && <span>{text.reasons[reason] ?? reason}</span>}
          <a href={`/agents/${encodeURIComponent(ap_id)}`}>{ap_id}</a>
          {command_id !== null && verdict !== 'rejected' && maySee(conflict) && (
            <a href={commandHref(command_id)}>{command_id.slice(0, 8)}</a>
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
  return href === undefined ? <>{caller.caller_name}</> : <a href={href}>{caller.caller_name}</a>;
}
