// The network at a glance; while it is empty, the way to a first one.
import { ButtonLink } from '../../components/button.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { Page } from '../../components/layout/page.tsx';
import { type FleetAgent, useFleet } from '../../data/fleet.ts';
import { timeWindowSeconds } from '../../data/time-window.ts';
import { queries } from '../../data/use-operation.ts';
import { LazyFleetMap } from '../../map/lazy-fleet-map.tsx';
import { TimeWindowMenu } from '../../shell/time-window-menu.tsx';
import { overviewText } from '../../text/overview.ts';
import { pageTitles } from '../../text/pages.ts';
import { demoNetwork } from './demo-network.ts';
import { DemoNotice } from './demo-notice.tsx';
import { Figures } from './figures.tsx';
import { FirstNetwork } from './first-network.tsx';
import { HealthCard } from './health-card.tsx';
import './overview-page.css';
import { RecentEventsCard } from './recent-events-card.tsx';
import { TechnologyTable } from './technology-table.tsx';
import { useFleetSums } from './use-fleet-sums.ts';
import { WorstCard } from './worst-card.tsx';

export function OverviewPage() {
  const { agents, failure } = useFleet();
  const isEmpty = agents?.length === 0;
  return (
    <Page
      title={pageTitles.overview}
      actions={
        !isEmpty && (
          <>
            <ButtonLink icon="screen" href="/wall">
              {overviewText.wall.open}
            </ButtonLink>
            <TimeWindowMenu />
          </>
        )
      }
    >
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('metrics_')} />}
      {isEmpty ? <FirstNetwork /> : <Glance agents={agents} />}
    </Page>
  );
}

function Glance({ agents }: { agents: readonly FleetAgent[] | undefined }) {
  const fleet = useFleetSums(agents, timeWindowSeconds.value);
  return (
    <>
      <DemoNotice agents={agents ?? []} />
      <HealthCard agents={agents} />
      <div class="overview-grid">
        <div class="stack">
          <WorstCard />
          <SmallMap agents={agents} />
        </div>
        <RecentEventsCard />
      </div>
      <div class="overview-grid">
        {agents && <TechnologyTable agents={agents} latest={fleet.latest} />}
        <Figures fleet={fleet} />
      </div>
    </>
  );
}

function SmallMap({ agents }: { agents: readonly FleetAgent[] | undefined }) {
  const text = overviewText.map;
  const isPlaceless = agents?.every(({ geolocation }) => !geolocation) ?? false;
  return (
    <section class="card small-map" aria-label={text.title}>
      {isPlaceless && <p class="soft">{text.none}</p>}
      {agents && !isPlaceless && <LazyFleetMap agents={agents} isStill selected={demoNetwork.value?.ap_id} />}
      <a class="button plain small" href="/map">
        {text.open}
      </a>
    </section>
  );
}
