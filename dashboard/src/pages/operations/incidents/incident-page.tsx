// One incident: what happened and why, who was affected by which access point, its alarms, and what led to it.
import { useEffect, useState } from 'preact/hooks';
import { Failure, type IncidentDetails } from '../../../api/client.ts';
import { AgentLink, SiteLink } from '../../../components/agent-name.tsx';
import { ButtonLink } from '../../../components/button.tsx';
import { EventGroup } from '../../../components/event-row.tsx';
import { Loading, Notice } from '../../../components/feedback.tsx';
import { Card, Facts, Page, PlainTable, UnknownPage } from '../../../components/page.tsx';
import { areNamed, withAgentName } from '../../../data/agents.ts';
import { groupEvents } from '../../../data/events.ts';
import { now } from '../../../data/freshness.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { formatMoment, formatNumber, formatSpan, formatValue } from '../../../format.ts';
import type { PageProps } from '../../../router/location.ts';
import { AlarmLine, IncidentActions, incidentPollMs, StateMark, useIncidentEvents } from './incident-cards.tsx';
import { affectedSentence, causeSentence, whenSentence } from './incident-words.ts';

const timelineText = 'Timeline';

const namesWithinMs = 5_000;
const spanOf = (minutes: number) => (minutes === 0 ? '–' : formatSpan(minutes * 60, 2));

export function IncidentPage({ params, title }: PageProps) {
  const path = { incident_id: params.id! };
  useIncidentEvents();
  const { data: found, failure } = useOperation('get_incident', { path }, { pollMs: incidentPollMs });
  const data = useNamed(found);
  const back = <ButtonLink size="small" href="/incidents" icon="chevron-left" words="All incidents" />;
  if (failure instanceof Failure && failure.status === 404) {
    return (
      <UnknownPage
        title={title}
        back={back}
        unknown="Incident not found"
        words="It may be older than the event log, or about access points that you may not see."
      />
    );
  }
  const incident = data?.merged_into === null ? data : undefined;
  return (
    <Page
      title={data?.title ?? title}
      beside={data ? <StateMark state={data.state} /> : back}
      lead={
        incident && (
          <p class="soft">
            {affectedSentence(incident)} · {whenSentence(incident, now.value)}
          </p>
        )
      }
      actions={
        <>
          {incident && <IncidentActions incident={incident} />}
          {data && back}
        </>
      }
    >
      <Loading data={data} failure={failure} again="get_incident" lines={10} />
      {data?.merged_into && (
        <Notice
          title="This turned out to be part of another incident."
          action={<ButtonLink size="small" href={`/incidents/${data.merged_into}`} words="Open that incident" />}
        />
      )}
      {incident && (
        <>
          <div class="incident-grid">
            <Why incident={incident} />
            <InShort incident={incident} />
            <AccessPoints incident={incident} />
            <Alarms incident={incident} />
          </div>
          <Timeline incident={incident} />
        </>
      )}
    </Page>
  );
}

/** It with its names, so that nothing moves when they come; after a while also without. */
function useNamed(found: IncidentDetails | undefined): IncidentDetails | undefined {
  const [isLate, setLate] = useState(false);
  const { data: health } = useOperation('network_health', {}, { pollMs: incidentPollMs });
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), namesWithinMs);
    return () => clearTimeout(timer);
  }, []);
  const ap_ids = [...(found?.affected ?? []), ...(found?.alarm_list ?? [])].flatMap(({ ap_id }) => ap_id ?? []);
  return (health && areNamed(ap_ids)) || isLate ? found : undefined;
}

/** The diagnosis of the alarm that says most: a cause, numbers, and what could be done. */
function Why({ incident }: { incident: IncidentDetails }) {
  const { diagnosis } = incident;
  return (
    <Card title="Why" look="incident-why stack">
      <p>{diagnosis ? withAgentName(diagnosis.text, diagnosis.ap_id) : causeSentence(incident)}</p>
      {diagnosis && diagnosis.evidence.length > 0 && (
        <div>
          <h3>What was measured</h3>
          <ul>
            {diagnosis.evidence.map(({ text: words, value, unit, link }) => {
              const sentence = withAgentName(words, diagnosis.ap_id);
              return (
                <li key={words}>
                  {link === null ? sentence : <a href={link}>{sentence}</a>}
                  {value !== null && <strong> {formatValue(value, unit)}</strong>}
                </li>
              );
            })}
          </ul>
        </div>
      )}
      {diagnosis && diagnosis.proposals.length > 0 && (
        <div>
          <h3>What could be done</h3>
          <ul>
            {diagnosis.proposals.map(({ text: words, ap_id, command, link }) => (
              <li key={words} class="spread">
                {withAgentName(words, ap_id)}
                <ButtonLink
                  size="small"
                  href={link ?? `/commands/new?${new URLSearchParams({ agent: ap_id, command: command ?? '' })}`}
                  words="Preview and send"
                />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Card>
  );
}

function InShort({ incident }: { incident: IncidentDetails }) {
  const { site, started_at, ended_at, devices_affected, minutes_lost, id } = incident;
  return (
    <Card title="In short" look="">
      <Facts
        rows={[
          ['Cause', causeSentence(incident)],
          site !== null && ['Site', <SiteLink path={site} />],
          ['Began', formatMoment(started_at)],
          ['Ended', ended_at === null ? 'not yet' : formatMoment(ended_at)],
          ['Devices affected', formatNumber(devices_affected)],
          ['Service lost', spanOf(minutes_lost)],
        ]}
      />
      <details class="small soft">
        <summary>Id</summary>
        <code>{id}</code>
      </details>
    </Card>
  );
}

function AccessPoints({ incident: { affected, access_points } }: { incident: IncidentDetails }) {
  if (affected.length === 0) return null;
  return (
    <section class="card">
      <h2>
        Access points <span class="faint">{formatNumber(access_points)}</span>
      </h2>
      <PlainTable
        look="facts-table"
        hasRowHeads
        titles={['Access point', ['Devices affected', 'is-number'], ['Service lost', 'is-number']]}
        rows={affected.map(({ ap_id, devices_affected, minutes_lost }) => [
          <AgentLink key="name" ap_id={ap_id} />,
          formatNumber(devices_affected),
          spanOf(minutes_lost),
        ])}
      />
    </section>
  );
}

function Alarms({ incident: { alarm_list, alarms, ended_at } }: { incident: IncidentDetails }) {
  return (
    <section class="card">
      <div class="spread">
        <h2>
          Alarms <span class="faint">{formatNumber(alarms.length)}</span>
        </h2>
        <a class="small" href={ended_at === null ? '/alarms' : '/alarms?view=history'}>
          All alarms
        </a>
      </div>
      <ul class="event-list incident-list">
        {alarm_list.map((alarm) => (
          <AlarmLine key={alarm.id} alarm={alarm} />
        ))}
      </ul>
    </section>
  );
}

function Timeline({ incident: { timeline } }: { incident: IncidentDetails }) {
  const newestFirst = [...timeline].sort((a, b) => b.id - a.id);
  return (
    <Card title={timelineText} look="">
      <p class="soft small">
        {timeline.length === 0
          ? 'Nothing was recorded.'
          : 'What happened to these access points, from ten minutes before.'}
      </p>
      <ol class="event-list incident-list" aria-label={timelineText}>
        {groupEvents(newestFirst).map((group) => (
          <EventGroup key={group.at(-1)!.id} events={group} />
        ))}
      </ol>
    </Card>
  );
}
