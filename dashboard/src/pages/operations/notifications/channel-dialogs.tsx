// Creates or changes a recipient of e-mails (which events, how bad, about what, and when not) or a webhook, whose secret is shown
// once.

import { useState } from 'preact/hooks';
import {
  call,
  type Notification,
  type NotificationInput,
  type Webhook,
  type WebhookInput,
} from '../../../api/client.ts';
import { SecretOnce } from '../../../components/copyable.tsx';
import { showToast } from '../../../components/feedback.tsx';
import { SelectField, TextField, TicksField } from '../../../components/forms/fields.tsx';
import { FormDialog, keepForm, SubmitRow, useForm } from '../../../components/forms/form.tsx';
import { SelectorField } from '../../../components/forms/selector-input.tsx';
import { queries } from '../../../data/use-operation.ts';
import { partsOf } from '../../../format.ts';
import { componentText } from '../../../text/components.ts';
import { notificationsText } from '../../../text/pages.ts';

const text = {
  name: 'Name',
  urlHint: (allowed: string) =>
    allowed === ''
      ? 'No destination is allowed yet: see WEFT_WEBHOOK_ALLOW.'
      : `Allowed by WEFT_WEBHOOK_ALLOW: ${allowed}`,
  events: 'Events',
  eventsHint: 'Kinds separated by commas: alarm.*, agent.offline, or * for all.',
  selector: 'About which access points',
  enabled: 'On',
  enabledWords: { true: 'yes', false: 'no' },
  save: 'Save',
  saved: (name: string) => `${name} saved`,
  secret: {
    title: 'Secret of the webhook',
    label: 'Signs every request; the receiver verifies it.',
    warning: 'It is shown only now. Copy it.',
    done: 'Done',
  },
};

export type RecipientValues = ReturnType<typeof toRecipientValues>;
export type WebhookValues = ReturnType<typeof toWebhookValues>;

/** `zone` is where somebody who creates one is likely to be. */
export function toRecipientValues(given: Notification | undefined, zone: string) {
  return {
    name: given?.name ?? '',
    email: given?.email ?? '',
    events: (given?.events ?? ['alarm.fired', 'alarm.cleared']).join(', '),
    severities: (given?.severities ?? ['critical', 'major']).join(' '),
    selector: given?.selector ?? '',
    digest_minutes: String(given?.digest_minutes ?? 0),
    quiet_from: given?.quiet?.from ?? '',
    quiet_until: given?.quiet?.until ?? '',
    time_zone: given?.time_zone ?? zone,
    enabled: String(given?.enabled ?? true),
  };
}

export function toRecipient(values: RecipientValues, before: Notification | undefined): NotificationInput {
  const isQuiet = values.quiet_from !== '' && values.quiet_until !== '';
  const except = before?.quiet?.except;
  return {
    name: values.name.trim(),
    email: values.email.trim(),
    events: listOf(values.events),
    severities: values.severities.split(' ').filter(Boolean) as NonNullable<NotificationInput['severities']>,
    selector: values.selector.trim(),
    digest_minutes: Number(values.digest_minutes),
    quiet: isQuiet ? { from: values.quiet_from, until: values.quiet_until, ...(except && { except }) } : null,
    time_zone: values.time_zone.trim(),
    enabled: values.enabled === 'true',
  };
}

export function toWebhookValues(given: Webhook | undefined) {
  return {
    name: given?.name ?? '',
    url: given?.url ?? '',
    format: (given?.format ?? 'json') as string,
    events: (given?.events ?? ['alarm.*']).join(', '),
    selector: given?.selector ?? '',
    enabled: String(given?.enabled ?? true),
  };
}

export function toWebhook(values: WebhookValues): WebhookInput {
  return {
    name: values.name.trim(),
    url: values.url.trim(),
    format: values.format as NonNullable<WebhookInput['format']>,
    events: listOf(values.events),
    selector: values.selector.trim(),
    enabled: values.enabled === 'true',
  };
}

const listOf = (text: string) => partsOf(text, /[\s,]+/);

interface RecipientDialogProps {
  recipient: Notification | undefined;
  onClose: () => void;
}

export function RecipientDialog({ recipient, onClose }: RecipientDialogProps) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
  const form = useForm<RecipientValues>(toRecipientValues(recipient, zone));
  const title = recipient ? notificationsText.editOf(recipient.name) : notificationsText.create.email;
  const submit = async (values: RecipientValues) => {
    if (values.severities.trim() === '') return form.refuse({ severities: 'Choose at least one severity' });
    const json = toRecipient(values, recipient);
    if (recipient) await call('update_notification', { path: { id: recipient.id }, json });
    else await call('create_notification', { json });
    queries.refresh('list_notifications');
    showToast({ title: text.saved(json.name) });
    onClose();
  };
  return (
    <FormDialog {...{ form, onClose }} title={title} width="wide" onSubmit={submit}>
      <TextField {...form.at('name')} label={text.name} hasFocus />
      <TextField {...form.at('email')} label="E-mail address" type="email" />
      <TicksField {...form.at('severities')} label="Severities" options={componentText.severities} />
      <SelectorField {...form.at('selector')} label={text.selector} />
      <TextField {...form.at('events')} label={text.events} hint={text.eventsHint} isMono />
      <div class="field-row">
        <TextField {...form.at('digest_minutes')} label="Collect for minutes" hint="0: at once." inputMode="numeric" />
        <TextField {...form.at('quiet_from')} label={notificationsText.quietFrom} type="time" />
        <TextField {...form.at('quiet_until')} label="Quiet until" type="time" />
        <TextField {...form.at('time_zone')} label="Time zone" hint="Such as Europe/London." />
      </div>
      <p class="soft small">Empty: never. Critical events come all the same.</p>
      <SelectField {...form.at('enabled')} label={text.enabled} options={text.enabledWords} />
      <SubmitRow form={form}>{text.save}</SubmitRow>
    </FormDialog>
  );
}

interface WebhookDialogProps {
  webhook: Webhook | undefined;
  /** Where the server may send to. */
  allowed: readonly string[];
  onClose: () => void;
}

export function WebhookDialog({ webhook, allowed, onClose }: WebhookDialogProps) {
  const form = useForm<WebhookValues>(toWebhookValues(webhook));
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const title = webhook ? notificationsText.editOf(webhook.name) : notificationsText.create.webhooks;
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
    <FormDialog {...{ form, onClose }} title={title} width="wide" onSubmit={submit}>
      <TextField {...form.at('name')} label={text.name} hasFocus />
      <TextField {...form.at('url')} label="Address" hint={text.urlHint(allowed.join(', '))} type="url" isMono />
      <SelectField {...form.at('format')} label="Format" options={notificationsText.formats} />
      <TextField {...form.at('events')} label={text.events} hint={text.eventsHint} isMono />
      <SelectorField {...form.at('selector')} label={text.selector} />
      <SelectField {...form.at('enabled')} label={text.enabled} options={text.enabledWords} />
      <SubmitRow form={form}>{text.save}</SubmitRow>
    </FormDialog>
  );
}
