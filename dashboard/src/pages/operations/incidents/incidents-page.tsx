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

const windows: Record<string, { words: string; hours: number }> = {
  '1h': { words: 'Last hour', hours: 1 },
  '6h': { words: 'Last 6 hours', hours: 6 },
  '24h': { words: 'Last 24 hours', hours: 24 },
  '7d': { words: 'Last 7 days', hours: 168 },
  '30d': { words: 'Last 30 days', hours: 720 },
};
const label = 'Incidents';

const pageSize = 50;
const defaultWindow = '24h';

export function IncidentsPage({ title }: PageProps) {
  const filters = useFilters('window', 'state', 'selector');
  const { window: given, state, selector } = filters.values;
  const window = Object.hasOwn(windows, given) ? given : defaultWindow;
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
          options={Object.entries(windows).map(([name, { words }]) => [name, words] as const)}
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
            <IncidentBand incidents={rows} hours={windows[window]!.hours} />
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
