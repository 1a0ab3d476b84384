// The network at a glance: five figures, what broke, the worst access points; while it is empty, the way to a first one.
import './overview-page.css';
import { Fragment } from 'preact';
import { AgentLink, SiteLink } from '../../../components/agent-name.tsx';
import { ButtonLink } from '../../../components/button.tsx';
import { FailureNotice, Loading, SkeletonLines } from '../../../components/feedback.tsx';
import { HealthMark } from '../../../components/glyph.tsx';
import { Card, Page, PlainTable } from '../../../components/page.tsx';
import { demoNetwork } from '../../../data/demo-network.ts';
import { type FleetAgent, useFleet } from '../../../data/fleet.ts';
import { queries } from '../../../data/use-operation.ts';
import { formatNumber } from '../../../format.ts';
import { SmallMap } from '../../../map/lazy-fleet-map.tsx';
import type { PageProps } from '../../../router/location.ts';
import { useIncidentEvents } from '../incidents/incident-cards.tsx';
import { FigureStrip } from './figure-strip.tsx';
import { reasonOf } from './figure-words.ts';
import { DemoNotice, FirstNetwork } from './first-network.tsx';
import { HealthLine, useNetworkHealth } from './health-card.tsx';
import { RecentIncidents, useRecentIncidents } from './recent-incidents.tsx';

const worstTitle = 'Worst access points';

/** Ranked by the devices that lost service, with why: nobody has to open one to know. */
export function WorstTable() {
  const { data, failure } = useNetworkHealth();
  return (
    <Card title={worstTitle} look="worst-card" label={worstTitle}>
      {!data && !failure && <SkeletonLines count={5} />}
      {data?.worst.length === 0 && <p class="soft">None: all access points are good.</p>}
      {data && data.worst.length > 0 && (
        <PlainTable
          look="facts-table"
          hasRowHeads
          titles={['Access point', 'Why', ['Devices affected', 'is-number']]}
          rows={data.worst.map((agent) => [
            <Fragment key="name">
              <span class="worst-name">
                <HealthMark health={agent.health} />
                <AgentLink ap_id={agent.ap_id} />
              </span>
              {agent.site && <SiteLink path={agent.site} look="faint small" />}
            </Fragment>,
            <span key="why" title={agent.causes.join(' · ')} children={reasonOf(agent)} />,
            formatNumber(agent.devices_affected),
          ])}
        />
      )}
    </Card>
  );
}

export function OverviewPage({ title }: PageProps) {
  const { agents, failure } = useFleet();
  const isEmpty = agents?.length === 0;
  return (
    <Page
      title={title}
      lead={!isEmpty && <HealthLine agents={agents} />}
      actions={!isEmpty && <ButtonLink icon="screen" href="/wall" words="Wall display" />}
    >
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('list_agents')} />}
      {isEmpty ? <FirstNetwork /> : <Network agents={agents} />}
    </Page>
  );
}

function Network({ agents }: { agents: readonly FleetAgent[] | undefined }) {
  useIncidentEvents();
  const incidents = useRecentIncidents();
  return (
    <>
      {agents && <DemoNotice agents={agents} />}
      <FigureStrip />
      <Loading data={incidents.data} failure={incidents.failure} again="list_incidents" lines={8} />
      {/* How tall the incidents are is known with them: what is below comes then, and does not move. */}
      {incidents.data && (
        <>
          <RecentIncidents incidents={incidents.data.items} hasMore={incidents.data.next !== null} />
          <div class="overview-grid">
            <WorstTable />
            <SmallMap agents={agents} label="Map" selected={demoNetwork.value?.ap_id} href="/map" />
          </div>
        </>
      )}
    </>
  );
}
