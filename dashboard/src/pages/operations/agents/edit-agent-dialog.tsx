// Edits an access point: where it is, how often it reports, its password. An update replaces the whole configuration, so every key
// that the form does not show is kept; the old configuration can be restored right after. What people call it, its site and
// its tags are labels.
import { readPlace } from '@weft/contract/place';
import { useState } from 'preact/hooks';
import { call } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { attempt, showToast } from '../../../components/feedback.tsx';
import { TextField } from '../../../components/forms/fields.tsx';
import { FormDialog, SubmitButton, useForm } from '../../../components/forms/form.tsx';
import { PasswordField } from '../../../components/forms/password-field.tsx';
import { readCoordinates } from '../../../data/agents.ts';
import { queries } from '../../../data/use-operation.ts';
import { agentsText, overviewText } from '../../../text/pages.ts';

type Configuration = Record<string, unknown>;

export interface EditValues extends Record<string, string> {
  place: string;
  interval: string;
}

/** Key of the configuration -> its new value; undefined removes it. */
export type Changes = Record<string, unknown>;

export function toEditValues(configuration: Configuration): EditValues {
  const place = readPlace(configuration);
  return {
    place: place ? `${place.latitude}, ${place.longitude}` : '',
    interval: textOf(configuration.report_interval_seconds),
  };
}

/** What was changed in the form, against what it began with, and what is wrong with it, by field. */
export function changesOf(
  configuration: Configuration,
  values: EditValues,
): { changes: Changes; problems: Partial<EditValues> } {
  const before = toEditValues(configuration);
  const isChanged = (name: keyof EditValues & string) => values[name]!.trim() !== before[name]!.trim();
  const changes: Changes = {};
  const problems: Partial<EditValues> = {};
  if (isChanged('place')) {
    const place = readCoordinates(values.place);
    if (values.place.trim() === '') changes.geolocation = undefined;
    else if (place) changes.geolocation = { ...otherKeysOf(configuration.geolocation), ...place };
    else problems.place = overviewText.register.locationWrong;
  }
  if (isChanged('interval')) {
    const seconds = Number(values.interval.trim());
    if (values.interval.trim() === '') changes.report_interval_seconds = undefined;
    else if (Number.isFinite(seconds) && seconds > 0) changes.report_interval_seconds = seconds;
    else problems.interval = 'Enter a number above 0, such as 10';
  }
  return { changes, problems };
}

/** The configuration with these changes and everything else in it. */
export function withChanges(configuration: Configuration, changes: Changes): Configuration {
  const all = Object.entries({ ...configuration, ...changes });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** The changes that undo these. */
export function reverseOf(configuration: Configuration, changes: Changes): Changes {
  return Object.fromEntries(Object.keys(changes).map((key) => [key, configuration[key]]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** An altitude, say. Other spellings of the coordinates would contradict the new ones. */
function otherKeysOf(geolocation: unknown): Configuration {
  if (typeof geolocation !== 'object' || geolocation === null) return {};
  const { lat: _lat, long: _long, lon: _lon, lng: _lng, ...rest } = geolocation as Configuration;
  return rest;
}

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
  const submit = async ({ password, ...values }: typeof form.values.value) => {
    const { changes, problems } = changesOf(before, values);
    if (Object.keys(problems).length > 0) return form.refuse(problems as Record<string, string>);
    const isChanged = Object.keys(changes).length > 0;
    if (!isChanged && !hasPassword) {
      showToast({ kind: 'note', title: agentsText.manage.unchanged });
      return onClose();
    }
    const reverse = await apply(ap_id, changes, hasPassword ? password : undefined);
    showToast({
      title: agentsText.manage.saved(ap_id),
      ...(hasPassword && { detail: 'The new password cannot be undone.' }),
      ...(isChanged && { action: { label: agentsText.manage.undo, onChoose: () => undo(ap_id, reverse) } }),
    });
    onClose();
  };
  return (
    <FormDialog {...{ form, onClose }} title={`Edit ${ap_id}`} onSubmit={submit}>
      <TextField {...form.at('place')} label="Location" hint={overviewText.register.locationHint} isOptional hasFocus />
      <TextField
        {...form.at('interval')}
        label="Report interval in seconds"
        hint="How often Weft expects a report. Set the same interval on the agent."
        inputMode="decimal"
        isOptional
      />
      {hasPassword ? (
        <PasswordField {...form.at('password')} label="New password" isNew own={[ap_id]} hasFocus />
      ) : (
        <div>
          <Button onClick={() => setHasPassword(true)}>Set a new password</Button>
        </div>
      )}
      {hasPassword && <p class="soft small">The agent is signed out and must log in with the new password.</p>}
      <SubmitButton form={form}>{agentsText.manage.save}</SubmitButton>
    </FormDialog>
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
  queries.refresh('get_agent', 'list_agents', 'metrics_');
  return reverseOf(configuration, changes);
}

async function undo(ap_id: string, changes: Changes): Promise<void> {
  if (await attempt(() => apply(ap_id, changes))) showToast({ title: `Old configuration of ${ap_id} restored` });
}
