// What happened, newest first: presence, commands, conflicts, alarms and changes in one timeline.

import { Fragment } from 'preact';
import { EventGroup } from '../../../components/event-row.tsx';
import { EmptyState, Loading } from '../../../components/feedback.tsx';
import { Page } from '../../../components/page.tsx';
import {
  FilterBar,
  FilterChoice,
  FilterMoment,
  FilterText,
  OlderButton,
  useFilters,
} from '../../../components/tables/filter-bar.tsx';
import { eventFamilies, groupEvents, kindsOf, type LoggedEvent } from '../../../data/events.ts';
import { usePages } from '../../../data/use-feed.ts';
import './events-page.css';
import type { PageProps } from '../../../router/location.ts';

const families = {
  incident: 'Incidents',
  agent: 'Access points',
  alarm: 'Alarms',
  command: 'Commands',
  conflict: 'Conflicts',
  run: 'Emulated networks',
  config: 'Changes of settings',
  device: 'Devices',
  node: 'Weft itself',
};

const pageSize = 100;
/** Devices move all the time, which hides what matters. */
const calm = eventFamilies.filter((family) => family !== 'device').flatMap(kindsOf);

export function EventsPage({ title }: PageProps) {
  const filters = useFilters('what', 'agent', 'site', 'from', 'until');
  const { what = '', agent, ...given } = filters.query;
  const query = {
    ...given,
    ...(agent && { search: agent }),
    ...(what !== 'all' && { kinds: what ? kindsOf(what) : calm }),
    limit: pageSize,
  };
  const feed = usePages('list_events', { query }, { pollMs: 3000 });
  const { rows, failure, loadOlder } = feed;
  return (
    <Page title={title}>
      <FilterBar label="Filter events" filters={filters} clear="Clear filter">
        <FilterChoice
          label="What"
          {...filters.of('what')}
          options={[
            ['', 'All but moves'],
            ...eventFamilies.map((name): [string, string] => [name, families[name]]),
            ['all', 'Everything, moves of devices too'],
          ]}
        />
        <FilterText label="Access point" {...filters.of('agent')} placeholder="name or id" />
        <FilterText label="Site" {...filters.of('site')} placeholder="uk/bristol" />
        <FilterMoment label="From" {...filters.of('from')} />
        <FilterMoment label="Until" {...filters.of('until')} />
      </FilterBar>
      <Loading data={rows} failure={failure} again="list_events" lines={12} />
      {rows?.length === 0 && !loadOlder && (
        <EmptyState
          title={filters.isSet ? 'No events match this filter.' : 'No events yet'}
          words={
            filters.isSet
              ? 'Choose a longer time, or clear the filter.'
              : 'Access points that come and go, alarms, commands, conflicts and changes appear here as they happen.'
          }
        />
      )}
      {rows?.length === 0 && loadOlder && <p class="soft">Nothing found so far; there are older events.</p>}
      {rows && rows.length > 0 && (
        <div class="card events-days">
          {daysOf(rows).map(([day, events]) => (
            <Fragment key={day}>
              <h2>{dayWords(day)}</h2>
              <ol class="event-list" aria-label={dayWords(day)}>
                {groupEvents(events).map((group) => (
                  <EventGroup key={group.at(-1)!.id} events={group} />
                ))}
              </ol>
            </Fragment>
          ))}
        </div>
      )}
      <OlderButton feed={feed} words="Show older events" />
      {!loadOlder && rows && rows.length > 0 && !filters.isSet && (
        <p class="faint small">Events are kept for 90 days, unless WEFT_EVENT_RETENTION_DAYS says otherwise.</p>
      )}
    </Page>
  );
}

/** In the time zone of the reader, as the times are. */
function daysOf(events: readonly LoggedEvent[]) {
  return [...Map.groupBy(events, ({ ts }) => new Date(ts).toDateString())];
}

function dayWords(day: string): string {
  const today = new Date();
  if (day === today.toDateString()) return 'Today';
  if (day === new Date(today.getTime() - 86_400_000).toDateString()) return 'Yesterday';
  return new Date(day).toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
}
