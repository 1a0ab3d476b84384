// Views of the list that somebody keeps: selector, filters, order and columns under a name, in this browser. What a browser has
// kept is not trusted.
import { parseJson } from '@weft/contract/is-object';
import { useState } from 'preact/hooks';
import { Button, Icon, IconButton } from '../../../../components/button.tsx';
import { Dialog } from '../../../../components/dialog.tsx';
import { TextField } from '../../../../components/forms/fields.tsx';
import { Form, useForm } from '../../../../components/forms/form.tsx';
import { Menu } from '../../../../components/menu.tsx';
import { keep, readKept } from '../../../../data/kept.ts';
import { navigate, place } from '../../../../router/location.ts';

const text = { title: 'Views', manage: 'Save or remove views', save: 'Save this view' };

export interface SavedView {
  name: string;
  /** As the address has it, without what says where the list was left. */
  search: string;
}

const parts = ['selector', 'state', 'type', 'q', 'sort', 'columns'];
const maxViews = 50;

export function viewOf(search: string): string {
  const given = new URLSearchParams(search);
  return new URLSearchParams(
    parts.flatMap((name) => (given.get(name) ? [[name, given.get(name)!]] : [])) as [string, string][],
  ).toString();
}

export function readViews(kept: string | null): SavedView[] {
  const found = parseJson(kept ?? '[]');
  return Array.isArray(found) ? found.filter(isView).slice(0, maxViews) : [];
}

/** One of the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].slice(-maxViews);
}

function isView(value: unknown): value is SavedView {
  const { name, search } = (value ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && typeof search === 'string';
}

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
      <p class="soft">A view is the selector, filters, order and columns of this list. It is kept in this browser.</p>
      <Form
        form={form}
        label={text.save}
        onSubmit={async ({ name }) => {
          if (name.trim() === '') return form.refuse({ name: 'Enter a name' });
          store(withView(views, { name: name.trim(), search: current }));
          onClose();
        }}
      >
        <TextField
          {...form.at('name')}
          label="Name of this view"
          hint={current === '' ? 'All access points, worst first' : current}
        />
        <div>
          <Button type="submit" kind="primary" words={text.save} />
        </div>
      </Form>
      {views.map(({ name }) => (
        <div key={name} class="spread">
          <span>{name}</span>
          <IconButton
            icon="close"
            label={`Remove the view ${name}`}
            onClick={() => store(views.filter((view) => view.name !== name))}
          />
        </div>
      ))}
    </Dialog>
  );
}
