// Creates, changes, moves or deletes a site.
import { useState } from 'preact/hooks';
import { call, type Site } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { showToast } from '../../../components/feedback.tsx';
import { TextField } from '../../../components/forms/fields.tsx';
import { FormDialog, isChanged, SubmitButton, useForm } from '../../../components/forms/form.tsx';
import { readCoordinates, writeCoordinates } from '../../../data/agents.ts';
import { queries } from '../../../data/use-operation.ts';
import { useUnsaved } from '../../../router/leaving.ts';
import { sitesText } from '../../../text/pages.ts';

const remove = 'Delete';

type SiteValues = Record<'path' | 'name' | 'time_zone' | 'geolocation' | 'notes', string>;

interface SiteDialogProps {
  /** Undefined: a new one. */
  site?: Site;
  /** Where a new one begins. */
  path?: string;
  onClose: () => void;
}

export function SiteDialog({ site, path = '', onClose }: SiteDialogProps) {
  const [isRemoving, setRemoving] = useState(false);
  const form = useForm<SiteValues>({
    path: site?.path ?? path,
    name: site?.name ?? '',
    time_zone: site?.time_zone ?? '',
    geolocation: site?.geolocation ? writeCoordinates(site.geolocation.latitude, site.geolocation.longitude) : '',
    notes: site?.notes ?? '',
  });
  // Also while it is asked about the removal.
  useUnsaved(isRemoving && isChanged(form), () => true);
  const pathHint = site ? 'Another path moves the site with everything below it.' : 'Such as uk/bristol/hall.';
  const title = site ? sitesText.editOf(site.name) : sitesText.create;
  const submit = async (values: SiteValues) => {
    const geolocation = values.geolocation.trim() === '' ? null : readCoordinates(values.geolocation.trim());
    if (geolocation === undefined)
      return form.refuse({
        geolocation: 'Enter latitude and longitude separated by a comma, such as 51.4552, -2.5966.',
      });
    const json = {
      path: values.path.trim(),
      name: values.name.trim() || null,
      time_zone: values.time_zone.trim() || null,
      geolocation,
      notes: values.notes,
    };
    const saved = site
      ? await call('update_site', { path: { id: site.id }, json })
      : await call('create_site', { json });
    queries.refresh('list_sites', 'list_agents', 'get_labels');
    showToast({ title: `${saved.name} saved` });
    onClose();
  };
  if (isRemoving && site) {
    return (
      <ConfirmDialog
        title={`Delete ${site.name}?`}
        action={remove}
        onClose={() => setRemoving(false)}
        onConfirm={() => call('remove_site', { path: { id: site.id } })}
        changes={['list_sites']}
        done={`${site.name} deleted`}
        onDone={onClose}
        words="Only a site without access points and without sites below it can be deleted."
      />
    );
  }
  return (
    <FormDialog {...{ form, onClose }} title={title} onSubmit={submit}>
      <TextField {...form.at('path')} label="Path" hint={pathHint} isMono hasFocus />
      <TextField {...form.at('name')} label="Name" hint="Default: the last step of the path." isOptional />
      <TextField
        {...form.at('time_zone')}
        label="Time zone"
        hint="Such as Europe/London. Default: that of the site above."
        isOptional
      />
      <TextField
        {...form.at('geolocation')}
        label="Location"
        hint="Latitude and longitude, such as 51.4552, -2.5966."
        isOptional
      />
      <TextField {...form.at('notes')} label="Notes" hint="Who to call, where the key is." rows={3} isOptional />
      <div class="spread">
        <SubmitButton form={form}>Save</SubmitButton>
        {site && <Button kind="danger" onClick={() => setRemoving(true)} words={remove} />}
      </div>
    </FormDialog>
  );
}
