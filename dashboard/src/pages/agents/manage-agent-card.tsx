// What administrators can do with an access point: edit it, delete it.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { AgentListItem } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { queries } from '../../data/use-operation.ts';
import { navigate } from '../../router/location.ts';
import { agentsText } from '../../text/agents.ts';
import { EditAgentDialog } from './edit-agent-dialog.tsx';
import { LabelsDialog } from './labels-dialog.tsx';

const text = agentsText.manage;

interface ManageAgentCardProps {
  ap_id: string;
  /** Undefined until it is known. */
  configuration: Record<string, unknown> | undefined;
  listed: AgentListItem | undefined;
}

export function ManageAgentCard({ ap_id, configuration, listed }: ManageAgentCardProps) {
  const [asked, setAsked] = useState<'labels' | 'edit' | 'remove' | undefined>(undefined);
  const close = () => setAsked(undefined);
  return (
    <section class="card agent-manage">
      <h2>{text.title}</h2>
      <p class="soft small">{text.words}</p>
      <div class="acts">
        <Button disabled={listed === undefined} onClick={() => setAsked('labels')}>
          {text.labels}
        </Button>
        <Button disabled={configuration === undefined} onClick={() => setAsked('edit')}>
          {text.edit}
        </Button>
        <Button kind="danger" onClick={() => setAsked('remove')}>
          {text.remove}
        </Button>
      </div>
      {asked === 'labels' && listed && <LabelsDialog agents={[listed]} onClose={close} />}
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
