// How an access point gets on: one word, why, and the share of the last day's minutes in which users were served well.
import type { ServiceLevelName } from '../../api/operations.ts';
import { HealthMark } from '../../components/health.tsx';
import '../../components/layout/facts.css';
import { useOperation } from '../../data/use-operation.ts';
import { formatNumber } from '../../format/numbers.ts';
import { agentsText } from '../../text/agents.ts';
import { overviewText } from '../../text/overview.ts';

const levels: readonly ServiceLevelName[] = ['availability', 'coverage', 'capacity', 'latency', 'handover', 'energy'];

export function AgentHealthCard({ ap_id }: { ap_id: string }) {
  const text = agentsText.health;
  const { data } = useOperation('agent_health', { path: { ap_id } }, { pollMs: 15_000 });
  const shareOf = (name: ServiceLevelName) => {
    const level = data?.service.find((each) => each.level === name);
    return level && level.minutes > 0 ? `${formatNumber((100 * level.good_minutes) / level.minutes, 0)} %` : '–';
  };
  return (
    <section class="card">
      <h2>{text.title}</h2>
      <p class="agent-health">
        <HealthMark health={data?.health ?? 'unknown'} /> <b>{data ? overviewText.health.words[data.health] : '–'}</b>
      </p>
      <dl class="facts" aria-label={text.served}>
        {levels.flatMap((name) => [
          <dt key={`${name} name`}>{text.levels[name]}</dt>,
          <dd key={name}>{shareOf(name)}</dd>,
        ])}
      </dl>
      {data && data.causes.length > 0 && (
        <ul class="agent-causes small soft">
          {data.causes.map((cause) => (
            <li key={cause}>{cause}</li>
          ))}
        </ul>
      )}
      <p class="faint small">{text.served}</p>
    </section>
  );
}
