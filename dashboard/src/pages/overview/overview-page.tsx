// The network at a glance; while it is empty, the way to a first one.
import './overview-page.css';
import { AgentLink } from '../../components/agent-name.tsx';
import { ButtonLink } from '../../components/button.tsx';
import { EventRow } from '../../components/event-row.tsx';
import { FailureNotice, Loading, SkeletonLines } from '../../components/feedback.tsx';
import { HealthMark, TechnologyChip } from '../../components/glyph.tsx';
import { Page, TableHead } from '../../components/page.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { TimeWindowMenu, timeWindow, timeWindowSeconds } from '../../components/time-window.tsx';
import { withAgentName } from '../../data/agents.ts';
import { eventFamilies, kindsOf } from '../../data/events.ts';
import { type FleetAgent, useFleet } from '../../data/fleet.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { formatNumber, formatValue } from '../../format.ts';
import { LazyFleetMap } from '../../map/lazy-fleet-map.tsx';
import { pageTitles } from '../../text/components.ts';
import { overviewText } from '../../text/overview.ts';
import { shellText } from '../../text/shell.ts';
import { demoNetwork } from './demo-network.ts';
import { DemoNotice, FirstNetwork } from './first-network.tsx';
import { type SummedMetric, sumLatest } from './fleet-sums.ts';
import { HealthCard, useNetworkHealth } from './health-card.tsx';
import { type FleetSums, useFleetSums } from './use-fleet-sums.ts';

const text = overviewText.technology;
const technologies = ['5G', 'WiFi', 'LiFi', undefined] as const;

export function TechnologyTable({ agents, latest }: { agents: readonly FleetAgent[]; latest: FleetSums['latest'] }) {
  return (
    <section class="card technology-table" aria-label={text.title}>
      <h2>{text.title}</h2>
      <table>
        <TableHead titles={[text.type, text.online, text.throughput, text.devices, text.power]} />
        <tbody>
          {technologies.map((technology) => {
            const own = agents.filter((agent) => agent.technology === technology);
            if (own.length === 0 && technology === undefined) return null;
            const names = new Set(own.map(({ ap_id }) => ap_id));
            const sums = latest && sumLatest(latest, (ap_id) => names.has(ap_id));
            const online = own.filter(({ state }) => state === 'online').length;
            return (
              <tr key={technology ?? ''}>
                <th scope="row">
                  <a href={technology === undefined ? '/agents' : `/agents?type=${technology}`}>
                    <TechnologyChip technology={technology} />
                  </a>
                </th>
                <td>
                  {formatNumber(online)} <span class="faint">{overviewText.ofAll(formatNumber(own.length))}</span>
                </td>
                <td>{sums ? formatValue(sums.throughput_mbps, 'Mb/s') : '–'}</td>
                <td>{sums ? formatNumber(sums.connected_devices) : '–'}</td>
                <td>{sums ? formatValue(sums.power_w, 'W') : '–'}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

const recentText = overviewText.recent;
/** Devices move all the time. */
const kinds = eventFamilies.filter((family) => family !== 'device').flatMap(kindsOf);

export function RecentEventsCard() {
  const { data, failure } = useOperation('list_events', { query: { kinds, limit: 30 } }, { pollMs: 8000 });
  return (
    <section class="card recent-events" aria-label={recentText.title}>
      <div class="spread">
        <h2>{recentText.title}</h2>
        <a class="small" href="/events">
          {recentText.all}
        </a>
      </div>
      <Loading data={data} failure={failure} lines={6} />
      {data?.items.length === 0 && <p class="soft">{recentText.none}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol class="event-list" tabIndex={0} aria-label={recentText.title}>
        {data?.items.map((event) => (
          <EventRow key={event.id} event={event} />
        ))}
      </ol>
    </section>
  );
}

const worstText = overviewText.worst;

export function WorstCard() {
  const { data, failure } = useNetworkHealth();
  return (
    <section class="card worst-card" aria-label={worstText.title}>
      <h2>{worstText.title}</h2>
      {!data && !failure && <SkeletonLines count={5} />}
      {data?.worst.length === 0 && <p class="soft">{worstText.none}</p>}
      {data && data.worst.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol class="worst-list" tabIndex={0} aria-label={worstText.title}>
          {data.worst.map(({ ap_id, site, health, causes }) => (
            <li key={ap_id}>
              <HealthMark health={health} />
              <div>
                <AgentLink ap_id={ap_id} />{' '}
                <span class="faint small">
                  {overviewText.health.words[health]}
                  {site && ` · ${site}`}
                </span>
                <p class="soft small">{causes.map((cause) => withAgentName(cause, ap_id)).join(' · ')}</p>
              </div>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

const thin = '\u2009';

export function Figures({ fleet }: { fleet: FleetSums }) {
  return (
    <div class="stat-grid overview-figures" role="group" aria-label={overviewText.carried}>
      <SumCard label={overviewText.throughput} metric="throughput_mbps" unit="Mb/s" fleet={fleet} />
      <SumCard label={overviewText.devices} metric="connected_devices" unit="" fleet={fleet} />
      <SumCard label={overviewText.power} metric="power_w" unit="W" fleet={fleet} detail={energyWords(fleet)} />
    </div>
  );
}

interface SumCardProps {
  label: string;
  metric: SummedMetric;
  unit: string;
  fleet: FleetSums;
  detail?: string | undefined;
}

function SumCard({ label, metric, unit, fleet: { sums, trend }, detail }: SumCardProps) {
  const words = sums && formatValue(sums[metric], unit);
  const cut = unit === '' ? -1 : (words?.lastIndexOf(thin) ?? -1);
  return (
    <StatCard
      label={label}
      value={cut < 0 ? words : words?.slice(0, cut)}
      {...(words !== undefined && cut >= 0 && { unit: words.slice(cut + 1) })}
      trend={trend?.bins.map((bin) => bin?.[metric]) ?? []}
      detail={detail}
      href="/agents"
    />
  );
}

function energyWords({ isWhole, energyInWindow, energySinceOpening }: FleetSums): string {
  if (!isWhole) return overviewText.energySince(formatValue(energySinceOpening, 'Wh'));
  const amount = energyInWindow === undefined ? '–' : formatValue(energyInWindow, 'Wh');
  return overviewText.energyIn(amount, shellText.windows[timeWindow.value]);
}

export function OverviewPage() {
  const { agents, failure } = useFleet();
  const isEmpty = agents?.length === 0;
  return (
    <Page
      title={pageTitles.overview}
      actions={
        !isEmpty && (
          <>
            <ButtonLink icon="screen" href="/wall" words={overviewText.wall.open} />
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
