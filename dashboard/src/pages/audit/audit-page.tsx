// The audit log, newest first: who changed what, and when.
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { AuditPage as AuditAnswer, AuditEntry } from '../../api/operations.ts';
import { AgentName } from '../../components/agent-name.tsx';
import { Button } from '../../components/button.tsx';
import { JsonBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Icon } from '../../components/icon.tsx';
import { Page } from '../../components/layout/page.tsx';
import { FilterBar, FilterChoice, FilterMoment, FilterText } from '../../components/tables/filter-bar.tsx';
import { agentName, hasAgentName } from '../../data/agent-names.ts';
import { useFeed } from '../../data/use-feed.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { formatExactly, formatMoment } from '../../format/times.ts';
import { setQuery } from '../../router/location.ts';
import { useQueryState } from '../../router/use-query-state.ts';
import { auditText as text } from '../../text/audit.ts';
import { pageTitles } from '../../text/pages.ts';
import './audit-page.css';
import {
  actionWords,
  actorWords,
  detailLines,
  entryWords,
  hasMore,
  hasTarget,
  momentOf,
  namesIn,
  timesWords,
} from './audit-words.ts';
import { type DiffLine, rulesDiff } from './rules-diff.ts';

const pageSize = 100;
const nothing = { actor: undefined, action: undefined, target: undefined, since: undefined, until: undefined };

export function AuditPage() {
  const [actor, setActor] = useQueryState('actor');
  const [action, setAction] = useQueryState('action');
  const [target, setTarget] = useQueryState('target');
  const [since, setSince] = useQueryState('since');
  const [until, setUntil] = useQueryState('until');
  const filter = Object.fromEntries(
    Object.entries({ actor, action, target, since, until }).filter(([, value]) => value !== ''),
  );
  const isFiltered = Object.keys(filter).length > 0;
  const query = { ...filter, limit: pageSize };
  const newest = useOperation('list_audit_entries', { query }, { pollMs: 5000 });
  const { rows, failure, loadOlder, isLoadingOlder } = useFeed({
    key: JSON.stringify(query),
    newest,
    toPage: ({ entries, has_more }: AuditAnswer) => ({
      rows: entries,
      next: has_more ? entries.at(-1)?.seq : undefined,
    }),
    readOlder: (before) => call('list_audit_entries', { query: { ...query, before } }),
    idOf: ({ seq }) => seq,
  });
  const known = Object.keys(text.actions).sort((a, b) => actionWords(a).localeCompare(actionWords(b)));
  const actions = action === '' || known.includes(action) ? known : [action, ...known];
  return (
    <Page title={pageTitles.audit}>
      <p class="soft">
        {text.words} <code>{text.verify}</code>
      </p>
      <FilterBar label={text.filters}>
        <FilterText
          label={text.actor}
          value={actor}
          onChange={setActor}
          placeholder={text.exactly}
          suggestions={namesIn(rows ?? [], 'actor')}
        />
        <FilterChoice
          label={text.action}
          value={action}
          onChange={setAction}
          options={[['', text.anyAction], ...actions.map((name): [string, string] => [name, actionWords(name)])]}
        />
        <FilterText
          label={text.target}
          value={target}
          onChange={setTarget}
          placeholder={text.exactly}
          suggestions={namesIn(rows ?? [], 'target', agentName)}
        />
        <FilterMoment label={text.since} value={since} onChange={setSince} />
        <FilterMoment label={text.until} value={until} onChange={setUntil} />
        {isFiltered && (
          <Button kind="quiet" onClick={() => setQuery(nothing)}>
            {text.clear}
          </Button>
        )}
      </FilterBar>
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('list_audit_entries')} />}
      {!rows && !failure && <SkeletonLines count={12} />}
      {rows?.length === 0 && (
        <EmptyState title={isFiltered ? text.none : text.empty}>
          {isFiltered ? text.noneWords : text.emptyWords}
        </EmptyState>
      )}
      {rows && rows.length > 0 && (
        <>
          <ol class="card audit-list">
            {rows.map((entry) => (
              <Entry key={entry.seq} entry={entry} />
            ))}
          </ol>
          {loadOlder ? (
            <div>
              <Button isBusy={isLoadingOlder} onClick={loadOlder}>
                {text.older}
              </Button>
            </div>
          ) : (
            !isFiltered && <p class="faint small">{text.end}</p>
          )}
        </>
      )}
    </Page>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const [isShown, setShown] = useState(false);
  const { seq, actor, target } = entry;
  const at = momentOf(entry);
  const times = timesWords(entry);
  return (
    <li>
      <button type="button" class="audit-entry" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        <Icon name={isShown ? 'chevron-down' : 'chevron-right'} size={16} />
        <time class="faint" dateTime={new Date(at).toISOString()} title={formatExactly(at)}>
          {formatMoment(at)}
        </time>
        <span class="sentence">
          <strong>{actor.kind === 'agent' ? <AgentName ap_id={actor.name} /> : actorWords(actor)}</strong>{' '}
          {entryWords(entry).map((part, index) =>
            typeof part === 'string' ? part : <code key={index}>{part.name}</code>,
          )}{' '}
          {hasTarget(entry) && <code>{target.kind === 'agent' ? <AgentName ap_id={target.name} /> : target.name}</code>}{' '}
          {times}
        </span>
        <span class="faint small seq">{seq}</span>
      </button>
      {isShown && <Details entry={entry} />}
    </li>
  );
}

/** Signs and words beside the colours, for those who do not see these. */
function RulesDiff({ lines }: { lines: readonly DiffLine[] }) {
  if (lines.length === 0) return <p class="soft">{text.diff.none}</p>;
  return (
    <ul class="audit-diff mono" aria-label={text.diff.title}>
      {lines.map(({ kind, text: words }) => (
        <li key={`${kind} ${words}`} class={kind}>
          <span aria-hidden="true">{kind === 'added' ? '+' : '−'}</span>
          <span class="visually-hidden">{text.diff[kind]} </span>
          <span>{words}</span>
        </li>
      ))}
    </ul>
  );
}

function Details({ entry: { seq, ts, actor, action, target, detail, hash } }: { entry: AuditEntry }) {
  const diff = action === 'conflict_rules_updated' ? rulesDiff(detail) : undefined;
  const lines = detailLines(detail);
  return (
    <div class="audit-details">
      <dl>
        <dt>{text.actor}</dt>
        <dd>
          {actorWords(actor)} <span class="faint">{text.kinds[actor.kind] ?? actor.kind}</span>
        </dd>
        <dt>{text.action}</dt>
        <dd>
          <code>{action}</code>
        </dd>
        <dt>{text.target}</dt>
        <dd>
          {target.name} {target.kind === 'agent' && hasAgentName(target.name) && `(${agentName(target.name)}) `}
          <span class="faint">{text.kinds[target.kind] ?? target.kind}</span>
        </dd>
        {lines.map(({ name, value }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
        <dt>{text.entry(String(seq))}</dt>
        <dd>{formatExactly(Date.parse(ts))}</dd>
        <dt>{text.hash}</dt>
        <dd class="hash">
          <code>{hash.slice(0, 12)}…</code>
          <CopyButton text={hash} label={text.copyHash} />
        </dd>
      </dl>
      {diff ? (
        <RulesDiff lines={diff} />
      ) : (
        hasMore(detail) && <JsonBlock value={detail} label={text.entry(String(seq))} />
      )}
    </div>
  );
}
