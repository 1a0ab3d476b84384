// The incidents of the last hours: a band in time, and a card for each that somebody may have to look after.

import type { Incident } from '../../../api/client.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { formatNumber } from '../../../format.ts';
import { IncidentBand, IncidentCard, incidentPollMs } from '../incidents/incident-cards.tsx';
import { byUrgency } from '../incidents/incident-words.ts';

const title = (hours: string) => `What broke in the last ${hours} hours`;

const defaultHours = 6;
const maxCards = 4;

/** `selector`: of these access points; default: of all. */
export function useRecentIncidents(selector?: string, hours = defaultHours) {
  const query = { window: `${hours}h`, limit: 50, ...(selector !== undefined && { selector }) };
  return useOperation('list_incidents', { query }, { pollMs: incidentPollMs });
}

interface RecentIncidentsProps {
  incidents: readonly Incident[];
  hasMore?: boolean;
  hours?: number;
  selector?: string;
}

export function RecentIncidents({ incidents, hasMore = false, hours = defaultHours, selector }: RecentIncidentsProps) {
  const cards = [...incidents].sort(byUrgency).slice(0, maxCards);
  const rest = incidents.length - cards.length;
  const all = `/incidents?${new URLSearchParams({ window: `${hours}h`, ...(selector !== undefined && { selector }) })}`;
  return (
    <section class="card recent-incidents" aria-label={title(String(hours))}>
      <div class="spread">
        <h2>{title(String(hours))}</h2>
        <a class="small" href={all}>
          {rest > 0 ? `${formatNumber(rest)}${hasMore ? '+' : ''} more` : 'All incidents'}
        </a>
      </div>
      {incidents.length === 0 ? (
        <p class="soft">
          {`Nothing broke in the last ${String(hours)} hours.`} Alarms that have one cause become one incident here,
          with who was affected.
        </p>
      ) : (
        <>
          <IncidentBand incidents={incidents} hours={hours} />
          <div class="incident-cards">
            {cards.map((incident) => (
              <IncidentCard key={incident.id} incident={incident} />
            ))}
          </div>
        </>
      )}
    </section>
  );
}
