// Creates, changes, moves or deletes a site.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { Site } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { useUnsavedDialog } from '../../components/forms/unsaved-form.ts';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { queries } from '../../data/use-operation.ts';
import { sitesText as text } from '../../text/sites.ts';
import { readCoordinates, writeCoordinates } from '../emulator/coordinates.ts';

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
  const close = useUnsavedDialog(form, onClose);
  const title = site ? text.editOf(site.name) : text.create;
  const submit = async (values: SiteValues) => {
    const geolocation = values.geolocation.trim() === '' ? null : readCoordinates(values.geolocation.trim());
    if (geolocation === undefined) {
      form.problems.value = { geolocation: text.placeWrong };
      return;
    }
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
        onConfirm={async () => {
          await call('remove_site', { path: { id: site.id } });
          queries.refresh('list_sites');
          showToast({ title: text.removed(site.name) });
          onClose();
        }}
      >
        {text.removeWords}
      </ConfirmDialog>
    );
  }
  return (
    <Dialog title={title} onClose={close}>
      <Form form={form} label={title} onSubmit={submit}>
        <TextField form={form} name="path" label={text.path} hint={text.pathHint} isMono hasFocus />
        <TextField form={form} name="name" label={text.name} hint={text.nameHint} isOptional />
        <TextField form={form} name="time_zone" label={text.zone} hint={text.zoneHint} isOptional />
        <TextField form={form} name="geolocation" label={text.place} hint={text.placeHint} isOptional />
        <TextField form={form} name="notes" label={text.notes} hint={text.notesHint} rows={3} isOptional />
        <div class="spread">
          <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
            {text.save}
          </Button>
          {site && (
            <Button kind="danger" onClick={() => setRemoving(true)}>
              {text.remove}
            </Button>
          )}
        </div>
      </Form>
    </Dialog>
  );
}
