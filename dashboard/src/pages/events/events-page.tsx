// What happened, newest first: presence, commands, conflicts, alarms and changes in one timeline.
import { Fragment } from 'preact';
import { call } from '../../api/client.ts';
import type { EventList } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { EventGroup } from '../../components/event-group.tsx';
import { EventRow } from '../../components/event-row.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Page } from '../../components/layout/page.tsx';
import { FilterBar, FilterChoice, FilterMoment, FilterText } from '../../components/tables/filter-bar.tsx';
import { eventFamilies, groupEvents, kindsOf, type LoggedEvent } from '../../data/events.ts';
import { useFeed } from '../../data/use-feed.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { setQuery } from '../../router/location.ts';
import { useQueryState } from '../../router/use-query-state.ts';
import { eventsText as text } from '../../text/events.ts';
import { pageTitles } from '../../text/pages.ts';
import './events-page.css';

const pageSize = 100;
const nothing = { what: undefined, agent: undefined, site: undefined, from: undefined, until: undefined };

export function EventsPage() {
  const [what, setWhat] = useQueryState('what');
  const [search, setAgent] = useQueryState('agent');
  const [site, setSite] = useQueryState('site');
  const [from, setFrom] = useQueryState('from');
  const [until, setUntil] = useQueryState('until');
  const filter = Object.fromEntries(Object.entries({ search, site, from, until }).filter(([, value]) => value !== ''));
  const query = { ...filter, ...(what !== '' && { kinds: kindsOf(what) }), limit: pageSize };
  const isFiltered = what !== '' || Object.keys(filter).length > 0;
  const newest = useOperation('list_events', { query }, { pollMs: 3000 });
  const { rows, failure, loadOlder, isLoadingOlder } = useFeed({
    key: JSON.stringify(query),
    newest,
    toPage: ({ items, next }: EventList) => ({ rows: items, next: next ?? undefined }),
    readOlder: (cursor) => call('list_events', { query: { ...query, cursor } }),
    idOf: ({ id }) => id,
  });
  return (
    <Page title={pageTitles.events}>
      <FilterBar label={text.filters}>
        <FilterChoice
          label={text.family}
          value={what}
          onChange={setWhat}
          options={[
            ['', text.anyFamily],
            ...eventFamilies.map((name): [string, string] => [name, text.families[name]]),
          ]}
        />
        <FilterText label={text.agent} value={search} onChange={setAgent} placeholder={text.agentHint} />
        <FilterText label={text.site} value={site} onChange={setSite} placeholder={text.siteHint} />
        <FilterMoment label={text.since} value={from} onChange={setFrom} />
        <FilterMoment label={text.until} value={until} onChange={setUntil} />
        {isFiltered && (
          <Button kind="quiet" onClick={() => setQuery(nothing)}>
            {text.clear}
          </Button>
        )}
      </FilterBar>
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('list_events')} />}
      {!rows && !failure && <SkeletonLines count={12} />}
      {rows?.length === 0 && !loadOlder && (
        <EmptyState title={isFiltered ? text.none : text.empty}>
          {isFiltered ? text.noneWords : text.emptyWords}
        </EmptyState>
      )}
      {rows?.length === 0 && loadOlder && <p class="soft">{text.looking}</p>}
      {rows && rows.length > 0 && (
        <div class="card events-days">
          {daysOf(rows).map(([day, events]) => (
            <Fragment key={day}>
              <h2>{dayWords(day)}</h2>
              <ol class="event-list" aria-label={dayWords(day)}>
                {groupEvents(events).map((group) =>
                  group.length === 1 ? (
                    <EventRow key={group[0]!.id} event={group[0]!} />
                  ) : (
                    <EventGroup key={group.at(-1)!.id} events={group} />
                  ),
                )}
              </ol>
            </Fragment>
          ))}
        </div>
      )}
      {loadOlder ? (
        <div>
          <Button isBusy={isLoadingOlder} onClick={loadOlder}>
            {text.older}
          </Button>
        </div>
      ) : (
        rows && rows.length > 0 && !isFiltered && <p class="faint small">{text.kept}</p>
      )}
    </Page>
  );
}

/** In the time zone of the reader, as the times are. */
function daysOf(events: readonly LoggedEvent[]): [day: string, events: LoggedEvent[]][] {
  const days = new Map<string, LoggedEvent[]>();
  for (const event of events) {
    const day = new Date(event.ts).toDateString();
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return [...days];
}

function dayWords(day: string): string {
  const today = new Date();
  if (day === today.toDateString()) return text.today;
  if (day === new Date(today.getTime() - 86_400_000).toDateString()) return text.yesterday;
  return new Date(day).toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
}
