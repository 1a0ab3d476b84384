// The network on a display on the wall: large type, no navigation, nothing to touch. Everything follows by itself.

import { ButtonLink } from '../../../components/button.tsx';
import { SkeletonLines } from '../../../components/feedback.tsx';
import { Page } from '../../../components/page.tsx';
import { useFleet } from '../../../data/fleet.ts';
import { now } from '../../../data/freshness.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { LazyFleetMap } from '../../../map/lazy-fleet-map.tsx';
import type { PageProps } from '../../../router/location.ts';
import { AlarmWords } from '../alarms/alarm-dialog.tsx';
import '../alarms/alarms-page.css';
import { HealthCard } from '../overview/health-card.tsx';
import './wall-page.css';

/** As many as fit. */
const limit = 8;

export function WallPage({ title }: PageProps) {
  const { agents } = useFleet();
  const query = { state: 'firing,acknowledged', sort: 'severity' as const, caused: false, shelved: false, limit };
  const { data } = useOperation('list_alarms', { query }, { pollMs: 3000 });
  // Those that are counted above.
  const alarms = data?.items.filter(({ silenced_by }) => silenced_by === null);
  return (
    <div class="wall">
      <Page
        title={title}
        isFilling
        actions={
          <>
            <WallClock />
            <ButtonLink href="/">Leave</ButtonLink>
          </>
        }
      >
        <HealthCard agents={agents} />
        <div class="wall-grid">
          <section class="card" aria-label="Alarms">
            {!alarms && <SkeletonLines count={limit} />}
            {alarms?.length === 0 && <p class="wall-none">No active alarms</p>}
            <ul class="alarm-list">
              {alarms?.map((alarm) => (
                <li key={alarm.id} class={`alarm cleared ${alarm.state}`}>
                  <AlarmWords alarm={alarm} />
                </li>
              ))}
            </ul>
          </section>
          <div class="card wall-map">
            {agents ? <LazyFleetMap agents={agents} isStill /> : <SkeletonLines count={4} />}
          </div>
        </div>
        <p class="faint small">
          For a display, sign in with an account that only reads; an administrator can let its session last up to 30
          days: Users, then this account, then Keep for a display.
        </p>
      </Page>
    </div>
  );
}

/** Stands still while Weft is unreachable, like everything else on the page. */
function WallClock() {
  const at = new Date(now.value);
  return (
    <time class="wall-clock" dateTime={at.toISOString()}>
      {at.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' })}{' '}
      <b>{at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}</b>
    </time>
  );
}
