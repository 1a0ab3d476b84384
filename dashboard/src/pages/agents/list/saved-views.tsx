// Views of the list that somebody keeps: selector, filters, order and columns under a name, in this browser.
import { useState } from 'preact/hooks';
import { Button, IconButton } from '../../../components/button.tsx';
import { TextField } from '../../../components/forms/fields.tsx';
import { Form, useForm } from '../../../components/forms/form.tsx';
import { Icon } from '../../../components/icon.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';
import { Menu } from '../../../components/overlays/menu.tsx';
import { keep, readKept } from '../../../data/kept.ts';
import { navigate, place } from '../../../router/location.ts';
import { agentsText } from '../../../text/agents.ts';
import { readViews, type SavedView, viewOf, withView } from './kept-views.ts';

const text = agentsText.views;
const storageKey = 'weft.views';

export function SavedViews() {
  const [views, setViews] = useState<readonly SavedView[]>(() => readViews(readKept('browser', storageKey)));
  const [isSaving, setSaving] = useState(false);
  const current = viewOf(place.value.search);
  const store = (next: readonly SavedView[]) => {
    setViews(next);
    keep('browser', storageKey, JSON.stringify(next));
  };
  return (
    <>
      <Menu
        label={text.title}
        kind="plain"
        align="start"
        items={[
          ...views.map(({ name, search }) => ({
            label: name,
            isChosen: search === current,
            onChoose: () => navigate(`/agents${search === '' ? '' : `?${search}`}`),
          })),
          { label: text.manage, icon: 'edit' as const, onChoose: () => setSaving(true) },
        ]}
      >
        {views.find(({ search }) => search === current)?.name ?? text.title}
        <Icon name="chevron-down" size={14} />
      </Menu>
      {isSaving && <ViewsDialog {...{ views, current, store }} onClose={() => setSaving(false)} />}
    </>
  );
}

interface ViewsDialogProps {
  views: readonly SavedView[];
  current: string;
  store: (views: readonly SavedView[]) => void;
  onClose: () => void;
}

function ViewsDialog({ views, current, store, onClose }: ViewsDialogProps) {
  const form = useForm({ name: '' });
  return (
    <Dialog title={text.manage} onClose={onClose}>
      <p class="soft">{text.words}</p>
      <Form
        form={form}
        label={text.save}
        onSubmit={async ({ name }) => {
          if (name.trim() === '') {
            form.problems.value = { name: text.nameNeeded };
            return;
          }
          store(withView(views, { name: name.trim(), search: current }));
          onClose();
        }}
      >
        <TextField form={form} name="name" label={text.name} hint={current === '' ? text.all : current} />
        <div>
          <Button type="submit" kind="primary">
            {text.save}
          </Button>
        </div>
      </Form>
      {views.map(({ name }) => (
        <div key={name} class="spread">
          <span>{name}</span>
          <IconButton
            icon="close"
            label={text.remove(name)}
            onClick={() => store(views.filter((view) => view.name !== name))}
          />
        </div>
      ))}
    </Dialog>
  );
}
