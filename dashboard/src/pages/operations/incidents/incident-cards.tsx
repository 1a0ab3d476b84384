// Incidents as people meet them: a band in time, cards with what can be done, and what keeps both fresh.
import './incidents.css';
import '../../../components/event-row.css';
import { useEffect, useState } from 'preact/hooks';
import { type Alarm, call, type Incident, weft } from '../../../api/client.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { useAction } from '../../../components/feedback.tsx';
import { TextField } from '../../../components/forms/fields.tsx';
import { Form, SubmitButton, useForm } from '../../../components/forms/form.tsx';
import { SeverityMark } from '../../../components/glyph.tsx';
import { Menu } from '../../../components/menu.tsx';
import { withAgentName } from '../../../data/agents.ts';
import { now, serverNow } from '../../../data/freshness.ts';
import { queries } from '../../../data/use-operation.ts';
import { formatMoment, formatSpan, fromLocalMoment, toLocalMoment } from '../../../format.ts';
import { isSignedIn } from '../../../session/session.ts';
import { incidentsText } from '../../../text/pages.ts';
import { affectedSentence, causeSentence, hourTicks, toBars, whenSentence } from './incident-words.ts';

const text = { silence: 'Silence', silenceTitle: 'Silence this incident' };

/** What is told by events is asked for at once; this is for counts that grow meanwhile, and for streams that do not come through. */
export const incidentPollMs = 10_000;
const streamAfterMs = 3000;

function refreshIncidents(): void {
  queries.refresh('list_incidents', 'get_incident', 'network_health', 'list_alarms');
}

/** Follows the events of incidents while the component is there. */
export function useIncidentEvents(): void {
  const canAsk = isSignedIn.value;
  useEffect(() => {
    if (!canAsk) return;
    const stop = new AbortController();
    const follow = async () => {
      for await (const _ of weft.events({ kinds: ['incident.*'], signal: stop.signal })) refreshIncidents();
    };
    // What there is comes with the page itself. Without a stream it is as fresh as its polls.
    const timer = setTimeout(() => follow().catch(() => {}), streamAfterMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [canAsk]);
}

export function hrefOfIncident({ id }: Pick<Incident, 'id'>): string {
  return `/incidents/${encodeURIComponent(id)}`;
}

export function StateMark({ state }: Pick<Incident, 'state'>) {
  return <span class={`incident-state ${state}`}>{incidentsText.states[state]}</span>;
}

export function IncidentCard({ incident }: { incident: Incident }) {
  const { title } = incident;
  return (
    <article class={`card incident-card ${incident.state}`} aria-label={title}>
      <div class="spread">
        <StateMark state={incident.state} />
        <span class="soft small">{whenSentence(incident, now.value)}</span>
      </div>
      <a class="incident-title" href={hrefOfIncident(incident)} title={title}>
        {title}
      </a>
      <p class="soft small">{causeSentence(incident)}</p>
      <p>
        <strong>{affectedSentence(incident)}</strong>
      </p>
      <div class="cluster">
        <IncidentActions incident={incident} />
        <ButtonLink size="small" href={hrefOfIncident(incident)} aria-label={`Details of ${title}`} words="Details" />
      </div>
    </article>
  );
}

type ListedAlarm = Pick<Alarm, 'ap_id' | 'severity' | 'message' | 'since' | 'cleared_at'>;

/** One alarm as a line that leads to its access point. */
export function AlarmLine({ alarm: { ap_id, severity, message, since, cleared_at } }: { alarm: ListedAlarm }) {
  const words = withAgentName(message, ap_id);
  return (
    <li class="event-row">
      <time dateTime={since}>{formatMoment(since)}</time>
      <SeverityMark severity={severity} />
      <span>
        {ap_id === null ? words : <a href={`/agents/${encodeURIComponent(ap_id)}`}>{words}</a>}
        {cleared_at !== null && <span class="faint"> {`cleared ${formatMoment(cleared_at)}`}</span>}
      </span>
    </li>
  );
}

/** For whoever may; nothing once it has ended. */
export function IncidentActions({ incident }: { incident: Incident }) {
  const { isBusy, act } = useAction();
  const [isChoosing, setChoosing] = useState(false);
  const path = { incident_id: incident.id };
  if (!incident.may_handle || incident.state === 'ended') return null;
  const acknowledge = () =>
    act(async () => {
      await call('acknowledge_incident', { path });
      refreshIncidents();
      return 'Acknowledged. Its alarms say that somebody looks after them.';
    });
  const silence = (untilMs: number) => act(() => silenceUntil(incident.id, new Date(untilMs).toISOString()));
  const hours = [1, 4].map((count) => ({
    label: `For ${formatSpan(count * 3600)}`,
    onChoose: () => void silence(serverNow() + count * 3_600_000),
  }));
  return (
    <>
      {incident.state === 'open' && (
        <Button size="small" kind="primary" isBusy={isBusy} onClick={acknowledge} words="Acknowledge" />
      )}
      <span class="small-menu">
        <Menu
          label={text.silence}
          kind="plain"
          align="start"
          items={[
            ...hours,
            { label: 'Until tomorrow, 08:00', onChoose: () => void silence(tomorrowAt(8)) },
            { label: 'Until …', onChoose: () => setChoosing(true) },
          ]}
        >
          {text.silence}
        </Menu>
      </span>
      {isChoosing && <SilenceUntilDialog id={incident.id} onClose={() => setChoosing(false)} />}
    </>
  );
}

async function silenceUntil(id: string, until: string): Promise<string> {
  await call('silence_incident', { path: { incident_id: id }, json: { until } });
  refreshIncidents();
  return `Silenced until ${formatMoment(until)}`;
}

function tomorrowAt(hour: number): number {
  const day = new Date(serverNow());
  day.setDate(day.getDate() + 1);
  return day.setHours(hour, 0, 0, 0);
}

function SilenceUntilDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { act } = useAction();
  const form = useForm<{ until: string }>({ until: toLocalMoment(tomorrowAt(8)).slice(0, 16) });
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Dialog title={text.silenceTitle} onClose={onClose}>
      <Form
        form={form}
        label={text.silenceTitle}
        onSubmit={async ({ until }) => {
          const done = await silenceUntil(id, fromLocalMoment(until));
          onClose();
          void act(async () => done);
        }}
      >
        <p class="soft">Nobody is told of its alarms until then. They are still recorded.</p>
        <TextField
          {...form.at('until')}
          label="Until"
          hint={`In the time zone of this browser: ${zone}. At most 30 days from now.`}
          type="datetime-local"
        />
        <div>
          <SubmitButton form={form}>{text.silence}</SubmitButton>
        </div>
      </Form>
    </Dialog>
  );
}

