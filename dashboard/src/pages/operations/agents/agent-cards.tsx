// Beside the charts of an access point: how it is connected and where it is, its health, and what administrators and managers
// can do with it. Rows are there before their values, so that nothing below them moves.
import { readPlace } from '@weft/contract/place';
import { useState } from 'preact/hooks';
import {
  type AgentHealthReport,
  type AgentListItem,
  type AgentPresence,
  call,
  type ServiceLevelName,
} from '../../../api/client.ts';
import { LastSeen } from '../../../components/agent-name.tsx';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { useAction } from '../../../components/feedback.tsx';
import { Card, Facts } from '../../../components/page.tsx';
import { agentName } from '../../../data/agents.ts';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { formatNumber, formatSpan } from '../../../format.ts';
import { navigate } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { agentsText } from '../../../text/pages.ts';
import { EditAgentDialog } from './edit-agent-dialog.tsx';
import { LabelsDialog } from './labels-dialog.tsx';

const text = {
  served: 'Share of the time in which users were served well.',
  levels: {
    availability: 'Reporting',
    coverage: 'Coverage',
    capacity: 'Capacity',
    latency: 'Latency',
    handover: 'Hand-overs',
    energy: 'Energy',
  },
};

interface ConnectionFactsProps {
  /** Undefined until it is known. */
  there: AgentPresence | undefined;
  configuration: Record<string, unknown>;
}

export function ConnectionFacts({ there, configuration }: ConnectionFactsProps) {
  const place = readPlace(configuration);
  const { label } = configuration;
  const budget = there?.report_budget;
  return (
    <Facts
      rows={[
        ['Last report', there ? <LastSeen key="seen" at={there.last_seen} /> : '–'],
        ['Report interval', there ? formatSpan(there.report_interval_seconds) : '–'],
        ['Command channel', there ? (there.channel ? 'open' : 'closed') : '–'],
        ['Accepts commands', there ? (there.command_ready ? 'yes' : 'no') : '–'],
        [
          'Report budget left',
          budget ? `${toPercent(budget.points_left)} of values, ${toPercent(budget.bytes_left)} of bytes` : '–',
        ],
        ['Location', place ? `${formatNumber(place.latitude, 5)}, ${formatNumber(place.longitude, 5)}` : '–'],
        typeof label === 'string' && label !== '' && ['Label', label],
      ]}
    />
  );
}

function toPercent(share: number): string {
  return `${formatNumber(share * 100, 0)} %`;
}

const levels: readonly ServiceLevelName[] = ['availability', 'coverage', 'capacity', 'latency', 'handover', 'energy'];

/** Its word, and why, heads the page. `report`: undefined until it is known. */
export function AgentHealthCard({ report }: { report: AgentHealthReport | undefined }) {
  const shareOf = (name: ServiceLevelName) => {
    const level = report?.service.find((each) => each.level === name);
    return level && level.minutes > 0 ? `${formatNumber((100 * level.good_minutes) / level.minutes, 0)} %` : '–';
  };
  return (
    <Card title="Health" look="">
      <h3>Last 24 hours</h3>
      <p class="faint small">{text.served}</p>
      <Facts label={text.served} rows={levels.map((name) => [text.levels[name], shareOf(name)])} />
    </Card>
  );
}

interface ManageAgentCardProps {
  ap_id: string;
  /** Undefined until it is known. */
  configuration: Record<string, unknown> | undefined;
  listed: AgentListItem;
}

export function ManageAgentCard({ ap_id, configuration, listed }: ManageAgentCardProps) {
  const [asked, setAsked] = useState<'labels' | 'edit' | 'remove' | undefined>(undefined);
  const close = () => setAsked(undefined);
  return (
    <Card title="Manage" look="agent-manage">
      <p class="soft small">Administrators, and managers of it, can label and delete an access point.</p>
      <SuggestedLabels ap_id={ap_id} />
      <div class="acts">
        <Button onClick={() => setAsked('labels')}>Name, site, tags</Button>
        {session.value?.isAdmin && (
          <Button
            disabled={configuration === undefined}
            onClick={() => setAsked('edit')}
            words="Location and interval"
          />
        )}
        <Button kind="danger" onClick={() => setAsked('remove')} words="Delete" />
      </div>
      {asked === 'labels' && <LabelsDialog agents={[listed]} onClose={close} />}
      {asked === 'edit' && configuration && <EditAgentDialog {...{ ap_id, configuration }} onClose={close} />}
      {asked === 'remove' && (
        <ConfirmDialog
          title={`Delete ${ap_id}?`}
          action="Delete access point"
          typed={{ label: 'Type the name of the access point to confirm', name: ap_id }}
          onClose={close}
          onConfirm={() => call('remove_agent', { path: { ap_id } })}
          changes={['list_agents', 'metrics_']}
          done={`${ap_id} deleted`}
          onDone={() => navigate('/agents', { isReplacing: true })}
          words="The access point is signed out immediately and cannot send reports or receive commands. To use it again, register it again. This cannot be undone."
        />
      )}
    </Card>
  );
}

/** What the access point says about its place, until somebody accepts it. */
function SuggestedLabels({ ap_id }: { ap_id: string }) {
  const { data } = useOperation('get_labels', { path: { ap_id } }, { pollMs: 15_000, firstAfterMs: 3000 });
  const { isBusy, act } = useAction();
  const { site = null, tags = [] } = data?.suggested ?? {};
  if (site === null && tags.length === 0) return null;
  const accept = () =>
    act(async () => {
      const json = { ...(site !== null && { site }), ...(tags.length > 0 && { add_tags: tags }) };
      await call('update_labels', { path: { ap_id }, json });
      queries.refresh('list_agents', 'get_labels', 'list_sites');
      return agentsText.manage.saved(agentName(ap_id));
    });
  const words = [site, tags.join(', ')].filter(Boolean).join(' · ');
  return (
    <div class="cluster">
      <span class="small">{`It suggests: ${words}`}</span>
      <Button size="small" isBusy={isBusy} onClick={accept} words="Accept" />
    </div>
  );
}
