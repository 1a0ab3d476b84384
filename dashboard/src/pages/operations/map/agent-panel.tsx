// One access point beside the map: whether it is there, its latest values, and the way to its page.
import { AgentName, LastSeen, LatestValue } from '../../../components/agent-name.tsx';
import { ButtonLink, IconButton } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copyable.tsx';
import { Loading } from '../../../components/feedback.tsx';
import { StateChip, TechnologyChip } from '../../../components/glyph.tsx';
import { Facts } from '../../../components/page.tsx';
import { agentName, type Coverage, coverageOf, isInService } from '../../../data/agents.ts';
import type { FleetAgent } from '../../../data/fleet.ts';
import { metricWords } from '../../../data/metrics.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { formatMetric, formatValue } from '../../../format.ts';
import { agentsText } from '../../../text/pages.ts';

const defaultCoverage = (metres: string) => `about ${metres} (default)`;
const configuredCoverage = (metres: string) => `${metres} (configured)`;

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
  return (
    <section class="agent-panel" aria-label={agentName(ap_id)}>
      <header class="spread">
        <h2>
          <AgentName ap_id={ap_id} />
        </h2>
        <div class="cluster">
          <CopyButton text={ap_id} label="Copy the full name" />
          <IconButton icon="close" label="Back to the list" onClick={onClose} />
        </div>
      </header>
      {agent ? <PanelBody agent={agent} /> : <p class="soft">This access point no longer exists.</p>}
    </section>
  );
}

function PanelBody({ agent }: { agent: FleetAgent }) {
  const { ap_id, technology, state, configuration, details, geolocation, site, tags } = agent;
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
      {state === 'asleep' && <p class="soft small">It is asleep and serves no devices.</p>}
      {details && !isInService(state) && state !== 'asleep' && <p class="soft small">{details.reason}</p>}
      <ButtonLink kind="primary" href={`/agents/${encodeURIComponent(ap_id)}`} words="Open charts and commands" />
      <Facts
        rows={[
          ['Last report', <LastSeen key="seen" at={details?.last_seen} />],
          coverage && ['Coverage', coverageWords(coverage, isInService(state))],
          label && ['Label', label],
          site && ['Site', site],
          tags.length > 0 && [agentsText.columns.tags, tags.join(', ')],
        ]}
      />
      {!geolocation && <p class="soft small">It is not on the map: its configuration has no location.</p>}
      <h3>Latest values</h3>
      <Loading data={latest.data} failure={latest.failure} lines={6} />
      {latest.data && values.length === 0 && <p class="soft">No reports yet.</p>}
      <Facts
        look="facts values"
        rows={values.map(([name, { ts, value }]) => {
          const words = metricWords(configuration, name);
          const shown = formatMetric(name, value, words.unit);
          return [words.label, <LatestValue key={name} {...{ ts, state, details }} children={shown} />];
        })}
      />
    </>
  );
}

function coverageWords({ metres, isDefault }: Coverage, isServing: boolean): string {
  if (!isServing) return 'none at present';
  return (isDefault ? defaultCoverage : configuredCoverage)(formatValue(metres, 'm'));
}
