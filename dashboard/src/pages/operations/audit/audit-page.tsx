// The audit log, newest first: who changed what, and when.

import { useState } from 'preact/hooks';
import type { AuditEntry } from '../../../api/client.ts';
import { AgentName } from '../../../components/agent-name.tsx';
import { Icon } from '../../../components/button.tsx';
import { CopyButton, JsonBlock } from '../../../components/copyable.tsx';
import { EmptyState, Loading } from '../../../components/feedback.tsx';
import { Facts, Page } from '../../../components/page.tsx';
import {
  FilterBar,
  FilterChoice,
  FilterMoment,
  FilterText,
  OlderButton,
  useFilters,
} from '../../../components/tables/filter-bar.tsx';
import { agentName, hasAgentName } from '../../../data/agents.ts';
import { usePages } from '../../../data/use-feed.ts';
import { formatExactly, formatMoment } from '../../../format.ts';
import './audit-page.css';
import type { PageProps } from '../../../router/location.ts';
import {
  actionWords,
  actorWords,
  auditText,
  type DiffLine,
  detailLines,
  entryWords,
  hasMore,
  hasTarget,
  momentOf,
  namesIn,
  rulesDiff,
  timesWords,
} from './audit-words.ts';

const text = {
  actor: 'Actor',
  action: 'Action',
  target: 'Target',
  exactly: 'Full name',
  entry: (seq: string) => `Entry ${seq}`,
  diff: { title: 'Changes', removed: 'removed:', added: 'added:', none: 'The rules were saved without a change.' },
};

const pageSize = 100;

export function AuditPage({ title }: PageProps) {
  const filters = useFilters('actor', 'action', 'target', 'since', 'until');
  const { action } = filters.values;
  const feed = usePages('list_audit_entries', { query: { ...filters.query, limit: pageSize } }, { pollMs: 5000 });
  const { rows, failure } = feed;
  const known = Object.keys(auditText.actions).sort((a, b) => actionWords(a).localeCompare(actionWords(b)));
  const actions = action === '' || known.includes(action) ? known : [action, ...known];
  return (
    <Page title={title}>
      <p class="soft">
        All changes and who made them. Each entry contains the hash of the entry before it, so tampering is detected. To
        verify the log, run <code>weft audit verify</code>
      </p>
      <FilterBar label="Filters" filters={filters} clear="Clear filters">
        <FilterText
          label={text.actor}
          {...filters.of('actor')}
          placeholder={text.exactly}
          suggestions={namesIn(rows ?? [], 'actor')}
        />
        <FilterChoice
          label={text.action}
          {...filters.of('action')}
          options={[['', 'All actions'], ...actions.map((name): [string, string] => [name, actionWords(name)])]}
        />
        <FilterText
          label={text.target}
          {...filters.of('target')}
          placeholder={text.exactly}
          suggestions={namesIn(rows ?? [], 'target', agentName)}
        />
        <FilterMoment label="From" {...filters.of('since')} />
        <FilterMoment label="Until" {...filters.of('until')} />
      </FilterBar>
      <Loading data={rows} failure={failure} again="list_audit_entries" lines={12} />
      {rows?.length === 0 && (
        <EmptyState
          title={filters.isSet ? 'No entries found' : 'No entries yet'}
          words={
            filters.isSet
              ? 'Names must be complete, such as ada@example.org; the fields suggest those of the entries on this page. Choose a longer period or clear the filters.'
              : 'The first change adds the first entry.'
          }
        />
      )}
      {rows && rows.length > 0 && (
        <>
          <ol class="card audit-list">
            {rows.map((entry) => (
              <Entry key={entry.seq} entry={entry} />
            ))}
          </ol>
          <OlderButton feed={feed} words="Show older entries" />
          {!feed.loadOlder && !filters.isSet && <p class="faint small">This is the first entry of the log.</p>}
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
  const shownName = target.kind === 'agent' && hasAgentName(target.name) ? ` (${agentName(target.name)})` : '';
  return (
    <div class="audit-details">
      <Facts
        look=""
        rows={[
          [text.actor, <Named key="actor" name={actorWords(actor)} kind={actor.kind} />],
          [text.action, <code key="action">{action}</code>],
          [text.target, <Named key="target" name={`${target.name}${shownName}`} kind={target.kind} />],
          ...lines.map(({ name, value }) => [name, value] as const),
          [text.entry(String(seq)), formatExactly(Date.parse(ts))],
          ['Hash', <ShortHash key="hash" hash={hash} />, 'hash'],
        ]}
      />
      {diff ? (
        <RulesDiff lines={diff} />
      ) : (
        hasMore(detail) && <JsonBlock value={detail} label={text.entry(String(seq))} />
      )}
    </div>
  );
}

function Named({ name, kind }: { name: string; kind: string }) {
  return (
    <>
      {name} <span class="faint">{auditText.kinds[kind] ?? kind}</span>
    </>
  );
}

function ShortHash({ hash }: { hash: string }) {
  return (
    <>
      <code>{hash.slice(0, 12)}…</code>
      <CopyButton text={hash} label="Copy the full hash" />
    </>
  );
}
