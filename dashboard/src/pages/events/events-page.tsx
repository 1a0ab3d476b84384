// What happened, newest first: presence, commands, conflicts, alarms and changes in one timeline.
import { Fragment } from 'preact';
import { EventGroup } from '../../components/event-row.tsx';
import { EmptyState, Loading } from '../../components/feedback.tsx';
import { Page } from '../../components/page.tsx';
import {
  FilterBar,
  FilterChoice,
  FilterMoment,
  FilterText,
  OlderButton,
  useFilters,
} from '../../components/tables/filter-bar.tsx';
import { eventFamilies, groupEvents, kindsOf, type LoggedEvent } from '../../data/events.ts';
import { usePages } from '../../data/use-feed.ts';
import { pageTitles } from '../../text/components.ts';
import { eventsText as text } from '../../text/events.ts';
import './events-page.css';

const pageSize = 100;
/** Devices move all the time, which hides what matters. */
const calm = eventFamilies.filter((family) => family !== 'device').flatMap(kindsOf);

export function EventsPage() {
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
    <Page title={pageTitles.events}>
      <FilterBar label={text.filters} filters={filters} clear={text.clear}>
        <FilterChoice
          label={text.family}
          {...filters.of('what')}
          options={[
            ['', text.anyFamily],
            ...eventFamilies.map((name): [string, string] => [name, text.families[name]]),
            ['all', text.everything],
          ]}
        />
        <FilterText label={text.agent} {...filters.of('agent')} placeholder={text.agentHint} />
        <FilterText label={text.site} {...filters.of('site')} placeholder={text.siteHint} />
        <FilterMoment label={text.since} {...filters.of('from')} />
        <FilterMoment label={text.until} {...filters.of('until')} />
      </FilterBar>
      <Loading data={rows} failure={failure} again="list_events" lines={12} />
      {rows?.length === 0 && !loadOlder && (
        <EmptyState
          title={filters.isSet ? text.none : text.empty}
          words={filters.isSet ? text.noneWords : text.emptyWords}
        />
      )}
      {rows?.length === 0 && loadOlder && <p class="soft">{text.looking}</p>}
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
      <OlderButton feed={feed} words={text.older} />
      {!loadOlder && rows && rows.length > 0 && !filters.isSet && <p class="faint small">{text.kept}</p>}
    </Page>
  );
}

/** In the time zone of the reader, as the times are. */
function daysOf(events: readonly LoggedEvent[]) {
  return [...Map.groupBy(events, ({ ts }) => new Date(ts).toDateString())];
}

function dayWords(day: string): string {
  const today = new Date();
  if (day === today.toDateString()) return text.today;
  if (day === new Date(today.getTime() - 86_400_000).toDateString()) return text.yesterday;
  return new Date(day).toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
}
