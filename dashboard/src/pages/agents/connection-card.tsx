// How an access point is connected, and where it is. Rows are there before their values, so that nothing below them moves.
import type { AgentListItem, AgentPresence } from '../../api/operations.ts';
import '../../components/layout/facts.css';
import { geolocationOf } from '../../data/agent-configuration.ts';
import { formatNumber } from '../../format/numbers.ts';
import { formatSpan } from '../../format/times.ts';
import { agentsText } from '../../text/agents.ts';
import { LastSeen } from './last-seen.tsx';

interface ConnectionCardProps {
  ap_id: string;
  listed: AgentListItem | undefined;
  /** Undefined until it is known. */
  there: AgentPresence | undefined;
  configuration: Record<string, unknown>;
}

export function ConnectionCard({ ap_id, listed, there, configuration }: ConnectionCardProps) {
  const text = agentsText.one;
  const place = geolocationOf(configuration);
  return (
    <section class="card">
      <h2>{text.presence}</h2>
      <dl class="facts">
        <dt>{text.lastReport}</dt>
        <dd>{there ? <LastSeen at={there.last_seen} /> : '–'}</dd>
        <dt>{text.interval}</dt>
        <dd>{there ? formatSpan(there.report_interval_seconds) : '–'}</dd>
        <dt>{text.channel}</dt>
        <dd>{there ? (there.channel ? text.channelOpen : text.channelClosed) : '–'}</dd>
        <dt>{text.ready}</dt>
        <dd>{there ? (there.command_ready ? text.yes : text.no) : '–'}</dd>
        <dt>{text.budget}</dt>
        <dd>
          {there?.report_budget
            ? text.budgetLeft(toPercent(there.report_budget.points_left), toPercent(there.report_budget.bytes_left))
            : '–'}
        </dd>
        <dt>{text.location}</dt>
        <dd>{place ? `${formatNumber(place.latitude, 5)}, ${formatNumber(place.longitude, 5)}` : '–'}</dd>
        <Fact name={text.label} value={configuration.label} />
        <Fact name={text.site} value={listed?.site} />
        <Fact name={agentsText.columns.tags} value={listed?.tags.join(', ')} />
        <Fact name={text.id} value={ap_id} />
      </dl>
    </section>
  );
}

function Fact({ name, value }: { name: string; value: unknown }) {
  if (typeof value !== 'string' || value === '') return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function toPercent(share: number): string {
  return `${formatNumber(share * 100, 0)} %`;
}
