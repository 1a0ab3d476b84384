// One access point beside the map: whether it is there, its latest values, and the way to its page.

import { AgentName } from '../../components/agent-name.tsx';
import { ButtonLink, IconButton } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { agentName } from '../../data/agent-names.ts';
import '../../components/layout/facts.css';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { StateChip, TechnologyChip } from '../../components/glyph.tsx';
import { isInService } from '../../data/agent-state.ts';
import type { FleetAgent } from '../../data/fleet.ts';
import { metricWords } from '../../data/metric-words.ts';
import { useOperation } from '../../data/use-operation.ts';
import { formatValue } from '../../format/numbers.ts';
import { coverageOf } from '../../map/coverage.ts';
import { agentsText } from '../../text/agents.ts';
import { mapText } from '../../text/map.ts';
import { LastSeen } from '../agents/last-seen.tsx';
import { LatestValue } from '../agents/latest-value.tsx';

interface Newest {
  ts: string;
  value: unknown;
}

interface AgentPanelProps {
  ap_id: string;
  /** Undefined if there is none of this name. */
  agent: FleetAgent | undefined;
  onClose: () => void;
}

export function AgentPanel({ ap_id, agent, onClose }: AgentPanelProps) {
  const text = mapText.panel;
  return (
    <section class="agent-panel" aria-label={agentName(ap_id)}>
      <header class="spread">
        <h2>
          <AgentName ap_id={ap_id} />
        </h2>
        <div class="cluster">
          <CopyButton text={ap_id} label={text.copyName} />
          <IconButton icon="close" label={text.close} onClick={onClose} />
        </div>
      </header>
      {agent ? <PanelBody agent={agent} /> : <p class="soft">{text.gone}</p>}
    </section>
  );
}

function PanelBody({ agent }: { agent: FleetAgent }) {
  const { ap_id, technology, state, configuration, details, geolocation, site, tags } = agent;
  const text = mapText.panel;
  const latest = useOperation('metrics_latest', { query: { agents: [ap_id] } }, { pollMs: 2000 });
  const values = Object.entries((latest.data?.agents[0]?.metrics ?? {}) as Record<string, Newest>).filter(
    (entry): entry is [string, Newest & { value: number }] => typeof entry[1].value === 'number',
  );
  const coverage = coverageOf(technology, configuration);
  const label = typeof configuration.label === 'string' ? configuration.label : '';
  return (
    <>
      <div class="cluster">
        <TechnologyChip technology={technology} />
        <StateChip state={state} />
      </div>
      {state === 'asleep' && <p class="soft small">{text.asleep}</p>}
      {details && !isInService(state) && state !== 'asleep' && <p class="soft small">{details.reason}</p>}
      <ButtonLink kind="primary" href={`/agents/${encodeURIComponent(ap_id)}`}>
        {text.open}
      </ButtonLink>
      <dl class="facts">
        <dt>{text.lastReport}</dt>
        <dd>
          <LastSeen at={details?.last_seen} />
        </dd>
        {coverage && (
          <>
            <dt>{text.coverage}</dt>
            <dd>
              {!isInService(state)
                ? text.noCoverage
                : coverage.isDefault
                  ? text.defaultCoverage(formatValue(coverage.metres, 'm'))
                  : text.configuredCoverage(formatValue(coverage.metres, 'm'))}
            </dd>
          </>
        )}
        {label && <Fact name={text.described} value={label} />}
        {site && <Fact name={text.site} value={site} />}
        {tags.length > 0 && <Fact name={agentsText.columns.tags} value={tags.join(', ')} />}
      </dl>
      {!geolocation && <p class="soft small">{text.noLocation}</p>}
      <h3>{text.values}</h3>
      {latest.failure && <FailureNotice failure={latest.failure} />}
      {!latest.data && !latest.failure && <SkeletonLines count={6} />}
      {latest.data && values.length === 0 && <p class="soft">{text.noValues}</p>}
      <dl class="facts values">
        {values.map(([name, { ts, value }]) => {
          const words = metricWords(configuration, name);
          return (
            <>
              <dt key={name}>{words.label}</dt>
              <dd>
                <LatestValue {...{ ts, state, details }}>{formatValue(value, words.unit)}</LatestValue>
              </dd>
            </>
          );
        })}
      </dl>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
