// What administrators and managers can do with an access point: label it, edit it, delete it, and take over the labels that it suggests.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { toFailure } from '../../api/failure.ts';
import type { AgentListItem } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { showFailure, showToast } from '../../components/feedback/toasts.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { agentName } from '../../data/agent-names.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { navigate } from '../../router/location.ts';
import { session } from '../../session/session.ts';
import { agentsText } from '../../text/agents.ts';
import { EditAgentDialog } from './edit-agent-dialog.tsx';
import { LabelsDialog } from './labels-dialog.tsx';

const text = agentsText.manage;

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
    <section class="card agent-manage">
      <h2>{text.title}</h2>
      <p class="soft small">{text.words}</p>
      <SuggestedLabels ap_id={ap_id} />
      <div class="acts">
        <Button onClick={() => setAsked('labels')}>{text.labels}</Button>
        {session.value?.isAdmin && (
          <Button disabled={configuration === undefined} onClick={() => setAsked('edit')}>
            {text.edit}
          </Button>
        )}
        <Button kind="danger" onClick={() => setAsked('remove')}>
          {text.remove}
        </Button>
      </div>
      {asked === 'labels' && <LabelsDialog agents={[listed]} onClose={close} />}
      {asked === 'edit' && configuration && <EditAgentDialog {...{ ap_id, configuration }} onClose={close} />}
      {asked === 'remove' && (
        <ConfirmDialog
          title={text.removeTitle(ap_id)}
          action={text.removeAction}
          typed={{ label: text.typed, name: ap_id }}
          onClose={close}
          onConfirm={async () => {
            await call('remove_agent', { path: { ap_id } });
            for (const changed of ['list_agents', 'metrics_']) queries.refresh(changed);
            showToast({ title: text.removed(ap_id) });
            navigate('/agents', { isReplacing: true });
          }}
        >
          {text.removeWords}
        </ConfirmDialog>
      )}
    </section>
  );
}

/** What the access point says about its place, until somebody accepts it. */
function SuggestedLabels({ ap_id }: { ap_id: string }) {
  const { data } = useOperation('get_labels', { path: { ap_id } }, { pollMs: 15_000 });
  const [isBusy, setBusy] = useState(false);
  const { site = null, tags = [] } = data?.suggested ?? {};
  if (site === null && tags.length === 0) return null;
  const accept = async () => {
    setBusy(true);
    try {
      const json = { ...(site !== null && { site }), ...(tags.length > 0 && { add_tags: tags }) };
      await call('update_labels', { path: { ap_id }, json });
      for (const changed of ['list_agents', 'get_labels', 'list_sites']) queries.refresh(changed);
      showToast({ title: text.saved(agentName(ap_id)) });
    } catch (error) {
      showFailure(toFailure(error));
    }
    setBusy(false);
  };
  const words = [site, tags.join(', ')].filter(Boolean).join(' · ');
  return (
    <div class="cluster">
      <span class="small">{agentsText.labels.suggested(words)}</span>
      <Button size="small" isBusy={isBusy} onClick={accept}>
        {agentsText.labels.accept}
      </Button>
    </div>
  );
}
