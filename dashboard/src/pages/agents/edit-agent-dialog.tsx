// Edits an access point: where it is, how often it reports, its password. The old configuration can be restored right after.
// What people call it, its site and its tags are labels.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { toFailure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { showFailure, showToast } from '../../components/feedback/toasts.tsx';
import { TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { useUnsavedDialog } from '../../components/forms/unsaved-form.ts';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { queries } from '../../data/use-operation.ts';
import { agentsText } from '../../text/agents.ts';
import { overviewText } from '../../text/overview.ts';
import { type Changes, changesOf, reverseOf, toEditValues, withChanges } from './agent-edit.ts';

const text = agentsText.manage;

interface EditAgentDialogProps {
  ap_id: string;
  configuration: Record<string, unknown>;
  onClose: () => void;
}

export function EditAgentDialog({ ap_id, configuration, onClose }: EditAgentDialogProps) {
  // What it begins with: the page asks again and again, and the form is compared with what it was filled from.
  const [before] = useState(configuration);
  const form = useForm({ ...toEditValues(before), password: '' });
  const [hasPassword, setHasPassword] = useState(false);
  const close = useUnsavedDialog(form, onClose);
  const submit = async ({ password, ...values }: typeof form.values.value) => {
    const { changes, problems } = changesOf(before, values);
    if (Object.keys(problems).length > 0) {
      form.problems.value = problems as Record<string, string>;
      return;
    }
    const isChanged = Object.keys(changes).length > 0;
    if (!isChanged && !hasPassword) {
      showToast({ kind: 'note', title: text.unchanged });
      return onClose();
    }
    const reverse = await apply(ap_id, changes, hasPassword ? password : undefined);
    showToast({
      title: text.saved(ap_id),
      ...(hasPassword && { detail: text.passwordSaved }),
      ...(isChanged && { action: { label: text.undo, onChoose: () => undo(ap_id, reverse) } }),
    });
    onClose();
  };
  return (
    <Dialog title={text.editTitle(ap_id)} onClose={close}>
      <Form form={form} onSubmit={submit} label={text.editTitle(ap_id)}>
        <TextField
          form={form}
          name="place"
          label={text.place}
          hint={overviewText.register.locationHint}
          isOptional
          hasFocus
        />
        <TextField
          form={form}
          name="interval"
          label={text.interval}
          hint={text.intervalHint}
          inputMode="decimal"
          isOptional
        />
        {hasPassword ? (
          <PasswordField form={form} name="password" label={text.password} isNew own={[ap_id]} hasFocus />
        ) : (
          <div>
            <Button onClick={() => setHasPassword(true)}>{text.passwordWords}</Button>
          </div>
        )}
        {hasPassword && <p class="soft small">{text.passwordHint}</p>}
        <Button kind="primary" type="submit" isBusy={form.isBusy.value}>
          {text.save}
        </Button>
      </Form>
    </Dialog>
  );
}

/** Upon what is there now: the agent may have changed its configuration meanwhile. Resolves what undoes the changes. */
async function apply(ap_id: string, changes: Changes, password?: string): Promise<Changes> {
  const path = { ap_id };
  const { configuration } = await call('get_agent', { path });
  await call('update_agent', {
    path,
    json: {
      ...(Object.keys(changes).length > 0 && { configuration: withChanges(configuration, changes) }),
      ...(password !== undefined && { password }),
    },
  });
  for (const changed of ['get_agent', 'list_agents', 'metrics_']) queries.refresh(changed);
  return reverseOf(configuration, changes);
}

async function undo(ap_id: string, changes: Changes): Promise<void> {
  try {
    await apply(ap_id, changes);
    showToast({ title: text.undone(ap_id) });
  } catch (error) {
    showFailure(toFailure(error));
  }
}
