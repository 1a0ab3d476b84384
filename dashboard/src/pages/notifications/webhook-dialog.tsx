// Creates or changes a webhook; the secret of a new one is shown once.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { Webhook } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { SecretOnce } from '../../components/forms/secret-once.tsx';
import { SelectorField } from '../../components/forms/selector-field.tsx';
import { keepForm, useUnsavedDialog } from '../../components/forms/unsaved-form.ts';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { queries } from '../../data/use-operation.ts';
import { notificationsText as text } from '../../text/notifications.ts';
import { toWebhook, toWebhookValues, type WebhookValues } from './channel-form.ts';

const optionsOf = (words: Record<string, string>) => Object.entries(words).map(([value, label]) => ({ value, label }));

interface WebhookDialogProps {
  webhook: Webhook | undefined;
  onClose: () => void;
}

export function WebhookDialog({ webhook, onClose }: WebhookDialogProps) {
  const form = useForm<WebhookValues>(toWebhookValues(webhook));
  const close = useUnsavedDialog(form, onClose);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const title = webhook ? text.editOf(webhook.name) : text.create.webhooks;
  const submit = async (values: WebhookValues) => {
    const json = toWebhook(values);
    if (webhook) await call('update_webhook', { path: { id: webhook.id }, json });
    const made = webhook ? undefined : await call('create_webhook', { json });
    keepForm(form);
    queries.refresh('list_webhooks');
    showToast({ title: text.saved(json.name) });
    if (made) setSecret(made.secret);
    else onClose();
  };
  if (secret !== undefined) return <SecretOnce {...text.secret} {...{ secret, onClose }} />;
  return (
    <Dialog title={title} width="wide" onClose={close}>
      <Form form={form} label={title} onSubmit={submit}>
        <TextField form={form} name="name" label={text.name} hasFocus />
        <TextField form={form} name="url" label={text.url} hint={text.urlHint} type="url" isMono />
        <SelectField form={form} name="format" label={text.format} options={optionsOf(text.formats)} />
        <TextField form={form} name="events" label={text.events} hint={text.eventsHint} isMono />
        <SelectorField form={form} name="selector" label={text.selector} />
        <SelectField form={form} name="enabled" label={text.enabled} options={optionsOf(text.enabledWords)} />
        <div>
          <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
            {text.save}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
