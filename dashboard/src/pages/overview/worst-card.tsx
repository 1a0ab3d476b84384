// The worst ten access points, each with why.
import { AgentName } from '../../components/agent-name.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { HealthMark } from '../../components/health.tsx';
import { withAgentName } from '../../data/agent-names.ts';
import { overviewText } from '../../text/overview.ts';
import { useNetworkHealth } from './health-card.tsx';

const text = overviewText.worst;

export function WorstCard() {
  const { data, failure } = useNetworkHealth();
  return (
    <section class="card worst-card" aria-label={text.title}>
      <h2>{text.title}</h2>
      {!data && !failure && <SkeletonLines count={5} />}
      {data?.worst.length === 0 && <p class="soft">{text.none}</p>}
      {data && data.worst.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol class="worst-list" tabIndex={0} aria-label={text.title}>
          {data.worst.map(({ ap_id, site, health, causes }) => (
            <li key={ap_id}>
              <HealthMark health={health} />
              <div>
                <a href={`/agents/${encodeURIComponent(ap_id)}`}>
                  <AgentName ap_id={ap_id} />
                </a>{' '}
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
