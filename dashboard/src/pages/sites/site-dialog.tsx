// Creates, changes, moves or deletes a site.
import { useState } from 'preact/hooks';
import { call, type Site } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { showToast } from '../../components/feedback.tsx';
import { TextField } from '../../components/forms/fields.tsx';
import { FormDialog, isChanged, SubmitButton, useForm } from '../../components/forms/form.tsx';
import { readCoordinates, writeCoordinates } from '../../data/agents.ts';
import { queries } from '../../data/use-operation.ts';
import { useUnsaved } from '../../router/leaving.ts';
import { sitesText as text } from '../../text/sites.ts';

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
  const pathHint = site ? text.pathMoves : text.pathHint;
  const title = site ? text.editOf(site.name) : text.create;
  const submit = async (values: SiteValues) => {
    const geolocation = values.geolocation.trim() === '' ? null : readCoordinates(values.geolocation.trim());
    if (geolocation === undefined) return form.refuse({ geolocation: text.placeWrong });
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
    for (const changed of ['list_sites', 'list_agents', 'get_labels']) queries.refresh(changed);
    showToast({ title: text.saved(saved.name) });
    onClose();
  };
  if (isRemoving && site) {
    return (
      <ConfirmDialog
        title={text.removeTitle(site.name)}
        action={text.remove}
        onClose={() => setRemoving(false)}
        onConfirm={() => call('remove_site', { path: { id: site.id } })}
        changes={['list_sites']}
        done={text.removed(site.name)}
        onDone={onClose}
        words={text.removeWords}
      />
    );
  }
  return (
    <FormDialog {...{ form, onClose }} title={title} onSubmit={submit}>
      <TextField {...form.at('path')} label={text.path} hint={pathHint} isMono hasFocus />
      <TextField {...form.at('name')} label={text.name} hint={text.nameHint} isOptional />
      <TextField {...form.at('time_zone')} label={text.zone} hint={text.zoneHint} isOptional />
      <TextField {...form.at('geolocation')} label={text.place} hint={text.placeHint} isOptional />
      <TextField {...form.at('notes')} label={text.notes} hint={text.notesHint} rows={3} isOptional />
      <div class="spread">
        <SubmitButton form={form}>{text.save}</SubmitButton>
        {site && <Button kind="danger" onClick={() => setRemoving(true)} words={text.remove} />}
      </div>
    </FormDialog>
  );
}
