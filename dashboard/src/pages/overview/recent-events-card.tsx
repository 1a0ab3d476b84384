// What changed recently, newest first; the rest is on its own page.
import { EventRow } from '../../components/event-row.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { eventFamilies, kindsOf } from '../../data/events.ts';
import { useOperation } from '../../data/use-operation.ts';
import { overviewText } from '../../text/overview.ts';

const text = overviewText.recent;
/** Devices move all the time. */
const kinds = eventFamilies.filter((family) => family !== 'device').flatMap(kindsOf);

export function RecentEventsCard() {
  const { data, failure } = useOperation('list_events', { query: { kinds, limit: 30 } }, { pollMs: 3000 });
  return (
    <section class="card recent-events" aria-label={text.title}>
      <div class="spread">
        <h2>{text.title}</h2>
        <a class="small" href="/events">
          {text.all}
        </a>
      </div>
      {failure && <FailureNotice failure={failure} />}
      {!data && !failure && <SkeletonLines count={6} />}
      {data?.items.length === 0 && <p class="soft">{text.none}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol class="event-list" tabIndex={0} aria-label={text.title}>
        {data?.items.map((event) => (
          <EventRow key={event.id} event={event} />
        ))}
      </ol>
    </section>
  );
}
