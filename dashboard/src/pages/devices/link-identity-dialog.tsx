// Says that another pseudonym is this device too.
import { looksLikeAddress } from '@weft/contract/device-address';
import { call } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { useUnsavedDialog } from '../../components/forms/unsaved-form.ts';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { queries } from '../../data/use-operation.ts';
import { devicesText } from '../../text/devices.ts';

const text = devicesText.link;

interface LinkIdentityDialogProps {
  device: string;
  onClose: () => void;
}

export function LinkIdentityDialog({ device, onClose }: LinkIdentityDialogProps) {
  const form = useForm({ identity: '' });
  const close = useUnsavedDialog(form, onClose);
  const submit = async ({ identity: typed }: { identity: string }) => {
    const identity = typed.trim();
    // An address is not sent, not even to be refused.
    const problem = identity === '' ? text.none : looksLikeAddress(identity) ? text.address : undefined;
    if (problem !== undefined) {
      form.problems.value = { identity: problem };
      return;
    }
    await call('link_device_identity', { path: { device }, json: { identity } });
    queries.refresh('get_device');
    showToast({ title: text.done });
    onClose();
  };
  return (
    <Dialog title={text.title} onClose={close}>
      <Form form={form} label={text.title} onSubmit={submit}>
        <p class="soft">{text.words}</p>
        <TextField
          form={form}
          name="identity"
          label={text.identity}
          hint={text.hint}
          placeholder="dev-…"
          autoComplete="off"
          isMono
          hasFocus
        />
        <div>
          <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
            {text.action}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