const hourMs = 3_600_000;
const maxLanes = 4;
/** In per cent: behind it stands that the band ends now. */
const lastTick = 92;

/** Each incident where it was in time; the newest end is now. */
export function IncidentBand({ incidents, hours }: { incidents: readonly Incident[]; hours: number }) {
  // Moves on once a minute.
  const toMs = Math.ceil(now.value / 60_000) * 60_000;
  const fromMs = toMs - hours * hourMs;
  const bars = toBars(incidents, fromMs, toMs);
  const lanes = Math.min(maxLanes, Math.max(1, ...bars.map(({ lane }) => lane + 1)));
  return (
    <div class="incident-band" style={{ '--lanes': lanes }}>
      <ol>
        {bars
          .filter(({ lane }) => lane < maxLanes)
          .map(({ item, left, width, lane }) => {
            const words = `${item.title}: ${affectedSentence(item)}, ${whenSentence(item, now.value)}`;
            return (
              <li key={item.id} style={{ left: `${left}%`, width: `${width}%`, '--lane': lane }}>
                <a class={item.state} href={hrefOfIncident(item)} aria-label={words} title={words}>
                  {width > 20 && item.title}
                </a>
              </li>
            );
          })}
      </ol>
      <div class="incident-ticks" aria-hidden="true">
        {hourTicks(fromMs, toMs)
          .filter(({ left }) => left < lastTick)
          .map(({ atMs, left }) => (
            <span key={atMs} style={{ left: `${left}%` }}>
              {new Date(atMs).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}
            </span>
          ))}
        <span class="is-now">now</span>
      </div>
    </div>
  );
}
