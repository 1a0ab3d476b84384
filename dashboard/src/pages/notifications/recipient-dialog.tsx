// A recipient of e-mails: which events, how bad, about what, and when not.
import { call } from '../../api/client.ts';
import type { Notification } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { Field, SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, type FormState, useForm } from '../../components/forms/form.tsx';
import { SelectorField } from '../../components/forms/selector-field.tsx';
import { useUnsavedDialog } from '../../components/forms/unsaved-form.ts';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { severities } from '../../components/severity.tsx';
import { queries } from '../../data/use-operation.ts';
import { componentText } from '../../text/components.ts';
import { notificationsText as text } from '../../text/notifications.ts';
import { type RecipientValues, toRecipient, toRecipientValues } from './channel-form.ts';

interface RecipientDialogProps {
  recipient: Notification | undefined;
  onClose: () => void;
}

export function RecipientDialog({ recipient, onClose }: RecipientDialogProps) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
  const form = useForm<RecipientValues>(toRecipientValues(recipient, zone));
  const close = useUnsavedDialog(form, onClose);
  const title = recipient ? text.editOf(recipient.name) : text.create.email;
  const submit = async (values: RecipientValues) => {
    if (values.severities.trim() === '') {
      form.problems.value = { severities: text.noSeverity };
      return;
    }
    const json = toRecipient(values, recipient);
    if (recipient) await call('update_notification', { path: { id: recipient.id }, json });
    else await call('create_notification', { json });
    queries.refresh('list_notifications');
    showToast({ title: text.saved(json.name) });
    onClose();
  };
  return (
    <Dialog title={title} width="wide" onClose={close}>
      <Form form={form} label={title} onSubmit={submit}>
        <TextField form={form} name="name" label={text.name} hasFocus />
        <TextField form={form} name="email" label={text.email} type="email" />
        <SeverityChoice form={form} />
        <SelectorField form={form} name="selector" label={text.selector} />
        <TextField form={form} name="events" label={text.events} hint={text.eventsHint} isMono />
        <div class="field-row">
          <TextField form={form} name="digest_minutes" label={text.digest} hint={text.digestHint} inputMode="numeric" />
          <ClockField form={form} name="quiet_from" label={text.quietFrom} />
          <ClockField form={form} name="quiet_until" label={text.quietUntil} />
          <TextField form={form} name="time_zone" label={text.zone} hint={text.zoneHint} />
        </div>
        <p class="soft small">{text.quietHint}</p>
        <SelectField
          form={form}
          name="enabled"
          label={text.enabled}
          options={Object.entries(text.enabledWords).map(([value, label]) => ({ value, label }))}
        />
        <div>
          <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
            {text.save}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function SeverityChoice({ form }: { form: FormState<RecipientValues> }) {
  const chosen = form.values.value.severities.split(' ').filter(Boolean);
  const problem = form.problems.value.severities;
  return (
    <fieldset class="severity-choice">
      <legend>{text.severities}</legend>
      {[...severities, 'info' as const].map((severity) => (
        <label key={severity}>
          <input
            type="checkbox"
            checked={chosen.includes(severity)}
            onChange={({ currentTarget: { checked } }) => {
              const others = chosen.filter((other) => other !== severity);
              form.set('severities', (checked ? [...others, severity] : others).join(' '));
            }}
          />
          {componentText.severities[severity]}
        </label>
      ))}
      {problem && (
        <p class="is-warning" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

interface ClockFieldProps {
  form: FormState<RecipientValues>;
  name: 'quiet_from' | 'quiet_until';
  label: string;
}

function ClockField({ form, name, label }: ClockFieldProps) {
  return (
    <Field form={form} name={name} label={label}>
      {(attributes) => (
        <input
          class="input"
          type="time"
          value={form.values.value[name]}
          onInput={(event) => form.set(name, event.currentTarget.value)}
          {...attributes}
        />
      )}
    </Field>
  );
}
