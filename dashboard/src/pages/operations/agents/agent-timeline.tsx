// What happened to one access point, above its charts and on their time axis: its states as bars, everything else as marks.
import { useMemo } from 'preact/hooks';
import type { TimeRange } from '../../../components/chart/chart.tsx';
import { percentOf } from '../../../components/chart/chart-shape.ts';
import { EventRow } from '../../../components/event-row.tsx';
import { FailureNotice } from '../../../components/feedback.tsx';
import { SeverityMark } from '../../../components/glyph.tsx';
import type { ShownState } from '../../../data/agents.ts';
import { familyOf, type LoggedEvent, type StateSpan, stateSpans } from '../../../data/events.ts';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { formatMoment, formatNumber } from '../../../format.ts';
import { componentText } from '../../../text/components.ts';
import './agent-timeline.css';
import { firstAfterMs } from './use-agent-alarms.ts';

const title = 'Timeline';

const limit = 200;
/** Asked for again only when the range has moved by this much. */
const stepSeconds = 60;

interface AgentTimelineProps {
  ap_id: string;
  range: TimeRange;
  state: ShownState | undefined;
  /** A part of the past, looked at closely. */
  isPast: boolean;
}

export function AgentTimeline({ ap_id, range, state, isPast }: AgentTimelineProps) {
  const from = Math.floor(range.from / stepSeconds) * stepSeconds;
  const query = {
    ap_id,
    from: new Date(from * 1000).toISOString(),
    ...(isPast && { until: new Date(Math.ceil(range.to) * 1000).toISOString() }),
    limit,
  };
  const { data, failure } = useOperation('list_events', { query }, isPast ? {} : { pollMs: 3000, firstAfterMs });
  const events = data?.items ?? [];
  const now = isPast || state === 'never' || state === 'ended' ? undefined : state;
  // Until the events are known, it is unknown when it was in which state.
  const spans = useMemo(() => (data ? stateSpans(events, range, now) : []), [data, range.from, range.to, now]);
  const marked = events.filter(({ kind }) => familyOf(kind) !== 'agent');
  return (
    <section class="card agent-timeline" aria-label="Events of this access point, on the same time axis as the charts">
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('list_events')} />}
      <details>
        <summary>
          <h3>{title}</h3>
          <div class={`timeline-lane ${data || failure ? '' : 'is-loading'}`}>
            {spans.map((span) => (
              <StateBar key={`${span.state} ${span.from}`} {...{ span, range }} />
            ))}
            <Marks events={marked} range={range} />
          </div>
          <span class="faint small">
            {data ? `${formatNumber(events.length)}${data.next ? '+' : ''} events` : componentText.loading}
          </span>
        </summary>
        {data && events.length === 0 && <p class="faint small">No events in this time window.</p>}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <ol class="event-list timeline-events" tabIndex={0} aria-label={title}>
          {events.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </ol>
        <a class="small" href={`/events?agent=${encodeURIComponent(ap_id)}`}>
          All events
        </a>
      </details>
    </section>
  );
}

function StateBar({ span: { state, from, to }, range }: { span: StateSpan; range: TimeRange }) {
  const left = percentOf(from, range);
  const words = `${componentText.states[state]} from ${formatMoment(from * 1000)} to ${formatMoment(to * 1000)}`;
  return (
    <i
      class={`timeline-state ${state}`}
      role="img"
      aria-label={words}
      title={words}
      style={{ left: `${left}%`, width: `${Math.max(0.3, percentOf(to, range) - left)}%` }}
    />
  );
}

function Marks({ range, events }: { range: TimeRange; events: readonly LoggedEvent[] }) {
  return (
    <>
      {events.map(({ id, ts, severity, text: words }) => (
        <span
          key={id}
          class="timeline-mark"
          role="img"
          aria-label={`${formatMoment(ts)}: ${words}`}
          title={`${formatMoment(ts)} · ${words}`}
          style={{ left: `${percentOf(Date.parse(ts) / 1000, range)}%` }}
        >
          <SeverityMark severity={severity} size={12} />
        </span>
      ))}
    </>
  );
}
