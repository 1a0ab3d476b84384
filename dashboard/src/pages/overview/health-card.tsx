// How the network is: one word, why, alarms by severity, and how many access points are in which state.
import type { NetworkHealth } from '../../api/client.ts';
import { FailureNotice, Skeleton } from '../../components/feedback.tsx';
import { HealthMark, SeverityMark, StateDot, severities } from '../../components/glyph.tsx';
import type { ShownState } from '../../data/agents.ts';
import type { FleetAgent } from '../../data/fleet.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { formatNumber } from '../../format.ts';
import { componentText } from '../../text/components.ts';
import { overviewText } from '../../text/overview.ts';
import './health-card.css';

const text = overviewText.health;
/** The first three are always there; the others once somebody is in them. */
const states: readonly ShownState[] = ['online', 'late', 'offline', 'asleep', 'never'];

interface HealthCardProps {
  agents: readonly FleetAgent[] | undefined;
  /** For a display on a wall. */
  isLarge?: boolean;
}

export function useNetworkHealth() {
  return useOperation('network_health', {}, { pollMs: 10_000 });
}

export function HealthCard({ agents, isLarge = false }: HealthCardProps) {
  const { data, failure } = useNetworkHealth();
  const markSize = isLarge ? 72 : 40;
  return (
    <section class={`card health-card ${isLarge ? 'is-large' : ''}`} aria-label={text.title}>
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('network_health')} />}
      <div class="health-word" role="status">
        {data ? (
          <HealthMark health={data.health} size={markSize} />
        ) : (
          <Skeleton width={`${markSize}px`} height={`${markSize}px`} />
        )}
        <div>
          <strong>{data ? text.words[data.health] : '\u00a0'}</strong>
          <p class="soft" title={data && causesOf(data)}>
            {data && causesOf(data)}
          </p>
        </div>
      </div>
      <ul class="health-alarms" aria-label={text.alarms}>
        {severities.map((severity) => (
          <li key={severity}>
            <a href={`/alarms?severity=${severity}`} class={data?.alarms[severity] ? '' : 'is-none'}>
              <SeverityMark severity={severity} size={isLarge ? 28 : 16} />
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
    <ul class="health-states" aria-label={overviewText.figures}>
      {states
        .filter((state, index) => index < 3 || counts.has(state))
        .map((state) => (
          <li key={state}>
            <a href={`/agents?state=${state}`}>
              <StateDot state={state} />
              {componentText.states[state]} <b>{agents ? formatNumber(counts.get(state) ?? 0) : '–'}</b>
              {state === 'online' && agents && (
                <span class="faint"> {overviewText.ofAll(formatNumber(agents.length))}</span>
              )}
            </a>
          </li>
        ))}
    </ul>
  );
}

function causesOf({ health, causes, unacknowledged }: NetworkHealth): string {
  const why = causes.length > 0 ? causes.slice(0, 3).join(' · ') : text.noCause[health];
  return unacknowledged > 0 ? `${why} · ${text.unacknowledged(formatNumber(unacknowledged))}` : why;
}
