// Incidents: what broke, when, why, and who was affected; filtered in the address.

import { ButtonLink } from '../../../components/button.tsx';
import { EmptyState, Loading } from '../../../components/feedback.tsx';
import { useSettled } from '../../../components/forms/selector-input.tsx';
import { Page } from '../../../components/page.tsx';
import {
  FilterBar,
  FilterChoice,
  FilterSelector,
  OlderButton,
  useFilters,
} from '../../../components/tables/filter-bar.tsx';
import { now } from '../../../data/freshness.ts';
import { usePages } from '../../../data/use-feed.ts';
import type { PageProps } from '../../../router/location.ts';
import { incidentsText } from '../../../text/pages.ts';
import {
  hrefOfIncident,
  IncidentActions,
  IncidentBand,
  incidentPollMs,
  StateMark,
  useIncidentEvents,
} from './incident-cards.tsx';
import { affectedSentence, causeSentence, whenSentence } from './incident-words.ts';

const windows = {
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};
const label = 'Incidents';

const hoursOf: Record<string, number> = { '1h': 1, '6h': 6, '24h': 24, '7d': 168, '30d': 720 };
const pageSize = 50;
const defaultWindow = '24h';

export function IncidentsPage({ title }: PageProps) {
  const filters = useFilters('window', 'state', 'selector');
  const { window: given, state, selector } = filters.values;
  const window = Object.hasOwn(hoursOf, given) ? given : defaultWindow;
  const settled = useSettled(selector);
  const query = { window, limit: pageSize, ...(state && { state }), ...(settled && { selector: settled }) };
  useIncidentEvents();
  const feed = usePages('list_incidents', { query }, { pollMs: incidentPollMs });
  const { rows, failure, loadOlder } = feed;
  return (
    <Page title={title}>
      <FilterBar label="Filter incidents" filters={filters} clear="Clear filters">
        <FilterChoice
          label="Time"
          value={window}
          onChange={(value) => filters.of('window').onChange(value === defaultWindow ? '' : value)}
          options={Object.entries(windows)}
        />
        <FilterChoice
          label="State"
          {...filters.of('state')}
          options={[['', 'Any state'], ...Object.entries(incidentsText.states)]}
        />
        <FilterSelector label="Where" {...filters.of('selector')} />
      </FilterBar>
      <Loading data={rows} failure={failure} again="list_incidents" lines={8} />
      {rows?.length === 0 && !loadOlder && (
        <EmptyState
          title={filters.isSet ? 'No incident matches' : 'No incidents in this time'}
          words={
            filters.isSet
              ? 'Choose a longer time, another state or another place.'
              : 'An incident groups alarms that have one cause: a site that is away, a jammed channel, a failed roll-out. Look at a longer time, or at the rules that raise alarms.'
          }
          actions={<ButtonLink href="/alarms?view=rules" words="Show alarm rules" />}
        />
      )}
      {rows && rows.length > 0 && (
        <>
          <section class="card" aria-label={label}>
            <IncidentBand incidents={rows} hours={hoursOf[window]!} />
          </section>
          <ul class="card incident-list" aria-label={label} style={{ padding: 0 }}>
            {rows.map((incident) => (
              <li key={incident.id} class={`incident-row ${incident.state}`}>
                <StateMark state={incident.state} />
                <div>
                  <a class="incident-title" href={hrefOfIncident(incident)}>
                    {incident.title}
                  </a>
                  <p>{affectedSentence(incident)}</p>
                  <p class="soft small">
                    {causeSentence(incident)} · {whenSentence(incident, now.value)}
                  </p>
                </div>
                <div class="cluster">
                  <IncidentActions incident={incident} />
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
      <OlderButton feed={feed} words="Show older" />
    </Page>
  );
}
