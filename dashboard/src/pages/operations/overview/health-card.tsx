// How the network is: one word, why, and how many access points are in which state; in one line, or large with alarms by severity.
import type { NetworkHealth } from '../../../api/client.ts';
import { FailureNotice, Skeleton } from '../../../components/feedback.tsx';
import { HealthMark, SeverityMark, StateDot, severities } from '../../../components/glyph.tsx';
import type { ShownState } from '../../../data/agents.ts';
import type { FleetAgent } from '../../../data/fleet.ts';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { formatNumber } from '../../../format.ts';
import { componentText } from '../../../text/components.ts';
import './health-card.css';

const words = { good: 'Good', degraded: 'Degraded', bad: 'Bad', unknown: 'Not known yet' };
const noCause = {
  good: 'Nothing is wrong.',
  degraded: 'Users are served worse than they should be.',
  bad: 'Users are not served.',
  unknown: 'No access point has reported yet.',
};

/** The first three are always there; the others once somebody is in them. */
const states: readonly ShownState[] = ['online', 'late', 'offline', 'asleep', 'never'];

interface HealthProps {
  agents: readonly FleetAgent[] | undefined;
}

export function useNetworkHealth() {
  return useOperation('network_health', {}, { pollMs: 10_000 });
}

/** Below the title of a page. */
export function HealthLine({ agents }: HealthProps) {
  const { data } = useNetworkHealth();
  return (
    <div class="health-line">
      <p role="status" title={data && causesOf(data)}>
        {data && <HealthMark health={data.health} />}
        <strong>{data ? words[data.health] : '\u00a0'}</strong> <span class="soft">{data && causesOf(data)}</span>
      </p>
      <StateCounts agents={agents} />
    </div>
  );
}

const markSize = 72;

/** For a display on a wall. */
export function HealthCard({ agents }: HealthProps) {
  const { data, failure } = useNetworkHealth();
  return (
    <section class="card health-card" aria-label="Health of the network">
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('network_health')} />}
      <div class="health-word" role="status">
        {data ? (
          <HealthMark health={data.health} size={markSize} />
        ) : (
          <Skeleton width={`${markSize}px`} height={`${markSize}px`} />
        )}
        <div>
          <strong>{data ? words[data.health] : '\u00a0'}</strong>
          <p class="soft">{data && causesOf(data)}</p>
        </div>
      </div>
      <ul class="health-alarms" aria-label="Alarms by severity">
        {severities.map((severity) => (
          <li key={severity}>
            <a href={`/alarms?severity=${severity}`} class={data?.alarms[severity] ? '' : 'is-none'}>
              <SeverityMark severity={severity} size={28} />
              <b>{data ? formatNumber(data.alarms[severity]) : '–'}</b> {componentText.severities[severity]}
            </a>
          </li>
        ))}
      </ul>
      <StateCounts agents={agents} />
    </section>
  );
}

function StateCounts({ agents }: { agents: readonly FleetAgent[] | undefined }) {
  const counts = new Map<ShownState, number>();
  for (const { state } of agents ?? []) counts.set(state, (counts.get(state) ?? 0) + 1);
  return (
    <ul class="health-states" aria-label="Network status">
      {states
        .filter((state, index) => index < 3 || counts.has(state))
        .map((state) => (
          <li key={state}>
            <a href={`/agents?state=${state}`}>
              <StateDot state={state} />
              {componentText.states[state]} <b>{agents ? formatNumber(counts.get(state) ?? 0) : '–'}</b>
              {state === 'online' && agents && <span class="faint"> {`of ${formatNumber(agents.length)}`}</span>}
            </a>
          </li>
        ))}
    </ul>
  );
}

function causesOf({ health, causes, unacknowledged, sites }: NetworkHealth): string {
  const names = new Map(sites.map(({ path, name }) => [path, name]));
  // Sites are called by their names, as everywhere.
  const named = causes.slice(0, 3).map((cause) => cause.replace(/^[^\s:]+(?=:)/, (path) => names.get(path) ?? path));
  const why = named.length > 0 ? named.join(' · ') : noCause[health];
  return unacknowledged > 0 ? `${why} · ${formatNumber(unacknowledged)} not acknowledged` : why;
}
